//! Collectives from the host: one launch of a kernel that is nothing but the collective.

mod check;
mod methods;

use super::call::{Argument, Call, Kind, WindowRef};
use super::{Error, Window, World};
use crate::collectives::host as kernels;
use pl_core::definition::Definition;
use pl_core::dtype::DType;
use pl_core::ir::{ConstValue, Elem, Lit, ScalarType};
use pl_core::op::{AllreduceMode, EnumKind, OpCode, ParamKind, ReduceOp};
use std::sync::{Mutex, PoisonError};

/// A window as an argument of a collective.
#[derive(Clone, Copy)]
pub(super) struct Memory<'x> {
    pub(super) window: WindowRef<'x>,
    pub(super) dtype: DType,
}

impl<'x> Memory<'x> {
    fn of<T: crate::Element>(window: &'x Window<T>) -> Memory<'x> {
        Memory { window: WindowRef::new(window), dtype: T::DTYPE }
    }
}

/// A collective and its arguments. A signal that is not among them is the world's own.
#[derive(Clone)]
pub(super) struct Collective<'x> {
    code: OpCode,
    /// By the op's parameters; `None` for those that are no memory.
    pub(super) memory: Vec<Option<Memory<'x>>>,
    pub(super) root: u64,
    /// Wire values of [`ReduceOp`] and [`AllreduceMode`].
    pub(super) reduce: i32,
    pub(super) mode: i32,
    /// Whether it is to run, and not only to be compiled.
    pub(super) runs: bool,
}

/// The signals of a world that its collectives use, one for each shape. Each is zero between calls.
#[derive(Debug, Default)]
pub(super) struct Signals {
    /// `[P, 1]`
    cells: Mutex<Option<Window<i32>>>,
    /// `[2 * (P - 1), P]`
    rounds: Mutex<Option<Window<i32>>>,
}

impl<'x> Collective<'x> {
    pub(super) fn new(code: OpCode) -> Collective<'x> {
        Collective {
            code,
            memory: vec![None; code.info().params.len()],
            root: 0,
            reduce: ReduceOp::Sum.wire(),
            mode: AllreduceMode::Mesh.wire(),
            runs: true,
        }
    }

    /// The same, with memory for a parameter.
    fn with(mut self, param: &str, memory: Memory<'x>) -> Collective<'x> {
        if let Some(slot) = self.code.info().param(param).and_then(|i| self.memory.get_mut(i)) {
            *slot = Some(memory);
        }
        self
    }

    /// Checks the arguments and hands the calls of all ranks to `launch`.
    pub(super) fn make<R>(
        self,
        world: &World,
        launch: impl FnOnce(Vec<Call<'_>>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        self.check(world)?;
        let (info, ranks) = (self.code.info(), world.size());
        // What may have any shape, the kernel sees with one axis; a signal with one axis, with two.
        let elements: Vec<[usize; 1]> =
            self.memory.iter().map(|m| [m.as_ref().map_or(0, |m| m.window.shape.iter().product())]).collect();
        let cells = [ranks, 1];
        let mut collective: Collective<'_> = Collective { memory: self.memory.clone(), ..self };
        for (index, memory) in collective.memory.iter_mut().enumerate() {
            let Some(memory) = memory else { continue };
            if info.shapes.iter().all(|(param, _)| usize::from(*param) != index) {
                memory.window.shape = &elements[index];
            } else if memory.window.shape.len() == 1 {
                memory.window.shape = &cells;
            }
        }
        let signal = info.param("signal").filter(|i| collective.memory[*i].is_none());
        let Some(signal) = signal else { return launch(collective.calls(ranks)) };
        let ring = collective.is_ring();
        let (slot, shape) =
            if ring { (&world.signals.rounds, [2 * (ranks - 1), ranks]) } else { (&world.signals.cells, cells) };
        // Held until the launch has ended: the next call finds the signal free.
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        // After a launch that fails there is a new one.
        let window = match slot.take() {
            Some(window) => window,
            None => world.window::<i32>(shape)?,
        };
        collective.memory[signal] = Some(Memory::of(&window));
        let result = launch(collective.calls(ranks))?;
        *slot = Some(window);
        Ok(result)
    }

    fn is_ring(&self) -> bool {
        self.code == OpCode::Allreduce && self.mode == AllreduceMode::Ring.wire()
    }

    /// One call for each rank.
    fn calls(&self, ranks: usize) -> Vec<Call<'_>> {
        let definition = self.definition();
        let call = |_| Call { definition: definition.clone(), args: self.arguments() };
        (0..ranks).map(call).collect()
    }

    fn arguments(&self) -> Vec<Argument<'_>> {
        let params = self.code.info().params.iter().zip(&self.memory);
        let argument = params.filter_map(|(param, memory)| match (param.kind, memory) {
            (ParamKind::Memory(..), Some(memory)) => Some(Kind::Window(memory.window)),
            (ParamKind::Peer, _) => {
                Some(Kind::Scalar(ConstValue::Scalar(Lit::Int(i128::from(self.root)), ScalarType::Index)))
            }
            _ => None,
        });
        argument.map(Argument).collect()
    }

    /// The kernel, for the element type and the reduction.
    fn definition(&self) -> Definition {
        let mut definition = match self.code {
            OpCode::Barrier => kernels::barrier::__definition(),
            OpCode::Broadcast => kernels::broadcast::__definition::<f32>(),
            OpCode::Allgather => kernels::allgather::__definition::<f32>(),
            OpCode::ReduceScatter => kernels::reduce_scatter::__definition::<f32>(),
            OpCode::AllToAll => kernels::all_to_all::__definition::<f32>(),
            OpCode::AllToAllV => kernels::all_to_all_v::__definition::<f32>(),
            _ if self.is_ring() => kernels::allreduce_ring::__definition::<f32, 0>(),
            _ => kernels::allreduce_mesh::__definition::<f32, 0>(),
        };
        let data = self.code.info().lowering.map_or(0, |l| usize::from(l.data));
        if let Some(Some(memory)) = self.memory.get(data) {
            definition.types.iter_mut().for_each(|t| *t = memory.dtype);
        }
        for value in &mut definition.consts {
            *value = match value {
                ConstValue::Enum(EnumKind::ReduceOp, _) => ConstValue::Enum(EnumKind::ReduceOp, self.reduce),
                _ => {
                    let ty = ScalarType::Elem(Elem::Known(DType::I32));
                    ConstValue::Scalar(Lit::Int(i128::from(self.reduce)), ty)
                }
            };
        }
        definition
    }
}
