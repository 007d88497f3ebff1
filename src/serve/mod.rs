//! The embedded S3 endpoint.
