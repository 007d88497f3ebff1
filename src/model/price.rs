//! What requests cost: a table of S3 prices and the sum over a ledger.
//!
//! An estimate: storage, transfer out of the region, retrieval and other stores' tariffs are not in it.

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
#[must_use]
pub fn tier(operation: &str) -> Tier {
    let starts = |verbs: &[&str]| verbs.iter().any(|verb| operation.starts_with(verb));
    if starts(&["Delete", "Abort"]) {
        Tier::Free
    } else if starts(&["Put", "Copy", "Post", "List", "Create", "Upload", "Complete", "Restore"]) {
        Tier::Write
    } else {
        Tier::Read
    }
}

/// Prices in USD.
#[derive(Debug, Clone, PartialEq)]
pub struct PriceTable {
    /// USD for 1,000 requests of the write tier.
    pub write_per_1000: f64,
    /// USD for 1,000 requests of the read tier.
    pub read_per_1000: f64,
    /// Where the figures come from and their date.
    pub source: String,
}

/// S3 Standard in us-east-1, the cheapest common tariff and the one the documentation quotes.
impl Default for PriceTable {
    fn default() -> Self {
        let source = "AWS S3 Standard, us-east-1, table of November 2026".to_owned();
        Self { write_per_1000: 0.005, read_per_1000: 0.0004, source }
    }
}

impl PriceTable {
    /// Reads `write=0.005,read=0.0004` (USD for 1,000). What is not named keeps its default.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut table = Self { source: "prices given by the user".to_owned(), ..Self::default() };
        for item in text.split(',') {
            let bad = || {
                format!(
                    "bad price '{}': prices look like write=0.005,read=0.0004 (USD for 1,000 requests)",
                    item.trim()
                )
            };
            let (name, price) = item.split_once('=').ok_or_else(bad)?;
            let price =
                price.trim().parse::<f64>().ok().filter(|price| price.is_finite() && *price >= 0.0).ok_or_else(bad)?;
            match name.trim() {
                "write" => table.write_per_1000 = price,
                "read" => table.read_per_1000 = price,
                _ => return Err(bad()),
            }
        }
        Ok(table)
    }

    /// USD for so many requests of each operation.
    #[must_use]
    pub fn requests<'a>(&self, counts: impl Iterator<Item = (&'a str, u64)>) -> f64 {
        let (mut write, mut read) = (0u64, 0u64);
        for (operation, count) in counts {
            match tier(operation) {
                Tier::Write => write += count,
                Tier::Read => read += count,
                Tier::Free => {}
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "exact up to 2^53 requests")]
        let cost = |count: u64, per_1000: f64| count as f64 * per_1000 / 1000.0;
        cost(write, self.write_per_1000) + cost(read, self.read_per_1000)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn operations_fall_into_the_tiers_s3_bills() {
        for operation in [
            "PutObject",
            "CopyObject",
            "ListObjectsV2",
            "ListParts",
            "UploadPart",
            "UploadPartCopy",
            "CreateMultipartUpload",
            "CompleteMultipartUpload",
            "CreateBucket",
            "ListBuckets",
        ] {
            assert_eq!(tier(operation), Tier::Write, "{operation}");
        }
        for operation in ["GetObject", "HeadObject", "GetObjectTagging", "HeadBucket", "SomethingNew"] {
            assert_eq!(tier(operation), Tier::Read, "{operation}");
        }
        for operation in ["DeleteObject", "DeleteObjects", "AbortMultipartUpload", "DeleteBucket"] {
            assert_eq!(tier(operation), Tier::Free, "{operation}");
        }
    }

    #[test]
    fn a_thousand_puts_and_ten_thousand_gets_cost_less_than_a_cent() {
        let counts = [("PutObject", 1_000), ("GetObject", 10_000), ("DeleteObjects", 99)];
        let usd = PriceTable::default().requests(counts.into_iter());
        assert!((usd - 0.009).abs() < 1e-12, "{usd}");
    }

    #[test]
    fn prices_are_read_and_nonsense_is_refused() {
        let table = PriceTable::parse("write=0.01, read=0").unwrap();
        assert_eq!(format!("{} {}", table.write_per_1000, table.read_per_1000), "0.01 0");
        assert_eq!(PriceTable::parse("read=1").unwrap().write_per_1000.to_string(), "0.005");
        for text in ["", "write", "write=", "write=-1", "write=NaN", "write=inf", "list=1", "write=1;read=2"] {
            assert!(PriceTable::parse(text).unwrap_err().starts_with("bad price"), "{text}");
        }
    }
}
