//! Diagnostics of the verifier, the passes and the binder: data, printed at the edge.

use crate::explain::{Explanation, Line, Origin, Part};
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

impl Located {
    /// What there is to say of it.
    pub fn explain(&self) -> Explanation {
        let origin = |place: &Option<Place>| Origin {
            place: place.clone(),
            function: self.kernel.as_str().into(),
            level: self.level,
            rank: None,
            op: "",
        };
        let sides = self.diagnostic.related.iter().zip(&self.related);
        let lines = sides.map(|((_, label), place)| match place {
            Some(_) => Line::at(label, origin(place), ""),
            None => label.into(),
        });
        Explanation::error(&self.diagnostic.message)
            .part(Part::new(origin(&self.place)).lines(lines))
            .help(&self.diagnostic.help)
    }
}

impl fmt::Display for Located {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.explain())
    }
}
