//! The launches of a `Host` function: the dispatches of a loop, and collectives.

use super::interpreter::{Interpreter, Launcher, Launches, Outcome};
use super::loans::{Loan, Overlap, Want, lend};
use super::value::{Tensor, Value};
use crate::host::Error;
use crate::host::call::{Argument, Call, Kind};
use crate::host::collective::{Collective, Memory};
use crate::host::error::{Ranks, count, there_are};
use pl_core::ir::{ArgKind, ConstValue, Elem, EnumValue, Loc, Mode, Op, ScalarType, Type};
use pl_core::op::{EnumKind, ParamKind};
use pl_sim::scalar::ScalarTy;
use std::borrow::Cow;

/// A call that a loop has dispatched.
#[derive(Debug)]
pub(super) struct Dispatch {
    callee: usize,
    device: usize,
    args: Vec<Passed>,
    loc: Loc,
}

/// An argument of a dispatched call.
#[derive(Clone, Debug)]
enum Passed {
    Tensor(Tensor),
    Window(usize),
    Scalar(ConstValue),
}

impl Interpreter<'_, '_> {
    /// Notes a call for the launch at the end of the loop.
    pub(super) fn dispatch(&mut self, call: &pl_core::ir::Call, loc: Loc) -> Result<(), Error> {
        let callee = call.callee as usize;
        let device = self.known(call.device.as_ref(), loc)?;
        let (at, ranks) = (device.loc.or(loc), self.world.size());
        let rank = self.index(device, loc)?;
        let Some(device) = usize::try_from(rank).ok().filter(|rank| *rank < ranks) else {
            let message = format!("device {rank} is not a rank of {}: {}", self.world.describe(), there_are(ranks));
            return Err(self.error(at, message, "loop over the ranks: `for r in 0..pld::world_size()`"));
        };
        if let Some(first) = self.dispatches.iter().find(|d| d.device == device) {
            let before =
                self.function.place(first.loc).map_or(String::new(), |place| format!(", the first at {place}"));
            let message = format!("the loop dispatches twice to rank {device}{before}");
            return Err(self.error(at, message, "every rank takes part in a launch once"));
        }
        let mut args = Vec::with_capacity(call.args.len());
        for (index, arg) in call.args.iter().enumerate() {
            let ArgKind::Value(expr) = &arg.kind else { return Err(self.internal(loc)) };
            let passed = match expr.as_local().and_then(|id| self.value(id)) {
                Some(Value::Tensor(tensor)) => Passed::Tensor(tensor.clone()),
                Some(Value::Window(window)) => Passed::Window(*window),
                _ => {
                    let declared = match self.callees.get(callee).and_then(|(_, f)| f.params.get(index)).map(|p| &p.ty)
                    {
                        Some(Type::Scalar(ty)) => super::scalars::scalar_type(ty),
                        _ => None,
                    };
                    let (bits, ty) = self.scalar(expr, declared, loc)?;
                    Passed::Scalar(constant(bits, ty))
                }
            };
            args.push(passed);
        }
        self.dispatches.push(Dispatch { callee, device, args, loc });
        Ok(())
    }

    /// Launches what the loop that ends at `loc` has dispatched.
    pub(super) fn launch<R, F: Launcher<R>>(&mut self, loc: Loc, launches: &mut Launches<F, R>) -> Result<(), Error> {
        let mut dispatches = std::mem::take(&mut self.dispatches);
        dispatches.sort_by_key(|d| d.device);
        let missing: Vec<usize> =
            (0..self.world.size()).filter(|rank| dispatches.iter().all(|d| d.device != *rank)).collect();
        if !missing.is_empty() {
            let message =
                format!("the loop dispatches to {}, and leaves out {}", count(dispatches.len()), Ranks(&missing));
            let help =
                "every rank takes part in a launch once: `for r in 0..pld::world_size() { step(…, device = r); }`";
            return Err(self.error(loc, message, help));
        }
        let mut names: Vec<&str> = vec![];
        for (_, callee) in dispatches.iter().filter_map(|d| self.callees.get(d.callee)) {
            if !names.contains(&&*callee.name) {
                names.push(&callee.name);
            }
        }
        let what = names.join(", ");
        let result = self.launch_calls(&dispatches, launches);
        let result = match result {
            Ok(result) => result,
            Err(Failure::Overlap { memory, first, second }) => {
                return Err(self.overlap(memory, &dispatches, first, second));
            }
            Err(Failure::Launch(error)) => return Err(Error::Launch { by: self.site(loc), error: Box::new(error) }),
        };
        launches.outcomes.push(Outcome { what, place: self.function.place(loc).cloned(), result });
        Ok(())
    }

    fn launch_calls<R, F: Launcher<R>>(
        &mut self,
        dispatches: &[Dispatch],
        launches: &mut Launches<F, R>,
    ) -> Result<R, Failure> {
        let Interpreter { world, callees, args: memories, windows, options, .. } = self;
        // Argument by argument, as the calls take them.
        let mut arguments: Vec<Vec<Option<Argument<'_>>>> = vec![];
        // For each memory: which call wants it as which argument, and how.
        let mut wanted: Vec<Vec<(usize, usize, Want)>> = memories.iter().map(|_| vec![]).collect();
        for (number, dispatch) in dispatches.iter().enumerate() {
            let params = callees.get(dispatch.callee).map_or(&[][..], |(_, f)| &f.params);
            let mut of_call = vec![];
            for (position, passed) in dispatch.args.iter().enumerate() {
                of_call.push(match passed {
                    Passed::Tensor(tensor) => {
                        let writes = params.get(position).is_some_and(|p| p.mode != Mode::In);
                        wanted[tensor.param].push((number, position, Want { bytes: tensor.bytes.clone(), writes }));
                        None
                    }
                    Passed::Window(window) => windows.get(*window).map(|w| Argument(Kind::Window(w.reference()))),
                    Passed::Scalar(value) => Some(Argument(Kind::Scalar(value.clone()))),
                });
            }
            arguments.push(of_call);
        }
        for (memory, (argument, wanted)) in memories.iter_mut().zip(wanted).enumerate() {
            let wants: Vec<Want> = wanted.iter().map(|(.., want)| want.clone()).collect();
            let loans = match &mut argument.0 {
                Kind::In { bytes, .. } => Ok(wants.iter().map(|want| Loan::Read(&bytes[want.bytes.clone()])).collect()),
                Kind::Lent { bytes, .. } => lend(bytes, &wants),
                Kind::Copied(staged) => lend(staged.bytes(), &wants),
                Kind::Window(_) | Kind::Scalar(_) => continue,
            };
            let loans: Vec<Loan<'_>> = loans.map_err(|Overlap(first, second)| Failure::Overlap {
                memory,
                first: wanted[first].0,
                second: wanted[second].0,
            })?;
            for ((number, position, _), loan) in wanted.iter().zip(loans) {
                let Passed::Tensor(tensor) = &dispatches[*number].args[*position] else { continue };
                let shape = tensor.shape.as_slice().into();
                arguments[*number][*position] = Some(Argument(match loan {
                    Loan::Read(bytes) => Kind::In { shape, bytes: Cow::Borrowed(bytes) },
                    Loan::Write(bytes) => Kind::Lent { shape, bytes },
                }));
            }
        }
        let calls = dispatches.iter().zip(arguments).filter_map(|(dispatch, arguments)| {
            let definition = callees.get(dispatch.callee)?.0.clone();
            Some(Call { definition, args: arguments.into_iter().collect::<Option<_>>()? })
        });
        (launches.launch)(world, options.clone(), calls.collect()).map_err(Failure::Launch)
    }

    fn overlap(&self, memory: usize, dispatches: &[Dispatch], first: usize, second: usize) -> Error {
        let name = self.function.params.get(memory).map_or("?", |p| self.function.local_name(p.local));
        let (a, b) = (&dispatches[first], &dispatches[second]);
        let message = if first == second {
            format!("rank {} gets overlapping parts of `{name}`, and writes one of them", a.device)
        } else {
            format!("ranks {} and {} get overlapping parts of `{name}`, and one of them writes", a.device, b.device)
        };
        self.error(b.loc, message, "what a call writes is for that call alone: pass each rank its own part, `y[r]`")
    }

    /// A collective of all ranks, as one launch.
    pub(super) fn collective<R, F: Launcher<R>>(
        &mut self,
        op: &Op,
        loc: Loc,
        launches: &mut Launches<F, R>,
    ) -> Result<(), Error> {
        let info = op.code.info();
        let mut collective = Collective::new(op.code);
        collective.runs = self.runs;
        for (index, (arg, param)) in op.args.iter().zip(info.params).enumerate() {
            match (&arg.kind, param.kind) {
                (ArgKind::Enum(EnumKind::ReduceOp, value), _) => collective.reduce = self.wire(value, loc)?,
                (ArgKind::Enum(EnumKind::AllreduceMode, value), _) => collective.mode = self.wire(value, loc)?,
                (ArgKind::Value(expr), ParamKind::Peer) => collective.root = self.index(expr, loc)?,
                (ArgKind::Value(expr), ParamKind::Memory(..)) => {
                    let Some(Value::Window(window)) = expr.as_local().and_then(|id| self.value(id)) else {
                        return Err(self.internal(arg.loc.or(loc)));
                    };
                    let window = &self.windows[*window];
                    collective.memory[index] = Some(Memory { window: window.reference(), dtype: window.dtype() });
                }
                _ => {}
            }
        }
        let options = self.options.clone();
        let made = collective.make(self.world, |calls| (launches.launch)(self.world, options, calls));
        let result = made.map_err(|error| self.located(error, loc))?;
        let place = self.function.place(loc).cloned();
        launches.outcomes.push(Outcome { what: info.path.into(), place, result });
        if let (Some(dst), pl_core::op::ResultKind::Memory(memory)) = (op.dst, info.result) {
            let value =
                op.args.get(usize::from(memory)).and_then(|a| a.as_local()).and_then(|id| self.value(id)).cloned();
            let value = self.known(value, loc)?;
            self.set(dst, value);
        }
        Ok(())
    }

    fn wire(&self, value: &EnumValue, loc: Loc) -> Result<i32, Error> {
        match value {
            EnumValue::Known(value) => Ok(*value),
            EnumValue::Const(name) => match self.function.constant(name).and_then(|c| c.value.as_ref()) {
                Some(ConstValue::Enum(_, value)) => Ok(*value),
                _ => Err(self.internal(loc)),
            },
        }
    }
}

/// Why there was no launch, or none that went well.
enum Failure {
    /// Two calls want what one of them writes.
    Overlap {
        memory: usize,
        first: usize,
        second: usize,
    },
    Launch(Error),
}

/// The constant that a register holds.
fn constant(bits: u64, ty: ScalarTy) -> ConstValue {
    let scalar = match ty {
        ScalarTy::Bool => ScalarType::Bool,
        ScalarTy::Index => ScalarType::Index,
        ScalarTy::Elem(dtype) => ScalarType::Elem(Elem::Known(dtype)),
    };
    ConstValue::Scalar(ty.value(bits), scalar)
}
