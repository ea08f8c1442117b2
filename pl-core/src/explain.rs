//! What a report says, as data: every fault, lint and diagnostic explains itself by an [`Explanation`].
//!
//! The text of a report is the `Display` of its explanation. Whoever has the source at hand can show it: each place comes with what is to be
//! said of it.

use crate::ir::{FunctionKind, Name, Place};
use core::fmt::{self, Display, Formatter};

/// What a report says, from top to bottom.
///
/// `Display` prints it without the word for its severity in front: whoever prints it writes that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// How bad it is.
    pub severity: Severity,
    /// What happened, in one line.
    pub title: String,
    /// What is to be known before the parts.
    pub overview: Vec<Line>,
    /// The places at which it happened, and what is to be said of each.
    pub parts: Vec<Part>,
    /// What is to be known beside that.
    pub notes: Vec<Line>,
    /// What to do about it.
    pub help: Option<String>,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// It may be well.
    Warning,
    /// It was stopped.
    Error,
}

/// A place at which it happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Where.
    pub origin: Origin,
    /// What is done there, and by whom.
    pub label: Option<String>,
    /// What else is to be said of it.
    pub lines: Vec<Line>,
}

/// A line of a report. It may tell of one more place: `text at place rest`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The line, or what stands before the place.
    pub text: String,
    /// The place.
    pub at: Option<Origin>,
    /// What stands behind the place, with the space or colon between.
    pub rest: String,
}

/// Where something stands, and in whose code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The line and column, where they are known.
    pub place: Option<Place>,
    /// The function.
    pub function: Name,
    /// Its level.
    pub level: FunctionKind,
    /// The rank, of what happened in a run.
    pub rank: Option<usize>,
    /// The op that stands there, by its path, or the operator or statement; empty where it is not known.
    pub op: &'static str,
}

impl Explanation {
    /// A report about something that was stopped.
    pub fn error(title: impl Into<String>) -> Explanation {
        Explanation::new(Severity::Error, title)
    }

    /// A report about something that may be well.
    pub fn warning(title: impl Into<String>) -> Explanation {
        Explanation::new(Severity::Warning, title)
    }

    fn new(severity: Severity, title: impl Into<String>) -> Explanation {
        Explanation { severity, title: title.into(), overview: vec![], parts: vec![], notes: vec![], help: None }
    }

    /// Adds a place, and what is to be said of it.
    pub fn part(mut self, part: impl Into<Part>) -> Explanation {
        self.parts.push(part.into());
        self
    }

    /// Adds what is to be known beside the parts.
    pub fn note(mut self, line: impl Into<Line>) -> Explanation {
        self.notes.push(line.into());
        self
    }

    /// Says what to do about it.
    pub fn help(mut self, help: impl Into<String>) -> Explanation {
        self.help = Some(help.into()).filter(|help| !help.is_empty());
        self
    }
}

impl Part {
    /// A place, of which the title says all.
    pub fn new(origin: impl Into<Origin>) -> Part {
        Part { origin: origin.into(), label: None, lines: vec![] }
    }

    /// Says what is done there, and by whom.
    pub fn label(mut self, label: impl Into<String>) -> Part {
        self.label = Some(label.into());
        self
    }

    /// Says more of it.
    pub fn line(mut self, line: impl Into<Line>) -> Part {
        self.lines.push(line.into());
        self
    }

    /// Says more of it, line by line.
    pub fn lines<L: Into<Line>>(mut self, lines: impl IntoIterator<Item = L>) -> Part {
        self.lines.extend(lines.into_iter().map(Into::into));
        self
    }
}

impl<T: Into<Origin>> From<T> for Part {
    fn from(origin: T) -> Part {
        Part::new(origin)
    }
}

impl Severity {
    /// The word that stands before the title.
    pub const fn label(self) -> &'static str {
        match self {
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

impl Line {
    /// A line that tells of one more place: `text at place rest`.
    pub fn at(text: impl Into<String>, origin: impl Into<Origin>, rest: impl Into<String>) -> Line {
        Line { text: text.into(), at: Some(origin.into()), rest: rest.into() }
    }
}

impl<T: Into<String>> From<T> for Line {
    fn from(text: T) -> Line {
        Line { text: text.into(), at: None, rest: String::new() }
    }
}

impl Display for Explanation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.title)?;
        write_lines(f, &self.overview)?;
        for Part { origin, label, lines } in &self.parts {
            write!(f, "\n  --> {origin}")?;
            if let Some(label) = label {
                write!(f, "\n  = {label}")?;
            }
            write_lines(f, lines)?;
        }
        write_lines(f, &self.notes)?;
        match &self.help {
            Some(help) => write!(f, "\n  = help: {help}"),
            None => Ok(()),
        }
    }
}

fn write_lines(f: &mut Formatter<'_>, lines: &[Line]) -> fmt::Result {
    lines.iter().try_for_each(|line| write!(f, "\n  = {line}"))
}

impl Display for Line {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.at {
            Some(origin) => write!(f, "{} at {}{}", self.text, origin.at(), self.rest),
            None => f.write_str(&self.text),
        }
    }
}

impl Origin {
    /// Whose code it is: ``rank 1, kernel `step` ``, or ``in kernel `step` ``.
    pub fn whose(&self) -> impl Display + '_ {
        fmt::from_fn(|f| match self.rank {
            Some(rank) => write!(f, "rank {rank}, kernel `{}`", self.function),
            None => write!(f, "in {} `{}`", what(self.level), self.function),
        })
    }

    /// The place, in the middle of a line; the function, where the place is not known.
    pub fn at(&self) -> impl Display + '_ {
        fmt::from_fn(|f| match &self.place {
            Some(place) => place.fmt(f),
            None => write!(f, "{} `{}`", what(self.level), self.function),
        })
    }
}

/// The place, and whose code it is.
impl Display for Origin {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match (&self.place, self.rank) {
            (Some(place), _) => write!(f, "{place} ({})", self.whose()),
            (None, Some(rank)) => write!(f, "kernel `{}` (rank {rank})", self.function),
            (None, None) => write!(f, "{} `{}`", what(self.level), self.function),
        }
    }
}

const fn what(level: FunctionKind) -> &'static str {
    match level {
        FunctionKind::InCore | FunctionKind::Inline => "kernel",
        FunctionKind::Orchestration => "Orchestration function",
        FunctionKind::Host => "Host function",
    }
}
