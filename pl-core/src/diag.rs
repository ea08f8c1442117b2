//! Diagnostics of the verifier, the passes and the binder: data, printed at the edge.

use crate::ir::{FunctionKind, Loc, Place};
use core::fmt;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What was found and what was expected. Lower case, no full stop.
    pub message: String,
    /// Where, in the function it was found in.
    pub loc: Loc,
    /// The other side, and what it says.
    pub related: Vec<(Loc, String)>,
    /// How to mend it.
    pub help: String,
}

impl Diagnostic {
    /// A diagnostic.
    pub fn new(loc: Loc, message: impl Into<String>, help: impl Into<String>) -> Diagnostic {
        Diagnostic { message: message.into(), loc, related: vec![], help: help.into() }
    }

    /// Adds the other side.
    pub fn with(mut self, loc: Loc, label: impl Into<String>) -> Diagnostic {
        self.related.push((loc, label.into()));
        self
    }
}

/// A diagnostic with its places resolved: what a user sees at run time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The function.
    pub kernel: String,
    /// Its level.
    pub level: FunctionKind,
    /// Where it stands, when that is known.
    pub place: Option<Place>,
    /// The diagnostic.
    pub diagnostic: Diagnostic,
    /// The other sides' places, in the order of `diagnostic.related`.
    pub related: Vec<Option<Place>>,
}

impl Diagnostic {
    /// Resolves the locations with the places of the function it was found in.
    pub fn located(self, function: &crate::ir::Function) -> Located {
        let related = self.related.iter().map(|(loc, _)| function.place(*loc).cloned()).collect();
        let place = function.place(self.loc).or_else(|| function.place(function.loc)).cloned();
        Located { kernel: function.name.to_string(), level: function.kind, place, related, diagnostic: self }
    }
}

impl fmt::Display for Located {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.diagnostic.message)?;
        let what = match self.level {
            FunctionKind::InCore | FunctionKind::Inline => "kernel",
            FunctionKind::Orchestration => "Orchestration function",
            FunctionKind::Host => "Host function",
        };
        match &self.place {
            Some(place) => write!(f, "\n  --> {place} (in {what} `{}`)", self.kernel)?,
            None => write!(f, "\n  --> {what} `{}`", self.kernel)?,
        }
        for ((_, label), place) in self.diagnostic.related.iter().zip(&self.related) {
            match place {
                Some(place) => write!(f, "\n  = {label} at {place}")?,
                None => write!(f, "\n  = {label}")?,
            }
        }
        if !self.diagnostic.help.is_empty() {
            write!(f, "\n  = help: {}", self.diagnostic.help)?;
        }
        Ok(())
    }
}
