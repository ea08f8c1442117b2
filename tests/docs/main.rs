//! What README.md, docs/checks.md, docs/performance.md, docs/report-schema.md and the pages of `docs/tutorial` show is what the code does.
//!
//! Their Rust blocks are doctests (`src/doctests.rs`). Here the rest is checked, by the comment that stands before a block:
//!
//! - `<!-- output of: 14_reduce_scatter --emit diff -->`: what the example prints, notes and reports first. The program `program` is
//!   [`programs`]. `| head -n 3` keeps the first lines, `| sed -n /a/,/b/p` those from the first with `a` to the next with `b`.
//! - `<!-- in: examples/14_reduce_scatter.rs -->`: lines of that file, in its order; `// …` stands for those that are left out.
//!
//! Commands in `sh` blocks are run, and end well. A block of another kind must be a doctest, or have such a comment. `PL_BLESS=1` writes the
//! outputs into the pages, and into an empty block the whole of its file.
//!
//! A page of the tutorial says what a reader needs, and has the sections that `SECTIONS` names; where the program has two modes it shows the
//! diff of the two. Under the one of edge cases each case has a heading, a checked block with its
//! symptom, a cause and a fix. The page has a program of its name, its doctests are registered in `src/doctests.rs`, and the index links to it.

#![expect(clippy::unwrap_used, reason = "a test that fails may panic")]

mod page;
mod programs;

use page::{Block, Page, Source};
use pl::fault::{Fault, LintKind};
use pl::ndarray::{Array2, Array3};
use pl_examples_cli::npy;
use std::path::{Path, PathBuf};
use std::process::Command;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

#[test]
fn every_program_has_a_page() {
    let examples = std::fs::read_dir(Path::new(ROOT).join("examples")).unwrap().map(|entry| entry.unwrap().path());
    let pages: Vec<String> = pages_of_the_repository().iter().map(|page| file_name(page)).collect();
    for example in examples.filter(|path| path.extension().is_some_and(|extension| extension == "rs")) {
        let page = file_name(&example).replace(".rs", ".md").replace('_', "-");
        assert!(pages.contains(&page), "there is no docs/tutorial/{page}");
    }
}

#[test]
fn pages() {
    let scratch = Scratch::new();
    let mut problems = vec![];
    for path in pages_of_the_repository() {
        let mut page = Page::read(&path);
        for block in &mut page.blocks {
            if let Err(problem) = check(block, &scratch.0) {
                problems.push(format!("{}:{}: {problem}", path.strip_prefix(ROOT).unwrap().display(), block.line));
            }
        }
        page.write_if_changed();
        if is_of_the_tutorial(&path) {
            let name = file_name(&path);
            problems.extend(check_parts(&name, &page).into_iter().map(|problem| format!("{name}: {problem}")));
        }
    }
    assert!(problems.is_empty(), "{}\nPL_BLESS=1 cargo test --test docs writes outputs anew", problems.join("\n\n"));
}

/// Each kind of fault and lint has a section: with a program that gives it, and with what to do about it. That of a lint begins with its definition.
#[test]
fn every_kind_of_report_has_a_section() {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let sections = Page::read(&Path::new(ROOT).join("docs/checks.md")).sections();
    let lints = LintKind::ALL.iter().map(|kind| (kind.name(), "## Lints", kind.definition()));
    let kinds = Fault::KINDS.iter().map(|kind| (*kind, "## Errors", "")).chain(lints);
    let problems = kinds.filter_map(|(kind, within, definition)| {
        let heading = format!("### `{kind}`");
        let Some(section) = sections.iter().find(|s| s.heading == heading && s.within == within) else {
            return Some(format!("there is no section `{heading}` under `{within}`"));
        };
        let shows = section.text.contains("<!-- output of: ");
        let mends = section.text.contains("Fix: ");
        let defines = words(&section.text).starts_with(&words(definition));
        (!shows || !mends || !defines)
            .then(|| format!("`{heading}` lacks a program's output, a `Fix:`, or the definition {definition:?}"))
    });
    let problems: Vec<String> = problems.collect();
    assert!(problems.is_empty(), "docs/checks.md: {}", problems.join("\n"));
}

fn pages_of_the_repository() -> Vec<PathBuf> {
    let tutorial = std::fs::read_dir(Path::new(ROOT).join("docs/tutorial")).unwrap();
    let mut pages: Vec<PathBuf> = tutorial.map(|entry| entry.unwrap().path()).collect();
    pages.sort();
    pages.splice(
        0..0,
        ["README.md", "docs/checks.md", "docs/performance.md", "docs/report-schema.md"]
            .map(|page| Path::new(ROOT).join(page)),
    );
    pages
}

fn is_of_the_tutorial(page: &Path) -> bool {
    page.starts_with(Path::new(ROOT).join("docs/tutorial"))
}

fn text_of(path: &Path) -> String {
    std::fs::read_to_string(Path::new(ROOT).join(path)).unwrap()
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

/// The edge cases of a page, and what else a page of the tutorial has.
const EDGE_CASES: &str = "## When it goes wrong";
/// How the sentence begins that says what a reader needs; it stands before the first section.
const PREREQUISITES: [&str; 2] = ["\nBefore it: ", "\nYou need "];
const SECTIONS: [&str; 5] = ["## The idea", "## Run it", "## What it costs", EDGE_CASES, "## Next"];

/// What a page of the tutorial lacks.
fn check_parts(name: &str, page: &Page) -> Vec<String> {
    let mut problems = vec![];
    if !text_of(Path::new("src/doctests.rs")).contains(&format!("docs/tutorial/{name}")) {
        problems.push("its doctests are not in src/doctests.rs".into());
    }
    if name == "README.md" {
        let linked =
            |page: &Path| text_of(Path::new("docs/tutorial/README.md")).contains(&format!("]({})", file_name(page)));
        let pages = pages_of_the_repository();
        let lost = pages.iter().filter(|page| is_of_the_tutorial(page) && file_name(page) != name && !linked(page));
        problems.extend(lost.map(|page| format!("there is no link to {}", file_name(page))));
        return problems;
    }
    let example = Path::new(ROOT).join("examples").join(name.replace(".md", ".rs").replace('-', "_"));
    if !example.exists() {
        problems.push(format!("there is no {}", example.display()));
    }
    let sections = page.sections();
    let lacking = SECTIONS.iter().filter(|wanted| !sections.iter().any(|section| section.heading == **wanted));
    problems.extend(lacking.map(|wanted| format!("there is no section `{wanted}`")));
    if !PREREQUISITES.iter().any(|beginning| page.introduction().contains(beginning)) {
        problems.push(format!("it does not say what a reader needs: one of {PREREQUISITES:?}"));
    }
    let shows_diff =
        |block: &Block| matches!(&block.source, Some(Source::OutputOf(command)) if command.contains(" --emit diff"));
    let has_modes = std::fs::read_to_string(&example).is_ok_and(|source| source.contains(".modes()"));
    if has_modes && !page.blocks.iter().any(shows_diff) {
        problems.push("its program has two modes, and it does not show their diff: `--emit diff`".into());
    }
    for case in sections.iter().filter(|section| section.within == EDGE_CASES) {
        let has = |what: &str| case.text.contains(what);
        let symptom = has("<!-- output of: ") || has("<!-- in: ");
        if !(symptom && has("Cause:") && has("Fix:")) {
            problems.push(format!("`{}` lacks a checked symptom, a `Cause:` or a `Fix:`", case.heading));
        }
    }
    problems
}

/// Checks a block; with `PL_BLESS` an output that differs is replaced.
fn check(block: &mut Block, directory: &Path) -> Result<(), String> {
    match &block.source {
        Some(Source::OutputOf(command)) => {
            let output = output_of(command, directory)?;
            if output.trim_end() == block.text.trim_end() {
                return Ok(());
            }
            if std::env::var_os("PL_BLESS").is_some() {
                block.text = output.trim_end().to_owned() + "\n";
                return Ok(());
            }
            Err(format!("`{command}` prints\n{output}"))
        }
        Some(Source::In(file)) => {
            let text = std::fs::read_to_string(Path::new(ROOT).join(file)).map_err(|e| format!("{file}: {e}"))?;
            if block.text.is_empty() && std::env::var_os("PL_BLESS").is_some() {
                block.text = text.clone();
            }
            if block.text.is_empty() {
                return Err(format!("it is empty, and quotes nothing of {file}"));
            }
            page::check_quoted(&block.text, &text).map_err(|line| format!("not in {file}, in this order: {line}"))
        }
        None => match block.language.as_str() {
            "sh" => block.text.lines().try_for_each(|line| run(line, directory)),
            "rust" | "toml" => Ok(()),
            language => Err(format!("nothing checks this block of {language:?}")),
        },
    }
}

/// Runs a command of a page.
fn run(line: &str, directory: &Path) -> Result<(), String> {
    let command = line.split('#').next().unwrap_or_default().trim();
    let example = command.strip_prefix("cargo run --release --example ").map(|rest| rest.replacen(" -- ", " ", 1));
    let Some(example) = example else {
        let known = command.is_empty()
            || ["cargo test --workspace", "cargo build", "cargo doc --no-deps --open"].contains(&command)
            || command.starts_with("python3 -c ");
        return if known { Ok(()) } else { Err(format!("this test cannot run `{command}`")) };
    };
    let output = Command::new(program_of(&example)).args(arguments_of(&example)).current_dir(directory).output();
    let output = output.map_err(|e| format!("`{command}`: {e}"))?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    let right = output.status.success() && (stdout.ends_with("OK\n") || example.contains("--emit"));
    if right { Ok(()) } else { Err(format!("`{command}` fails: {}", String::from_utf8_lossy(&output.stderr))) }
}

fn output_of(command: &str, directory: &Path) -> Result<String, String> {
    let (command, filter) = command.split_once(" | ").unwrap_or((command, ""));
    let text = match command.strip_prefix("program ") {
        Some(name) => programs::run(name)?,
        None => {
            let mut process = Command::new(program_of(command));
            process.args(arguments_of(command)).current_dir(directory).env_remove("CLICOLOR_FORCE");
            let output = process.output().map_err(|e| format!("`{command}`: {e}"))?;
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            text(&output.stderr) + &text(&output.stdout)
        }
    };
    let lines = kept(text.lines().collect(), filter)?;
    Ok(lines.iter().map(|line| format!("{line}\n")).collect())
}

/// The lines that a filter keeps.
fn kept<'a>(lines: Vec<&'a str>, filter: &str) -> Result<Vec<&'a str>, String> {
    let number = filter.strip_prefix("head -n ").and_then(|n| n.parse().ok());
    let range = filter.strip_prefix("sed -n /").and_then(|range| range.strip_suffix("/p")?.split_once("/,/"));
    match (number, range) {
        (Some(number), _) => Ok(lines.into_iter().take(number).collect()),
        (_, Some((first, last))) => {
            let found = |from: usize, part: &str| {
                let at = lines[from..].iter().position(|line| line.contains(part));
                at.map(|at| from + at).ok_or_else(|| format!("no line has {part:?}"))
            };
            let first = found(0, first)?;
            Ok(lines[first..=found(first, last)?].to_vec())
        }
        _ if filter.is_empty() => Ok(lines),
        _ => Err(format!("there is no filter {filter:?}")),
    }
}

fn arguments_of(command: &str) -> impl Iterator<Item = &str> {
    command.split_whitespace().skip(1)
}

/// The example that cargo built beside this test.
fn program_of(command: &str) -> PathBuf {
    let name = command.split_whitespace().next().unwrap_or_default();
    let test = std::env::current_exe().unwrap();
    let directory = test.ancestors().nth(2).unwrap();
    let program = directory.join("examples").join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(
        program.exists(),
        "{} is not built: `cargo test` without `--test` builds the examples too",
        program.display()
    );
    program
}

/// A directory with the files that the pages' commands read, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Scratch {
        let path = std::env::temp_dir().join(format!("pl-docs-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        let write = |name: &str, array: Array3<f32>| npy::write(&path.join(name), array.view()).unwrap();
        write("x.npy", programs::reduce_scatter::uneven(7, 8));
        write("uneven.npy", programs::reduce_scatter::uneven(4, 64));
        write("long.npy", Array3::ones((2, 1, 2_000_000)));
        npy::write(&path.join("rows.npy"), Array2::<f32>::ones((3, 8)).view()).unwrap();
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
