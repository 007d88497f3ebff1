//! The XML that S3 speaks: a writer into one string, and a reader into a small tree.

use quick_xml::Reader;
use quick_xml::events::Event;

/// S3's namespace, on the root element of its answers.
pub(super) const NAMESPACE: &str = "http://s3.amazonaws.com/doc/2006-03-01/";

/// Builds a document front to back.
#[derive(Debug)]
pub(super) struct Writer(String);

impl Writer {
    /// An empty document.
    pub(super) fn document() -> Self {
        Self::with_capacity(512)
    }

    /// An empty document with room for so many bytes.
    pub(super) fn with_capacity(bytes: usize) -> Self {
        let mut text = String::with_capacity(bytes);
        text.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        Self(text)
    }

    /// A piece of a document, without its declaration.
    pub(super) fn part(bytes: usize) -> Self {
        Self(String::with_capacity(bytes))
    }

    /// Opens the root element in S3's namespace.
    pub(super) fn root(&mut self, name: &str) -> &mut Self {
        self.0.push('<');
        self.0.push_str(name);
        self.0.push_str(" xmlns=\"");
        self.0.push_str(NAMESPACE);
        self.0.push_str("\">");
        self
    }

    /// Opens an element.
    pub(super) fn open(&mut self, name: &str) -> &mut Self {
        self.0.push('<');
        self.0.push_str(name);
        self.0.push('>');
        self
    }

    /// Closes an element.
    pub(super) fn close(&mut self, name: &str) -> &mut Self {
        self.0.push_str("</");
        self.0.push_str(name);
        self.0.push('>');
        self
    }

    /// An element with escaped text.
    pub(super) fn text(&mut self, name: &str, value: &str) -> &mut Self {
        self.open(name);
        escape(&mut self.0, value);
        self.close(name)
    }

    /// An element with text, if there is one.
    pub(super) fn maybe(&mut self, name: &str, value: Option<&str>) -> &mut Self {
        if let Some(value) = value {
            self.text(name, value);
        }
        self
    }

    /// An element with a number.
    pub(super) fn number(&mut self, name: &str, value: u64) -> &mut Self {
        use std::fmt::Write as _;
        self.open(name);
        let _ = write!(self.0, "{value}");
        self.close(name)
    }

    /// An element with `true` or `false`.
    pub(super) fn flag(&mut self, name: &str, value: bool) -> &mut Self {
        self.text(name, if value { "true" } else { "false" })
    }

    /// Text that needs no escaping.
    pub(super) fn raw(&mut self, text: &str) -> &mut Self {
        self.0.push_str(text);
        self
    }

    /// The document.
    pub(super) fn finish(self) -> String {
        self.0
    }

    /// The string that is being written, for callers with their own encoding.
    pub(super) fn buffer(&mut self) -> &mut String {
        &mut self.0
    }
}

/// Escapes markup, and as character references what a parser would change or refuse.
pub(super) fn escape(out: &mut String, text: &str) {
    use std::fmt::Write as _;
    let mut plain = 0;
    for (at, byte) in text.bytes().enumerate() {
        let replacement = match byte {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&quot;",
            0..0x20 => "",
            _ => continue,
        };
        out.push_str(&text[plain..at]);
        if replacement.is_empty() {
            let _ = write!(out, "&#x{byte:X};");
        } else {
            out.push_str(replacement);
        }
        plain = at + 1;
    }
    out.push_str(&text[plain..]);
}

/// An element of a document that was read: local name, text, children.
#[derive(Debug, Default)]
pub(super) struct Element {
    /// The name without its namespace prefix.
    pub(super) name: String,
    /// All text directly inside it.
    pub(super) text: String,
    /// The elements directly inside it.
    pub(super) children: Vec<Element>,
}

impl Element {
    /// Reads a document; `None` if it is not well-formed.
    pub(super) fn parse(document: &[u8]) -> Option<Self> {
        let mut reader = Reader::from_str(std::str::from_utf8(document).ok()?);
        let mut stack = vec![Self::default()];
        loop {
            match reader.read_event().ok()? {
                Event::Start(start) => stack.push(Self::named(start.local_name().as_ref())),
                Event::Empty(start) => stack.last_mut()?.children.push(Self::named(start.local_name().as_ref())),
                Event::End(_) => {
                    let done = stack.pop()?;
                    stack.last_mut()?.children.push(done);
                }
                Event::Text(text) => stack.last_mut()?.text.push_str(&text),
                Event::CData(text) => stack.last_mut()?.text.push_str(&text),
                Event::GeneralRef(reference) => stack.last_mut()?.text.push_str(&resolve(&reference)?),
                Event::Eof => break,
                _ => {}
            }
        }
        let mut root = stack.pop().filter(|_| stack.is_empty())?;
        (root.children.len() == 1).then(|| root.children.remove(0))
    }

    fn named(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// The first child of that name.
    pub(super) fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.name == name)
    }

    /// The text of the first child of that name.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        self.child(name).map(|child| child.text.as_str())
    }

    /// All children of that name.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Self> {
        self.children.iter().filter(move |child| child.name == name)
    }
}

/// The text an entity or character reference stands for.
fn resolve(reference: &str) -> Option<String> {
    let code = match reference {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let number = reference.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
    };
    Some(code.to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn text_that_was_written_is_read_back_exactly() {
        for text in ["plain", "a&b<c>\"d'", "tab\tnl\ncr\r\u{1}", "😀 é", " edges "] {
            let mut xml = Writer::document();
            xml.root("R").text("K", text).close("R");
            let root = Element::parse(xml.finish().as_bytes()).unwrap();
            assert_eq!(root.value("K"), Some(text));
        }
    }

    #[test]
    fn namespaces_and_prefixes_do_not_matter_to_the_reader() {
        let root = Element::parse(b"<s:A xmlns:s='x'><s:B/><B>2</B></s:A>").unwrap();
        assert_eq!(root.name, "A");
        assert_eq!(root.all("B").count(), 2);
    }

    #[test]
    fn broken_documents_are_refused() {
        for text in ["", "<a>", "<a></b>", "text", "<a/><b/>", "<a>&nope;</a>"] {
            assert!(Element::parse(text.as_bytes()).is_none(), "{text}");
        }
    }
}
