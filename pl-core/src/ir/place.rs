//! Locations and places: where something stands in the source.

use super::Name;
use crate::fault::Lints;
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
    /// The lints that are allowed here: by the function that it is in, and by those that it was inlined in.
    pub allow: Lints,
}

impl Place {
    /// A place that was not inlined.
    pub fn new(file: Name, line: u32, column: u32) -> Place {
        Place { file, line, column, called_from: None, kernel: false, allow: Lints::NONE }
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
        let allow = self.allow.union(call.allow);
        Place { called_from: Some(Arc::new(caller)), kernel, allow, ..self.clone() }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::LintKind;

    /// What a caller allows holds for what it calls, and not the other way round.
    #[test]
    fn allowed_lints_of_callers() {
        let place = |line, kind| Place { allow: Lints::from([kind]), ..Place::new("kernel.rs".into(), line, 1) };
        let helper = place(1, LintKind::StaleWait);
        let kernel = place(2, LintKind::SetOverwrote);
        let step = place(3, LintKind::OrderDependent);
        let inlined = helper.inlined_at(&kernel).in_kernel_called_at(&step);
        assert_eq!(inlined.allow, Lints::from([LintKind::StaleWait, LintKind::SetOverwrote, LintKind::OrderDependent]));
        assert_eq!(kernel.allow, Lints::from([LintKind::SetOverwrote]));
        assert_eq!(inlined.to_string(), "kernel.rs:2:1 (called from kernel.rs:3:1) (in kernel.rs:1:1)");
    }
}
