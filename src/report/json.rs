//! Reports as data: `docs/report-schema.md` describes the documents.

#[cfg(test)]
mod tests;
mod value;
mod values;

pub use value::Json;

use crate::Error;
use crate::host::BindProblem;
use pl_core::explain::{Explanation, Line, Origin, Part};
use pl_core::fault::Report;
use values::{ToJson, object, site};

/// The version of the documents. Fields that are added do not change it; what changes or goes does.
pub const SCHEMA: u32 = 1;

/// The document of an error.
///
/// ```
/// let error = pl::World::open("a2a3sim", &[]).unwrap_err();
/// let document = pl::report::json(&error);
/// assert_eq!(document["schema"].as_integer(), Some(1));
/// assert_eq!(document["result"].as_str(), Some("failed"));
/// assert_eq!(document["problems"][0]["kind"].as_str(), Some("usage"));
/// ```
pub fn json(error: &Error) -> Json {
    let mut document = Document::default();
    document.error(error);
    document.value()
}

/// The document of a program that launches, on its way.
///
/// ```
/// let mut document = pl::report::Document::default();
/// document.note("warm");
/// let text = document.value().to_string();
/// assert_eq!(text, r#"{"schema":1,"result":"passed","problems":[],"launches":[],"notes":["warm"]}"#);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Document {
    failed: bool,
    problems: Vec<Json>,
    launches: Vec<Json>,
    notes: Vec<String>,
}

impl Document {
    /// Adds a launch that went well, and what its lints found.
    pub fn launch(&mut self, report: &Report) {
        let lints = report.lints.iter();
        self.problems
            .extend(lints.map(|lint| problem(lint.kind().name(), &lint.explain(), Json::Null, lint.to_json())));
        self.launches.push(report.to_json());
        self.notes.extend(report.not_injected.iter().map(ToString::to_string));
    }

    /// Adds an error.
    pub fn error(&mut self, error: &Error) {
        self.failed = true;
        self.problems.extend(problems(error));
    }

    /// Adds a failure that the program found itself. `kind` is its word for it.
    pub fn failure(&mut self, kind: &str, explanation: &Explanation) {
        self.failed = true;
        self.problems.push(problem(kind, explanation, Json::Null, Json::Null));
    }

    /// Adds what else is to be known.
    pub fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    /// The document.
    pub fn value(&self) -> Json {
        let Document { failed, problems, launches, notes } = self;
        let result = if *failed { "failed" } else { "passed" };
        object([
            ("schema", SCHEMA.to_json()),
            ("result", result.to_json()),
            ("problems", Json::Array(problems.clone())),
            ("launches", Json::Array(launches.clone())),
            ("notes", notes.to_json()),
        ])
    }
}

fn problems(error: &Error) -> Vec<Json> {
    let data: Vec<Json> = match error.cause() {
        Error::Bind { problems } => problems.iter().map(bind).collect(),
        Error::Fault(failed) => vec![failed.fault.to_json()],
        _ => vec![],
    };
    let data = data.into_iter().chain(std::iter::repeat(Json::Null));
    let (kind, run) = (error.kind(), error.run().map_or(Json::Null, ToJson::to_json));
    error.explain().iter().zip(data).map(|(explanation, data)| problem(kind, explanation, run.clone(), data)).collect()
}

fn bind(problem: &BindProblem) -> Json {
    object([("ranks", problem.ranks.to_json()), ("calls", problem.calls.to_json())])
}

/// One thing that is wrong, or odd.
fn problem(kind: &str, explanation: &Explanation, run: Json, data: Json) -> Json {
    let Explanation { severity, title, overview, parts, notes, help } = explanation;
    object([
        ("severity", severity.label().to_json()),
        ("kind", kind.to_json()),
        ("title", title.to_json()),
        ("sites", parts.iter().map(part).collect()),
        ("notes", overview.iter().chain(notes).map(text).collect()),
        ("help", help.to_json()),
        ("run", run),
        ("data", data),
    ])
}

fn text(line: &Line) -> Json {
    line.to_string().to_json()
}

/// A site, and what is to be said of it.
fn part(part: &Part) -> Json {
    let Part { origin: Origin { place, function, level: _, rank, op }, label, lines } = part;
    let lines = label.iter().map(ToJson::to_json).chain(lines.iter().map(text)).collect();
    let mut fields = site(*rank, function, op, place.as_ref());
    fields.push(("lines", lines));
    Json::Object(fields)
}
