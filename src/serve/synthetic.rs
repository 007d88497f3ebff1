//! Generated listings: a bucket of any number of keys that exist nowhere.
//!
//! Grammar: `SHAPE:N`, where the shape is one of
//!
//! - `flat`: N keys without a slash;
//! - `tree`: a thousand keys below each common prefix;
//! - `S1`: `blobs/sha256/` and 64 hexadecimal digits, spread evenly;
//! - `S9`: `data/` and a counter of 12 digits.
//!
//! Keys are made from their number when they are asked for, so a page costs what its keys cost and the search for its first one.

/// The bucket a generated listing is served as.
pub(super) const BUCKET: &str = "bench";
/// All its objects are empty,
pub(super) const ETAG: &str = "d41d8cd98f00b204e9800998ecf8427e";
/// and of this second (2024-01-01).
pub(super) const MODIFIED: i64 = 1_704_067_200;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Flat,
    Tree,
    Hashes,
    Counter,
}

/// A generated listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Synthetic {
    shape: Shape,
    keys: u64,
}

impl Synthetic {
    /// Reads `SHAPE:N`. The error is for the person who typed it.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mistake =
            || format!("`{text}` is not SHAPE:N with a shape of flat, tree, S1, S9 and N up to a thousand million");
        let (shape, keys) = text.split_once(':').ok_or_else(mistake)?;
        let shape = match shape {
            "flat" => Shape::Flat,
            "tree" => Shape::Tree,
            "S1" => Shape::Hashes,
            "S9" => Shape::Counter,
            _ => return Err(mistake()),
        };
        let keys = keys.parse().ok().filter(|keys| *keys <= 1_000_000_000).ok_or_else(mistake)?;
        Ok(Self { shape, keys })
    }

    /// The keys that are not less than `from`, in order.
    pub(super) fn from(self, from: &[u8]) -> impl Iterator<Item = Vec<u8>> + use<> {
        let (mut low, mut high) = (0, self.keys);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.key(middle).as_slice() < from { low = middle + 1 } else { high = middle }
        }
        (low..self.keys).map(move |number| self.key(number))
    }

    fn key(self, number: u64) -> Vec<u8> {
        match self.shape {
            Shape::Flat => format!("object-{number:012}"),
            Shape::Tree => format!("prefix-{:09}/object-{:03}", number / 1000, number % 1000),
            Shape::Counter => format!("data/{number:012}"),
            Shape::Hashes => {
                // The leading digits rise with the number, the others only look random.
                let spread = (u128::from(number) << 64) / u128::from(self.keys);
                let tail = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
                format!(
                    "blobs/sha256/{spread:016x}{tail:016x}{:016x}{:016x}",
                    tail.rotate_left(17),
                    tail.rotate_left(41)
                )
            }
        }
        .into_bytes()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn keys_are_in_order_and_found_from_anywhere() {
        for shape in ["flat:2500", "tree:2500", "S1:2500", "S9:2500"] {
            let keys: Vec<_> = Synthetic::parse(shape).unwrap().from(b"").collect();
            assert_eq!(keys.len(), 2500);
            assert!(keys.is_sorted());
            let rest = Synthetic::parse(shape).unwrap().from(&keys[1234]).count();
            assert_eq!(rest, 2500 - 1234);
        }
    }

    #[test]
    fn other_shapes_are_refused() {
        for text in ["flat", "deep:5", "flat:x", "flat:1000000001"] {
            assert!(Synthetic::parse(text).is_err(), "{text}");
        }
    }
}
