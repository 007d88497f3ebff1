//! What requests cost: a table of S3 prices and the sum over a ledger.
/// Price class of a request, as S3 bills it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tier {
    /// PUT, COPY, POST, LIST.
    Write,
    /// GET, HEAD, SELECT and all others.
    Read,
    /// DELETE, abort.
    Free,
}
/// The tier of an S3 operation by its API name.
pub fn tier(_operation: &str) -> Tier {
    todo!()
}
/// Prices in USD.
#[derive(Debug, Clone, PartialEq)]
pub struct PriceTable {
    /// USD for 1,000 requests of the write tier.
    pub write_per_1000: f64,
    pub read_per_1000: f64,
    /// where the figures come from and their date
    pub source: String,
}
impl Default for PriceTable {
    fn default() -> Self {
        todo!()
    }
}
impl PriceTable {
    /// Reads `write=0.005,read=0.0004` (USD for 1,000).
    pub fn parse(_text: &str) -> Result<Self, String> {
        todo!()
    }
    /// USD for so many requests of each operation.
    pub fn requests<'a>(&self, _counts: impl Iterator<Item = (&'a str, u64)>) -> f64 {
        todo!()
    }
}
