//! From a refused access to the fault that tells of it.

use super::{Exec, Part};
use crate::check::Refused;
use crate::check::init::Missing;
use crate::check::log::Conflict;
use crate::machine::Halt;
use crate::order::{Unordered, Unwritten};
use crate::plan::{Extents, MemoryInfo, OpInst, Operand, Plan, Reg};
use crate::region::indices;
use pl_core::fault::{AccessKind, CellOverflow, Fault, Race, RaceSide, Region, Uninitialised};
use pl_core::op::{Access, ParamKind};
use pl_core::runtime::WindowId;

/// The least box that holds the elements from `start` to `end`.
fn bounding(shape: &[usize], start: usize, end: usize) -> (Vec<usize>, Vec<usize>) {
    let mut offsets = indices(shape, start);
    let last = indices(shape, end.saturating_sub(1));
    let mut extents = vec![1; shape.len()];
    if let Some(axis) = offsets.iter().zip(&last).position(|(a, b)| a != b) {
        extents[axis] = last[axis] - offsets[axis] + 1;
        for inner in axis + 1..shape.len() {
            (offsets[inner], extents[inner]) = (0, shape[inner]);
        }
    }
    (offsets, extents)
}

/// The argument of an op that is the window `id`, and that the op accesses so. `passed` tells which window each parameter of the kernel is.
fn argument<'p>(
    plan: &'p Plan,
    op: &OpInst,
    kind: AccessKind,
    id: WindowId,
    passed: impl Fn(usize) -> Option<WindowId>,
) -> Option<&'p MemoryInfo> {
    let does = |access: Access| match kind {
        AccessKind::Read => access.reads(),
        AccessKind::Write | AccessKind::Add => matches!(access, Access::Write | Access::ReadWrite),
        AccessKind::Notify => access == Access::Notify,
        AccessKind::Test => matches!(access, Access::Wait | Access::Read),
    };
    op.args.iter().zip(op.code.info().params).find_map(|(arg, param)| match (*arg, param.kind) {
        (Operand::Memory(memory), ParamKind::Memory(access, _)) if does(access) => {
            let info = &plan.memories[memory as usize];
            (passed(info.param) == Some(id)).then_some(info)
        }
        _ => None,
    })
}

impl Exec<'_, '_, '_> {
    /// The fault of a refused access that an op makes.
    #[cold]
    pub(super) fn refused(&self, refused: Refused, kind: AccessKind, op: &OpInst, part: &Part) -> Halt {
        let info = &self.machine.plan.memories[part.memory as usize];
        let (offsets, extents) = self.machine.plan.box_of(op, part.param);
        let values = |list: &[Reg]| self.values(list).map(|v| v as usize).collect::<Vec<_>>();
        let mut offsets = values(offsets);
        let extents = match extents {
            Extents::Listed(list) => values(list),
            Extents::Tile(tile) => self.machine.tiles.shape(tile).extents().to_vec(),
            Extents::Element => vec![1; offsets.len()],
            Extents::Whole => {
                offsets = vec![0; info.shape.len()];
                info.shape.to_vec()
            }
        };
        let (owner, domain_rank) = self.owner(part.memory, part.owner);
        let region = Region { memory: info.name.clone(), owner, domain_rank, offsets, extents };
        match refused {
            Refused::Race(conflict) => self.race(conflict, kind, part.memory, region),
            Refused::Missing(Missing { first, count }) => Halt::Missing(
                Box::new(Uninitialised {
                    site: self.machine.site(),
                    region,
                    first: indices(&info.shape, first),
                    missing: count,
                    writers: vec![],
                    discarded: None,
                    learnt: None,
                    idle: None,
                    stale: self.env.mail[self.machine.call()].stale.get().cloned().map(Box::new),
                }),
                Unwritten { reader: self.machine.call(), memory: part.memory, owner: part.owner, element: first },
            ),
            Refused::Overflow { value, add } => {
                Fault::CellOverflow(CellOverflow { site: self.machine.site(), cell: region, value, add }).into()
            }
        }
    }

    fn race(&self, conflict: Conflict, kind: AccessKind, memory: u32, region: Region) -> Halt {
        let info = &self.machine.plan.memories[memory as usize];
        let first = conflict.first.rank as usize;
        let plan = &*self.env.plans[first];
        let first_pc = conflict.first.pc as usize;
        let passed = |param: usize| self.env.lineup.window(first, param);
        let called = plan
            .op_at(first_pc)
            .zip(self.window(memory).ok())
            .and_then(|(op, window)| argument(plan, op, conflict.kind, window.id, passed));
        let of = |info: &MemoryInfo, (start, end)| {
            let (offsets, extents) = bounding(&info.shape, start, end);
            let (owner, domain_rank) = (region.owner, region.domain_rank);
            Region { memory: info.name.clone(), owner, domain_rank, offsets, extents }
        };
        let stale = |call: usize| self.env.mail[call].stale.get().cloned();
        let race = Box::new(Race {
            first: RaceSide {
                site: self.env.site(first, first_pc),
                access: conflict.kind,
                region: of(called.unwrap_or(info), conflict.accessed),
                reached: None,
            },
            overlap: of(info, conflict.overlap),
            second: RaceSide { site: self.machine.site(), access: kind, region, reached: None },
            first_notifies: conflict.first.epoch - 1,
            acquired: self.machine.clock.known(conflict.first.rank),
            notify: None,
            learnt: None,
            polled: None,
            idle: None,
            stale: stale(self.machine.call()).or_else(|| stale(first)),
        });
        let domain = self.machine.places[memory as usize].domain;
        let second = self.machine.clock.stamp(self.machine.pc);
        Halt::Race(race, Unordered { first: conflict.first, second, domain })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_get_their_least_box() {
        assert_eq!(bounding(&[4, 8], 10, 13), (vec![1, 2], vec![1, 3]));
        assert_eq!(bounding(&[4, 8], 8, 24), (vec![1, 0], vec![2, 8]));
        assert_eq!(bounding(&[4, 8], 31, 32), (vec![3, 7], vec![1, 1]));
        assert_eq!(bounding(&[2, 3, 4], 4, 12), (vec![0, 1, 0], vec![1, 2, 4]));
    }
}
