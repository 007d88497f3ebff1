//! HTTP and what surrounds it: the client trait, signing, the pure retry decision, the concurrency governor.
//! Knows nothing of buckets or S3 operations.

pub mod governor;
pub mod http;
pub mod retry;
pub mod sign;
