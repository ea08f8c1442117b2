//! Scalar instructions: what a rank executes between its ops, in a loop of its own, and the count of ops that ends its turn.

use crate::plan::{Inst, scalar};
use pl_core::fault::ArithmeticProblem;

/// The ops that a rank executes.
#[derive(Debug)]
pub(crate) struct Count {
    /// How many it had executed when the turn began.
    before: u64,
    /// How many it may execute.
    pub(crate) budget: u64,
    /// How many it could execute in this turn, and how many of them are left: one number is all that an op changes.
    most: u32,
    left: u32,
}

impl Count {
    pub(crate) const fn new(budget: u64) -> Count {
        Count { before: 0, budget, most: 0, left: 0 }
    }

    /// How many it has executed.
    #[inline(always)]
    pub(crate) const fn ops(&self) -> u64 {
        self.before + (self.most - self.left) as u64
    }

    /// How many it can still execute in this turn: the last of them ends it.
    pub(crate) const fn left(&self) -> u32 {
        self.left
    }

    /// A turn begins.
    pub(crate) fn begin(&mut self, fuel: u32) {
        self.before = self.ops();
        // One more than there may be ends the turn, too.
        let most = self.budget.saturating_sub(self.before).saturating_add(1);
        self.most = fuel.min(u32::try_from(most).unwrap_or(u32::MAX));
        self.left = self.most;
    }

    /// Takes the cost of moving so many bytes from the turn.
    pub(crate) fn spend(&mut self, bytes: usize) {
        // What is left for the next op ends the turn.
        let cost = u32::try_from(bytes >> 8).unwrap_or(u32::MAX).min(self.left.saturating_sub(1));
        self.left -= cost;
        self.most -= cost;
    }

    /// Whether so many more do not end the turn.
    #[inline(always)]
    pub(crate) const fn has(&self, ops: u32) -> bool {
        self.left > ops
    }

    /// Counts so many that do not end the turn.
    #[inline(always)]
    pub(crate) fn take(&mut self, ops: u32) {
        // Moving data may have left less than that: then the next op ends the turn.
        let taken = ops.min(self.left.saturating_sub(1));
        self.left -= taken;
        self.most += ops - taken;
    }

    /// Whether two more ops that move so many bytes each do not end the turn in between.
    pub(crate) const fn lasts(&self, bytes: usize) -> bool {
        self.left as usize > (bytes >> 8) + 1
    }

    /// Counts two ops that move so many bytes each, but for what ends the turn behind the second one: see [`Count::lasts`].
    pub(crate) fn pass(&mut self, bytes: usize) {
        self.spend(bytes);
        self.left -= 1;
        self.spend(bytes);
    }

    /// Counts one: what ends there.
    #[inline(always)]
    pub(crate) fn one(&mut self) -> Option<Left> {
        self.left -= 1;
        (self.left == 0).then(|| if self.ops() > self.budget { Left::Budget } else { Left::Turn })
    }
}

/// Why the execution of scalar instructions ended.
#[derive(Clone, Copy)]
pub(crate) enum Left {
    /// At an instruction of another kind.
    At(Inst),
    /// The turn is over.
    Turn,
    /// The rank has executed more ops than it may.
    Budget,
    /// At an operation that has no result.
    Arithmetic(ArithmeticProblem),
}

/// Executes scalar instructions, from `pc` on: where and why it ends. Apart from the others, so that what they need stays in the processor's registers.
#[inline(always)]
pub(crate) fn scalars(code: &[Inst], mut pc: usize, registers: &mut [u64], count: &mut Count) -> (usize, Left) {
    macro_rules! r {
        ($reg:expr) => {
            registers[$reg as usize]
        };
    }
    macro_rules! give {
        ($dst:expr, $result:expr) => {
            match $result {
                Ok(value) => r!($dst) = value,
                Err(problem) => return (pc, Left::Arithmetic(problem)),
            }
        };
    }
    loop {
        match code[pc] {
            Inst::Move { dst, src } => r!(dst) = r!(src),
            Inst::Index { op, dst, a, b } => give!(dst, scalar::index(op, r!(a), r!(b))),
            Inst::Binary { op, ty, dst, a, b } => give!(dst, scalar::binary(op, ty, r!(a), r!(b))),
            Inst::AddAsI32 { dst, index, b } => give!(dst, scalar::add_as_i32(r!(index), r!(b))),
            Inst::Unary { op, ty, dst, a } => give!(dst, scalar::unary(op, ty, r!(a))),
            Inst::Cast { from, to, dst, a } => r!(dst) = scalar::cast(from, to, r!(a)),
            Inst::Jump { to } => {
                pc = to as usize;
                continue;
            }
            Inst::Unless { cond, to } => {
                if r!(cond) == 0 {
                    pc = to as usize;
                    continue;
                }
            }
            Inst::UnlessIndex { op, a, b, to } => {
                if !scalar::compares(op, r!(a), r!(b)) {
                    pc = to as usize;
                    continue;
                }
            }
            Inst::When { cond, to } => {
                if r!(cond) != 0 {
                    pc = to as usize;
                    continue;
                }
            }
            Inst::Step { step } => {
                if r!(step) == 0 {
                    return (pc, Left::Arithmetic(ArithmeticProblem::ZeroStep));
                }
            }
            Inst::Head { counter, end, var, exit } => {
                let value = r!(counter);
                if value >= r!(end) {
                    pc = exit as usize;
                    continue;
                }
                r!(var) = value;
            }
            Inst::Next { counter, step, end, var, head } => {
                let value = r!(counter).saturating_add(r!(step));
                r!(counter) = value;
                if let Some(left) = count.one() {
                    return (head as usize, left);
                }
                if value < r!(end) {
                    r!(var) = value;
                    pc = head as usize;
                }
            }
            Inst::Again { to } => {
                pc = to as usize;
                if let Some(left) = count.one() {
                    return (pc, left);
                }
                continue;
            }
            Inst::Skip => {}
            inst => return (pc, Left::At(inst)),
        }
        pc += 1;
    }
}
