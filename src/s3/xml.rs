//! Streaming XML: a pull reader for what S3 sends, and the escaping for what it takes.
//!
//! The reader walks elements without building a tree. Namespaces and prefixes are ignored, unknown elements skipped, and the end of the
//! text before the end of the root is an error, for that is what a broken transfer looks like.

use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use std::borrow::Cow;
use std::fmt::Write;

/// Why a document cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum XmlError {
    /// Nothing but white space.
    #[error("an empty answer where XML was due")]
    Empty,
    /// It ends before its root does.
    #[error("the XML ends in the middle")]
    Truncated,
    /// Not XML, or not the XML that was due.
    #[error("{0}")]
    Malformed(String),
}

/// A place in a document: just inside an element.
#[derive(Debug)]
pub struct Xml<'a> {
    reader: Reader<&'a [u8]>,
    /// The element opened last.
    current: BytesStart<'a>,
}

impl<'a> Xml<'a> {
    /// Goes inside the root.
    pub fn open(text: &'a str) -> Result<Self, XmlError> {
        let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}'));
        reader.config_mut().expand_empty_elements = true;
        let mut xml = Self { reader, current: BytesStart::new("") };
        loop {
            match xml.event()? {
                Event::Start(start) => xml.current = start,
                Event::Eof => return Err(XmlError::Empty),
                Event::Text(text) if !text.trim().is_empty() => {
                    return Err(XmlError::Malformed("the answer is not XML".into()));
                }
                _ => continue,
            }
            return Ok(xml);
        }
    }

    /// Local name of the element opened last.
    pub fn name(&self) -> &str {
        self.current.local_name().into_inner()
    }

    /// Opens the next child and gives its local name; `None` at the end of the element we are in. Every child must be left by
    /// [`Self::text`], [`Self::skip`] or by walking its own children to their end.
    pub fn child(&mut self) -> Result<Option<&str>, XmlError> {
        loop {
            match self.event()? {
                Event::Start(start) => {
                    self.current = start;
                    return Ok(Some(self.name()));
                }
                Event::End(_) => return Ok(None),
                Event::Eof => return Err(XmlError::Truncated),
                _ => {}
            }
        }
    }

    /// Text of the element opened last, up to its end. Nested elements are skipped.
    pub fn text(&mut self) -> Result<Cow<'a, str>, XmlError> {
        let mut text = Cow::Borrowed("");
        loop {
            match self.event()? {
                Event::Text(piece) => append(&mut text, piece.into_inner()),
                Event::CData(piece) => append(&mut text, piece.into_inner()),
                Event::GeneralRef(reference) => push(text.to_mut(), &reference)?,
                Event::Start(_) => self.skip()?,
                Event::End(_) => return Ok(text),
                Event::Eof => return Err(XmlError::Truncated),
                _ => {}
            }
        }
    }

    /// [`Self::text`] as a number; anything else is an error.
    pub fn number<N: std::str::FromStr>(&mut self) -> Result<N, XmlError> {
        let text = self.text()?;
        text.trim().parse().map_err(|_| XmlError::Malformed(format!("'{text}' where a number was due")))
    }

    /// Leaves the element opened last with all it holds.
    pub fn skip(&mut self) -> Result<(), XmlError> {
        let mut depth = 1_u32;
        while depth > 0 {
            match self.event()? {
                Event::Start(_) => depth += 1,
                Event::End(_) => depth -= 1,
                Event::Eof => return Err(XmlError::Truncated),
                _ => {}
            }
        }
        Ok(())
    }

    fn event(&mut self) -> Result<Event<'a>, XmlError> {
        self.reader.read_event().map_err(|error| match error {
            // What a cut inside a tag, a comment or an entity looks like.
            quick_xml::Error::Syntax(_) => XmlError::Truncated,
            other => XmlError::Malformed(other.to_string()),
        })
    }
}

fn append<'a>(text: &mut Cow<'a, str>, piece: Cow<'a, str>) {
    if text.is_empty() {
        *text = piece;
    } else {
        text.to_mut().push_str(&piece);
    }
}

/// Appends what an entity or a character reference stands for. Control characters, which XML forbids, are taken as they are meant.
fn push(text: &mut String, reference: &BytesRef<'_>) -> Result<(), XmlError> {
    let unknown = || XmlError::Malformed(format!("unknown entity &{};", &**reference));
    match reference.resolve_char_ref() {
        Ok(Some(character)) => text.push(character),
        Ok(None) => text.push_str(resolve_predefined_entity(reference).ok_or_else(unknown)?),
        Err(_) => return Err(unknown()),
    }
    Ok(())
}

/// Appends `<name>text</name>`. What XML would change or refuse (CR, LF, control characters) goes as a character reference.
pub fn element(out: &mut String, name: &str, text: &str) {
    let _ = write!(out, "<{name}>");
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            control if control.is_control() => {
                let _ = write!(out, "&#x{:X};", u32::from(control));
            }
            other => out.push(other),
        }
    }
    let _ = write!(out, "</{name}>");
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn text_of(document: &str) -> Result<String, XmlError> {
        Xml::open(document)?.text().map(Cow::into_owned)
    }

    #[test]
    fn entities_and_references_are_part_of_the_text() {
        assert_eq!(text_of("<a>&quot;x&#34;&amp;&#x8;<![CDATA[<&>]]>\r\n</a>").unwrap(), "\"x\"&\u{8}<&>\r\n");
    }

    #[test]
    fn white_space_and_a_prolog_may_come_first() {
        let xml = Xml::open("\n  \n<?xml version=\"1.0\"?>\n<!-- x --><s3:Result xmlns:s3='u'/>").unwrap();
        assert_eq!(xml.name(), "Result");
    }

    #[test]
    fn every_cut_of_a_document_is_an_error() {
        let document = "<?xml version=\"1.0\"?><r a=\"1\"><k>x&amp;y</k><empty/><!-- c --><k>z</k></r>";
        let read = |text: &str| -> Result<Vec<String>, XmlError> {
            let (mut xml, mut keys) = (Xml::open(text)?, Vec::new());
            while let Some(name) = xml.child()? {
                match name {
                    "k" => keys.push(xml.text()?.into_owned()),
                    _ => xml.skip()?,
                }
            }
            Ok(keys)
        };
        assert_eq!(read(document).unwrap(), ["x&y", "z"]);
        for cut in 0..document.len() {
            assert!(read(&document[..cut]).is_err(), "cut at {cut}");
        }
    }

    #[test]
    fn unknown_elements_are_skipped_whole() {
        let mut xml = Xml::open("<r><x><k>no</k><y/></x><k>1</k></r>").unwrap();
        assert_eq!(xml.child().unwrap(), Some("x"));
        xml.skip().unwrap();
        assert_eq!(xml.child().unwrap(), Some("k"));
        assert_eq!(xml.number::<u64>().unwrap(), 1);
        assert_eq!(xml.child().unwrap(), None);
    }

    #[test]
    fn an_empty_answer_and_prose_are_told_apart() {
        assert_eq!(text_of("  \n").unwrap_err(), XmlError::Empty);
        assert_eq!(text_of("Not found").unwrap_err(), XmlError::Malformed("the answer is not XML".into()));
    }

    proptest::proptest! {
        #[test]
        fn every_text_survives_writing_and_reading(text in "[\\x01-\\x7f]*|\\PC*") {
            let mut out = String::new();
            element(&mut out, "Key", &text);
            proptest::prop_assert_eq!(text_of(&out), Ok(text));
        }
    }
}
