//! The layers hold: who may use whom, no cycles among modules, and every file says what it is for.
//!
//! The sources are read as text, not compiled: comments, literals and `#[cfg(test)]` items are taken out, then every path is looked at.
//! Inline modules and macros are read as part of their file. What a failure prints is the file and the edge.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Each layer and those it may use, from the bottom up.
const LAYERS: [(&str, &[&str]); 10] = [
    ("model", &[]),
    ("transport", &["model"]),
    ("s3", &["transport", "model"]),
    ("engine", &["s3", "model"]),
    ("settings", &["transport", "s3", "model"]),
    ("ui", &["engine", "s3", "model"]),
    ("serve", &["model"]),
    ("commands", &["engine", "ui", "settings", "s3", "model"]),
    ("cli", &["commands", "settings", "ui"]),
    ("main", &["cli", "commands", "settings", "ui", "serve"]),
];

/// Modules that may use a layer which the rest of their own layer may not.
const EXCEPTIONS: [(&str, &str); 1] = [("commands::serve", "serve")];

/// Who may name the standard streams. Landing is here because a destination such as `/dev/stdout` is that descriptor.
const STREAM_OWNERS: [&str; 2] = ["ui", "engine::local::landing"];

/// Paths a layer must not name, because it would then do I/O, read a clock, or know the terminal.
const FOREIGN: [(&str, &[&str]); 6] = [
    (
        "model",
        &[
            "tokio",
            "reqwest",
            "hyper",
            "hyper_util",
            "clap",
            "indicatif",
            "std::fs",
            "std::env",
            "std::net",
            "std::process",
            "Instant::now",
            "std::time::SystemTime",
            "SystemTime::now",
            "Timestamp::now",
            "Zoned::now",
        ],
    ),
    ("transport", &["clap", "indicatif"]),
    ("s3", &["clap", "indicatif"]),
    ("engine", &["clap", "indicatif", "reqwest", "hyper"]),
    ("serve", &["clap", "indicatif", "reqwest"]),
    ("commands", &["reqwest", "hyper", "aws_sigv4"]),
];

/// Words that say nothing about what a module is for.
const EMPTY_NAMES: [&str; 9] = ["util", "utils", "helper", "helpers", "common", "misc", "manager", "shared", "stuff"];

/// One source file.
struct Module {
    /// `model::record::json`; empty for the crate root.
    name: String,
    /// As it is read by the checks: code only.
    code: String,
    /// As it is on disk.
    source: String,
}

type Segments = Vec<String>;

// ---- reading -------------------------------------------------------------------------------------------------------------------

/// All files below a directory, as modules.
fn read_modules(root: &Path) -> Vec<Module> {
    let mut files = Vec::new();
    let mut directories = vec![root.to_path_buf()];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(root).unwrap().with_extension("");
                let name = name.to_str().unwrap().replace('/', "::");
                files.push((name, std::fs::read_to_string(path).unwrap()));
            }
        }
    }
    modules(files)
}

/// Modules from (path below `src` with `::`, source); files that are compiled for tests only are left out.
fn modules(files: impl IntoIterator<Item = (String, String)>) -> Vec<Module> {
    let mut tests_only = BTreeSet::new();
    let mut modules = Vec::new();
    for (path, source) in files {
        let name = if path == "lib" { "" } else { path.strip_suffix("::mod").unwrap_or(&path) };
        let (code, test_modules) = without_tests(&without_comments(&source));
        tests_only.extend(test_modules.iter().map(|test| join(name, test)));
        modules.push(Module { name: name.to_owned(), code, source });
    }
    modules.retain(|module| !tests_only.contains(&module.name));
    modules.sort_by(|a, b| a.name.cmp(&b.name));
    modules
}

fn join(parent: &str, child: &str) -> String {
    if parent.is_empty() { child.to_owned() } else { format!("{parent}::{child}") }
}

/// Blanks comments and the contents of string and character literals; line ends stay.
fn without_comments(source: &str) -> String {
    let bytes = source.as_bytes();
    let mut code = String::with_capacity(source.len());
    let mut at = 0;
    while at < bytes.len() {
        let rest = &source[at..];
        let length = literal_length(rest, code.as_bytes().last().copied());
        if length == 0 {
            let c = rest.chars().next().unwrap();
            code.push(c);
            at += c.len_utf8();
        } else {
            code.extend(rest[..length].chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
            at += length;
        }
    }
    code
}

/// Length of the comment or literal that `rest` starts with; 0 if it starts with code.
fn literal_length(rest: &str, before: Option<u8>) -> usize {
    let until = |end: &str, from: usize| rest[from..].find(end).map_or(rest.len(), |found| from + found + end.len());
    if rest.starts_with("//") {
        return rest.find('\n').unwrap_or(rest.len());
    }
    if rest.starts_with("/*") {
        return block_comment_length(rest);
    }
    if rest.starts_with('"') {
        return quoted_length(rest, '"');
    }
    let raw = rest.strip_prefix('b').unwrap_or(rest);
    if let Some(raw) = raw.strip_prefix('r').filter(|_| !before.is_some_and(is_word)) {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        if raw[hashes..].starts_with('"') {
            let opening = rest.len() - raw.len() + hashes + 1;
            return until(&format!("\"{}", "#".repeat(hashes)), opening);
        }
    }
    // A quote is a character's only if another closes it; else it starts a lifetime.
    let mut inside = rest.strip_prefix('\'').unwrap_or_default().chars();
    match (inside.next(), inside.next()) {
        (Some('\\'), _) => quoted_length(rest, '\''),
        (Some(c), Some('\'')) => c.len_utf8() + 2,
        _ => 0,
    }
}

fn quoted_length(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        if c == quote && !escaped {
            return at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    rest.len()
}

fn block_comment_length(rest: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        let step = if rest.as_bytes()[at..].starts_with(b"/*") {
            1
        } else if rest.as_bytes()[at..].starts_with(b"*/") {
            -1
        } else {
            0
        };
        depth += step;
        at += if step == 0 { 1 } else { 2 };
        if depth == 0 {
            break;
        }
    }
    at
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Cuts out `#[cfg(test)]` items; also gives the names of modules declared that way in other files.
fn without_tests(code: &str) -> (String, Vec<String>) {
    const MARK: &str = "#[cfg(test)]";
    let (mut kept, mut test_modules, mut rest) = (String::new(), Vec::new(), code);
    while let Some(found) = rest.find(MARK) {
        kept.push_str(&rest[..found]);
        let item = &rest[found + MARK.len()..];
        let end = item_length(item);
        if let Some(name) = item[..end].strip_suffix(';').and_then(|item| item.rsplit_once("mod ")) {
            test_modules.push(name.1.trim().to_owned());
        }
        rest = &item[end..];
    }
    (kept + rest, test_modules)
}

/// Length of the item that starts here: to its `;`, or to the brace that closes its first one.
fn item_length(item: &str) -> usize {
    let mut depth = 0u32;
    for (at, c) in item.char_indices() {
        match c {
            ';' if depth == 0 => return at + 1,
            '{' => depth += 1,
            '}' if depth == 1 => return at + 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    item.len()
}

// ---- paths ---------------------------------------------------------------------------------------------------------------------

/// A path in the code, and the name it is imported under.
#[derive(Debug, PartialEq)]
struct Mention {
    segments: Segments,
    name: String,
    /// From a `pub use`, of any visibility.
    exported: bool,
}

/// Every path with `::` in it, groups taken apart.
fn mentions(code: &str) -> Vec<Mention> {
    let mut found = Vec::new();
    let bytes = code.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let starts = is_word(bytes[at]) && !(at > 0 && is_word(bytes[at - 1]));
        if !starts {
            at += 1;
            continue;
        }
        let exported = is_exported(&code[..at]);
        let mut leaves = Vec::new();
        let end = at + read_tree(&code[at..], &Vec::new(), &mut leaves);
        found.extend(leaves.into_iter().map(|(segments, name)| Mention { segments, name, exported }));
        at = end.max(at + 1);
    }
    found.retain(|mention| mention.segments.len() > 1);
    found
}

/// Whether `use` with a visibility stands right before.
fn is_exported(before: &str) -> bool {
    let Some(before) = before.trim_end().strip_suffix("use") else { return false };
    let before = before.trim_end();
    before.ends_with("pub")
        || before.ends_with(')') && before.rfind('(').is_some_and(|open| before[..open].ends_with("pub"))
}

/// Reads a path or use tree after `prefix`; gives its length. Leaves are full paths with the names they get.
fn read_tree(code: &str, prefix: &Segments, leaves: &mut Vec<(Segments, String)>) -> usize {
    let mut path = prefix.clone();
    let mut at = 0;
    loop {
        let space = code[at..].len() - code[at..].trim_start().len();
        let word = code[at + space..].bytes().take_while(|byte| is_word(*byte)).count();
        if code[at + space..].starts_with('{') {
            at += space + 1;
            return read_group(code, at, &path, leaves);
        }
        if word == 0 {
            // `*`, `<T>`, or the end of an empty group: what was read so far is the path.
            break;
        }
        path.push(code[at + space..at + space + word].to_owned());
        at += space + word;
        match code[at..].trim_start().strip_prefix("::") {
            Some(after) => at = code.len() - after.len(),
            None => break,
        }
    }
    let mut name = path.last().cloned().unwrap_or_default();
    if path.len() > 1 && name == "self" {
        path.pop();
        name = path.last().cloned().unwrap_or_default();
    }
    if let Some(alias) = code[at..].trim_start().strip_prefix("as ") {
        name = alias.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    }
    leaves.push((path, name));
    at
}

fn read_group(code: &str, mut at: usize, prefix: &Segments, leaves: &mut Vec<(Segments, String)>) -> usize {
    while at < code.len() {
        let rest = code[at..].trim_start();
        at = code.len() - rest.len();
        if rest.starts_with('}') {
            return at + 1;
        }
        let read = read_tree(rest, prefix, leaves);
        at += read;
        // Up to the next comma or the end: aliases and stars.
        at += code[at..].find([',', '}']).unwrap_or(code.len() - at);
        if code[at..].starts_with(',') {
            at += 1;
        }
    }
    at
}

/// The path from the crate's root, if it leads into this crate.
fn absolute(module: &str, segments: &[String]) -> Option<Segments> {
    let mut here: Segments = module.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect();
    let mut rest = segments;
    match rest[0].as_str() {
        "crate" => here.clear(),
        "s3kit" if module == "main" => here.clear(),
        "self" => {}
        "super" => {
            here.pop();
        }
        _ => return None,
    }
    rest = &rest[1..];
    while rest.first().is_some_and(|part| part == "super") {
        here.pop();
        rest = &rest[1..];
    }
    here.extend_from_slice(rest);
    Some(here)
}

// ---- rules ---------------------------------------------------------------------------------------------------------------------

/// Edges between layers that the table does not allow, and paths that a layer must not name.
fn layer_breaches(modules: &[Module]) -> Vec<String> {
    let mut breaches = BTreeSet::new();
    for module in modules.iter().filter(|module| !module.name.is_empty()) {
        let layer = module.name.split("::").next().unwrap();
        let Some((_, allowed)) = LAYERS.iter().find(|(name, _)| *name == layer) else {
            breaches.insert(format!("{}: no such layer in the table", module.name));
            continue;
        };
        for mention in mentions(&module.code) {
            let path = mention.segments.join("::");
            if is_foreign(&module.name, layer, &path) {
                breaches.insert(format!("{}: {layer} must not name {path}", module.name));
            }
            let Some(target) = absolute(&module.name, &mention.segments).filter(|target| !target.is_empty()) else {
                continue;
            };
            let used = target[0].as_str();
            let known = LAYERS.iter().any(|(name, _)| *name == used);
            let excepted = EXCEPTIONS.iter().any(|(who, what)| *what == used && is_within(&module.name, who));
            if known && used != layer && !allowed.contains(&used) && !excepted {
                breaches.insert(format!("{}: {layer} must not use {used} ({})", module.name, target.join("::")));
            }
        }
        if layer == "model" && [".await", "async fn"].iter().any(|word| module.code.contains(word)) {
            breaches.insert(format!("{}: model must not await", module.name));
        }
    }
    breaches.into_iter().collect()
}

fn is_foreign(module: &str, layer: &str, path: &str) -> bool {
    let names = |words: &str| format!("::{path}::").contains(&format!("::{words}::"));
    let writes = names("io::stdout") || names("io::stderr");
    let listed =
        FOREIGN.iter().filter(|(name, _)| *name == layer).any(|(_, words)| words.iter().any(|word| names(word)));
    listed || (writes && !STREAM_OWNERS.iter().any(|owner| is_within(module, owner)))
}

/// Whether a module is that other one or below it.
fn is_within(module: &str, ancestor: &str) -> bool {
    module.strip_prefix(ancestor).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

type Exports = BTreeMap<(String, String), Segments>;

/// Which module uses which others. A parent and what is below it may use each other, so those edges are left out; a name that a
/// parent only passes on is traced to where it comes from.
fn module_graph(modules: &[Module]) -> BTreeMap<String, BTreeSet<String>> {
    let names: BTreeSet<&str> = modules.iter().map(|module| module.name.as_str()).collect();
    let mut exports = Exports::new();
    let mut edges = Vec::new();
    for module in modules {
        for mention in mentions(&module.code) {
            let child = names.contains(join(&module.name, &mention.segments[0]).as_str());
            let local = || [vec!["self".to_owned()], mention.segments.clone()].concat();
            let target = absolute(&module.name, &mention.segments)
                .or_else(|| absolute(&module.name, &local()).filter(|_| child));
            let Some(target) = target else { continue };
            if mention.exported {
                exports.insert((module.name.clone(), mention.name.clone()), target.clone());
            }
            edges.push((module.name.clone(), target));
        }
    }
    let mut graph: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (from, target) in edges {
        let to = owner(&target, &names, &exports, 8);
        if !is_within(&from, &to) && !is_within(&to, &from) && !to.is_empty() && !from.is_empty() {
            graph.entry(from).or_default().insert(to);
        }
    }
    graph
}

/// The module that a path's item lives in.
fn owner(target: &[String], names: &BTreeSet<&str>, exports: &Exports, hops: u32) -> String {
    let longest = (0..=target.len()).rev().find(|length| names.contains(target[..*length].join("::").as_str()));
    let length = longest.unwrap_or(0);
    let module = target[..length].join("::");
    match target.get(length).and_then(|item| exports.get(&(module.clone(), item.clone()))) {
        Some(origin) if hops > 0 => owner(origin, names, exports, hops - 1),
        _ => module,
    }
}

/// A cycle of the graph, if there is one, as `a → b → a`.
fn cycle(graph: &BTreeMap<String, BTreeSet<String>>) -> Option<String> {
    fn visit<'a>(
        node: &'a str,
        graph: &'a BTreeMap<String, BTreeSet<String>>,
        trail: &mut Vec<&'a str>,
        finished: &mut BTreeSet<&'a str>,
    ) -> Option<String> {
        if let Some(start) = trail.iter().position(|seen| *seen == node) {
            return Some([&trail[start..], &[node]].concat().join(" → "));
        }
        if finished.contains(node) {
            return None;
        }
        trail.push(node);
        let found = graph.get(node).into_iter().flatten().find_map(|next| visit(next, graph, trail, finished));
        trail.pop();
        finished.insert(node);
        found
    }
    let mut finished = BTreeSet::new();
    graph.keys().find_map(|node| visit(node, graph, &mut Vec::new(), &mut finished))
}

/// Files that do not say what they are for, by their first line or by their name.
fn unnamed(modules: &[Module]) -> Vec<String> {
    let silent = modules
        .iter()
        .filter(|module| !module.source.starts_with("//!"))
        .map(|module| format!("{}: no //! at its head", module.name));
    let empty = |module: &&Module| module.name.split("::").any(|part| EMPTY_NAMES.contains(&part));
    let vague = modules.iter().filter(empty).map(|module| format!("{}: a name that says nothing", module.name));
    silent.chain(vague).collect()
}

// ---- the crate -----------------------------------------------------------------------------------------------------------------

fn crate_modules() -> Vec<Module> {
    let modules = read_modules(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    assert!(modules.len() > 30, "the sources were not found");
    modules
}

#[test]
fn layers_use_only_what_is_below_them() {
    let breaches = layer_breaches(&crate_modules());
    assert!(breaches.is_empty(), "\n{}\n", breaches.join("\n"));
}

#[test]
fn modules_form_no_cycle() {
    let graph = module_graph(&crate_modules());
    assert!(graph.len() > 15, "too few edges were found to mean anything: {graph:?}");
    assert_eq!(cycle(&graph), None);
}

#[test]
fn every_file_says_what_it_is_for() {
    let unnamed = unnamed(&crate_modules());
    assert!(unnamed.is_empty(), "\n{}\n", unnamed.join("\n"));
}

// ---- the checks themselves -----------------------------------------------------------------------------------------------------

fn invented(files: &[(&str, &str)]) -> Vec<Module> {
    modules(files.iter().map(|(path, source)| ((*path).to_owned(), (*source).to_owned())))
}

fn breaches(path: &str, source: &str) -> Vec<String> {
    layer_breaches(&invented(&[(path, source)]))
}

#[test]
fn a_use_of_a_higher_layer_is_found_however_it_is_written() {
    for source in [
        "use crate::engine::Job;",
        "use crate::{model::uri, engine::{self, Job as J}};",
        "pub(crate) use {std::io, crate::engine};",
        "fn f() { let x = crate :: engine :: list::<u8>(); }",
        "use super::super::super::engine::Job;",
        "macro_rules! m { () => { $crate::engine::f() } }",
    ] {
        let found = breaches("s3::ops::put", source);
        assert!(found.iter().all(|edge| edge.starts_with("s3::ops::put: s3 must not use engine (engine")), "{found:?}");
        assert!(!found.is_empty(), "{source}");
    }
}

#[test]
fn allowed_uses_and_mentions_in_comments_strings_and_tests_are_no_breach() {
    for source in [
        "use crate::model::uri::S3Uri; use crate::transport::{http, retry}; use super::client;",
        "// use crate::engine::Job;\n/* crate::engine /* nested */ crate::ui::x */",
        "//! [`crate::engine::Job`]\nconst A: &str = \"crate::engine::x \\\" crate::ui::y\";",
        "const A: &str = r#\"\" crate::engine::x\"#; const B: char = '\"'; fn f<'a>(x: &'a str) {}",
        "#[cfg(test)]\nmod tests { use crate::engine::Job; fn f() { { } } }\nfn g() {}",
        "use engine::x; use other_crate::engine::y;",
    ] {
        assert_eq!(breaches("s3::ops::put", source), [""; 0], "{source}");
    }
}

#[test]
fn code_after_a_test_module_or_a_character_is_still_read() {
    for source in [
        "#[cfg(test)] mod tests { fn f() {} }\nuse crate::ui::x;",
        "const Q: char = '\"'; use crate::ui::x; const R: char = '\"';",
        "const Q: char = '\\''; use crate::ui::x;",
        "fn f<'a>(x: &'a u8) -> &'a u8 { crate::ui::x(x) }",
    ] {
        assert_eq!(breaches("model::uri", source).len(), 1, "{source}");
    }
}

#[test]
fn the_embedded_endpoint_is_for_its_command_and_main_only() {
    assert_eq!(breaches("commands::ls", "use crate::serve::Options;").len(), 1);
    assert_eq!(breaches("commands::served", "use crate::serve::Options;").len(), 1);
    assert_eq!(breaches("commands::serve", "use crate::serve::Options;"), [""; 0]);
    assert_eq!(breaches("main", "use s3kit::serve::Options;"), [""; 0]);
    assert_eq!(breaches("main", "use s3kit::engine::Job;").len(), 1);
}

#[test]
fn the_model_does_no_io_reads_no_clock_and_awaits_nothing() {
    for source in [
        "use std::{fs, io};",
        "use std::time::{Duration, SystemTime};",
        "fn f() { jiff::Timestamp::now(); }",
        "fn f() { tokio::spawn(x) }",
        "async fn f() {}",
        "fn f() { std::io::stdout().write(b\"\"); }",
    ] {
        assert_eq!(breaches("model::x", source).len(), 1, "{source}");
    }
    assert_eq!(breaches("engine::cat", "use std::io; fn f() { io::stdout(); }").len(), 1);
    assert_eq!(breaches("ui::printer", "use std::io; fn f() { io::stdout(); }"), [""; 0]);
    assert_eq!(breaches("novelty::x", "").len(), 1);
}

fn cycle_in(files: &[(&str, &str)]) -> Option<String> {
    cycle(&module_graph(&invented(files)))
}

#[test]
fn a_cycle_is_found_across_any_number_of_modules() {
    let files = [
        ("model::mod", "pub mod a; pub mod b; pub mod c;"),
        ("model::a", "use super::b::B;"),
        ("model::b", "use crate::model::c::{C, D};"),
        ("model::c::mod", "fn f() { super::a::f() }"),
    ];
    assert_eq!(cycle_in(&files).as_deref(), Some("model::a → model::b → model::c → model::a"));
    assert_eq!(cycle_in(&files[..3]), None);
}

#[test]
fn a_parent_and_its_children_may_use_each_other() {
    let files = [
        ("model::mod", "mod a; pub use a::A; fn f() { a::g() } pub struct P;"),
        ("model::a", "use super::P; use crate::model::P as Q;"),
        ("s3::mod", "use crate::model::{A, P};"),
    ];
    assert_eq!(cycle_in(&files), None);
}

#[test]
fn a_cycle_through_names_that_a_parent_passes_on_is_found() {
    let files = [
        ("s3::mod", "mod client; mod ops; pub use client::{Client, Operation as Op}; pub(crate) use self::ops::Get;"),
        ("s3::client", "use super::Get;"),
        ("s3::ops", "impl super::Op for Get {}"),
    ];
    assert_eq!(cycle_in(&files).as_deref(), Some("s3::client → s3::ops → s3::client"));
}

#[test]
fn files_compiled_for_tests_only_are_not_looked_at() {
    let files = [
        ("model::record::mod", "//! x\n#[cfg(test)]\nmod tests;"),
        ("model::record::tests", "use crate::engine::Job;"),
    ];
    assert_eq!(layer_breaches(&invented(&files)), [""; 0]);
    let compiled = [("model::record::mod", "mod tests;"), files[1]];
    assert_eq!(layer_breaches(&invented(&compiled)).len(), 1);
}

#[test]
fn files_without_a_purpose_are_named() {
    let files = [("model::a", "//! a\n"), ("model::b", "// b\n"), ("model::util::c", "//! c\n"), ("lib", "use x;")];
    let found = unnamed(&invented(&files));
    assert_eq!(
        found,
        [": no //! at its head", "model::b: no //! at its head", "model::util::c: a name that says nothing"]
    );
}
