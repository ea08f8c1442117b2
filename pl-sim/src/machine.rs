//! A rank as a resumable machine: a plan, a program counter, registers and tiles. It runs until it is done, must wait, or has had its turn.

use crate::check::Awaited;
use crate::check::clock::Clock;
use crate::check::init::Init;
use crate::env::{Env, Mail, Moved};
use crate::exec::{Exec, Flow};
use crate::inject::Faults;
use crate::memory::Lines;
use crate::order::{Unordered, Unwritten};
use crate::plan::{Checked, Inst, Plan, Unrolled};
use crate::scalars::{Count, Left, scalars};
use crate::sched::Stop;
use crate::shared::Lock;
use crate::tiles::Tiles;
use crate::trail::Trail;
use crate::window::Window;
use pl_core::fault::{
    Arithmetic, ArithmeticProblem, DeclaredType, Fault, OpBudget, Race, RankCost, Site, Uninitialised,
};
use pl_core::op::{OpCode, dispatch};
use pl_core::runtime::Injection;
use std::mem::{swap, take};
use std::ops::{Deref, DerefMut};

/// What ends a run before its end.
#[derive(Debug)]
pub(crate) enum Halt {
    /// A check.
    Fault(Box<Fault>),
    /// A race, whose report is complete once [`explain`](crate::order::explain) has seen both ranks.
    Race(Box<Race>, Unordered),
    /// A read of what nothing wrote, whose report is complete once [`explain_missing`](crate::order::explain_missing) has seen all ranks.
    Missing(Box<Uninitialised>, Unwritten),
    /// Something that the verifier should have refused.
    Internal(String),
}

impl From<Fault> for Halt {
    fn from(fault: Fault) -> Halt {
        Halt::Fault(Box::new(fault))
    }
}

/// Makes a rank runnable that was parked.
pub(crate) trait Wake {
    /// Makes it runnable: the rank of the call with this number.
    fn wake(&self, call: usize);

    /// Whether another thread will find a note that is left for the rank of a call, if it is told.
    fn finds_notes(&self, _call: usize) -> bool {
        false
    }

    /// Tells it that a note was left.
    fn noted(&self, _call: usize) {}
}

/// A rank's place in the domain of a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    /// Its number there.
    pub(crate) rank: usize,
    /// How many ranks the domain has.
    pub(crate) ranks: usize,
    /// The domain: its number in the launch.
    pub(crate) domain: usize,
}

/// An argument that is memory.
pub(crate) enum Memory<'a> {
    /// An `In` tensor.
    In(&'a [u8]),
    /// An `Out` or `InOut` tensor, and which elements are data.
    Out(&'a mut [u8], Init),
    /// A window.
    Window(&'a Window),
    /// Another shape of an `Out` or `InOut` tensor.
    View(u32),
}

/// What a rank does while it does not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It can run.
    Ready,
    /// It waits for a cell of that memory.
    Waiting(u32, Awaited),
    /// It re-reads that element of that memory until others change its memory.
    Spinning(u32, usize),
    /// A fault that the launch asked for stopped it, before the op with this number.
    Stopped(u64),
    /// Its kernel returned.
    Done,
}

/// How long a turn lasts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    /// Work, in ops of little data.
    pub(crate) fuel: u32,
    /// Ops that other ranks can see.
    pub(crate) visible: u32,
    /// Whether to enter a collective counts as one of them: it looks at the rank's cells, which others may have notified.
    pub(crate) enters: bool,
}

/// One rank. No other begins in its cache lines: that may run on another core.
#[repr(align(64))]
pub(crate) struct Machine<'a> {
    /// Its number in the world.
    pub(crate) rank: usize,
    /// What it executes.
    pub(crate) plan: &'a Plan,
    /// The same unrolled, and the act it stands at; `None` where it executes the plan itself.
    pub(crate) unrolled: Option<&'a Unrolled>,
    pub(crate) act: usize,
    /// The instruction it stands at.
    pub(crate) pc: usize,
    pub(crate) registers: Lent<'a, [u64]>,
    pub(crate) tiles: Lent<'a, Tiles>,
    /// The arguments that are memory, by the plan's numbers.
    pub(crate) memories: Vec<Memory<'a>>,
    /// Its place in the domain of each memory that is a window.
    pub(crate) places: &'a [Place],
    pub(crate) clock: Lent<'a, Clock>,
    /// What a box that moves within one memory goes through.
    pub(crate) scratch: Lines,
    /// The strips in which tiles are computed.
    pub(crate) strips: Lines,
    pub(crate) state: State,
    pub(crate) trail: &'a mut Trail,
    pub(crate) cost: RankCost,
    pub(crate) moved: Lent<'a, Moved>,
    /// The ops that it executes.
    pub(crate) count: Count,
    /// Accesses to window memory that were checked.
    pub(crate) accesses: u64,
    /// Ops that changed anything but registers.
    pub(crate) effects: u64,
    spin: Lent<'a, Spin>,
    /// What goes wrong on purpose.
    pub(crate) faults: Faults,
    home: Home<'a>,
}

/// Where a machine leaves what it has of its frame for itself.
struct Home<'a> {
    memories: &'a mut Vec<Memory<'static>>,
    inits: &'a mut Vec<Init>,
    scratch: &'a mut Lines,
    strips: &'a mut Lines,
}

/// The most notes of data that a machine leaves to a later one.
const MAX_INITS: usize = 8;

/// The memory in which a machine runs, and later another one.
#[derive(Default)]
#[repr(align(64))]
pub(crate) struct Frame {
    pub(crate) registers: Vec<u64>,
    /// A list for the memories.
    memories: Vec<Memory<'static>>,
    /// What noted which elements of tensors were data.
    inits: Vec<Init>,
    tiles: Tiles,
    clock: Clock,
    scratch: Lines,
    strips: Lines,
    trail: Trail,
    moved: Moved,
    spin: Spin,
    /// About how many bytes it had when it was kept.
    pub(crate) held: usize,
}

/// Part of a frame, lent to the machine that runs in it.
pub(crate) struct Lent<'a, T: ?Sized>(&'a mut T);

impl<T: ?Sized> Deref for Lent<'_, T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        self.0
    }
}

impl<T: ?Sized> DerefMut for Lent<'_, T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        self.0
    }
}

/// A list without items in the memory of one: the library uses it again where items differ only in a lifetime.
pub(crate) fn emptied<T, U>(items: Vec<T>) -> Vec<U> {
    items.into_iter().filter_map(|_| None).collect()
}

impl Frame {
    /// For a machine that executes a plan: the registers as they are at first, and a list for the memories.
    pub(crate) fn start<'a>(&mut self, plan: &Plan) -> Vec<Memory<'a>> {
        self.registers.clear();
        self.registers.extend_from_slice(&plan.initial);
        take(&mut self.memories)
    }

    /// Notes of a tensor with so many elements, of which none is data.
    pub(crate) fn init(&mut self, elements: usize) -> Init {
        let mut init = self.inits.pop().unwrap_or_else(Init::all);
        init.reset(elements, |_, _| ());
        init
    }

    /// About how many bytes it has, with those of the machine.
    pub(crate) fn bytes(&self) -> usize {
        let Frame { registers, memories, inits, scratch, strips, spin, .. } = self;
        let words: usize =
            registers.capacity() + spin.registers.capacity() + inits.iter().map(Init::held).sum::<usize>();
        size_of::<Frame>()
            + size_of::<Lock<Machine<'_>>>()
            + size_of::<Mail>()
            + words * 8
            + memories.capacity() * size_of::<Memory<'_>>()
            + scratch.held()
            + strips.held()
            + self.tiles.held()
            + self.clock.held()
            + self.trail.held()
            + self.moved.held()
    }
}

/// An earlier moment at which the rank read a cell. When all is again as it was then, the rank runs in circles.
#[derive(Debug, Default)]
struct Spin {
    pc: usize,
    registers: Vec<u64>,
    effects: u64,
    changes: u64,
    /// Reads since, and after how many the moment is chosen anew: twice as many each time, so that a circle of any length is found.
    reads: u64,
    patience: u64,
}

impl<'a> Machine<'a> {
    /// A rank at the start of its kernel: that of call number `call` of so many. The frame has its scalar arguments.
    #[inline]
    pub(crate) fn new(
        (plan, unrolled): (&'a Plan, Option<&'a Unrolled>),
        rank: usize,
        (call, calls): (usize, usize),
        (memories, places): (Vec<Memory<'a>>, &'a [Place]),
        (budget, faults): (u64, &[Injection]),
        frame: &'a mut Frame,
    ) -> Machine<'a> {
        let Frame { registers, tiles, clock, trail, moved, spin, .. } = frame;
        tiles.renew(plan.tiles.len());
        clock.renew(call, calls);
        trail.clear();
        moved.start(calls);
        spin.patience = 0;
        let home = Home {
            memories: &mut frame.memories,
            inits: &mut frame.inits,
            scratch: &mut frame.scratch,
            strips: &mut frame.strips,
        };
        Machine {
            rank,
            plan,
            unrolled,
            act: 0,
            pc: 0,
            registers: Lent(registers),
            tiles: Lent(tiles),
            memories,
            places,
            clock: Lent(clock),
            scratch: take(home.scratch),
            strips: take(home.strips),
            state: State::Ready,
            trail,
            cost: RankCost::default(),
            moved: Lent(moved),
            count: Count::new(budget),
            accesses: 0,
            effects: 0,
            spin: Lent(spin),
            faults: Faults::new(rank, faults),
            home,
        }
    }

    /// Leaves what it has for itself in its frame.
    pub(crate) fn leave(&mut self) {
        let Home { memories, inits, scratch, strips } = &mut self.home;
        for memory in self.memories.drain(..) {
            match memory {
                Memory::Out(_, init) if inits.len() < MAX_INITS => inits.push(init),
                _ => {}
            }
        }
        **memories = emptied(take(&mut self.memories));
        swap(*scratch, &mut self.scratch);
        swap(*strips, &mut self.strips);
    }

    /// The number of its call in the launch.
    pub(crate) fn call(&self) -> usize {
        self.clock.rank()
    }

    /// Its number in the domain of a memory.
    #[inline]
    pub(crate) fn own(&self, memory: u32) -> usize {
        self.places[memory as usize].rank
    }

    /// The memory with this number, of which views may be another shape.
    pub(crate) fn memory(&self, memory: u32) -> &Memory<'a> {
        match &self.memories[memory as usize] {
            Memory::View(base) => &self.memories[*base as usize],
            memory => memory,
        }
    }

    /// Whether all that the rank does to a window, if it has it, is to add to cells and to wait for them.
    pub(crate) fn uses_plainly(&self, window: &Window) -> bool {
        let uses = |memory: &Memory<'_>| matches!(memory, Memory::Window(used) if std::ptr::eq(*used, window));
        self.memories.iter().zip(&self.plan.memories).all(|(memory, info)| info.plain || !uses(memory))
    }

    /// Whether notes satisfied the wait on which the rank is parked, so that it can go on.
    pub(crate) fn collect(&self) -> bool {
        let State::Waiting(memory, _) = self.state else { return false };
        match self.memories[memory as usize] {
            Memory::Window(window) => window.memory(self.own(memory)).collect(),
            _ => false,
        }
    }

    /// How many notifies and waits it executed.
    pub(crate) const fn signals(&self) -> u64 {
        self.cost.self_notifies + self.cost.peer_notifies + self.cost.waits
    }

    /// Where the rank stands.
    pub(crate) fn site(&self) -> Site {
        self.plan.site(self.rank, self.pc)
    }

    /// The value of a register.
    #[inline(always)]
    pub(crate) fn get(&self, reg: u32) -> u64 {
        self.registers[reg as usize]
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, reg: u32, value: u64) {
        self.registers[reg as usize] = value;
    }

    /// Takes the cost of moving `bytes` from the turn.
    pub(crate) fn spend(&mut self, bytes: usize) {
        self.count.spend(bytes);
    }

    /// Runs for one turn.
    // What it fails with is large: in a box, how a turn ends is two registers.
    pub(crate) fn run(&mut self, env: &Env<'a>, wake: &dyn Wake, turn: Turn) -> Result<Stop, Box<Halt>> {
        let plan = self.plan;
        self.state = State::Ready;
        self.count.begin(turn.fuel);
        if let Some(unrolled) = self.unrolled
            && let Some(stop) = self.run_unrolled(unrolled, env, wake)?
        {
            return Ok(stop);
        }
        let mut visible = turn.visible;
        loop {
            let (pc, left) = scalars(&plan.code, self.pc, &mut self.registers, &mut self.count);
            self.pc = pc;
            let flow = match left {
                Left::At(Inst::Notify { signal }) => {
                    if let Some(stop) = self.before(true, &mut visible) {
                        return Ok(stop);
                    }
                    let signal = &plan.signals[signal as usize];
                    let mut exec = Exec { machine: self, env, wake };
                    match exec.rounds(signal, turn, false)? {
                        Some(Flow::Next) => continue,
                        Some(flow) => flow,
                        None => exec.deposit(signal)?,
                    }
                }
                Left::At(Inst::Wait { signal }) => {
                    if let Some(stop) = self.before(true, &mut visible) {
                        return Ok(stop);
                    }
                    let signal = &plan.signals[signal as usize];
                    let mut exec = Exec { machine: self, env, wake };
                    match exec.rounds(signal, turn, true)? {
                        Some(Flow::Next) => continue,
                        Some(flow) => flow,
                        None => exec.await_cell(signal)?,
                    }
                }
                Left::At(Inst::Op { op }) => {
                    let op = &plan.ops[op as usize];
                    let seen = op.visible || turn.enters && op.code == OpCode::Enter;
                    if let Some(stop) = self.before(seen, &mut visible) {
                        return Ok(stop);
                    }
                    let mut exec = Exec { machine: self, env, wake };
                    // Nothing may end the turn in between.
                    match plan.stored_behind(pc, op) {
                        Some(store) if visible > 0 && !exec.machine.is_due_next() && exec.pass(op, store)? => {
                            visible -= u32::from(store.visible);
                            Flow::Next
                        }
                        _ => dispatch(&mut exec, op.code, op)?,
                    }
                }
                Left::At(inst) => {
                    if self.other(inst, env, wake)? {
                        self.state = State::Done;
                        return Ok(Stop::Done);
                    }
                    self.pc += 1;
                    continue;
                }
                Left::Turn => return Ok(Stop::Yield),
                Left::Budget => return Err(self.over_budget().into()),
                Left::Arithmetic(problem) => return Err(self.arithmetic(problem).into()),
            };
            if flow == Flow::Park {
                return Ok(Stop::Parked);
            }
            self.pc += 1;
            match self.count.one() {
                None if flow == Flow::Next => {}
                None | Some(Left::Turn) => return Ok(Stop::Yield),
                Some(_) => return Err(self.over_budget().into()),
            }
        }
    }

    /// An instruction that is neither scalar nor an op: whether it ends the kernel.
    pub(crate) fn other(&mut self, inst: Inst, env: &Env<'a>, wake: &dyn Wake) -> Result<bool, Halt> {
        match inst {
            Inst::Extent { dst, tile, axis } => {
                let extent = self.tiles.shape(tile).extents().get(axis as usize).copied();
                self.set(dst, extent.unwrap_or(0) as u64);
            }
            Inst::CopyTile { dst, src, last } => {
                self.effects += 1;
                Exec { machine: self, env, wake }.copy_tile(dst, (src, last))?;
            }
            Inst::Check { check } => self.check(check)?,
            _ => return Ok(true),
        }
        Ok(false)
    }

    /// Before an op: whether the turn ends here. `seen` tells whether other ranks can see the op.
    #[inline(always)]
    fn before(&mut self, seen: bool, visible: &mut u32) -> Option<Stop> {
        if self.count.ops() >= self.faults.due
            && let Some(stop) = self.inject()
        {
            return Some(stop);
        }
        if seen {
            match visible.checked_sub(1) {
                Some(left) => *visible = left,
                None => return Some(Stop::Before),
            }
        }
        None
    }

    /// Whether that is so before the op after the next one.
    #[inline(always)]
    const fn is_due_next(&self) -> bool {
        self.count.ops() + 1 >= self.faults.due
    }

    /// Stops or delays the rank when that is due.
    #[cold]
    fn inject(&mut self) -> Option<Stop> {
        match self.faults.take_due()? {
            Injection::Stop { op, .. } => {
                self.state = State::Stopped(op);
                Some(Stop::Stopped)
            }
            _ => Some(Stop::Delayed),
        }
    }

    #[cold]
    pub(crate) fn over_budget(&self) -> Halt {
        Fault::OpBudget(OpBudget { site: self.site(), budget: self.count.budget }).into()
    }

    /// The fault of the scalar instruction that the rank stands at.
    #[cold]
    pub(crate) fn arithmetic(&self, problem: ArithmeticProblem) -> Halt {
        let show = |reg: u32| self.plan.registers[reg as usize].ty.show(self.get(reg));
        let (operation, ty) = match self.plan.code[self.pc] {
            Inst::Index { op, a, b, .. } => (format!("{} {} {}", show(a), op.symbol(), show(b)), "usize"),
            Inst::Binary { op, ty, a, b, .. } => (format!("{} {} {}", show(a), op.symbol(), show(b)), ty.name()),
            Inst::AddAsI32 { index, b, .. } => (format!("{} + {}", self.get(index) as i32, show(b)), "i32"),
            Inst::Unary { ty, a, .. } => (format!("-({})", show(a)), ty.name()),
            _ => ("pl::range".to_owned(), "usize"),
        };
        Fault::Arithmetic(Arithmetic { site: self.site(), problem, operation, ty }).into()
    }

    /// Compares a value with its declared type.
    fn check(&self, index: u32) -> Result<(), Halt> {
        let check = &self.plan.checks[index as usize];
        let found = match check.found {
            Checked::Tile(tile) => self.tiles.shape(tile).extents(),
            Checked::Memory(memory) => &self.plan.memories[memory as usize].shape,
        };
        let declared: &[Option<u32>] = &check.declared;
        let differs =
            |(found, declared): (&usize, &Option<u32>)| declared.is_some_and(|reg| self.get(reg) != *found as u64);
        let axis = if found.len() == declared.len() {
            found.iter().zip(declared).position(differs)
        } else {
            Some(found.len().min(declared.len()))
        };
        match axis {
            None => Ok(()),
            Some(axis) => Err(Fault::Declared(DeclaredType {
                site: self.site(),
                local: check.local.clone(),
                declared: declared.iter().map(|d| d.map(|reg| self.get(reg))).collect(),
                found: found.to_vec(),
                axis,
            })
            .into()),
        }
    }

    /// Called before the rank reads a cell: whether it runs in circles, so that it was parked until others change its memory.
    pub(crate) fn circles(&mut self, env: &Env<'_>, memory: u32, element: usize) -> bool {
        let bell = &env.mail[self.call()].bell;
        let changes = bell.rung();
        let spin = &mut *self.spin;
        let quiet = spin.effects == self.effects && spin.changes == changes && spin.patience > 0;
        if quiet && spin.pc == self.pc && *spin.registers == *self.registers {
            self.state = State::Spinning(memory, element);
            let parked = bell.sleep(changes);
            if !parked {
                self.state = State::Ready;
            }
            return parked;
        }
        spin.reads += 1;
        if !quiet || spin.reads >= spin.patience {
            spin.patience = if quiet { spin.patience * 2 } else { 1 };
            spin.reads = 0;
            (spin.pc, spin.effects, spin.changes) = (self.pc, self.effects, changes);
            spin.registers.clear();
            spin.registers.extend_from_slice(&self.registers);
        }
        false
    }
}
