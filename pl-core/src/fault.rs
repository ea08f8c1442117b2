//! What a run can report: a [`Report`] when it went well, a [`Fault`] when a check stopped it. Both are data; text is made at the edge.

/// What a run that went well did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {}

/// Why a run was stopped.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {}
