//! A page of Markdown as a list of its code blocks.

use std::path::{Path, PathBuf};

/// A page.
pub struct Page {
    path: PathBuf,
    text: String,
    pub blocks: Vec<Block>,
}

/// A fenced block.
pub struct Block {
    /// The number of the line of its opening fence.
    pub line: usize,
    /// What stands behind that fence.
    pub language: String,
    /// What its text must be, by the comment before it.
    pub source: Option<Source>,
    /// Its lines.
    pub text: String,
}

/// What stands under a heading, up to the next one.
pub struct Section {
    /// The heading, with its `##` or `###`.
    pub heading: String,
    /// The `##` that a `###` stands under.
    pub within: String,
    pub text: String,
}

/// What a block shows.
pub enum Source {
    OutputOf(String),
    In(String),
}

impl Page {
    pub fn read(path: &Path) -> Page {
        let text = std::fs::read_to_string(path).unwrap().replace("\r\n", "\n");
        let mut blocks: Vec<Block> = vec![];
        let (mut open, mut source) = (false, None);
        for (number, line) in text.lines().enumerate() {
            if open {
                open = line != "```";
                if let Some(block) = blocks.last_mut().filter(|_| open) {
                    block.text += &format!("{line}\n");
                }
            } else if let Some(language) = line.strip_prefix("```") {
                open = true;
                let (language, source) = (language.to_owned(), source.take());
                blocks.push(Block { line: number + 1, language, source, text: String::new() });
            } else {
                source = source_of(line);
            }
        }
        assert!(!open, "{}: a fence is not closed", path.display());
        Page { path: path.to_owned(), text, blocks }
    }

    /// What stands before the first section.
    pub fn introduction(&self) -> &str {
        self.text.split_once("\n## ").map_or(&self.text, |(introduction, _)| introduction)
    }

    /// The sections and their sections.
    pub fn sections(&self) -> Vec<Section> {
        let mut sections: Vec<Section> = vec![];
        let (mut open, mut current) = (false, String::new());
        for line in self.text.lines() {
            open ^= line.starts_with("```");
            let is_heading = !open && (line.starts_with("## ") || line.starts_with("### "));
            if is_heading {
                let within = if line.starts_with("### ") { current.clone() } else { String::new() };
                if within.is_empty() {
                    current = line.to_owned();
                }
                sections.push(Section { heading: line.to_owned(), within, text: String::new() });
            } else if let Some(section) = sections.last_mut() {
                section.text += &format!("{line}\n");
            }
        }
        sections
    }

    /// Writes the page when the text of a block is another than it was.
    pub fn write_if_changed(&self) {
        let mut text = String::new();
        let mut blocks = self.blocks.iter();
        let mut open = false;
        for line in self.text.lines() {
            let fence = line.starts_with("```");
            if fence || !open {
                text += &format!("{line}\n");
            }
            if fence && !open {
                text += &blocks.next().unwrap().text;
            }
            open ^= fence;
        }
        if text != self.text {
            std::fs::write(&self.path, text).unwrap();
        }
    }
}

fn source_of(line: &str) -> Option<Source> {
    let comment = line.strip_prefix("<!-- ")?.strip_suffix(" -->")?;
    let (kind, rest) = comment.split_once(": ")?;
    match kind {
        "output of" => Some(Source::OutputOf(rest.to_owned())),
        "in" => Some(Source::In(rest.to_owned())),
        _ => None,
    }
}

/// Checks that the lines of a block stand in a file in their order: together, but for `// …`, and equally indented. Gives the first line of the
/// part that does not.
pub fn check_quoted(block: &str, file: &str) -> Result<(), String> {
    let file: Vec<&str> = file.lines().collect();
    let block: Vec<&str> = block.lines().collect();
    let mut from = 0;
    for part in block.split(|line| line.trim() == "// …").filter(|part| !part.is_empty()) {
        let stands_at = |at: usize| {
            let Some(indent) = file[at].strip_suffix(part[0]).filter(|i| i.chars().all(|c| c == ' ')) else {
                return false;
            };
            let rest = file[at..].iter().zip(part);
            part.len() <= file.len() - at
                && rest.clone().all(|(f, p)| p.is_empty() && f.is_empty() || f.strip_prefix(indent) == Some(p))
        };
        match (from..file.len()).find(|at| stands_at(*at)) {
            Some(at) => from = at + part.len(),
            None => return Err(part[0].to_owned()),
        }
    }
    Ok(())
}

#[test]
fn quotes() {
    let file = "a\n  b {\n    c\n\n  }\nd\n";
    assert_eq!(check_quoted("b {\n  c\n\n}\n", file), Ok(()));
    assert_eq!(check_quoted("a\n// …\nd\n", file), Ok(()));
    assert_eq!(check_quoted("d\n// …\na\n", file), Err("a".into()));
    assert_eq!(check_quoted("b {\nc\n", file), Err("b {".into()));
}
