//! S3's operations as typed data, and the client that runs them.
//!
//! An [`Operation`] says its request and reads its answer, without I/O. [`Client`] runs one: the single retry loop
//! { permit → sign → http → parse → classify → decide }. A 200 that carries `<Error>` is an ordinary error on every operation.

pub mod client;
pub mod credentials;
mod encode;
pub mod endpoint;
pub mod error;
mod failure;
mod header;
mod operation;
pub mod ops;
pub mod xml;

#[cfg(test)]
mod tests;

pub use client::{Ambient, Client, Config, Payload, Sink};
pub use error::{Error, Kind};
pub use failure::{Failure, Told};
pub use operation::{Answer, Level, Operation, Parts, Store};
