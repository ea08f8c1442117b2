//! Lowering: each composite becomes the body of its function in the collectives library.
//!
//! The library is written in pl and handed in as a value. A function that works in chunks has a constant `CHUNK`, in elements: the pass fills it so
//! that the function's tiles fit beside the tiles that the caller holds across the call.

use super::inline::Inliner;
use super::link::{Instance, finish, link_instance};
use super::simplify::{blocks_mut, fold};
use crate::bind::{BindError, Bindings, Platform};
use crate::definition::Definition;
use crate::diag::Diagnostic;
use crate::dtype::DType;
use crate::ir::{
    Arg, ArgKind, Block, ConstValue, Elem, EnumValue, Expr, Function, Lit, Loc, LocalId, Op, ScalarType, Shaped, Stmt,
    StmtKind, Type,
};
use crate::op::{self, Access, Collective, EnumKind, OpCode, OpInfo, ParamKind, ResultKind};
use crate::poly::Poly;
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
        inliner: Inliner::new(&mut lowered, &verdict.inferred).of_library(),
        original: function,
        inferred: &verdict.inferred,
        bindings,
        platform,
        library,
        held,
        position: 0,
        linked: vec![],
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
    linked: Vec<(&'static str, Instance, Function)>,
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
        let Some(lowering) = &info.lowering else { return vec![] };
        let name = self.alternative(op, info, lowering);
        let Some((name, definition)) = name.and_then(|n| Some((n, *self.library.functions.get(n)?))) else {
            let message = format!("`{}` has no function in the collectives library", info.path);
            self.inliner.error(Diagnostic::new(loc, message, "give the lowering pass a library that has it"));
            return vec![];
        };
        let dtype = match self.shaped(op, usize::from(lowering.data)).map(|s| &s.elem) {
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
        let callee = match self.instance(name, definition, dtype, chunk, wire_of(op, info, EnumKind::ReduceOp)) {
            Ok(callee) => callee,
            Err(error) => {
                self.failed.extend(error.0);
                return vec![];
            }
        };
        let mut out = vec![enter(op, info, lowering.collective, loc)];
        let mut args = vec![];
        let passed = |kind| matches!(kind, ParamKind::Memory(..) | ParamKind::Peer);
        for (index, arg) in op.args.iter().enumerate().filter(|(i, _)| passed(info.params[*i].kind)) {
            let arg = Arg { loc: arg.loc.or(loc), ..arg.clone() };
            let flat = callee.params.get(args.len()).is_some_and(|p| p.ty.shaped().is_some_and(|s| s.shape.len() == 1));
            args.push(if flat { self.flattened(op, index, arg, loc, &mut out) } else { arg });
        }
        out.extend(self.inliner.splice(&callee, &args, &[], loc));
        out.push(leave(op, info, loc));
        // The result is memory that the caller has a name for.
        if let (Some(dst), ResultKind::Memory(i)) = (op.dst, info.result)
            && let ArgKind::Value(value) = &op.args[usize::from(i)].kind
            && value.as_local() != Some(dst)
        {
            out.push(Stmt { kind: StmtKind::Assign { dst, value: value.clone() }, loc });
        }
        let values = &self.inferred.values;
        fold(out, &Known { function: self.original, bindings: Some(self.bindings), values })
    }

    /// Element type and shape of an op's argument.
    fn shaped(&self, op: &Op, index: usize) -> Option<&Shaped> {
        let id = op.args.get(index)?.as_local()?;
        self.inferred.types.get(id.0 as usize).and_then(Type::shaped)
    }

    /// The function for the alternative that an enum argument, or the rank of the last shaped parameter, chooses.
    fn alternative(&self, op: &Op, info: &OpInfo, lowering: &op::Lowering) -> Option<&'static str> {
        let chosen = match (lowering.by, info.shapes.last()) {
            (Some(by), _) => match op.args.get(usize::from(by))?.kind {
                ArgKind::Enum(_, EnumValue::Known(value)) => usize::try_from(value).ok(),
                _ => None,
            },
            (None, Some((param, alternatives))) => {
                let rank = self.shaped(op, usize::from(*param))?.shape.len();
                alternatives.iter().position(|a| a.len() == rank)
            }
            _ => None,
        };
        lowering.functions.get(chosen.unwrap_or(0)).copied()
    }

    /// The memory of an argument with one axis, for functions that do not ask which shape it has.
    fn flattened(&mut self, op: &Op, index: usize, arg: Arg, loc: Loc, out: &mut Block) -> Arg {
        let Some(extents) = self.shaped(op, index).map(|s| s.shape.clone()).filter(|s| s.len() != 1) else {
            return arg;
        };
        let Some(extents) = extents.into_iter().collect::<Option<Vec<_>>>() else { return arg };
        let value =
            |e: &Expr| Poly::of(e, &|name| self.original.value_of_name(name, Some(self.bindings)))?.as_constant();
        let elements = extents.iter().try_fold(1i128, |n, e| n.checked_mul(value(e)?));
        let Some(elements) = elements else { return arg };
        let name = arg.as_local().map_or("flat", |id| self.original.local_name(id)).to_owned();
        let flat = self.inliner.caller.add_inlined_local(&name, arg.loc);
        let shape = Arg { kind: ArgKind::List(vec![Expr::int(elements)]), loc: arg.loc };
        let at = arg.loc;
        let reshape = Op { code: OpCode::Reshape, dst: Some(flat), args: vec![arg, shape], elem: None };
        out.push(Stmt { kind: StmtKind::Op(reshape), loc });
        Arg { kind: ArgKind::Value(Expr::local(flat).at(at)), loc: at }
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

    /// The function for an element type, a chunk and a reduction.
    fn instance(
        &mut self,
        name: &'static str,
        definition: fn() -> Definition,
        dtype: DType,
        chunk: Option<usize>,
        reduction: Option<i32>,
    ) -> Result<Function, BindError> {
        let index = |value: usize| ConstValue::Scalar(Lit::Int(value as i128), ScalarType::Index);
        let int =
            |value: i32| ConstValue::Scalar(Lit::Int(i128::from(value)), ScalarType::Elem(Elem::Known(DType::I32)));
        let chunk = chunk.map(|chunk| ("CHUNK", index(chunk)));
        let reduction = reduction.map(|value| ("OP", int(value)));
        let instance = Instance { dtype, consts: chunk.into_iter().chain(reduction).collect() };
        if let Some((.., function)) = self.linked.iter().find(|(n, i, _)| *n == name && *i == instance) {
            return Ok(function.clone());
        }
        let function = link_instance(&definition(), instance.clone())?;
        self.linked.push((name, instance, function.clone()));
        Ok(function)
    }
}

/// The wire value of the first argument of an enum.
fn wire_of(op: &Op, info: &OpInfo, kind: EnumKind) -> Option<i32> {
    let at = info.params.iter().position(|p| p.kind == ParamKind::Enum(kind))?;
    match op.args.get(at)?.kind {
        ArgKind::Enum(_, EnumValue::Known(value)) => Some(value),
        _ => None,
    }
}

/// The signal of a collective.
fn signal(op: &Op, info: &OpInfo) -> Option<Arg> {
    let at = info.params.iter().position(|p| matches!(p.kind, ParamKind::Memory(Access::Notify, _)));
    at.and_then(|at| op.args.get(at)).cloned()
}

/// The statement by which ranks find out that they enter different collectives.
fn enter(op: &Op, info: &OpInfo, collective: Collective, loc: Loc) -> Stmt {
    let at = |wanted: &dyn Fn(ParamKind) -> bool| info.params.iter().position(|p| wanted(p.kind));
    let arg = |index: Option<usize>| index.and_then(|i| op.args.get(i)).cloned();
    let target = match info.result {
        ResultKind::Memory(i) => arg(Some(usize::from(i))),
        _ => None,
    };
    let root = arg(at(&|k| k == ParamKind::Peer));
    let known = |kind, value| Arg { kind: ArgKind::Enum(kind, EnumValue::Known(value)), loc };
    let absent = || Arg { kind: ArgKind::Absent, loc };
    let chosen = |kind| wire_of(op, info, kind).map_or_else(absent, |value| known(kind, value));
    let args = vec![
        signal(op, info).unwrap_or_else(absent),
        target.unwrap_or_else(absent),
        known(EnumKind::Collective, collective.wire()),
        chosen(EnumKind::ReduceOp),
        chosen(EnumKind::AllreduceMode),
        root.unwrap_or_else(absent),
    ];
    Stmt { kind: StmtKind::Op(Op { code: OpCode::Enter, dst: None, args, elem: None }), loc }
}

/// The statement by which a rank tells that the collective's body is done.
fn leave(op: &Op, info: &OpInfo, loc: Loc) -> Stmt {
    let signal = signal(op, info).unwrap_or(Arg { kind: ArgKind::Absent, loc });
    Stmt { kind: StmtKind::Op(Op { code: OpCode::Leave, dst: None, args: vec![signal], elem: None }), loc }
}
