//! Binding: dims from the arguments' shapes, checks that need them, and the program that an engine runs.

use crate::diag::Located;
use crate::ir::{Function, Name};
use crate::verify::Inferred;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// The values that a launch gives to a kernel's names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bindings {
    /// Dynamic dims.
    pub dims: BTreeMap<Name, i64>,
    /// The number of ranks of the domain.
    pub world: usize,
}

/// What binding needs to know of a platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Platform {
    /// Its name: `sim`, `a2a3sim`, …
    pub name: &'static str,
    /// Usable on-chip memory for tiles, in bytes; `None` without a limit.
    pub tile_bytes: Option<usize>,
}

/// A function that is linked, lowered, verified and bound: what an engine runs.
#[derive(Debug)]
pub struct Program {
    /// The lowered function: primitives only, no calls.
    pub function: Function,
    /// Types of its locals.
    pub inferred: Inferred,
    /// Its dims.
    pub bindings: Bindings,
    /// Whatever the engine wants to keep with it (its plan).
    pub plan: OnceLock<Arc<dyn std::any::Any + Send + Sync>>,
}

/// Everything that was wrong at bind, at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindError(pub Vec<Located>);

/// An argument's shape, as far as binding needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgShape {
    /// A tensor or window: its extents, and which window it is.
    Memory {
        /// Extents.
        shape: Vec<usize>,
        /// The window's id; `None` for a tensor.
        window: Option<u64>,
    },
    /// A scalar.
    Scalar,
}
