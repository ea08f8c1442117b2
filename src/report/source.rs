//! Source files, and what stands at a place.

use pl_core::ir::Place;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Source files. Each is read once.
pub(super) struct Sources {
    directories: Vec<PathBuf>,
    files: BTreeMap<PathBuf, Option<Arc<str>>>,
}

/// What stands at a place.
pub(super) struct Found {
    pub(super) path: PathBuf,
    /// The file.
    pub(super) text: Arc<str>,
    /// The bytes of it that the op or name takes.
    pub(super) span: Range<usize>,
}

impl Sources {
    /// Sources whose paths are relative to one of these directories or to one above it: a program is built in the root of its workspace, and a test
    /// runs in the directory of its package.
    pub(super) fn new(directories: &[PathBuf]) -> Sources {
        let directories = directories.iter().flat_map(|directory| directory.ancestors()).map(Path::to_owned);
        Sources { directories: directories.collect(), files: BTreeMap::new() }
    }

    /// What stands at a place, where that can be an op of this name. Without a name it may be anything but a blank.
    pub(super) fn find(&mut self, place: &Place, op: &str) -> Option<Found> {
        self.directories.iter().find_map(|directory| {
            let path = directory.join(&*place.file);
            let read = || std::fs::read_to_string(&path).ok().map(Into::into);
            let text = self.files.entry(path.clone()).or_insert_with(read).clone()?;
            let span = span(&text, place.line, place.column, op)?;
            Some(Found { path, text, span })
        })
    }
}

/// The bytes that an op or name takes at a line and column, both from 1.
///
/// Sources may have changed since the program was built, and another file may have the same relative path: so an op that is a path must stand where
/// a path does. One that is written as an operator stands where the operation begins, and only that character is meant.
fn span(text: &str, line: u32, column: u32, op: &str) -> Option<Range<usize>> {
    let index = |from_one: u32| usize::try_from(from_one.checked_sub(1)?).ok();
    let before: usize = text.split_inclusive('\n').take(index(line)?).map(str::len).sum();
    let line = text[before..].lines().next()?;
    let (at, first) = line.char_indices().nth(index(column)?)?;
    let path = path_at(&line[at..]);
    let is_symbol = op.starts_with(|c: char| !c.is_alphanumeric()) || (OPERATORS.contains(&op) && path != op);
    let stands = if op.contains("::") && !is_symbol { path.contains("::") } else { !first.is_whitespace() };
    let len = if path.is_empty() || is_symbol { first.len_utf8() } else { path.len() };
    stands.then_some(before + at..before + at + len)
}

/// The ops that may be written as operators.
const OPERATORS: [&str; 4] = ["pl::add", "pl::sub", "pl::mul", "pl::div"];

/// The path or name that a text begins with: `pld::system::wait`, `row`, or nothing.
fn path_at(text: &str) -> &str {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let name = |from: usize| text[from..].find(|c| !is_part(c)).map_or(text.len(), |len| from + len);
    let mut end = name(0);
    while end > 0 && text[end..].starts_with("::") && text[end + 2..].starts_with(is_part) {
        end = name(end + 2);
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "fn k() {\r\n\tlet ｗ = pl::load(x);\n    n - 1; // é\n\n}";

    fn at(line: u32, column: u32, op: &str) -> Option<&'static str> {
        span(TEXT, line, column, op).map(|span| &TEXT[span])
    }

    #[test]
    fn spans() {
        assert_eq!(at(1, 4, ""), Some("k"));
        // Tabs and wide characters are one column each, as rustc counts.
        assert_eq!(at(2, 10, "pl::load"), Some("pl::load"));
        assert_eq!(at(2, 6, ""), Some("ｗ"));
        assert_eq!(at(3, 5, "-"), Some("n"));
        assert_eq!(at(3, 7, "-"), Some("-"));
        assert_eq!(at(3, 15, ""), Some("é"));
        assert_eq!(at(3, 5, "pl::sub"), Some("n"));
        assert_eq!(at(2, 10, "pl::add"), Some("p"));
        assert_eq!(at(5, 1, "kernel"), Some("}"));
        // An alias is a path too, and what a builtin does stands at its call.
        assert_eq!(at(2, 10, "pld::tile::remote_load"), Some("pl::load"));
    }

    #[test]
    fn what_cannot_be_there() {
        for (line, column, op) in [
            (0, 1, ""),
            (1, 0, ""),
            (1, 9, ""),  // the line's end
            (3, 16, ""), // beyond
            (4, 1, ""),  // an empty line
            (6, 1, ""),  // beyond the file
            (u32::MAX, u32::MAX, ""),
            (2, 5, ""), // a blank
            (2, 2, "pl::load"),
            (3, 5, "pl::load"),
        ] {
            assert_eq!(at(line, column, op), None, "{line}:{column} {op}");
        }
    }

    #[test]
    fn paths() {
        for (text, path) in [("a::b(", "a::b"), ("a::<T>", "a"), ("a::", "a"), ("::a", ""), ("", ""), ("x1_ y", "x1_")]
        {
            assert_eq!(path_at(text), path);
        }
    }

    #[test]
    fn files() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR"));
        let place = |file: &str, line, column| Place::new(file.into(), line, column);
        for below in ["", "src", "src/report/no-such-directory"] {
            let mut sources = Sources::new(&[directory.join(below)]);
            let found = sources.find(&place("src/report/source.rs", 3, 5), "").unwrap();
            assert_eq!(&found.text[found.span], "pl_core::ir::Place");
            assert_eq!(found.path, directory.join("src/report/source.rs"));
            assert!(sources.find(&place("src/report", 1, 1), "").is_none());
            assert!(sources.find(&place("no-such-file.rs", 1, 1), "").is_none());
        }
        let absolute = directory.join("src/report/source.rs");
        assert!(Sources::new(&["/".into()]).find(&place(absolute.to_str().unwrap(), 3, 5), "").is_some());
    }
}
