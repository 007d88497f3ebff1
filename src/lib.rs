//! s3kit: a Unix-pipeline transfer toolkit for S3.
//!
//! Small subcommands pass *records* to each other over stdin and stdout; a SigV4 HTTP client does the wire work.
//!
//! Layers, from the bottom up (each may use only those its line in `tests/architecture.rs` names):
//!
//! | layer | is |
//! |---|---|
//! | [`model`] | the pure core: records, URIs, checksums, plans, filters, prices, counters |
//! | [`transport`] | HTTP, signing, the retry decision, the concurrency governor |
//! | [`s3`] | S3's operations as data, and the client that runs them |
//! | [`engine`] | moves bytes: downloads, uploads, server-side copies, deletes, local files |
//! | [`settings`] | one value that says how to reach a store and how hard to push |
//! | [`ui`] | everything a person reads, and the only writer of stdout and stderr |
//! | [`commands`] | one file a command: arguments, and which engine they start |
//! | [`serve`] | the embedded S3 endpoint, used by its command and the tests only |
//!
//! Vocabulary is S3's own: bucket, key, prefix, delimiter, common prefix, continuation token, object, version id, part, part number,
//! upload id, `ETag`. Sizes are `u64` bytes; ranges are half-open `start..end`.

pub mod cli;
pub mod commands;
pub mod engine;
pub mod model;
pub mod s3;
pub mod serve;
pub mod settings;
pub mod transport;
pub mod ui;
