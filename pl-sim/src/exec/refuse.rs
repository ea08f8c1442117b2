//! From a refused access to the fault that tells of it.

use super::Exec;
use crate::check::Refused;
use crate::check::init::Missing;
use crate::check::log::Conflict;
use crate::machine::Halt;
use crate::plan::{Extents, Inst, Operand, Plan, Reg};
use crate::region::indices;
use pl_core::fault::{AccessKind, CellOverflow, Fault, Race, RaceSide, Region, Uninitialised};

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

/// The window that the instruction at `pc` touches, by its number in the plan.
fn window_at(plan: &Plan, pc: usize) -> Option<usize> {
    let Some(&Inst::Op { op }) = plan.code.get(pc) else { return None };
    plan.ops[op as usize].args.iter().find_map(|arg| match *arg {
        Operand::Memory(memory) if plan.memories[memory as usize].window => Some(memory as usize),
        _ => None,
    })
}

impl Exec<'_, '_, '_> {
    /// The fault of a refused access that the op at which the rank stands makes to the memory of `owner`, a rank of its domain.
    #[cold]
    pub(super) fn refused(&self, refused: Refused, kind: AccessKind, memory: u32, owner: usize) -> Halt {
        let (offsets, extents) = self.machine.plan.box_at(self.machine.pc);
        let values = |list: &[Reg]| self.values(list).map(|v| v as usize).collect::<Vec<_>>();
        let offsets = values(offsets);
        let extents = match extents {
            Extents::Listed(list) => values(list),
            Extents::Tile(tile) => self.machine.tiles.shape(tile).extents().to_vec(),
            Extents::Element => vec![1; offsets.len()],
        };
        let info = &self.machine.plan.memories[memory as usize];
        let (owner, domain_rank) = self.owner(memory, owner);
        let region = Region { memory: info.name.clone(), owner, domain_rank, offsets, extents };
        match refused {
            Refused::Race(conflict) => self.race(conflict, kind, memory, region),
            Refused::Missing(Missing { first, count }) => Fault::Uninitialised(Box::new(Uninitialised {
                site: self.machine.site(),
                region,
                first: indices(&info.shape, first),
                missing: count,
                stale: self.env.mail[self.machine.call()].stale.get().cloned(),
            }))
            .into(),
            Refused::Overflow { value, add } => {
                Fault::CellOverflow(CellOverflow { site: self.machine.site(), cell: region, value, add }).into()
            }
        }
    }

    fn race(&self, conflict: Conflict, kind: AccessKind, memory: u32, region: Region) -> Halt {
        let shape = &self.machine.plan.memories[memory as usize].shape;
        let first = conflict.first.rank as usize;
        let plan = self.env.plans[first];
        let first_pc = conflict.first.pc as usize;
        let called = window_at(plan, first_pc).map_or_else(|| region.memory.clone(), |m| plan.memories[m].name.clone());
        let of = |memory, (start, end)| {
            let (offsets, extents) = bounding(shape, start, end);
            Region { memory, owner: region.owner, domain_rank: region.domain_rank, offsets, extents }
        };
        let stale = |call: usize| self.env.mail[call].stale.get().cloned();
        Fault::Race(Box::new(Race {
            first: RaceSide {
                site: self.env.site(first, first_pc),
                access: conflict.kind,
                region: of(called, conflict.accessed),
            },
            overlap: of(region.memory.clone(), conflict.overlap),
            second: RaceSide { site: self.machine.site(), access: kind, region },
            first_notifies: conflict.first.epoch - 1,
            acquired: self.machine.clock.known(conflict.first.rank),
            stale: stale(self.machine.call()).or_else(|| stale(first)),
        }))
        .into()
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
