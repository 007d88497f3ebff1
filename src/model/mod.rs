//! The pure core: values and the rules that hold between them.
//!
//! Nothing here awaits, reads a clock, opens a file or prints; every function can be tested with plain values.

pub mod checksum;
pub mod filter;
pub mod name;
pub mod plan;
pub mod price;
pub mod record;
pub mod stats;
pub mod units;
pub mod uri;
