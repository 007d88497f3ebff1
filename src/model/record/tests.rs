//! What is written reads back, whatever a key holds; what is no record is named as such.

#![allow(clippy::unwrap_used)]
use super::*;
use proptest::prelude::*;

const LINES: Framing = Framing::Lines;

/// Text made of what breaks line formats, between ordinary characters.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => prop::sample::select(vec![
            "\n", "\r", "\t", " ", "\\", "{", "}", "\"", "..", "/", "//", "./", "-", "%2e", "\\n", "\\s", "\\v", "\\\\", "s3://", "\\s3://", "PRE\t",
            "\u{0}", "\u{1}", "\u{8}", "\u{7f}", "\u{85}", "\u{2028}", "\u{202e}", "😀", "é", "?", "#", "*", "7", ",", "'", "dst", ":",
        ]).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 1..12).prop_map(|pieces| pieces.concat())
}

fn uris() -> impl Strategy<Value = S3Uri> {
    hostile().prop_map(|key| S3Uri::new("my.bucket", key))
}

fn maybe_text() -> impl Strategy<Value = Option<String>> {
    prop::option::of(hostile())
}

/// Records with any subset of facts.
fn records() -> impl Strategy<Value = Record> {
    let time = prop::option::of(0i64..4_000_000_000_000);
    let numbers = (prop::option::of(any::<u64>()), time, prop::option::of(any::<bool>()), any::<bool>());
    let texts = (maybe_text(), maybe_text(), maybe_text(), maybe_text(), maybe_text(), maybe_text(), maybe_text());
    (uris(), numbers, texts).prop_map(|(uri, (size, time, is_latest, delete_marker), texts)| Record {
        size,
        last_modified: time.map(|millis| Timestamp::from_millisecond(millis).unwrap()),
        is_latest,
        delete_marker,
        version_id: texts.0,
        etag: texts.1.map(|tag| ETag(format!("x{tag}"))),
        storage_class: texts.2,
        checksum_algorithm: texts.3,
        checksum_type: texts.4,
        owner: texts.5,
        restore: texts.6,
        ..Record::new(uri)
    })
}

#[cfg(unix)]
fn paths() -> impl Strategy<Value = PathBuf> {
    use std::os::unix::ffi::OsStringExt as _;
    let text = hostile().prop_map(|name| name.replace('\0', "0").into_bytes());
    let bytes = prop::collection::vec(1u8..=255, 1..12);
    prop_oneof![text, bytes].prop_map(|bytes| PathBuf::from(std::ffi::OsString::from_vec(bytes)))
}

fn object(record: Record) -> Place {
    Place::Object(Box::new(record))
}

fn one(uri: S3Uri) -> Entry {
    Entry::One(object(Record::new(uri)))
}

fn key(key: &str) -> Entry {
    one(S3Uri::new("b", key))
}

fn local(path: &str) -> Place {
    Place::Local(path.into())
}

/// Splits what was written as a reader would and parses all of it.
fn read(written: &[u8], framing: Framing) -> Vec<Result<Entry, RecordError>> {
    let mut splitter = Splitter::new(framing);
    splitter.push(written);
    std::iter::from_fn(|| splitter.next_record()).map(|(_, record)| parse(&record?, framing)).collect()
}

fn read_line(text: &str) -> Result<Entry, RecordError> {
    parse(text.as_bytes(), LINES)
}

fn complaint(text: &str) -> String {
    read_line(text).expect_err(text).to_string()
}

/// A path reads back as the same bytes, but for the `./` that guards it.
#[cfg(unix)]
fn is_same_path(read: &Place, written: &Path) -> bool {
    use std::os::unix::ffi::OsStrExt as _;
    let (Place::Local(read), written) = (read, written.as_os_str().as_bytes()) else { return false };
    let read = read.as_os_str().as_bytes();
    read == written || read.strip_prefix(b"./") == Some(written)
}

proptest! {
    #[test]
    fn uri_lines_read_back(mut record in records()) {
        let mut out = Vec::new();
        write_object(&mut out, &record, Format::Uri, false);
        record = Record { version_id: record.version_id, ..Record::new(record.uri) };
        prop_assert_eq!(read(&out, LINES), [Ok(Entry::One(object(record)))]);
    }

    #[test]
    fn json_lines_read_back_whole_and_serde_agrees(record in records()) {
        let mut out = Vec::new();
        write_object(&mut out, &record, Format::Json, false);
        let value: serde_json::Value = serde_json::from_slice(&out).unwrap();
        prop_assert_eq!(value["key"].as_str(), Some(record.uri.key.as_str()));
        let uri = record.uri.to_string();
        prop_assert_eq!(value["uri"].as_str(), Some(uri.as_str()));
        prop_assert_eq!(read(&out, LINES), [Ok(Entry::One(object(record)))]);
    }

    #[test]
    fn tsv_lines_read_back_what_they_have_columns_for(record in records(), with_versions: bool) {
        let mut out = Vec::new();
        write_object(&mut out, &record, Format::Tsv, with_versions);
        let marker = with_versions && record.delete_marker;
        let expected = Record {
            size: record.size,
            last_modified: record.last_modified,
            etag: record.etag,
            storage_class: record.storage_class,
            version_id: record.version_id,
            is_latest: record.is_latest.filter(|_| with_versions && !marker),
            delete_marker: marker,
            ..Record::new(record.uri)
        };
        prop_assert_eq!(read(&out, LINES), [Ok(Entry::One(object(expected)))]);
    }

    #[test]
    fn nul_records_read_back_or_read_as_no_object(record in records()) {
        let mut out = Vec::new();
        write_object(&mut out, &record, Format::Null, false);
        let read = read(&out, Framing::Null);
        if fits_null(&record) {
            prop_assert_eq!(read, [Ok(one(record.uri))]);
        } else {
            prop_assert!(matches!(read[..], [Ok(Entry::One(Place::Local(_)))]));
        }
    }

    #[test]
    fn prefixes_read_back(uri in uris()) {
        for (format, framing) in [(Format::Uri, LINES), (Format::Json, LINES), (Format::Tsv, LINES), (Format::Null, Framing::Null)] {
            if format == Format::Null && uri.key.contains('\0') {
                continue;
            }
            let mut out = Vec::new();
            write_prefix(&mut out, &uri, format);
            prop_assert_eq!(read(&out, framing), [Ok(Entry::Prefix(uri.clone()))]);
        }
    }

    #[test]
    fn pairs_of_objects_read_back(src in records(), dst in uris(), dst_version in maybe_text()) {
        let dst = Record { version_id: dst_version, ..Record::new(dst) };
        let mut out = Vec::new();
        write_pair(&mut out, &object(src.clone()), &object(dst.clone()), Format::Json);
        prop_assert_eq!(read(&out, LINES), [Ok(Entry::Pair { src: object(src.clone()), dst: object(dst.clone()) })]);

        out.clear();
        write_pair(&mut out, &object(src.clone()), &object(dst.clone()), Format::Uri);
        let src = Record { version_id: src.version_id, ..Record::new(src.uri) };
        prop_assert_eq!(read(&out, LINES), [Ok(Entry::Pair { src: object(src), dst: object(dst) })]);
    }

    #[cfg(unix)]
    #[test]
    fn pairs_with_paths_read_back(path in paths(), uri in uris(), json: bool) {
        let format = if json { Format::Json } else { Format::Uri };
        let object = object(Record::new(uri));
        let mut out = Vec::new();
        write_pair(&mut out, &Place::Local(path.clone()), &object, format);
        write_pair(&mut out, &object, &Place::Local(path.clone()), format);
        let read = read(&out, LINES);
        let [Ok(Entry::Pair { src: up_src, dst: up_dst }), Ok(Entry::Pair { src: down_src, dst: down_dst })] = &read[..] else {
            return Err(TestCaseError::fail(format!("{read:?}")));
        };
        prop_assert_eq!([up_dst, down_src], [&object, &object]);
        prop_assert!(is_same_path(up_src, &path), "{:?}", up_src);
        prop_assert!(is_same_path(down_dst, &path), "{:?}", down_dst);
    }

    #[cfg(unix)]
    #[test]
    fn paths_read_back(path in paths()) {
        for (format, framing) in [(Format::Uri, LINES), (Format::Json, LINES), (Format::Tsv, LINES), (Format::Null, Framing::Null)] {
            let mut out = Vec::new();
            write_local(&mut out, &path, format);
            let read = read(&out, framing);
            let [Ok(Entry::One(place))] = &read[..] else { return Err(TestCaseError::fail(format!("{read:?}"))) };
            prop_assert!(is_same_path(place, &path), "{:?}", place);
        }
    }

    #[test]
    fn no_input_breaks_the_parser(line: Vec<u8>, text in hostile()) {
        for framing in [LINES, Framing::Null] {
            let _ = (parse(&line, framing), parse(text.as_bytes(), framing), parse_prefix(text.as_bytes(), framing));
        }
    }
}

#[test]
fn ordinary_names_are_written_as_they_are() {
    let mut out = Vec::new();
    for name in ["a", "with space", "a\\b", "%2e%2E", "../x", "//", "{", "\u{8}", "é😀", "PRE", "123"] {
        write_object(&mut out, &Record::new(S3Uri::new("b", name)), Format::Uri, false);
    }
    let lines = "s3://b/a\ns3://b/with space\ns3://b/a\\b\ns3://b/%2e%2E\ns3://b/../x\ns3://b///\ns3://b/{\ns3://b/\u{8}\ns3://b/é😀\ns3://b/PRE\ns3://b/123\n";
    assert_eq!(String::from_utf8(out).unwrap(), lines);
}

#[test]
fn unsafe_names_are_escaped_as_sha256sum_does() {
    for (name, line) in [
        ("a\nb", r"\s3://b/a\nb"),
        ("a\rb\tc", r"\s3://b/a\rb\tc"),
        (" a b ", r"\s3://b/\sa b\s"),
        (" ", r"\s3://b/\s"),
        ("\\a\\b", r"\s3://b/\\a\\b"),
        ("a\\\n", r"\s3://b/a\\\n"),
    ] {
        let mut out = Vec::new();
        write_object(&mut out, &Record::new(S3Uri::new("b", name)), Format::Uri, false);
        assert_eq!(String::from_utf8(out).unwrap(), format!("{line}\n"));
        assert_eq!(read_line(line), Ok(key(name)));
    }
}

#[test]
fn a_version_is_a_line_too() {
    let record = Record { version_id: Some("null".into()), ..Record::new(S3Uri::new("b", "k")) };
    let mut out = Vec::new();
    write_object(&mut out, &record, Format::Uri, false);
    assert_eq!(out, b"\\s3://b/k\\vnull\n");
    for line in [r"\s3://b/k\v", r"\s3://b/k\va\vb", r"\dir/file\vx", r"\s3://b/k\x", r"\s3://b/k\"] {
        assert!(matches!(read_line(line), Err(RecordError::Malformed(_))), "{line}");
    }
}

#[test]
fn names_typed_by_hand_are_taken_literally() {
    for name in [" lead", "trail ", "#hash", "it's", "say \"x\"", "dollar$HOME", "a\rb", "back\\slash", "..", "%20"] {
        assert_eq!(read_line(&format!("s3://b/{name}")), Ok(key(name)));
    }
}

#[test]
fn blank_lines_are_blank_and_lines_of_spaces_are_not() {
    assert_eq!(read_line(""), Ok(Entry::Blank));
    assert_eq!(parse(b"", Framing::Null), Ok(Entry::Blank));
    assert_eq!(read_line(" "), Ok(Entry::One(local(" "))));
}

#[test]
fn a_line_of_a_crlf_file_is_malformed_and_says_how_to_mend_it() {
    for line in ["s3://b/k\r", "\\s3://b/k\r", "\r", "file\r", "s3://b/k\tdst\r", "s3://b/k\t1\t\t\t\r"] {
        assert!(complaint(line).starts_with("line ends in CR; "), "{line:?}");
    }
    assert_eq!(read_line("{\"uri\":\"s3://b/k\"}\r"), Ok(key("k")));
}

#[test]
fn a_bucket_is_no_record_but_may_be_a_prefix() {
    for line in [
        "s3://b",
        "s3://b/",
        "PRE\ts3://b/",
        "{\"uri\":\"s3://b/\"}",
        "s3://b/k\ts3://c/",
        "s3://b/\ts3://c/k",
        "{\"prefix\":\"s3://b/\"}",
    ] {
        assert!(complaint(line).contains("names a bucket"), "{line}");
    }
    for line in ["s3://b", "s3://b/", "PRE\ts3://b/", "{\"uri\":\"s3://b/\"}", "{\"prefix\":\"s3://b/\"}"] {
        assert_eq!(parse_prefix(line.as_bytes(), LINES), Ok(Some(S3Uri::new("b", ""))), "{line}");
    }
    assert_eq!(parse_prefix(b"s3://b/p", LINES), Ok(Some(S3Uri::new("b", "p"))));
    assert_eq!(parse_prefix(b"", LINES), Ok(None));
    assert!(parse_prefix(b"dir/file", LINES).is_err());
    assert!(parse_prefix(br"\s3://b/k\vx", LINES).is_err());
}

#[test]
fn broken_names_are_malformed() {
    let long = format!("s3://b/{}", "k".repeat(1025));
    assert_eq!(complaint(&long), "key of 1025 bytes; S3 allows 1,024");
    assert_eq!(complaint("s3:///k"), "no valid bucket name");
    assert_eq!(parse(b"s3://b/\xff", LINES), Err(RecordError::Utf8));
    assert_eq!(parse(b"{\"uri\":\"\xff\"}", LINES), Err(RecordError::Utf8));
    assert_eq!(parse(&vec![b'x'; MAX_RECORD + 1], LINES), Err(RecordError::TooLong));
    assert!(complaint("s3://b/k\0s3://b/l\0").contains("-0"));
    assert!(complaint("\ts3://b/k").contains("empty"));
    assert!(complaint("s3://b/k\t").contains("empty"));
}

#[test]
fn two_fields_are_a_pair_and_other_numbers_a_tsv_line_or_nothing() {
    let pair = Entry::Pair { src: object(Record::new(S3Uri::new("b", "k"))), dst: local("dir/entry") };
    assert_eq!(read_line("s3://b/k\tdir/entry"), Ok(pair));
    assert_eq!(complaint("s3://b/k\t123"), "second field is a number; looks like a cut TSV line");
    for line in ["s3://b/k\t1\t2026-01-31", "s3://b/k\t1\t2026-01-31\tx"] {
        assert!(complaint(line).contains("a pair has two, a TSV line five or more"));
    }
    assert!(complaint("file\t1\t\t\t").contains("no s3:// URI"));
}

#[test]
fn escapes_belong_to_the_whole_line_but_a_field_may_bring_its_own() {
    let place = |name: &str| object(Record::new(S3Uri::new("b", name)));
    let pair = |src: &str, dst: &str| Ok(Entry::Pair { src: place(src), dst: place(dst) });
    assert_eq!(read_line("\\s3://b/x\\ny\ts3://b/z\\ny"), pair("x\ny", "z\ny"));
    assert_eq!(read_line("\\s3://b/x\\ny\t\\s3://b/x\\ny"), pair("x\ny", "x\ny"));
    assert_eq!(read_line("s3://b/x\t\\s3://b/x\\ny"), pair("x", "x\ny"));
    assert_eq!(read_line("s3://b/x\ts3://b/x\\ny"), pair("x", "x\\ny"));
}

#[test]
fn nul_records_know_no_tabs_escapes_or_braces() {
    let literal = |name: &[u8]| parse(name, Framing::Null);
    assert_eq!(literal(b"s3://b/a\nb\tc\\n\r"), Ok(key("a\nb\tc\\n\r")));
    assert_eq!(literal(b"{\"uri\":\"x\"}"), Ok(Entry::One(local("{\"uri\":\"x\"}"))));
    assert_eq!(literal(b"\\x\ty"), Ok(Entry::One(local("\\x\ty"))));
}

#[test]
fn json_takes_an_object_by_uri_or_by_bucket_and_key() {
    let line =
        r#"{"bucket":"b","key":"k","size":7,"etag":"\"e\"","from":"x","ms":1.5,"owner":null,"storage_class":""}"#;
    let expected = Record { size: Some(7), etag: Some(ETag::new("e")), ..Record::new(S3Uri::new("b", "k")) };
    assert_eq!(read_line(line), Ok(Entry::One(object(expected))));
    assert_eq!(read_line(r#" {"uri":"s3://b/k"}"#), Ok(Entry::One(local(r#" {"uri":"s3://b/k"}"#))));
    assert_eq!(read_line(r#"{"uri":"\\s3://b/k\\n"}"#), Ok(key("k\n")));
    assert_eq!(read_line(r#"{"uri":"s3://b/k\u0000"}"#), Ok(key("k\0")));
    let pair = Entry::Pair { src: local("f"), dst: object(Record::new(S3Uri::new("b", "k"))) };
    assert_eq!(read_line(r#"{"uri":"f","dst":"s3://b/k"}"#), Ok(pair));
}

#[test]
fn json_that_contradicts_itself_is_malformed() {
    for line in [
        r#"{"uri":"s3://b/k","bucket":"c"}"#,
        r#"{"uri":"s3://b/k","key":"l"}"#,
        r#"{"uri":"f","key":"f"}"#,
        r#"{"uri":"\\s3://b/k\\vx","version_id":"y"}"#,
        r#"{"uri":"s3://b/k","prefix":"s3://b/"}"#,
        r#"{"uri":"s3://b/k","uri":"s3://b/l"}"#,
        r#"{"uri":"s3://b/k","size":"7"}"#,
        r#"{"uri":"s3://b/k","size":-7}"#,
        r#"{"uri":"s3://b/k","last_modified":"soon"}"#,
        r#"{"uri":"s3://b/k"} x"#,
        r#"{"uri":"s3://b/k","dst":""}"#,
        r#"{"uri":"\ud800"}"#,
        r#"{"key":"k"}"#,
        "{}",
        "{",
    ] {
        assert!(matches!(read_line(line), Err(RecordError::Malformed(_))), "{line}");
    }
    assert!(!complaint("{x").contains("line 1"));
}

#[test]
fn absent_facts_are_left_out_of_json() {
    let mut out = Vec::new();
    write_object(&mut out, &Record::new(S3Uri::new("b", "a\"\u{1}")), Format::Json, true);
    let line = "{\"uri\":\"s3://b/a\\\"\\u0001\",\"bucket\":\"b\",\"key\":\"a\\\"\\u0001\"}\n";
    assert_eq!(String::from_utf8(out).unwrap(), line);
}

#[test]
fn tsv_has_its_columns_and_its_header_is_no_record() {
    let mut record = Record::new(S3Uri::new("b", "k"));
    record.size = Some(7);
    record.last_modified = Some("2026-01-31T12:00:00Z".parse().unwrap());
    record.etag = Some(ETag::new("\"e\""));
    record.version_id = Some("v".into());
    record.is_latest = Some(true);
    let mut out = Vec::new();
    write_object(&mut out, &record, Format::Tsv, true);
    write_prefix(&mut out, &S3Uri::new("b", "p/"), Format::Tsv);
    assert_eq!(
        String::from_utf8(out).unwrap(),
        "s3://b/k\t7\t2026-01-31T12:00:00Z\te\t\tv\tlatest\ns3://b/p/\t-\t\t\t\n"
    );
    for with_versions in [false, true] {
        assert_eq!(read_line(tsv_header(with_versions)), Ok(Entry::Blank));
    }
    for line in
        ["s3://b/k\tx\t\t\t", "s3://b/k\t1\tsoon\t\t", "s3://b/k\t1\t\t\t\tv\tnewest", "\\s3://b/k\\va\t1\t\t\t\tv\t"]
    {
        assert!(matches!(read_line(line), Err(RecordError::Malformed(_))), "{line}");
    }
}
