//! What one rank of a domain executes, as far as it does not depend on data: loops whose bounds are known are unrolled, branches on the rank are taken,
//! and boxes, peers and cells are resolved. It is a second way to execute the same plan, instruction for instruction: at each act the registers hold what they
//! would hold in the plan, and accesses and reports name the plan's instructions. So a rank can go on in the plan itself wherever an act says so.

mod follow;
mod fuse;
mod series;

use super::{Inst, Part, Plan, Reg, SignalInst};
use crate::elementwise::Binary;
use crate::machine::Place;
use crate::region::{Rows, Shape};
use pl_core::dtype::DType;
use std::sync::OnceLock;

/// Worlds of more ranks than this are not unrolled: what their ranks execute would not stay in the cache.
const MOST_RANKS: usize = 16;

/// What one rank executes.
#[derive(Debug, Default)]
pub(crate) struct Unrolled {
    pub(crate) acts: Vec<Act>,
    /// Values for registers.
    pub(crate) sets: Vec<(Reg, u64)>,
    /// What acts do to signal cells, whose positions are known where that is possible.
    pub(crate) signals: Vec<SignalAct>,
    /// The cells of those that are done in series: whose they are, and their positions.
    pub(crate) cells: Vec<(u32, u32)>,
    pub(crate) passes: Vec<Pass>,
    pub(crate) folds: Vec<Fold>,
}

/// One thing that a rank does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Act {
    pub(crate) does: Doing,
    /// The instruction of the plan.
    pub(crate) pc: u32,
    /// The one behind the act before: where the rank stands until it does this.
    pub(crate) before: u32,
    /// The registers that get new values before it: a range of [`Unrolled::sets`].
    pub(crate) sets: (u32, u32),
    /// How many ops and ends of loops come before it of which nothing is left to do, but to count them.
    pub(crate) passed: u32,
    /// How many it is itself.
    pub(crate) ops: u32,
}

/// What an act does.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Doing {
    /// A scalar instruction.
    Scalar(Inst),
    /// An instruction that is neither scalar nor an op.
    Other(Inst),
    /// An op: an index into [`Plan::ops`].
    Op(u32),
    /// Notifies a cell: an index into [`Unrolled::signals`].
    Notify(u32),
    /// Waits for a cell: an index into [`Unrolled::signals`].
    Wait(u32),
    /// The next acts, a load and a store or several in turn, at once.
    Pass(u32),
    /// The next acts, which load boxes, combine them and store the result, at once.
    Fold(u32),
    /// The head of a loop with bounds that only a run knows.
    Head { counter: Reg, end: Reg, var: Reg, exit: u32 },
    /// The end of such a loop's body, which begins at the act `body`.
    Next { counter: Reg, step: Reg, end: Reg, var: Reg, body: u32 },
    /// Goes on in the plan itself.
    Leave,
    /// The kernel returns.
    End,
}

/// What an act does to a signal cell. The acts behind it may do the same to other cells of the signal, with the same value.
#[derive(Clone, Debug)]
pub(crate) struct SignalAct {
    pub(crate) signal: SignalInst,
    /// How many these are, with the act itself, and how many ops they count.
    pub(crate) series: usize,
    pub(crate) ops: u32,
    /// What the registers hold behind the last of them, as far as they set them: a range of [`Unrolled::sets`].
    pub(crate) sets: (u32, u32),
}

/// A load and a store of the tile, which nothing else uses: indices into [`Plan::ops`], and the boxes. Where a loop does that for boxes that stand side by side
/// in both memories, it is one copy of all of them.
#[derive(Debug)]
pub(crate) struct Pass {
    pub(crate) load: u32,
    pub(crate) store: u32,
    pub(crate) from: Part,
    pub(crate) to: Part,
    /// That of one tile.
    pub(crate) shape: Shape,
    /// How many tiles there are.
    pub(crate) times: usize,
}

/// Loads that are combined by one op, one after the other. Nothing else uses the tiles.
#[derive(Debug)]
pub(crate) struct Fold {
    pub(crate) op: Binary,
    pub(crate) dtype: DType,
    pub(crate) sources: Vec<FoldSource>,
    pub(crate) into: Target,
    pub(crate) shape: Shape,
    /// The tiles in between.
    pub(crate) tiles: Vec<u32>,
    /// How many acts it is.
    pub(crate) length: usize,
}

/// Where the result of a fold goes.
#[derive(Debug)]
pub(crate) enum Target {
    /// Into a box, by the last of its acts: that op, an index into [`Plan::ops`].
    Box(u32, Part),
    /// Into a tile that is needed at once: the next act notifies others, who may change what was loaded.
    Tile(u32),
}

/// A box of a fold.
#[derive(Debug)]
pub(crate) struct FoldSource {
    pub(crate) part: Part,
    pub(crate) rows: Rows,
    /// The load: which of the fold's acts, and an index into [`Plan::ops`].
    pub(crate) at: usize,
    pub(crate) load: u32,
    /// The bytes that come from a peer: none, where it is the rank's own memory.
    pub(crate) pulled: u64,
}

/// Room for what the ranks of a plan's domain execute; none for those that execute the plan itself.
pub(super) fn room(plan: &Plan) -> Box<[OnceLock<Option<Unrolled>>]> {
    let ranks = match plan.domains[..] {
        // What reads elements of windows branches on them, and would leave soon.
        _ if plan.polls => 0,
        [] => 1,
        [ranks] if ranks <= MOST_RANKS => ranks,
        _ => 0,
    };
    (0..ranks).map(|_| OnceLock::new()).collect()
}

/// Adds the values that registers hold behind acts that set them: their range.
fn merge(acts: &[Act], sets: &mut Vec<(Reg, u64)>) -> (u32, u32) {
    let start = sets.len();
    for at in acts.iter().flat_map(|act| act.sets.0..act.sets.1) {
        let (reg, value) = sets[at as usize];
        match sets[start..].iter_mut().find(|set| set.0 == reg) {
            Some(set) => set.1 = value,
            None => sets.push((reg, value)),
        }
    }
    (start as u32, sets.len() as u32)
}

impl Plan {
    /// What a rank with these places in the domains of its memories executes; `None` where it is better to execute the plan itself.
    pub(crate) fn unrolled(&self, places: &[Place]) -> Option<&Unrolled> {
        let window = self.memories.iter().position(|memory| memory.window);
        let place = window.map_or(Place { ranks: 1, ..Place::default() }, |memory| places[memory]);
        self.unrolled.get(place.rank)?.get_or_init(|| follow::unroll(self, places, place.ranks)).as_ref()
    }
}
