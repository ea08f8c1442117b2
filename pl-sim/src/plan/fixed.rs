//! Boxes whose extents are known when the plan is made: all that is left for the run are the offsets.

use super::{Dst, Extents, Inst, OpInst, Operand, Plan};
use crate::region::{Runs, Shape};
use pl_core::op::{Access, OpCode, ParamKind};

/// A box of an op, as far as it is known.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fixed {
    /// Its extents.
    pub(crate) shape: Shape,
    /// The box at the start of the memory.
    runs: Runs,
    /// Per axis of the memory: the greatest offset, and how far one step on the axis is.
    axes: Box<[(u64, usize)]>,
}

impl Fixed {
    /// The box of these extents in a memory of that shape; `None` where it does not fit or is empty: the run says so.
    fn new(memory: &[usize], shape: Shape) -> Option<Fixed> {
        let extents = shape.extents();
        if extents.len() != memory.len() || shape.elements() == 0 {
            return None;
        }
        let runs = Runs::new(memory, extents.iter().map(|_| 0), extents.iter().map(|&extent| extent as u64)).ok()?;
        let mut stride = 1;
        let mut axes: Vec<(u64, usize)> = vec![];
        for (size, extent) in memory.iter().zip(extents).rev() {
            axes.push(((size - extent) as u64, stride));
            stride *= size;
        }
        axes.reverse();
        Some(Fixed { shape, runs, axes: axes.into() })
    }

    /// The box at these offsets; `None` where that is out of bounds.
    #[inline]
    pub(crate) fn at(&self, offsets: impl Iterator<Item = u64>) -> Option<Runs> {
        let mut base = 0;
        for (offset, (most, stride)) in offsets.zip(&self.axes) {
            if offset > *most {
                return None;
            }
            base += offset as usize * stride;
        }
        Some(self.runs.at(base))
    }
}

/// Gives each op that moves a tile what is known of its box.
pub(super) fn annotate(plan: &mut Plan) {
    for index in 0..plan.ops.len() {
        plan.ops[index].fixed = of_op(plan, &plan.ops[index]).map(Box::new);
    }
    for pc in 0..plan.code.len() {
        if let Inst::Op { op } = plan.code[pc] {
            plan.ops[op as usize].passes = passes(plan, pc, &plan.ops[op as usize]);
        }
    }
}

/// Whether an op loads a tile for the next instruction, which stores it, and for nothing else; both boxes are known.
fn passes(plan: &Plan, pc: usize, load: &OpInst) -> bool {
    let (OpCode::Load | OpCode::RemoteLoad, Dst::Tile(tile)) = (load.code, load.dst) else { return false };
    plan.op_at(pc + 1).is_some_and(|store| {
        store.code == OpCode::Store
            && store.stored() == Some(tile)
            && store.is_last(0)
            && load.tiles.is_none()
            && load.fixed.as_ref().zip(store.fixed.as_ref()).is_some_and(|(load, store)| load.shape == store.shape)
    })
}

fn of_op(plan: &Plan, op: &OpInst) -> Option<Fixed> {
    let moves = |(at, kind): &(usize, ParamKind)| match kind {
        ParamKind::Memory(Access::Read | Access::Write, _) => op.args.get(*at).is_some(),
        _ => false,
    };
    let kinds = op.code.info().params.iter().map(|param| param.kind).enumerate();
    let (param, _) = kinds.clone().find(moves)?;
    if kinds.filter(|(_, kind)| matches!(kind, ParamKind::Memory(..))).count() != 1 {
        return None;
    }
    let Some(&Operand::Memory(memory)) = op.args.get(param) else { return None };
    let (offsets, extents) = plan.box_of(op, param);
    let shape = match extents {
        Extents::Listed(list) => {
            let values = list.iter().map(|reg| plan.registers[*reg as usize].constant);
            Shape::new(values.collect::<Option<Vec<u64>>>()?)?
        }
        Extents::Tile(tile) => plan.tiles[tile as usize].shape?,
        Extents::Element | Extents::Whole => return None,
    };
    let memory = &plan.memories[memory as usize].shape;
    (offsets.len() == memory.len()).then(|| Fixed::new(memory, shape))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixed_box_is_the_box() {
        for memory in [&[4, 6][..], &[2, 3, 4], &[7], &[1, 5]] {
            let all = |size: usize| (0..=size + 1).map(|n| n as u64);
            let mut boxes = vec![(vec![], vec![])];
            for &size in memory {
                boxes = boxes
                    .into_iter()
                    .flat_map(|(offsets, extents)| {
                        all(size).flat_map(move |offset| {
                            let (offsets, extents) = (offsets.clone(), extents.clone());
                            (1..=size as u64).map(move |extent| {
                                let with = |list: &[u64], n| [list, &[n]].concat();
                                (with(&offsets, offset), with(&extents, extent))
                            })
                        })
                    })
                    .collect();
            }
            for (offsets, extents) in boxes {
                let fixed = Fixed::new(memory, Shape::new(extents.iter().copied()).expect("a shape")).expect("it fits");
                let expected = Runs::new(memory, offsets.iter().copied(), extents.iter().copied()).ok();
                assert_eq!(fixed.at(offsets.iter().copied()), expected, "{offsets:?} {extents:?} in {memory:?}");
            }
        }
    }
}
