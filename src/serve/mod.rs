//! The embedded S3 endpoint: an S3 server with AWS semantics, in this process.
//!
//! It serves the demo and the tests without a cloud, lets people rehearse a job under a chosen latency, throttle and fault rate, and makes
//! bugs and benchmarks reproducible. [`Options`] says what to serve; [`run`] serves until told to stop.
//!
//! A request passes, outside in: the connection (`server`: request ids, request log, throttle, faults, latency) → the `s3s` crate
//! (signatures, payload hashes, aws-chunked bodies; `auth`) → the operation (`ops`) → the store (`store`). Everything a client can
//! observe of S3's semantics is decided in `ops` and `store`; everything that goes wrong on purpose is decided in [`faults`],
//! [`latency`] and [`throttle`].

mod auth;
mod error;
pub mod faults;
mod front;
pub mod latency;
pub mod operation;
mod ops;
pub mod options;
mod request_log;
mod server;
pub mod spec;
mod store;
mod synthetic;
mod target;
pub mod throttle;
mod time;
mod wire;
mod xml;

pub use front::run;
pub use options::{Options, Provider, ServeError, StoreKind};
