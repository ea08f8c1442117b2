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
}

impl Place {
    /// A place that was not inlined.
    pub fn new(file: Name, line: u32, column: u32) -> Place {
        Place { file, line, column, called_from: None }
    }

    /// The same place in a function that was inlined at `call`.
    pub fn inlined_at(&self, call: &Place) -> Place {
        let caller = match &self.called_from {
            None => call.clone(),
            Some(caller) => caller.inlined_at(call),
        };
        Place { called_from: Some(Arc::new(caller)), ..self.clone() }
    }
}

/// `file:line:column`; of what was inlined, the call in the kernel first: `kernel.rs:9:5 (in inlined.rs:3:4)`.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.called_from {
            None => write!(f, "{}:{}:{}", self.file, self.line, self.column),
            Some(caller) => write!(f, "{caller} (in {}:{}:{})", self.file, self.line, self.column),
        }
    }
}
