//! How to reach a store and how hard to push.
