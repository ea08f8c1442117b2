//! The statements of a `Host` function.

use super::launch::Dispatch;
use super::scalars::scalar_type;
use super::value::{Buffer, Made, Tensor, Value, allocate};
use crate::host::call::{Argument, Call, Kind};
use crate::host::{Error, World};
use pl_core::bind::{self, BindError, Bindings};
use pl_core::definition::Definition;
use pl_core::diag::Diagnostic;
use pl_core::dtype::DType;
use pl_core::fault::{Fault, Interrupted};
use pl_core::ir::{
    Arg, ArgKind, Block, ConstValue, Elem, Expr, Function, Loc, LocalId, Op, Place, Stmt, StmtKind, Type, dispatches,
};
use pl_core::op::OpCode;
use pl_core::pass;
use pl_core::runtime::{EngineError, LaunchOptions};
use pl_core::verify::{Inferred, Moment, verify};
use std::sync::atomic::Ordering;

/// What came of one launch.
pub(super) struct Outcome<R> {
    /// The kernels, or the collective.
    pub(super) what: String,
    pub(super) place: Option<Place>,
    pub(super) result: R,
}

/// A `Host` function on its way.
pub(super) struct Interpreter<'w, 'a> {
    pub(super) world: &'w World,
    pub(super) function: Function,
    pub(super) inferred: Inferred,
    pub(super) bindings: Bindings,
    /// The functions that it dispatches: how they are launched, and how they are declared.
    pub(super) callees: Vec<(Definition, Function)>,
    pub(super) options: LaunchOptions,
    pub(super) args: Vec<Argument<'a>>,
    locals: Vec<Option<Value>>,
    pub(super) windows: Vec<Made<'a>>,
    buffers: Vec<Buffer>,
    /// The dispatches of the loop that is under way.
    pub(super) dispatches: Vec<Dispatch>,
    steps: u64,
    /// Whether its launches run, and are not only compiled.
    pub(super) runs: bool,
}

/// Runs the calls of all ranks, or does what else is to be done with them.
pub(super) trait Launcher<R>: for<'c> FnMut(&World, LaunchOptions, Vec<Call<'c>>) -> Result<R, Error> {}

impl<R, F: for<'c> FnMut(&World, LaunchOptions, Vec<Call<'c>>) -> Result<R, Error>> Launcher<R> for F {}

/// How a launch is made, and what came of those that were.
pub(super) struct Launches<F, R> {
    pub(super) launch: F,
    pub(super) outcomes: Vec<Outcome<R>>,
}

impl<'w, 'a> Interpreter<'w, 'a> {
    pub(super) fn new(world: &'w World, call: Call<'a>, mut options: LaunchOptions) -> Result<Self, Error> {
        let function = pass::link(&call.definition)?;
        // What the function allows, it allows in all that it launches.
        options.allow = options.allow.union(function.allow);
        let bindings = bind::bind(&function, &call.shapes())?;
        let verdict = verify(&function, Moment::Bound(&bindings));
        if !verdict.errors.is_empty() {
            let located = verdict.errors.into_iter().map(|e| e.located(&function)).collect();
            return Err(BindError(located).into());
        }
        let mut callees = vec![];
        for callee in &call.definition.callees {
            let definition = callee();
            let linked = pass::link(&definition)?;
            callees.push((definition, linked));
        }
        let mut interpreter = Interpreter {
            world,
            locals: vec![None; function.locals.len()],
            inferred: verdict.inferred,
            function,
            bindings,
            callees,
            options,
            args: call.args,
            windows: vec![],
            buffers: vec![],
            dispatches: vec![],
            steps: 0,
            runs: true,
        };
        interpreter.bind_params()?;
        Ok(interpreter)
    }

    fn bind_params(&mut self) -> Result<(), Error> {
        for index in 0..self.function.params.len() {
            let param = self.function.params[index].clone();
            let elem = param.ty.shaped().map(|s| s.elem.clone());
            let dtype = match elem {
                Some(Elem::Known(dtype)) => Some(dtype),
                _ => None,
            };
            let value = match (self.args.get(index).map(|a| &a.0), dtype) {
                (Some(Kind::Window(window)), Some(dtype)) => {
                    self.windows.push(Made::Given(*window, dtype));
                    Some(Value::Window(self.windows.len() - 1))
                }
                (Some(Kind::Scalar(ConstValue::Scalar(lit, ty))), _) => {
                    scalar_type(ty).and_then(|ty| Some(Value::Scalar(ty.literal(*lit)?, ty)))
                }
                (Some(Kind::In { shape, .. } | Kind::Lent { shape, .. }), Some(dtype)) => {
                    Some(Value::Tensor(whole(index, shape, dtype)))
                }
                (Some(Kind::Copied(staged)), Some(dtype)) => Some(Value::Tensor(whole(index, staged.shape(), dtype))),
                _ => None,
            };
            let value = self.known(value, self.function.loc)?;
            self.locals[param.local.0 as usize] = Some(value);
        }
        Ok(())
    }

    /// Runs the function; `launch` makes its launches.
    pub(super) fn run<R, F: Launcher<R>>(&mut self, launch: F) -> Result<Vec<Outcome<R>>, Error> {
        let mut launches = Launches { launch, outcomes: vec![] };
        let body = std::mem::take(&mut self.function.body);
        let result = self.block(&body, &mut launches);
        self.function.body = body;
        result.map(|()| launches.outcomes)
    }

    /// Copies back what was written through copies.
    pub(super) fn finish(mut self) {
        self.args.iter_mut().for_each(Argument::finish);
    }

    pub(super) fn into_function(self) -> Function {
        self.function
    }

    fn block<R, F: Launcher<R>>(&mut self, block: &Block, launches: &mut Launches<F, R>) -> Result<(), Error> {
        block.iter().try_for_each(|stmt| self.stmt(stmt, launches))
    }

    fn stmt<R, F: Launcher<R>>(&mut self, stmt: &Stmt, launches: &mut Launches<F, R>) -> Result<(), Error> {
        let loc = stmt.loc;
        self.step(loc)?;
        match &stmt.kind {
            StmtKind::Assign { dst, value } => {
                let value = self.assigned(*dst, value, loc)?;
                self.locals[dst.0 as usize] = Some(value);
            }
            StmtKind::Op(op) if op.code.is_composite() => self.collective(op, loc, launches)?,
            StmtKind::Op(op) => self.op(op, loc)?,
            StmtKind::Call(call) => self.dispatch(call, loc)?,
            StmtKind::Check { local, ty } => self.check(*local, ty, loc)?,
            StmtKind::For { var, start, end, step, body } => {
                let (mut at, end) = (self.index(start, loc)?, self.index(end, loc)?);
                let step = self.index(step, loc)?;
                if step == 0 {
                    return Err(self.error(
                        loc,
                        "the step of a range is 0",
                        "the step of `pl::range` must be at least 1",
                    ));
                }
                while at < end {
                    self.step(loc)?;
                    self.locals[var.0 as usize] = Some(Value::Scalar(at, pl_sim::scalar::ScalarTy::Index));
                    self.block(body, launches)?;
                    let Some(next) = at.checked_add(step) else { break };
                    at = next;
                }
                if dispatches(body) {
                    self.launch(loc, launches)?;
                }
            }
            StmtKind::While { pre, cond, body } => loop {
                self.step(loc)?;
                self.block(pre, launches)?;
                if !self.truth(cond, loc)? {
                    break;
                }
                self.block(body, launches)?;
            },
            StmtKind::If { cond, then, els } => {
                let block = if self.truth(cond, loc)? { then } else { els };
                self.block(block, launches)?;
            }
            StmtKind::Return(_) => {}
        }
        Ok(())
    }

    /// Counts a statement or an iteration.
    fn step(&mut self, loc: Loc) -> Result<(), Error> {
        self.steps += 1;
        let budget = self.options.op_budget;
        if self.steps > budget {
            let message = format!("endless loop? `{}` executed more than {budget} statements", self.function.name);
            let help = "look at the condition of the loop; a function that needs more takes a larger op budget";
            return Err(self.error(loc, message, help));
        }
        if self.options.interrupt.as_deref().is_some_and(|interrupt| interrupt.load(Ordering::Relaxed)) {
            let fault = Fault::Interrupted(Interrupted { ranks: vec![] });
            return Err(Error::from(EngineError::Fault(Box::new(fault))));
        }
        Ok(())
    }

    fn assigned(&self, dst: LocalId, value: &Expr, loc: Loc) -> Result<Value, Error> {
        if let Some(value @ (Value::Tensor(_) | Value::Window(_) | Value::Buffer(_))) =
            value.as_local().and_then(|id| self.value(id))
        {
            return Ok(value.clone());
        }
        let wanted = match self.inferred.types.get(dst.0 as usize) {
            Some(Type::Scalar(ty)) => scalar_type(ty),
            _ => None,
        };
        let (bits, ty) = self.scalar(value, wanted, loc)?;
        Ok(Value::Scalar(bits, ty))
    }

    fn op(&mut self, op: &Op, loc: Loc) -> Result<(), Error> {
        let arg = |index: usize| op.args.get(index).and_then(|a| a.exprs().first());
        let value = match op.code {
            OpCode::WorldSize => Value::Scalar(self.world.size() as u64, pl_sim::scalar::ScalarTy::Index),
            OpCode::AllocWindowBuffer => {
                let bytes = self.index(self.known(arg(0), loc)?, loc)?;
                self.buffers.push(Buffer { bytes, window: None });
                Value::Buffer(self.buffers.len() - 1)
            }
            OpCode::Window => Value::Window(self.window(op, loc)?),
            OpCode::Part => {
                let (memory, index) = (self.known(arg(0), loc)?, self.known(arg(1), loc)?);
                let at = index.loc.or(loc);
                let position = self.index(index, loc)?;
                let name = memory.as_local().map_or("?", |id| self.function.local_name(id));
                match memory.as_local().and_then(|id| self.value(id)) {
                    Some(Value::Tensor(tensor)) => match tensor.part(position) {
                        Some(part) => Value::Tensor(part),
                        None => {
                            let extent = tensor.shape.first().copied().unwrap_or(0);
                            let message =
                                format!("`{name}[{position}]` is outside of `{name}`, which has {extent} parts");
                            let help = "its outermost axis has one entry for each rank: pass an array with as many";
                            return Err(self.error(at, message, help));
                        }
                    },
                    _ => return Err(self.internal(at)),
                }
            }
            _ => return Err(self.internal(loc)),
        };
        if let Some(dst) = op.dst {
            self.locals[dst.0 as usize] = Some(value);
        }
        Ok(())
    }

    /// The window in a buffer: a new one, or the one that it is already.
    fn window(&mut self, op: &Op, loc: Loc) -> Result<usize, Error> {
        let (Some(Arg { kind: ArgKind::List(extents), .. }), Some(Elem::Known(dtype))) = (op.args.get(1), &op.elem)
        else {
            return Err(self.internal(loc));
        };
        let name = op.args[0].as_local();
        let Some(Value::Buffer(number)) = name.and_then(|id| self.value(id)) else { return Err(self.internal(loc)) };
        let (number, name) = (*number, name.map_or("?", |id| self.function.local_name(id)).to_owned());
        let mut shape = Vec::with_capacity(extents.len());
        for extent in extents {
            let value = self.index(extent, loc)?;
            shape.push(self.known(usize::try_from(value).ok(), extent.loc.or(loc))?);
        }
        let Buffer { bytes, window } = self.buffers[number];
        if let Some(window) = window {
            let (made, made_dtype) = (self.windows[window].reference().shape.to_vec(), self.windows[window].dtype());
            if (made_dtype, &made) == (*dtype, &shape) {
                return Ok(window);
            }
            let message = format!(
                "the window buffer `{name}` is the window of `{made_dtype}` {made:?}, not of `{dtype}` {shape:?}"
            );
            return Err(self.error(loc, message, "a buffer holds one window: allocate another for the other"));
        }
        let needed = shape.iter().try_fold(dtype.bytes() as u64, |n, e| n.checked_mul(*e as u64));
        if needed.is_none_or(|needed| needed > bytes) {
            let needed = needed.map_or("more than 2^64".into(), |n| n.to_string());
            let message =
                format!("a window of `{dtype}` {shape:?} needs {needed} bytes, the buffer `{name}` has {bytes}");
            let help = format!("allocate the product of the extents times {} bytes", dtype.bytes());
            return Err(self.error(loc, message, help));
        }
        let window = allocate(self.world, *dtype, shape).map_err(|e| self.located(e, loc))?;
        self.windows.push(Made::Own(window));
        self.buffers[number].window = Some(self.windows.len() - 1);
        Ok(self.windows.len() - 1)
    }

    /// A declared type: the extents that only the run knows.
    fn check(&self, local: LocalId, ty: &Type, loc: Loc) -> Result<(), Error> {
        let (Some(declared), Some(value)) = (ty.shaped(), self.value(local)) else { return Ok(()) };
        let found = self.shape(value).to_vec();
        for (axis, extent) in declared.shape.iter().enumerate() {
            let Some(extent) = extent else { continue };
            let expected = self.index(extent, loc)?;
            if found.get(axis).is_none_or(|found| *found as u64 != expected) {
                let name = self.function.local_name(local);
                let message =
                    format!("axis {axis} of `{name}` is {}, declared is {expected}", found.get(axis).unwrap_or(&0));
                return Err(self.error(loc, message, "declare the shape that the value has"));
            }
        }
        Ok(())
    }

    pub(super) fn value(&self, id: LocalId) -> Option<&Value> {
        self.locals.get(id.0 as usize)?.as_ref()
    }

    pub(super) fn set(&mut self, id: LocalId, value: Value) {
        if let Some(slot) = self.locals.get_mut(id.0 as usize) {
            *slot = Some(value);
        }
    }

    /// The shape of memory; of anything else, none.
    pub(super) fn shape<'v>(&'v self, value: &'v Value) -> &'v [usize] {
        match value {
            Value::Tensor(tensor) => &tensor.shape,
            Value::Window(window) => self.windows.get(*window).map_or(&[], |w| w.reference().shape),
            _ => &[],
        }
    }

    /// An error at a place of the function.
    pub(super) fn error(&self, loc: Loc, message: impl Into<String>, help: impl Into<String>) -> Error {
        Error::Host(Box::new(Diagnostic::new(loc, message, help).located(&self.function)))
    }

    /// An error of the host, at a place of the function.
    pub(super) fn located(&self, error: Error, loc: Loc) -> Error {
        match error {
            Error::Usage { message, help } => self.error(loc, message, help),
            error => Error::Launch { by: self.site(loc), error: Box::new(error) },
        }
    }

    /// `` `steps` at src/main.rs:12:5 ``
    pub(super) fn site(&self, loc: Loc) -> String {
        let name = &self.function.name;
        match self.function.place(loc) {
            Some(place) => format!("`{name}` at {place}"),
            None => format!("`{name}`"),
        }
    }

    /// What the verifier promises.
    pub(super) fn known<T>(&self, value: Option<T>, loc: Loc) -> Result<T, Error> {
        value.ok_or_else(|| self.internal(loc))
    }

    pub(super) fn internal(&self, loc: Loc) -> Error {
        self.error(loc, "this has no value on the host", "the function did not pass the verifier")
    }
}

/// A tensor argument.
fn whole(param: usize, shape: &[usize], dtype: DType) -> Tensor {
    let bytes = shape.iter().product::<usize>() * dtype.bytes();
    Tensor { param, bytes: 0..bytes, shape: shape.to_vec() }
}
