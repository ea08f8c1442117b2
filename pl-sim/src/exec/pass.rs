//! A tile that is loaded for the store behind it, and for nothing else: the box goes from memory to memory at once.

use super::{Exec, Halt};
use crate::machine::{Machine, Memory};
use crate::plan::{Dst, OpInst, Part};
use crate::region::Shape;
use pl_core::fault::AccessKind;
use pl_core::op::OpCode;

impl<'a> Exec<'_, 'a, '_> {
    /// Executes a load and the store behind it, of a tile that nothing else uses. The rank stands at the load, and then at the store, which is left to be
    /// counted. False, with nothing done, where they are better executed one after the other.
    pub(crate) fn pass(&mut self, load: &'a OpInst, store: &'a OpInst) -> Result<bool, Halt> {
        let (owner, offsets) = match load.code {
            OpCode::RemoteLoad => (self.peer(load, 1)?, 2),
            _ => (self.own(load, 0)?, 1),
        };
        let Some((from, shape)) = self.fixed_part(load, 0, owner, offsets) else { return Ok(false) };
        let Some((to, _)) = self.fixed_part(store, 2, self.own(store, 2)?, 1) else { return Ok(false) };
        let bytes = from.runs.elements() * self.machine.plan.memories[to.memory as usize].dtype.bytes();
        // Nothing may end the turn in between.
        if !self.machine.count.lasts(bytes) || !self.pass_box((load, &from), (store, &to), shape, 1)? {
            return Ok(false);
        }
        self.machine.count.pass(bytes);
        Ok(true)
    }

    /// The same, of these boxes; what that takes of the turn is left to be counted. They may be those of several loads and stores that take turns.
    pub(super) fn pass_box(
        &mut self,
        (load, from): (&'a OpInst, &Part),
        (store, to): (&'a OpInst, &Part),
        shape: &Shape,
        times: usize,
    ) -> Result<bool, Halt> {
        let plan = self.machine.plan;
        let (source, target) = (plan.base(from.memory) as usize, plan.base(to.memory) as usize);
        if !self.machine.is_passable((source, target), from, times > 1) {
            return Ok(false);
        }
        self.before_change(store, to)?;
        if let Dst::Tile(dst) = load.dst {
            self.machine.tiles.pass(dst, shape);
        }
        let Machine { memories, clock, pc, accesses, cost, .. } = &mut *self.machine;
        let window = |memory: &Memory<'a>| match *memory {
            Memory::Window(window) => Some(window),
            _ => None,
        };
        let (read, written) = (window(&memories[source]), window(&memories[target]));
        debug_assert!(times == 1 || read.is_none() || written.is_none(), "several accesses of two windows");
        let made = times * (usize::from(read.is_some()) + usize::from(written.is_some()));
        let grant = match read.map(|window| window.memory(from.owner).read(&from.runs, clock, *pc)).transpose() {
            Ok(grant) => grant,
            // One by one, those before the one that is refused are made. Of several only one side is a window: no memory was changed yet, and nothing recorded.
            Err(_) if times > 1 => return Ok(false),
            Err(refused) => return Err(self.refused(refused, AccessKind::Read, load, from)),
        };
        *pc += 1;
        match (&mut memories[target], grant) {
            (Memory::Out(out, init), Some(grant)) => {
                grant.copy_to_box(out, &to.runs);
                init.fill(&to.runs);
                cost.result_elements += to.runs.elements() as u64;
            }
            (Memory::Window(window), grant) => match window.memory(to.owner).write(&to.runs, clock, *pc) {
                Ok(write) => match (&memories[source], grant) {
                    (_, Some(grant)) => write.copy_from_window(&grant),
                    (Memory::In(data), _) => write.copy_from_box(data, &from.runs),
                    (Memory::Out(data, _), _) => write.copy_from_box(data, &from.runs),
                    (Memory::Window(_) | Memory::View(_), None) => {}
                },
                Err(_) if times > 1 => return Ok(false),
                Err(refused) => return Err(self.refused(refused, AccessKind::Write, store, to)),
            },
            _ => {}
        }
        *accesses += made as u64;
        self.pulled(from);
        self.machine.effects += 2 * times as u64;
        Ok(true)
    }
}

impl Machine<'_> {
    /// Whether a box may go straight from one memory to the other one: what is read are data, of other memory than what changes, and one of both is a window.
    /// Of one box of a window that is not data its read says so; of several it is to be only the first that is not.
    fn is_passable(&self, (source, target): (usize, usize), from: &Part, several: bool) -> bool {
        match (&self.memories[source], &self.memories[target]) {
            (Memory::In(_), Memory::Window(_)) => true,
            (Memory::Out(_, init), Memory::Window(_)) => init.missing(&from.runs).is_none(),
            (Memory::Window(read), Memory::Out(..)) => !several || !read.memory(from.owner).lacks(&from.runs),
            (Memory::Window(read), Memory::Window(written)) => read.id != written.id,
            _ => false,
        }
    }
}
