//! Locations and places: where something stands in the source.

use super::Name;
use core::fmt;
use std::sync::Arc;

/// Where something stands in the source: an index into a table that is kept outside the IR. `Loc::NONE` is nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Loc(pub u32);

impl Loc {
    /// No location.
    pub const NONE: Loc = Loc(u32::MAX);

    /// This location, or `other` where this is none.
    pub fn or(self, other: Loc) -> Loc {
        if self == Loc::NONE { other } else { self }
    }
}

/// A line and a column of a source file, both counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The file as `file!()` gives it.
    pub file: Name,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// Of what was inlined: where it was called.
    pub called_from: Option<Arc<Place>>,
    /// Whether that call is one of a kernel, in an `Orchestration` function: the line to look at is the kernel's, not that of the call.
    pub kernel: bool,
}

impl Place {
    /// A place that was not inlined.
    pub fn new(file: Name, line: u32, column: u32) -> Place {
        Place { file, line, column, called_from: None, kernel: false }
    }

    /// The same place in a function that was inlined at `call`.
    pub fn inlined_at(&self, call: &Place) -> Place {
        self.called_at(call, false)
    }

    /// The same place in a kernel that an `Orchestration` function calls at `call`.
    pub fn in_kernel_called_at(&self, call: &Place) -> Place {
        self.called_at(call, true)
    }

    fn called_at(&self, call: &Place, kernel: bool) -> Place {
        let (caller, kernel) = match &self.called_from {
            None => (call.clone(), kernel),
            Some(caller) => (caller.called_at(call, kernel), self.kernel),
        };
        Place { called_from: Some(Arc::new(caller)), kernel, ..self.clone() }
    }
}

/// `file:line:column`. Of what was inlined, the line in the kernel first: `kernel.rs:9:5 (in inlined.rs:3:4)`; of a kernel that another function
/// calls, `kernel.rs:9:5 (called from steps.rs:20:1)`.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.called_from {
            None => write!(f, "{}:{}:{}", self.file, self.line, self.column),
            Some(caller) if self.kernel => {
                write!(f, "{}:{}:{} (called from {caller})", self.file, self.line, self.column)
            }
            Some(caller) => write!(f, "{caller} (in {}:{}:{})", self.file, self.line, self.column),
        }
    }
}
