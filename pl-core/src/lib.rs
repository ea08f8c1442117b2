//! The middle of the pl kernel language: element types, the op table, the IR with its text form, the verifier, the passes, the
//! binder, and the traits behind which engines run.
//!
//! This crate knows no tokens (that is `pl-macros`) and no simulator (that is `pl-sim`), and prints nothing. Every kernel rebuild loads it
//! through the macro, so it has no dependencies.
#![forbid(unsafe_code)]

pub mod bind;
pub mod cost;
pub mod definition;
pub mod diag;
pub mod dtype;
pub mod explain;
pub mod explore;
pub mod fault;
pub mod ir;
pub mod op;
pub mod pass;
pub mod poly;
pub mod runtime;
pub mod text;
pub mod verify;
