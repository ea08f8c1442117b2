//! A kernel as it stands in the user's crate: one constant text with named holes, and the values that fill them.
//!
//! The macro writes a [`Source`] as a `static` and a small function that makes a [`Definition`] of it: the source, the types
//! and constants of this instance, and a function for each callee (through functions, so that recursion is found here, at link, and
//! not as a compiler cycle).

use crate::dtype::DType;
use crate::ir::{ConstValue, FunctionKind};

/// The constant part of a kernel.
#[derive(Debug)]
pub struct Source {
    /// The text form, with locations (see [`crate::text`]).
    pub text: &'static str,
    /// `file!()` of the kernel.
    pub file: &'static str,
    /// `concat!(module_path!(), "::", name)`: tells kernels of one name apart.
    pub path: &'static str,
}

/// One instance of a kernel: a source with its holes filled.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The constant part.
    pub source: &'static Source,
    /// The types of the type parameters, in the order the text declares them.
    pub types: Vec<DType>,
    /// The values of the constants, in the order the text declares them.
    pub consts: Vec<ConstValue>,
    /// The definitions of the callees, in the order of [`crate::ir::Function::callees`].
    pub callees: Vec<fn() -> Definition>,
}

/// What a caller can check about a callee while rustc runs: everything but symbolic extents.
#[derive(Clone, Copy, Debug)]
pub struct Signature {
    /// The callee's name.
    pub name: &'static str,
    /// Its level.
    pub kind: FunctionKind,
    /// The names of its type parameters.
    pub types: &'static [&'static str],
    /// The names of its const parameters.
    pub consts: &'static [&'static str],
    /// The parameters.
    pub params: &'static [ParamSignature],
}

/// One parameter of a [`Signature`].
#[derive(Clone, Copy, Debug)]
pub struct ParamSignature {
    /// Its name.
    pub name: &'static str,
    /// What kind of value it takes.
    pub kind: ParamClass,
    /// Whether the callee writes it (`Out`, `InOut`).
    pub written: bool,
    /// Constant extents; `None` where an extent is symbolic or generic. Empty for scalars.
    pub extents: &'static [Option<usize>],
}

/// The kind of value that a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamClass {
    /// A scalar.
    Scalar,
    /// A tile.
    Tile,
    /// A tensor.
    Tensor,
    /// A window.
    Window,
}
