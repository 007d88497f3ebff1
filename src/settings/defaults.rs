//! Every default that a user or an operator may ask about, each with its reason.
//!
//! | default | value | reason |
//! |---|---|---|
//! | [`REGION`] | `us-east-1` | what S3 assumes of an unset region; custom endpoints mostly ignore it |
//! | [`CONNECT_TIMEOUT`] | 5 s | two SYN retransmissions; a store that needs more is down |
//! | [`READ_TIMEOUT`] | 20 s | longer than any first byte seen of a healthy store, short enough to retry within patience |
//! | [`MIN_SPEED`] | 1 KiB/s | a connection slower than a modem over a whole read timeout is stalled |
//! | [`MAX_ATTEMPTS`] | 8 | with full jitter to 20 s this outlasts a minute of throttling |
//! | [`START_REQUESTS`] | 16 | fills a 1 Gbit/s link with 8 MiB parts at 20 ms without alarming a small store |
//! | [`MAX_REQUESTS`] | 256 | beyond this a single client gains nothing but file descriptors |
//! | [`MEMORY`] | 64 MiB | eight parts in flight fill a 10 Gbit/s link at 50 ms, and the process stays near 100 MiB; less than a quarter of RAM |
//! | [`PART_SIZE`] | 8 MiB | large enough that a round trip is small beside it, small enough for eight streams on a 64 MiB object |
//! | [`MULTIPART_THRESHOLD`] | 16 MiB | two parts: below, three requests in place of one gain nothing |
//! | [`SETTLE`] | 10 s | time to abort uploads and remove temporary files after a signal |

use std::time::Duration;

/// Region signed for where none is configured.
pub const REGION: &str = "us-east-1";
/// Longest wait for a connection.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Longest silence of a connection that owes us bytes.
pub const READ_TIMEOUT: Duration = Duration::from_secs(20);
/// Bytes a second below which a transfer counts as stalled.
pub const MIN_SPEED: u64 = 1024;
/// Attempts a request gets, the first included.
pub const MAX_ATTEMPTS: u32 = 8;
/// Requests in flight to start with.
pub const START_REQUESTS: usize = 16;
/// Requests in flight at most.
pub const MAX_REQUESTS: usize = 256;
/// Bytes of bodies held at once.
pub const MEMORY: u64 = 64 << 20;
/// Share of RAM the buffers may take at most, as a divisor.
pub const MEMORY_SHARE: u64 = 4;
/// Part length of uploads and ranges of downloads.
pub const PART_SIZE: u64 = 8 << 20;
/// Size from which uploads and copies go in parts.
pub const MULTIPART_THRESHOLD: u64 = 16 << 20;
/// Longest time to settle after a signal.
pub const SETTLE: Duration = Duration::from_secs(10);
