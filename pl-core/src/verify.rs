//! The verifier: type inference and every rule that the language has.

use crate::ir::Type;

/// What the verifier learns about a function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inferred {
    /// The type of each local, by [`crate::ir::LocalId`].
    pub types: Vec<Type>,
    /// For a local that names a tensor or window: the index of the parameter whose memory it is.
    pub roots: Vec<Option<usize>>,
}
