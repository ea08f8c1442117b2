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
struct Piece {
    /// The call that has it as an argument, and which argument it is.
    argument: (usize, usize),
    /// Of a window: whose memory it is, by its number in the window's domain.
    at: Option<usize>,
    /// The memory, as the kernel of that rank names it.
    name: Name,
    rank: usize,
    shape: Box<[usize]>,
    /// Bytes of an element.
    size: usize,
    bytes: Box<[u8]>,
}

impl Piece {
    /// What is there now, and as what a report names its owner.
    fn now<'n>(&self, used: &'n mut Used<'_>, calls: &'n [RankCall<'_>]) -> Option<(&'n [u8], Owner)> {
        let (call, param) = self.argument;
        match (calls.get(call)?.args.get(param)?, self.at) {
            (ArgValue::Out(bytes), None) => Some((bytes, (None, None))),
            (ArgValue::Window(id), Some(at)) => {
                let window = used.get_mut(*id)?;
                let owner = window.owner(at);
                Some((window.memory_mut(at)?.bytes_mut()?, owner))
            }
            _ => None,
        }
    }
}

/// A rank as a report names it: in the world, and in its domain.
type Owner = (Option<usize>, Option<usize>);

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
        let mut windows: BTreeMap<WindowId, ((usize, usize), Name)> = BTreeMap::new();
        let mut signals: BTreeSet<WindowId> = BTreeSet::new();
        for (at, (call, plan)) in calls.iter().zip(plans).enumerate() {
            for info in plan.memories.iter().filter(|info| info.view_of.is_none()) {
                let argument = (at, info.param);
                match &call.args[info.param] {
                    ArgValue::Window(id) => {
                        windows.entry(*id).or_insert_with(|| (argument, info.name.clone()));
                        if plan.notifies_any(info.param) {
                            signals.insert(*id);
                        }
                    }
                    ArgValue::Out(bytes) => pieces.push(Piece {
                        argument,
                        at: None,
                        name: info.name.clone(),
                        rank: call.rank,
                        shape: info.shape.clone(),
                        size: info.dtype.bytes(),
                        bytes: (**bytes).into(),
                    }),
                    ArgValue::In(_) | ArgValue::Scalar(_) => {}
                }
            }
        }
        for (id, (argument, name)) in windows.into_iter().filter(|(id, _)| !signals.contains(id)) {
            let Some(window) = used.get_mut(id) else { continue };
            let (shape, size) = (window.shape.clone(), window.dtype.bytes());
            for (at, rank) in window.domain.clone().iter().enumerate() {
                let Some(bytes) = window.memory_mut(at).and_then(|memory| memory.bytes_mut()) else { continue };
                let (bytes, name, shape) = ((*bytes).into(), name.clone(), shape.clone());
                pieces.push(Piece { argument, at: Some(at), name, rank: *rank, shape, size, bytes });
            }
        }
        Left { pieces, depends }
    }

    /// The first element in which another run of the same launch has left something else, unless the order may show.
    pub(super) fn differs(&self, used: &mut Used<'_>, calls: &[RankCall<'_>], depends: bool) -> Option<Fault> {
        if self.depends || depends {
            return None;
        }
        self.pieces.iter().find_map(|piece| {
            let (now, (owner, domain_rank)) = piece.now(used, calls)?;
            if *now == *piece.bytes {
                return None;
            }
            let mut elements = now.chunks(piece.size).zip(piece.bytes.chunks(piece.size));
            let element = elements.position(|(a, b)| a != b)?;
            let offsets = indices(&piece.shape, element);
            let extents = vec![1; piece.shape.len()];
            let region = Region { memory: piece.name.clone(), owner, domain_rank, offsets, extents };
            Some(Fault::Differs(Differs { rank: piece.rank, region }))
        })
    }
}
