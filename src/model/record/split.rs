//! Cuts a byte stream into records, whatever the reads looked like.

use super::{Framing, MAX_RECORD, RecordError};

/// Cuts a byte stream into records without holding more than one: push what was read, take what is whole.
/// A record over [`MAX_RECORD`] yields one `Err(TooLong)` at its line and is skipped to its terminator.
///
/// Memory: what was pushed and not yet taken, and at most one record more. A CR before the line end stays part of the record.
#[derive(Debug, Default)]
pub struct Splitter {
    framing: Framing,
    buffer: Vec<u8>,
    /// Where the record being looked for starts in the buffer.
    start: usize,
    /// Up to where the buffer is known to hold no terminator.
    scanned: usize,
    /// Of the last record given out.
    number: u64,
    /// Inside a record already reported as too long.
    skipping: bool,
    finished: bool,
}

impl Splitter {
    /// A splitter that has seen nothing.
    #[must_use]
    pub fn new(framing: Framing) -> Self {
        Self { framing, ..Self::default() }
    }

    /// Feeds bytes as they were read.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.start);
        self.scanned -= self.start;
        self.start = 0;
        self.buffer.extend_from_slice(bytes);
    }

    /// Says that no more bytes come, so that a last record without terminator is whole.
    pub fn finish(&mut self) {
        self.finished = true;
    }

    /// The next whole record: its 1-based number and its raw bytes (for `--failed`, verbatim), or why it is malformed.
    pub fn next_record(&mut self) -> Option<(u64, Result<Vec<u8>, RecordError>)> {
        let terminator = if self.framing == Framing::Null { 0 } else { b'\n' };
        while let Some(found) = memchr::memchr(terminator, &self.buffer[self.scanned..]) {
            let end = self.scanned + found;
            let record = self.take(end, end + 1);
            if record.is_some() {
                return record;
            }
        }
        let end = self.buffer.len();
        self.scanned = end;
        let too_long = end - self.start > MAX_RECORD;
        if too_long || (self.finished && end > self.start) {
            let record = self.take(end, end);
            self.skipping = too_long && !self.finished;
            return record;
        }
        None
    }

    /// Gives out the bytes up to `end` and goes on at `next`; `None` if they are the rest of a record already reported.
    fn take(&mut self, end: usize, next: usize) -> Option<(u64, Result<Vec<u8>, RecordError>)> {
        let record = &self.buffer[self.start..end];
        let record = if record.len() > MAX_RECORD { Err(RecordError::TooLong) } else { Ok(record.to_vec()) };
        (self.start, self.scanned) = (next, next);
        if std::mem::take(&mut self.skipping) {
            return None;
        }
        self.number += 1;
        Some((self.number, record))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    type Cut = Vec<(u64, Result<Vec<u8>, RecordError>)>;

    /// Feeds `bytes` in pieces of `piece` bytes and collects all records.
    fn split(bytes: &[u8], piece: usize, framing: Framing) -> Cut {
        let mut splitter = Splitter::new(framing);
        let mut records = Vec::new();
        for piece in bytes.chunks(piece) {
            splitter.push(piece);
            records.extend(std::iter::from_fn(|| splitter.next_record()));
            assert!(splitter.buffer.len() - splitter.start <= MAX_RECORD + piece.len());
        }
        splitter.finish();
        records.extend(std::iter::from_fn(|| splitter.next_record()));
        assert_eq!(splitter.next_record(), None);
        records
    }

    fn ok(number: u64, record: &[u8]) -> (u64, Result<Vec<u8>, RecordError>) {
        (number, Ok(record.to_vec()))
    }

    #[test]
    fn a_last_record_without_terminator_counts() {
        assert_eq!(split(b"a\n\nb", 2, Framing::Lines), [ok(1, b"a"), ok(2, b""), ok(3, b"b")]);
        assert_eq!(split(b"a\n", 2, Framing::Lines), [ok(1, b"a")]);
        assert_eq!(split(b"", 2, Framing::Lines), []);
    }

    #[test]
    fn carriage_returns_stay_and_nul_frames_hold_line_ends() {
        assert_eq!(split(b"a\r\nb", 9, Framing::Lines), [ok(1, b"a\r"), ok(2, b"b")]);
        assert_eq!(split(b"a\nb\0c", 9, Framing::Null), [ok(1, b"a\nb"), ok(2, b"c")]);
    }

    #[test]
    fn a_record_too_long_is_reported_once_and_the_next_is_whole() {
        for piece in [1000, MAX_RECORD, 1 << 20] {
            for over in [1, 4464, 3 * MAX_RECORD] {
                let input = [b"a\n".as_slice(), &vec![b'x'; MAX_RECORD + over], b"\nb\n"].concat();
                assert_eq!(
                    split(&input, piece, Framing::Lines),
                    [ok(1, b"a"), (2, Err(RecordError::TooLong)), ok(3, b"b")]
                );
                let cut_off = &input[..input.len() - 3];
                assert_eq!(split(cut_off, piece, Framing::Lines), [ok(1, b"a"), (2, Err(RecordError::TooLong))]);
            }
        }
    }

    #[test]
    fn a_record_of_just_64_kib_is_accepted() {
        let longest = vec![b'x'; MAX_RECORD];
        let input = [longest.as_slice(), b"\n", &longest].concat();
        assert_eq!(split(&input, 4096, Framing::Lines), [ok(1, &longest), ok(2, &longest)]);
    }

    proptest! {
        #[test]
        fn how_the_bytes_were_read_does_not_matter(
            lines in prop::collection::vec(prop::collection::vec(1u8..9, 0..20), 0..20),
            piece in 1usize..50,
        ) {
            let lines: Vec<Vec<u8>> = lines; // no LF among the bytes 1..9
            let input = lines.join(&b'\n');
            let mut expected: Cut = lines.iter().zip(1..).map(|(line, number)| ok(number, line)).collect();
            if lines.last().is_some_and(Vec::is_empty) {
                expected.pop(); // nothing after the last terminator is no record
            }
            prop_assert_eq!(split(&input, piece, Framing::Lines), expected);
        }
    }
}
