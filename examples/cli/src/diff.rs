//! A unified diff of two functions.

use anstyle::{AnsiColor, Style};
use similar::{ChangeTag, TextDiff};
use std::fmt::Write as _;

/// The diff of two texts, with colours; whoever prints it takes them away where they are not wanted.
pub fn unified(old_name: &str, old: &str, new_name: &str, new: &str) -> String {
    let (bold, hunk) = (Style::new().bold(), AnsiColor::Cyan.on_default());
    let mut text = format!("{bold}--- {old_name}{bold:#}\n{bold}+++ {new_name}{bold:#}\n");
    let diff = TextDiff::from_lines(old, new);
    for group in diff.unified_diff().context_radius(3).iter_hunks() {
        let _ = writeln!(text, "{hunk}{}{hunk:#}", group.header());
        for change in group.iter_changes() {
            let (sign, style) = match change.tag() {
                ChangeTag::Delete => ('-', AnsiColor::Red.on_default()),
                ChangeTag::Insert => ('+', AnsiColor::Green.on_default()),
                ChangeTag::Equal => (' ', Style::new()),
            };
            let _ = writeln!(text, "{style}{sign}{}{style:#}", change.value().trim_end_matches('\n'));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coloured_and_plain() {
        let text = unified("hand", "a\nb\nc\n", "builtin", "a\nx\nc\n");
        assert!(text.contains("\u{1b}[31m-b\u{1b}[0m\n\u{1b}[32m+x\u{1b}[0m\n"), "{text:?}");
        let plain = anstream::adapter::strip_str(&text).to_string();
        assert_eq!(plain, "--- hand\n+++ builtin\n@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n");
    }
}
