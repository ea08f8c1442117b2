//! What the launches of an exploration's body found in memory, so that each schedule finds it again; and what the first schedule left, so that others can
//! be compared.

use crate::check::Saved;
use crate::plan::Plan;
use crate::region::indices;
use crate::windows::{Used, Windows};
use pl_core::fault::{Differs, Fault, Region};
use pl_core::ir::Name;
use pl_core::runtime::{ArgValue, EngineError, RankCall, WindowId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// An `Out` or `InOut` argument: the launch, the call, the parameter.
type Argument = (usize, usize, usize);

/// Memory as it was found.
#[derive(Default)]
pub(super) struct Found {
    windows: BTreeMap<WindowId, Vec<Saved>>,
    arguments: BTreeMap<Argument, Vec<u8>>,
    /// The memory of arguments that launches of this run have used: what these left there stays.
    used: BTreeSet<usize>,
}

impl Found {
    /// Gives windows back what they held. Those that are gone are forgotten.
    pub(super) fn restore(&mut self, windows: &Windows) -> Result<(), EngineError> {
        self.used.clear();
        let mut table = windows.lock();
        let mut gone = vec![];
        for (window, saved) in &self.windows {
            if !table.restore(*window, saved)? {
                gone.push(*window);
            }
        }
        gone.iter().for_each(|window| drop(self.windows.remove(window)));
        Ok(())
    }

    /// Remembers windows that a launch is about to use, and that the body did not make.
    pub(super) fn windows(&mut self, used: &mut Used<'_>, first_of_body: WindowId) {
        for window in used.iter_mut().filter(|window| window.id < first_of_body) {
            self.windows.entry(window.id).or_insert_with(|| window.save());
        }
    }

    /// Remembers the memory of arguments that a launch is about to use for the first time in this run, or gives it back what it held.
    pub(super) fn arguments(&mut self, launch: usize, calls: &mut [RankCall<'_>]) {
        for (at, call) in calls.iter_mut().enumerate() {
            for (param, arg) in call.args.iter_mut().enumerate() {
                let ArgValue::Out(bytes) = arg else { continue };
                if !self.used.insert(bytes.as_ptr().addr()) {
                    continue;
                }
                match self.arguments.get(&(launch, at, param)) {
                    Some(saved) if saved.len() == bytes.len() => bytes.copy_from_slice(saved),
                    _ => drop(self.arguments.insert((launch, at, param), bytes.to_vec())),
                }
            }
        }
    }
}

/// What a launch left in one memory.
#[derive(PartialEq)]
struct Piece {
    /// The memory, as the kernel of that rank names it.
    name: Name,
    rank: usize,
    owner: (Option<usize>, Option<usize>),
    shape: Box<[usize]>,
    /// Bytes of an element.
    size: usize,
    bytes: Vec<u8>,
}

/// What a launch left in memory.
pub(super) struct Left {
    pieces: Vec<Piece>,
    /// Whether the order in which ranks ran may show in it.
    depends: bool,
}

impl Left {
    /// What is in the windows and the `Out` and `InOut` arguments of a launch that has ended. Windows that it notifies do not count: which of two values
    /// stays in a cell may depend on the order, and nobody may care.
    pub(super) fn new(used: &mut Used<'_>, calls: &[RankCall<'_>], plans: &[Arc<Plan>], depends: bool) -> Left {
        let mut pieces = vec![];
        let mut names: BTreeMap<WindowId, Name> = BTreeMap::new();
        let mut signals: BTreeSet<WindowId> = BTreeSet::new();
        for (call, plan) in calls.iter().zip(plans) {
            for info in plan.memories.iter().filter(|info| info.view_of.is_none()) {
                match &call.args[info.param] {
                    ArgValue::Window(id) => {
                        names.entry(*id).or_insert_with(|| info.name.clone());
                        if plan.notifies_any(info.param) {
                            signals.insert(*id);
                        }
                    }
                    ArgValue::Out(bytes) => pieces.push(Piece {
                        name: info.name.clone(),
                        rank: call.rank,
                        owner: (None, None),
                        shape: info.shape.clone(),
                        size: info.dtype.bytes(),
                        bytes: bytes.to_vec(),
                    }),
                    ArgValue::In(_) | ArgValue::Scalar(_) => {}
                }
            }
        }
        for window in used.iter_mut().filter(|window| !signals.contains(&window.id)) {
            let name = names.get(&window.id).cloned().unwrap_or_default();
            for (at, rank) in window.domain.clone().iter().enumerate() {
                let (owner, shape) = (window.owner(at), window.shape.clone());
                let Some(bytes) = window.memory_mut(at).and_then(|m| m.bytes_mut().map(|bytes| bytes.to_vec())) else {
                    continue;
                };
                pieces.push(Piece { name: name.clone(), rank: *rank, owner, shape, size: window.dtype.bytes(), bytes });
            }
        }
        Left { pieces, depends }
    }

    /// The first element in which another run of the launch left something else, unless the order may show.
    pub(super) fn differs(&self, other: &Left) -> Option<Fault> {
        if self.depends || other.depends {
            return None;
        }
        let pair = self.pieces.iter().zip(&other.pieces).find(|(a, b)| a != b)?;
        let (a, b) = pair;
        let element = a.bytes.chunks(a.size).zip(b.bytes.chunks(a.size)).position(|(a, b)| a != b)?;
        let region = Region {
            memory: b.name.clone(),
            owner: b.owner.0,
            domain_rank: b.owner.1,
            offsets: indices(&b.shape, element),
            extents: vec![1; b.shape.len()],
        };
        Some(Fault::Differs(Differs { rank: b.rank, region }))
    }
}
