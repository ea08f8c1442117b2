//! Reports with the source lines that they speak of.

use super::source::Sources;
use crate::Error;
use crate::host::Ranks;
use annotate_snippets::{Annotation, AnnotationKind, Element, Group, Level, Origin as Arrow, Snippet};
use pl_core::explain::{Explanation, Line, Origin, Severity};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// Renders reports for people: with source lines, carets under the ops, and what each rank did there.
///
/// A report whose source is not found is the text that `Display` prints; a part of it whose source is not found has its place alone.
///
/// ```
/// use pl::report::Renderer;
///
/// let error = pl::World::open("a2a3sim", &[]).unwrap_err();
/// assert_eq!(Renderer::plain().error(&error), format!("error: {error}"));
/// ```
#[derive(Clone, Debug)]
pub struct Renderer {
    color: bool,
    directories: Vec<PathBuf>,
}

impl Renderer {
    /// Text without colours. Source files are looked for in the current directory and those above it.
    pub fn plain() -> Renderer {
        Renderer { color: false, directories: std::env::current_dir().into_iter().collect() }
    }

    /// Text with the colours of a terminal, as ANSI escape codes.
    pub fn styled() -> Renderer {
        Renderer { color: true, ..Renderer::plain() }
    }

    /// Looks for source files in this directory and those above it too, after those before.
    pub fn directory(mut self, directory: impl Into<PathBuf>) -> Renderer {
        self.directories.push(directory.into());
        self
    }

    /// The report of an error. It begins with `error: `, and has no line end at its end.
    pub fn error(&self, error: &Error) -> String {
        self.explanations(&error.explain())
    }

    /// Several reports, of too many the first.
    pub fn explanations(&self, explanations: &[Explanation]) -> String {
        let reports = explanations.iter().take(Error::SHOWN).map(|explanation| self.explanation(explanation));
        let more = explanations.len().saturating_sub(Error::SHOWN);
        reports.chain((more > 0).then(|| format!("… and {more} more"))).collect::<Vec<_>>().join("\n\n")
    }

    /// A report, beginning with the word for its severity.
    pub fn explanation(&self, explanation: &Explanation) -> String {
        let mut page = Page::new(&self.directories);
        page.parts(explanation);
        let level = match explanation.severity {
            Severity::Warning => Level::WARNING,
            Severity::Error => Level::ERROR,
        };
        let renderer = match self.color {
            true => annotate_snippets::Renderer::styled(),
            false => annotate_snippets::Renderer::plain(),
        };
        if page.files.is_empty() {
            let text = explanation.to_string();
            let end = text.find('\n').unwrap_or(text.len());
            return renderer.render(&[Group::with_title(level.primary_title(&text[..end]))]) + &text[end..];
        }
        let title = level.primary_title(&explanation.title);
        let help = explanation.help.as_deref().map(|help| Level::HELP.message(help).into());
        renderer.render(&[title.elements(page.elements().into_iter().chain(help))])
    }
}

/// A report on its way: marks in files, and lines.
struct Page {
    sources: Sources,
    files: Vec<File>,
    /// The parts without a source: places, with what is to be said of them.
    places: Vec<(String, Vec<String>)>,
    overview: Vec<String>,
    notes: Vec<String>,
}

struct File {
    /// As the report names it.
    name: String,
    path: PathBuf,
    text: Arc<str>,
    marks: Vec<Mark>,
}

/// A span of a file.
struct Mark {
    span: Range<usize>,
    is_primary: bool,
    labels: Vec<String>,
    /// The ranks that a line says to be there.
    ranks: Vec<usize>,
}

/// What is said of a call.
const CALLED: &str = "called here";

impl Page {
    fn new(directories: &[PathBuf]) -> Page {
        Page { sources: Sources::new(directories), files: vec![], places: vec![], overview: vec![], notes: vec![] }
    }

    fn parts(&mut self, explanation: &Explanation) {
        for (i, part) in explanation.parts.iter().enumerate() {
            let at = self.mark(&part.origin);
            let lines: Vec<String> = part.lines.iter().filter_map(|line| self.line(line)).collect();
            match at.and_then(|at| self.get(at)) {
                Some(mark) => {
                    mark.is_primary |= i == 0;
                    mark.labels.push(part.label.clone().unwrap_or_else(|| part.origin.whose().to_string()));
                    mark.labels.extend(lines.iter().map(|line| format!("  {line}")));
                }
                None => {
                    let lines = part.label.iter().cloned().chain(lines).collect();
                    self.places.push((part.origin.to_string(), lines));
                }
            }
        }
        self.overview = explanation.overview.iter().filter_map(|line| self.line(line)).collect();
        self.notes = explanation.notes.iter().filter_map(|line| self.line(line)).collect();
    }

    /// Marks the place of a line. Gives what is to be said of it elsewhere.
    fn line(&mut self, line: &Line) -> Option<String> {
        let marked = line.at.as_ref().and_then(|origin| Some((origin, self.mark(origin)?)));
        if let Some((origin, at)) = marked
            && let Some(mark) = self.get(at)
        {
            if origin.rank.is_none() && line.rest.is_empty() {
                mark.labels.push(line.text.clone());
                return None;
            }
            mark.ranks.extend(origin.rank);
        }
        Some(line.to_string())
    }

    fn get(&mut self, (file, mark): (usize, usize)) -> Option<&mut Mark> {
        self.files.get_mut(file)?.marks.get_mut(mark)
    }

    /// Marks a place, and the calls through which it was come to.
    fn mark(&mut self, origin: &Origin) -> Option<(usize, usize)> {
        let place = origin.place.as_ref()?;
        let at = self.span(place, origin.op)?;
        let callers = core::iter::successors(place.called_from.as_deref(), |call| call.called_from.as_deref());
        for call in callers {
            let at = self.span(call, "");
            let Some(mark) = at.and_then(|at| self.get(at)) else { continue };
            if !mark.labels.iter().any(|label| label == CALLED) {
                mark.labels.push(CALLED.to_owned());
            }
        }
        Some(at)
    }

    /// The numbers of the file and mark of a place; of those that are not there yet, new ones.
    fn span(&mut self, place: &pl_core::ir::Place, op: &str) -> Option<(usize, usize)> {
        let found = self.sources.find(place, op)?;
        let known = self.files.iter().position(|file| file.path == found.path);
        let number = known.unwrap_or(self.files.len());
        if known.is_none() {
            let name = place.file.to_string();
            self.files.push(File { name, path: found.path, text: found.text, marks: vec![] });
        }
        let marks = &mut self.files.get_mut(number)?.marks;
        let mark = marks.iter().position(|mark| mark.span == found.span).unwrap_or_else(|| {
            marks.push(Mark { span: found.span, is_primary: false, labels: vec![], ranks: vec![] });
            marks.len() - 1
        });
        Some((number, mark))
    }

    fn elements(&self) -> Vec<Element<'_>> {
        let snippets = self.files.iter().map(|file| {
            let annotations = file.marks.iter().flat_map(Mark::annotations);
            Snippet::source(&*file.text).path(&*file.name).annotations(annotations).into()
        });
        let message = |text| Level::NOTE.no_name().message(text).into();
        let places = self
            .places
            .iter()
            .flat_map(|(place, lines)| core::iter::once(Arrow::path(place).into()).chain(lines.iter().map(message)));
        let overview = self.overview.iter().map(message);
        overview.chain(snippets).chain(places).chain(self.notes.iter().map(message)).collect()
    }
}

impl Mark {
    /// One annotation for each label: they come to stand one under the other.
    fn annotations(&self) -> impl Iterator<Item = Annotation<'_>> {
        let kind = if self.is_primary { AnnotationKind::Primary } else { AnnotationKind::Context };
        let mut ranks = self.ranks.clone();
        ranks.sort_unstable();
        ranks.dedup();
        let here = (!ranks.is_empty() && self.labels.is_empty()).then(|| format!("{} here", Ranks(&ranks)));
        let labels = self.labels.iter().map(|label| label.replace('\n', " ")).chain(here);
        labels.map(move |label| kind.span(self.span.clone()).label(label))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use pl_core::explain::Part;
    use pl_core::ir::{FunctionKind, Place};

    const KERNEL: &str = "\
#[pl::function(InCore)]
fn step(data: Window, signal: Window) {
    let row = pld::tile::remote_load(data, peer = 1);
    if my_rank == 0 {
\t\tpld::system::notify(signal, peer = 1); // ｗｉｄｅ
    }
    let ｗｉｄｅ = pl::load(data);
    help(signal);
    pld::system::wait(signal, expected = 1);
}
";
    const INLINE: &str = "fn help(signal: Window) {\n    pld::system::wait(signal);\n}\n";

    /// Files of their own, removed at the end.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Scratch {
            let path = std::env::temp_dir().join(format!("pl-report-{name}-{}", std::process::id()));
            std::fs::create_dir_all(path.join("src/below")).unwrap();
            std::fs::write(path.join("src/step.rs"), KERNEL).unwrap();
            std::fs::write(path.join("src/help.rs"), INLINE.replace('\n', "\r\n")).unwrap();
            Scratch(path)
        }

        fn renderer(&self) -> Renderer {
            Renderer { color: false, directories: vec![self.0.join("src/below")] }
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn place(file: &str, line: u32, column: u32) -> Place {
        Place::new(file.into(), line, column)
    }

    fn origin(rank: usize, place: Place, op: &'static str) -> Origin {
        Origin { place: Some(place), function: "step".into(), level: FunctionKind::InCore, rank: Some(rank), op }
    }

    /// The report; colours change nothing but colours.
    #[track_caller]
    fn rendered(name: &str, explanation: &Explanation) -> String {
        let scratch = Scratch::new(name);
        let text = scratch.renderer().explanation(explanation);
        let styled = Renderer { color: true, ..scratch.renderer() }.explanation(explanation);
        let (first, rest) = styled.split_once("\u{1b}[").unwrap();
        let rest = rest.split("\u{1b}[").map(|part| part.split_once('m').unwrap().1);
        assert_eq!(first.to_owned() + &rest.collect::<String>(), text);
        text
    }

    #[track_caller]
    fn check(name: &str, explanation: &Explanation, expected: Expect) {
        expected.assert_eq(&rendered(name, explanation));
    }

    #[test]
    fn both_sides_in_one_snippet() {
        let race = Explanation::error("race on `data[0, 0..4]` of rank 1")
            .part(Part::new(origin(1, place("src/step.rs", 7, 16), "pl::load")).label("rank 1 would read `data` here"))
            .part(
                Part::new(origin(0, place("src/step.rs", 3, 15), "pld::tile::remote_load"))
                    .label("rank 0 wrote `data` here")
                    .line("`root` is 1"),
            )
            .note("what is missing: a notify")
            .note(Line::at(
                "note: the wait of rank 1",
                origin(1, place("src/step.rs", 9, 5), "pld::system::wait"),
                " passed without a notify",
            ))
            .help("wait for it");
        check(
            "race",
            &race,
            expect![[r#"
                error: race on `data[0, 0..4]` of rank 1
                 --> src/step.rs:7:16
                  |
                3 |     let row = pld::tile::remote_load(data, peer = 1);
                  |               ----------------------
                  |               |
                  |               rank 0 wrote `data` here
                  |                 `root` is 1
                ...
                7 |     let ｗｉｄｅ = pl::load(data);
                  |                    ^^^^^^^^ rank 1 would read `data` here
                8 |     help(signal);
                9 |     pld::system::wait(signal, expected = 1);
                  |     ----------------- rank 1 here
                  |
                  = what is missing: a notify
                  = note: the wait of rank 1 at src/step.rs:9:5 passed without a notify
                  = help: wait for it"#]],
        );
    }

    #[test]
    fn where_it_was_called() {
        let call = place("src/step.rs", 8, 5);
        let inlined = place("src/help.rs", 2, 5).inlined_at(&call);
        let deadlock = Explanation::error("deadlock: 2 ranks of 2 blocked")
            .part(
                Part::new(origin(0, inlined.clone(), "pld::system::wait"))
                    .label("rank 0 waits for `signal[0]`; it is 0")
                    .line(Line::at(
                        "rank 1 notifies it",
                        origin(1, place("src/step.rs", 5, 3), "pld::system::notify"),
                        ": it sent nothing",
                    )),
            )
            .part(Part::new(origin(1, inlined, "pld::system::wait")).label("rank 1 waits for `signal[0]`; it is 0"))
            .help("notify before you wait");
        check(
            "inline",
            &deadlock,
            expect![[r#"
                error: deadlock: 2 ranks of 2 blocked
                 --> src/help.rs:2:5
                  |
                2 |     pld::system::wait(signal);
                  |     ^^^^^^^^^^^^^^^^^
                  |     |
                  |     rank 0 waits for `signal[0]`; it is 0
                  |       rank 1 notifies it at src/step.rs:5:3: it sent nothing
                  |     rank 1 waits for `signal[0]`; it is 0
                  |
                 ::: src/step.rs:5:3
                  |
                5 |         pld::system::notify(signal, peer = 1); // ｗｉｄｅ
                  |         ------------------- rank 1 here
                ...
                8 |     help(signal);
                  |     ---- called here
                  |
                  = help: notify before you wait"#]],
        );
    }

    #[test]
    fn places_without_a_source() {
        let part = |file, line, column, op| Part::new(origin(0, place(file, line, column), op)).line("`x`: 3 bytes");
        let all = |part: Part| Explanation::warning("odd").part(part).help("mend it");
        for (file, line, column) in [
            ("src/none.rs", 1, 1),
            ("src/step.rs", 99, 1),
            ("src/step.rs", 3, 99),
            ("src/step.rs", 4, 5),
            ("src", 1, 1),
        ] {
            let explanation = all(part(file, line, column, "pl::load"));
            assert_eq!(rendered("none", &explanation), format!("warning: {explanation}"));
        }
        // One part of two has a source.
        let explanation = all(part("src/step.rs", 2, 4, "kernel")).part(part("src/none.rs", 1, 1, "pl::load"));
        check(
            "some",
            &explanation,
            expect![[r#"
                warning: odd
                 --> src/step.rs:2:4
                  |
                2 | fn step(data: Window, signal: Window) {
                  |    ^^^^
                  |    |
                  |    rank 0, kernel `step`
                  |      `x`: 3 bytes
                 ::: src/none.rs:1:1 (rank 0, kernel `step`)
                  = `x`: 3 bytes
                  = help: mend it"#]],
        );
    }

    #[test]
    fn problems_one_after_the_other() {
        let at = |line, column| Origin { rank: None, op: "", ..origin(0, place("src/step.rs", line, column), "") };
        let problem = Explanation::error("`row` is used twice")
            .part(Part::new(at(3, 9)).line(Line::at("declared here", at(2, 9), "")))
            .help("use it once");
        let scratch = Scratch::new("bind");
        expect![[r#"
            error: `row` is used twice
             --> src/step.rs:3:9
              |
            2 | fn step(data: Window, signal: Window) {
              |         ---- declared here
            3 |     let row = pld::tile::remote_load(data, peer = 1);
              |         ^^^ in kernel `step`
              |
              = help: use it once

            error: two
              lines"#]]
        .assert_eq(&scratch.renderer().explanations(&[problem.clone(), Explanation::error("two\n  lines")]));
        let many = vec![Explanation::error("one"); Error::SHOWN + 3];
        let text = scratch.renderer().explanations(&many);
        assert!(text.ends_with("error: one\n\n… and 3 more"), "{text}");
    }
}
