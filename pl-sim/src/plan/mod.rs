//! A plan: what a rank executes. Flat code over numbered registers and tiles, with every name, dim and constant resolved.
//!
//! A plan is made once per program ([`plan_of`]) and shared by its ranks and launches. What differs between ranks (the own rank, the
//! arguments) is not in it.

mod around;
mod compile;
mod display;
mod fixed;
mod known;
mod live;
pub(crate) mod scalar;
pub(crate) mod senders;
mod signal;
mod unroll;
mod uses;

use crate::region::{Runs, Shape};
pub(crate) use around::{Around, Guard};
pub use display::OfRank;
use pl_core::bind::Program;
use pl_core::dtype::DType;
use pl_core::fault::Site;
use pl_core::ir::{BinOp, Function, Loc, Mode, Name, Place, UnOp};
use pl_core::op::{Access, OpCode, ParamKind};
use pl_core::runtime::EngineError;
use scalar::ScalarTy;
pub(crate) use signal::{Does, SignalInst};
use std::sync::{Arc, OnceLock};
pub(crate) use unroll::{Act, Doing, Fold, FoldSource, Pass, SignalAct, Target, Unrolled};

/// A register: 64 bits of a type that the plan knows.
pub(crate) type Reg = u32;

/// An instruction. Jumps are absolute.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Inst {
    /// `dst = src`
    Move { dst: Reg, src: Reg },
    /// `dst = a op b`, on indices.
    Index { op: BinOp, dst: Reg, a: Reg, b: Reg },
    /// `dst = a op b`, on scalars of one type.
    Binary { op: BinOp, ty: ScalarTy, dst: Reg, a: Reg, b: Reg },
    /// `dst = index as i32 + b`
    AddAsI32 { dst: Reg, index: Reg, b: Reg },
    /// `dst = op a`
    Unary { op: UnOp, ty: ScalarTy, dst: Reg, a: Reg },
    /// `dst = a as to`
    Cast { from: ScalarTy, to: ScalarTy, dst: Reg, a: Reg },
    /// `dst =` the extent of a tile on an axis.
    Extent { dst: Reg, tile: u32, axis: u32 },
    /// Goes on elsewhere.
    Jump { to: u32 },
    /// Goes back to the head of a `while`.
    Again { to: u32 },
    /// Goes on elsewhere when a register is false.
    Unless { cond: Reg, to: u32 },
    /// Goes on elsewhere when a register is true.
    When { cond: Reg, to: u32 },
    /// Goes on elsewhere unless a comparison of two indices holds.
    UnlessIndex { op: BinOp, a: Reg, b: Reg, to: u32 },
    /// Refuses a step of zero.
    Step { step: Reg },
    /// The head of a `for`: leaves it, or gives the variable its value.
    Head { counter: Reg, end: Reg, var: Reg, exit: u32 },
    /// The end of a `for`'s body: counts, and does what the head does, behind which the body begins.
    Next { counter: Reg, step: Reg, end: Reg, var: Reg, head: u32 },
    /// Executes an op: an index into [`Plan::ops`].
    Op { op: u32 },
    /// Executes an op that does nothing but notify a cell: an index into [`Plan::signals`].
    Notify { signal: u32 },
    /// Executes an op that waits for a cell: an index into [`Plan::signals`].
    Wait { signal: u32 },
    /// Another name for a tile; whether that is the last use of the old one.
    CopyTile { dst: u32, src: u32, last: bool },
    /// Nothing.
    Skip,
    /// Compares a value with its declared type: an index into [`Plan::checks`].
    Check { check: u32 },
    /// The kernel returns.
    End,
}

/// Where an op's result goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dst {
    /// Nowhere: there is none, or it only rebinds a name.
    None,
    /// A register.
    Scalar(Reg),
    /// A tile.
    Tile(u32),
}

/// An argument of an op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    /// A tensor or window.
    Memory(u32),
    /// A tile.
    Tile(u32),
    /// A scalar.
    Scalar(Reg),
    /// Registers: a range of [`Plan::lists`].
    List(u32, u32),
    /// An enum's wire value.
    Enum(i32),
    /// A communication context: that of a window.
    Context(u32),
    /// An argument that is not given.
    Absent,
}

/// An op.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OpInst {
    /// Which.
    pub(crate) code: OpCode,
    /// Its result.
    pub(crate) dst: Dst,
    /// Its arguments, in the order of the op's parameters.
    pub(crate) args: Box<[Operand]>,
    /// The window through which it reaches peers.
    pub(crate) window: Option<u32>,
    /// Whether it touches window memory, which other ranks can see.
    pub(crate) visible: bool,
    /// What it does to a signal cell: an index into [`Plan::signals`].
    pub(crate) signal: Option<u32>,
    /// The tiles to count against the platform's tile memory when this op runs; `None` when binding has counted them.
    pub(crate) tiles: Option<Box<live::LiveTiles>>,
    /// The box that it moves, where the extents are known.
    pub(crate) fixed: Option<Box<fixed::Fixed>>,
    /// The arguments that are tiles which nothing uses afterwards, as bits.
    pub(crate) last: u32,
    /// Whether it loads a tile for the next instruction, which stores it, and for nothing else. Both boxes are known, and binding has counted the tile.
    pub(crate) passes: bool,
    /// Of an op that gives no tile: the tiles that something uses afterwards.
    pub(crate) live: Box<[u32]>,
}

impl OpInst {
    /// Whether an argument is a tile which nothing uses afterwards.
    pub(crate) const fn is_last(&self, index: usize) -> bool {
        self.last >> index & 1 != 0
    }

    /// The tile that the op stores.
    pub(crate) fn stored(&self) -> Option<u32> {
        self.args.iter().find_map(|arg| match arg {
            Operand::Tile(tile) => Some(*tile),
            _ => None,
        })
    }
}

/// A box that an op touches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// Which argument the memory is.
    pub(crate) param: usize,
    /// Its number in the plan.
    pub(crate) memory: u32,
    /// Whose memory it is: a rank of the window's domain.
    pub(crate) owner: usize,
    /// The elements.
    pub(crate) runs: Runs,
}

/// A declared type to compare with.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Check {
    /// The value.
    pub(crate) local: Name,
    /// A tile, or the extents of a memory.
    pub(crate) found: Checked,
    /// Per axis: the register with the declared extent, where one is declared.
    pub(crate) declared: Box<[Option<Reg>]>,
}

/// What a [`Check`] looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Checked {
    /// A tile.
    Tile(u32),
    /// A tensor or window.
    Memory(u32),
}

/// A tensor or window parameter, or another shape of one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MemoryInfo {
    /// Its name.
    pub(crate) name: Name,
    /// Which parameter it is.
    pub(crate) param: usize,
    /// The memory that it is another shape of.
    pub(crate) view_of: Option<u32>,
    /// How it may be used.
    pub(crate) mode: Mode,
    /// Whether it is a window.
    pub(crate) window: bool,
    /// Whether all that is done to it is to add to its cells and to wait for them.
    pub(crate) plain: bool,
    /// Of a window: its domain, an index into [`Plan::domains`].
    pub(crate) domain: Option<usize>,
    /// Its element type.
    pub(crate) dtype: DType,
    /// Its extents.
    pub(crate) shape: Box<[usize]>,
    /// The product of them.
    pub(crate) elements: usize,
}

/// A tile local.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TileInfo {
    /// Its name.
    pub(crate) name: Name,
    /// Its element type.
    pub(crate) dtype: DType,
    /// Its extents, where they are known.
    pub(crate) shape: Option<Shape>,
}

/// A scalar parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScalarParam {
    /// Which parameter it is.
    pub(crate) param: usize,
    /// The register.
    pub(crate) reg: Reg,
    /// Its type.
    pub(crate) ty: ScalarTy,
}

/// What a register is called and holds, for printing.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RegInfo {
    /// The local's name; `None` for an intermediate value.
    pub(crate) name: Option<Name>,
    /// Its type.
    pub(crate) ty: ScalarTy,
    /// The constant that it holds.
    pub(crate) constant: Option<u64>,
}

/// What a rank executes. `Display` prints it.
#[derive(Debug)]
pub struct Plan {
    /// The kernel.
    pub(crate) kernel: Name,
    /// The code; ends in [`Inst::End`].
    pub(crate) code: Vec<Inst>,
    /// Where each instruction comes from, and what to call it.
    pub(crate) origins: Vec<Origin>,
    /// The ops.
    pub(crate) ops: Vec<OpInst>,
    /// What the ops do to signal cells.
    pub(crate) signals: Vec<SignalInst>,
    /// The registers of the ops' lists.
    pub(crate) lists: Vec<Reg>,
    /// The comparisons with declared types.
    pub(crate) checks: Vec<Check>,
    /// The tensors and windows.
    pub(crate) memories: Vec<MemoryInfo>,
    /// The tiles.
    pub(crate) tiles: Vec<TileInfo>,
    /// The registers.
    pub(crate) registers: Vec<RegInfo>,
    /// What they hold at first.
    pub(crate) initial: Box<[u64]>,
    /// The scalar parameters.
    pub(crate) scalars: Vec<ScalarParam>,
    /// Whether it reads elements of windows, and so may read one over and over until others change it.
    pub(crate) polls: bool,
    /// How many parameters there are.
    pub(crate) params: usize,
    /// The number of ranks of each domain that it was bound to.
    pub(crate) domains: Vec<usize>,
    /// What [`Plan::hash`] gives.
    hash: OnceLock<u32>,
    /// What each rank of its domain executes, where that is unrolled.
    unrolled: Box<[OnceLock<Option<Unrolled>>]>,
    /// What the locations mean.
    places: Vec<Place>,
    /// Where the kernel itself stands.
    loc: Loc,
}

/// Where an instruction comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The location.
    pub(crate) loc: Loc,
    /// What to call it: an op's path, an operator, a statement.
    pub(crate) what: &'static str,
}

impl Plan {
    /// The place of a location, or the kernel's own.
    fn place(&self, loc: Loc) -> Option<Place> {
        let at = |loc: Loc| self.places.get(loc.0 as usize);
        at(loc).or_else(|| at(self.loc)).cloned()
    }

    /// The site of an instruction, for a report.
    pub(crate) fn site(&self, rank: usize, pc: usize) -> Site {
        let origin = self.origins.get(pc).copied().unwrap_or(Origin { loc: self.loc, what: "kernel" });
        Site { rank, kernel: self.kernel.clone(), place: self.place(origin.loc), op: origin.what }
    }

    /// Whether an op deposits into the window of a parameter.
    pub(crate) fn notifies_any(&self, param: usize) -> bool {
        self.ops.iter().any(|op| {
            op.args.iter().zip(op.code.info().params).any(|(arg, info)| match (*arg, info.kind) {
                (Operand::Memory(memory), ParamKind::Memory(Access::Notify, _)) => {
                    self.memories[memory as usize].param == param
                }
                _ => false,
            })
        })
    }

    /// A hash of what is executed; places in the source do not count.
    pub(crate) fn hash(&self) -> u32 {
        *self.hash.get_or_init(|| crate::explore::hash(self))
    }

    /// The site of the kernel itself, for a report.
    pub(crate) fn kernel_site(&self, rank: usize) -> Site {
        Site { rank, kernel: self.kernel.clone(), place: self.place(self.loc), op: "kernel" }
    }

    /// The memory that a memory is, which may be another shape of it.
    pub(crate) fn base(&self, memory: u32) -> u32 {
        self.memories[memory as usize].view_of.unwrap_or(memory)
    }

    /// The registers of a list.
    pub(crate) fn list(&self, start: u32, len: u32) -> &[Reg] {
        &self.lists[start as usize..(start + len) as usize]
    }
}

/// The plan of a program: made at the first call, then kept with it.
pub fn plan_of(program: &Program) -> Result<Arc<Plan>, EngineError> {
    let kept = match program.plan.get() {
        Some(plan) => plan,
        None => {
            let plan = compile::compile(program).map_err(|message| internal(&program.function, &message))?;
            // Where another thread was quicker, its plan is the one that is kept.
            program.plan.get_or_init(|| Arc::new(plan))
        }
    };
    Arc::clone(kept).downcast::<Plan>().map_err(|_| EngineError::Usage {
        message: format!("kernel `{}` was planned by another engine", program.function.name),
        help: "bind it again for this engine".into(),
    })
}

/// Whether a plan is the one that a program has.
pub(crate) fn is_plan_of(plan: &Arc<Plan>, program: &Program) -> bool {
    program.plan.get().is_some_and(|of| std::ptr::addr_eq(Arc::as_ptr(of), Arc::as_ptr(plan)))
}

/// An error that the verifier should have found.
fn internal(function: &Function, message: &str) -> EngineError {
    EngineError::Usage {
        message: format!("kernel `{}` cannot be planned: {message}", function.name),
        help: "the program did not pass the verifier: link, lower and bind it before the launch".into(),
    }
}

/// Where the extents of an op's box come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extents<'p> {
    /// A list of registers.
    Listed(&'p [Reg]),
    /// A tile.
    Tile(u32),
    /// It is one element.
    Element,
    /// It is the whole memory.
    Whole,
}

impl Plan {
    /// The box of an op in its argument `param`: offsets, and where its extents come from.
    pub(crate) fn box_of(&self, op: &OpInst, param: usize) -> (&[Reg], Extents<'_>) {
        let params = op.code.info().params;
        let find = |wanted: &dyn Fn(ParamKind) -> bool| {
            let at = params.iter().position(|p| wanted(p.kind))?;
            op.args.get(at).copied()
        };
        let offsets = match find(&|kind| kind == ParamKind::Offsets(param as u8)) {
            Some(Operand::List(start, len)) => self.list(start, len),
            _ => return (&[], Extents::Whole),
        };
        if matches!(params[param].kind, ParamKind::Memory(Access::Notify | Access::Wait, _)) {
            return (offsets, Extents::Element);
        }
        let extents = match find(&|kind| matches!(kind, ParamKind::Shape(_))) {
            Some(Operand::List(start, len)) => Extents::Listed(self.list(start, len)),
            _ => match find(&|kind| kind == ParamKind::Tile) {
                Some(Operand::Tile(tile)) => Extents::Tile(tile),
                _ => Extents::Element,
            },
        };
        (offsets, extents)
    }

    /// The number of the op that an instruction executes.
    fn number_of(&self, inst: Inst) -> Option<u32> {
        match inst {
            Inst::Op { op } => Some(op),
            Inst::Notify { signal } | Inst::Wait { signal } => Some(self.signals[signal as usize].op),
            _ => None,
        }
    }

    /// The op that an instruction executes.
    pub(crate) fn op_of(&self, inst: Inst) -> Option<&OpInst> {
        self.ops.get(self.number_of(inst)? as usize)
    }

    /// The store behind the load at `pc`, where that is all the tile is for.
    #[inline(always)]
    pub(crate) fn stored_behind(&self, pc: usize, load: &OpInst) -> Option<&OpInst> {
        if load.passes { self.op_at(pc + 1) } else { None }
    }

    /// The op at `pc`.
    pub(crate) fn op_at(&self, pc: usize) -> Option<&OpInst> {
        self.code.get(pc).and_then(|inst| self.op_of(*inst))
    }
}
