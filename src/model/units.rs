//! Sizes, durations and times as people type and read them.
/// `8MiB` and `8M` are 8 × 2^20, `8MB` is 8 × 10^6, `8` bytes; case-insensitive unit; fractions allowed (`1.5G`).
pub fn parse_size(_text: &str) -> Result<u64, String> { todo!() }
/// `1.5 GiB`, at most four characters of number.
pub fn human_size(_bytes: u64) -> String { todo!() }
/// `500ms`, `5s`, `1h30m`, `2d`.
pub fn parse_duration(_text: &str) -> Result<std::time::Duration, String> { todo!() }
/// ISO 8601 instant (`2026-01-31`, `2026-01-31T12:00:00Z`, with offset), or a duration back from `now`.
pub fn parse_time(_text: &str, _now: jiff::Timestamp) -> Result<jiff::Timestamp, String> { todo!() }
/// ISO 8601 UTC to the second, with milliseconds only when not zero: `2026-01-31T12:00:00Z`.
pub fn format_time(_time: jiff::Timestamp) -> String { todo!() }
/// Makes a name safe for a terminal: control, bidi and other invisible characters become `\u{…}` escapes.
pub fn sanitise(_text: &str) -> std::borrow::Cow<'_, str> { todo!() }
