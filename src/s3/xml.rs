//! Streaming XML: what S3 sends and takes (WIRE owns this).
