//! The part of `docs/checks.md` that these tests write.

use crate::equivalent::Reason;
use crate::harness::{Fate, KINDS};
use crate::operators::OPERATORS;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

const BEGIN: &str = "<!-- mutants -->\n";
const END: &str = "<!-- end of mutants -->\n";

/// What became of the mutants: a program and an operator for each, and its fate.
pub struct Results<'a> {
    /// In the order of the programs.
    pub fates: Vec<(&'a str, &'static str, Fate)>,
    /// The reasons of the survivors, and how many mutants each explains.
    pub reasons: Vec<(Reason, usize)>,
    /// The survivors without a reason.
    pub unexplained: usize,
}

impl Results<'_> {
    /// The text between the two marks.
    pub fn text(&self) -> String {
        let kinds: Vec<&'static str> =
            KINDS.into_iter().filter(|kind| self.fates.iter().any(|(.., fate)| *fate == Fate::Check(kind))).collect();
        let mut programs: Vec<&str> = self.fates.iter().map(|(program, ..)| *program).collect();
        programs.dedup();
        let programs = programs.into_iter().map(|name| (name.to_owned(), name));
        let operators =
            OPERATORS.iter().map(|operator| (format!("{}: {}", operator.name, operator.what), operator.name));
        let mut text = format!("\n{}", self.table("program", &kinds, programs, |(program, ..)| program));
        text += &format!("\n{}", self.table("operator", &kinds, operators, |(_, operator, _)| operator));
        text += "\nThe mutants that survive do what the program does:\n\n";
        for (reason, count) in &self.reasons {
            let plural = if *count == 1 { "mutant" } else { "mutants" };
            let _ = writeln!(text, "- {count} {plural}: {}", reason.text);
        }
        text + &format!("\nunexplained survivors: {}\n\n", self.unexplained)
    }

    /// A line for each of these, which `by` tells apart, and one for all.
    fn table<'b>(
        &'b self,
        title: &str,
        kinds: &[&'static str],
        lines: impl Iterator<Item = (String, &'b str)>,
        by: impl Fn(&'b (&str, &'static str, Fate)) -> &'b str,
    ) -> String {
        let checks = kinds.iter().copied().map(Fate::Check);
        let fates: Vec<Fate> =
            [Fate::Verifier].into_iter().chain(checks).chain([Fate::Golden, Fate::Survived]).collect();
        let mut text = format!("| {title} | mutants | verifier | {} | golden | survive |\n", kinds.join(" | "));
        text += &format!("|---|{}\n", "--:|".repeat(fates.len() + 1));
        let mut line = |title: &str, of: &dyn Fn(&'b (&str, &'static str, Fate)) -> bool| {
            let count = |fate: Option<Fate>| {
                self.fates.iter().filter(|mutant| of(mutant) && fate.is_none_or(|fate| mutant.2 == fate)).count()
            };
            let cells = fates.iter().map(|fate| match count(Some(*fate)) {
                0 => String::new(),
                count => count.to_string(),
            });
            let _ = writeln!(text, "| {title} | {} | {} |", count(None), cells.collect::<Vec<_>>().join(" | "));
        };
        for (title, name) in lines {
            line(&title, &|mutant| by(mutant) == name);
        }
        line("all", &|_| true);
        text
    }
}

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/checks.md")
}

/// The page, cut at the marks.
fn parts() -> [String; 3] {
    let page = std::fs::read_to_string(path()).unwrap();
    let (before, rest) = page.split_once(BEGIN).expect("the mark where the part begins");
    let (part, after) = rest.split_once(END).expect("the mark where it ends");
    [before, part, after].map(str::to_owned)
}

/// The part of the page as it is.
pub fn found() -> String {
    let [_, part, _] = parts();
    part
}

/// Writes the part anew.
pub fn bless(text: &str) {
    let [before, _, after] = parts();
    std::fs::write(path(), format!("{before}{BEGIN}{text}{END}{after}")).unwrap();
}
