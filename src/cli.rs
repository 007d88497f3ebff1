//! The command line: raw values only.
