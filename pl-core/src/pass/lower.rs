//! Lowering: each composite becomes the body of its function in the collectives library.
//!
//! The library is written in pl and handed in as a value. A function that works in chunks has a constant `CHUNK`, in elements: the pass fills it so
//! that the function's tiles fit beside the tiles that the caller holds across the call.

use super::inline::Inliner;
use super::link::{finish, link};
use super::simplify::{blocks_mut, fold};
use crate::bind::{BindError, Bindings, Platform};
use crate::definition::Definition;
use crate::diag::Diagnostic;
use crate::dtype::DType;
use crate::ir::{Arg, Block, ConstValue, Elem, Function, Lit, Loc, LocalId, Op, ScalarType, Stmt, StmtKind, Type};
use crate::op::ParamKind;
use crate::verify::{Inferred, Known, Moment, live_bytes, pressure, verify};
use std::collections::BTreeMap;

/// The bytes of a chunk where the platform has no limit.
const LARGE_CHUNK: usize = 1 << 20;

/// The collectives library: for each lowering function, any instance of it.
#[derive(Clone, Debug, Default)]
pub struct Library {
    functions: BTreeMap<&'static str, fn() -> Definition>,
}

impl Library {
    /// A library of these functions.
    pub fn new(functions: impl IntoIterator<Item = (&'static str, fn() -> Definition)>) -> Library {
        Library { functions: functions.into_iter().collect() }
    }
}

/// Lowers the composites of a linked function.
///
/// # Errors
/// What the verifier finds with these bindings, before and after; a composite for which the platform has no memory left.
pub fn lower(
    function: &Function,
    bindings: &Bindings,
    platform: &Platform,
    library: &Library,
) -> Result<Function, BindError> {
    let moment = Moment::Bound(bindings);
    let function = &folded(function, bindings);
    let verdict = verify(function, moment);
    if !verdict.errors.is_empty() {
        return Err(BindError(verdict.errors.into_iter().map(|e| e.located(function)).collect()));
    }
    let mut lowered = function.clone();
    let held = held_tiles(function, &verdict.inferred);
    let mut lowering = Lowering {
        inliner: Inliner::new(&mut lowered, &verdict.inferred),
        original: function,
        inferred: &verdict.inferred,
        bindings,
        platform,
        library,
        held,
        position: 0,
        linked: BTreeMap::new(),
        failed: vec![],
    };
    let body = std::mem::take(&mut lowering.inliner.caller.body);
    let body = lowering.block(body);
    let failed = std::mem::take(&mut lowering.failed);
    lowering.inliner.finish(body)?;
    if !failed.is_empty() {
        return Err(BindError(failed));
    }
    finish(&mut lowered, moment)?;
    Ok(lowered)
}

/// The function without what does not run with these bindings: what is wrong there is not wrong.
fn folded(function: &Function, bindings: &Bindings) -> Function {
    let inferred = verify(function, Moment::Bound(bindings)).inferred;
    let mut folded = function.clone();
    folded.body =
        fold(std::mem::take(&mut folded.body), &Known { function, bindings: Some(bindings), values: &inferred.values });
    folded
}

/// The tiles that are live across each composite, by the position of its statement.
fn held_tiles(function: &Function, inferred: &Inferred) -> BTreeMap<usize, Vec<LocalId>> {
    pressure(function, inferred).into_iter().map(|p| (p.stmt, p.live)).collect()
}

struct Lowering<'a> {
    inliner: Inliner<'a>,
    original: &'a Function,
    inferred: &'a Inferred,
    bindings: &'a Bindings,
    platform: &'a Platform,
    library: &'a Library,
    held: BTreeMap<usize, Vec<LocalId>>,
    /// The position of the next statement, in the order of [`crate::ir::visit`].
    position: usize,
    linked: BTreeMap<(&'static str, Option<DType>, Option<usize>), Function>,
    failed: Vec<crate::diag::Located>,
}

impl Lowering<'_> {
    fn block(&mut self, block: Block) -> Block {
        let mut out = vec![];
        for mut stmt in block {
            let position = self.position;
            self.position += 1;
            for nested in blocks_mut(&mut stmt.kind) {
                *nested = self.block(std::mem::take(nested));
            }
            match stmt.kind {
                StmtKind::Op(op) if op.code.is_composite() => out.extend(self.composite(&op, position, stmt.loc)),
                kind => out.push(Stmt { kind, loc: stmt.loc }),
            }
        }
        out
    }

    fn composite(&mut self, op: &Op, position: usize, loc: Loc) -> Block {
        let info = op.code.info();
        let Some(lowering) = info.lowering else { return vec![] };
        let type_of = |i: usize| {
            let id = op.args.get(i)?.as_local()?;
            self.inferred.types.get(id.0 as usize).and_then(Type::shaped)
        };
        // The alternative of the last shaped parameter chooses the function.
        let alternative = info.shapes.last().and_then(|(param, alternatives)| {
            let rank = type_of(usize::from(*param))?.shape.len();
            alternatives.iter().position(|a| a.len() == rank)
        });
        let name = lowering.functions.get(alternative.unwrap_or(0)).or(lowering.functions.first());
        let Some((name, definition)) = name.and_then(|n| Some((*n, *self.library.functions.get(n)?))) else {
            let message = format!("`{}` has no function in the collectives library", info.path);
            self.inliner.error(Diagnostic::new(loc, message, "give the lowering pass a library that has it"));
            return vec![];
        };
        let dtype = match type_of(usize::from(lowering.data)).map(|s| &s.elem) {
            Some(Elem::Known(dtype)) => *dtype,
            _ => return vec![],
        };
        let chunk = match self.chunk(lowering.tiles, dtype, position) {
            Ok(chunk) => chunk,
            Err(free) => {
                let message = format!(
                    "`{}` needs {} tiles of at least one element, {free} bytes of tile memory are free here on `{}`",
                    info.path, lowering.tiles, self.platform.name
                );
                self.inliner.error(Diagnostic::new(loc, message, "keep fewer or smaller tiles live across the call"));
                return vec![];
            }
        };
        let callee = match self.instance(name, definition, dtype, chunk) {
            Ok(callee) => callee,
            Err(error) => {
                self.failed.extend(error.0);
                return vec![];
            }
        };
        let args: Vec<Arg> = op
            .args
            .iter()
            .zip(info.params)
            .filter(|(_, p)| matches!(p.kind, ParamKind::Memory(..)))
            .map(|(a, _)| Arg { loc: a.loc.or(loc), ..a.clone() })
            .collect();
        let body = self.inliner.splice(&callee, &args, op.dst.as_slice(), loc);
        let values = &self.inferred.values;
        fold(body, &Known { function: self.original, bindings: Some(self.bindings), values })
    }

    /// The elements of a chunk, where the function works in chunks; the free bytes when not even one element fits.
    fn chunk(&self, tiles: u32, dtype: DType, position: usize) -> Result<Option<usize>, u128> {
        if tiles == 0 {
            return Ok(None);
        }
        let bytes = match self.platform.tile_bytes {
            None => LARGE_CHUNK as u128,
            Some(limit) => {
                let held = self.held.get(&position).map_or(&[][..], |h| h);
                let limit = limit as u128;
                // Tiles whose extents only the run knows: leave them half of the memory.
                let held = live_bytes(self.original, self.inferred, self.bindings, held).unwrap_or(limit / 2);
                limit.saturating_sub(held) / u128::from(tiles)
            }
        };
        match bytes as usize / dtype.bytes() {
            0 => Err(bytes * u128::from(tiles)),
            elements => Ok(Some(elements)),
        }
    }

    /// The function with its type parameter and its `CHUNK` filled.
    fn instance(
        &mut self,
        name: &'static str,
        definition: fn() -> Definition,
        dtype: DType,
        chunk: Option<usize>,
    ) -> Result<Function, BindError> {
        let key = (name, Some(dtype), chunk);
        if let Some(function) = self.linked.get(&key) {
            return Ok(function.clone());
        }
        let mut definition = definition();
        definition.types.iter_mut().for_each(|t| *t = dtype);
        if let Some(chunk) = chunk {
            let template = super::load(definition.source)?;
            for (constant, value) in template.consts.iter().zip(&mut definition.consts) {
                if &*constant.name == "CHUNK" {
                    *value = ConstValue::Scalar(Lit::Int(chunk as i128), ScalarType::Index);
                }
            }
        }
        let function = link(&definition)?;
        self.linked.insert(key, function.clone());
        Ok(function)
    }
}
