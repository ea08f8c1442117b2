//! What the ranks of a launch share.

use crate::check::clock::Stamp;
use crate::exec::Entered;
use crate::lineup::Lineup;
use crate::machine::Wake;
use crate::plan::{Inst, Plan};
use crate::sched::Bell;
use crate::stuck::cell_of;
use crate::window::Window;
use pl_core::bind::Platform;
use pl_core::fault::{CellOverflow, Fault, LintData, LintKind, Site, StaleWait};
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Something of each call of a launch: of a launch of few ranks it takes no memory from the heap.
pub(crate) type PerCall<T> = SmallVec<[T; 8]>;

/// What the ranks of one launch share. Inside of a launch a rank is known by the number of its call; reports and domains name ranks of the world.
pub(crate) struct Env<'a> {
    /// The plan of each call.
    pub(crate) plans: &'a [Arc<Plan>],
    /// Whether any of them reads elements of windows over and over.
    pub(crate) polls: bool,
    /// The rank of each call.
    pub(crate) ranks: &'a [usize],
    /// The call of each rank of the world; `None` for those that take no part.
    pub(crate) calls: &'a [Option<u32>],
    /// All that is known of the calls.
    pub(crate) lineup: &'a Lineup,
    /// The platform.
    pub(crate) platform: &'a Platform,
    /// What concerns the rank of each call and others change.
    pub(crate) mail: &'a [Mail],
    /// What was odd: by call, instruction and kind.
    pub(crate) lints: Mutex<BTreeMap<(usize, usize, LintKind), LintData>>,
    /// The collectives that the ranks enter, by domain.
    pub(crate) entered: SmallVec<[Mutex<Entered>; 1]>,
}

/// What concerns one rank and others change. That of another does not stand in its cache lines.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(crate) struct Mail {
    /// Bytes that peers loaded from the rank's windows.
    pub(crate) served: AtomicU64,
    /// Bytes that peers stored into the rank's windows.
    pub(crate) pushed: AtomicU64,
    /// Rings when others changed the rank's window memory, if it may re-read that until they do.
    pub(crate) bell: Bell,
    /// A wait of the rank that passed without a notify of this launch: the first.
    pub(crate) stale: OnceLock<StaleWait>,
}

/// What a rank moved from and to the memory of others, and has not told them yet: so it need not take the cache line of their mail each time.
#[derive(Debug, Default)]
pub(crate) struct Moved {
    /// How much was loaded and stored, for each call of a launch of few.
    few: Vec<(u64, u64)>,
    /// Otherwise of this call alone.
    call: usize,
    one: (u64, u64),
}

impl Moved {
    /// A launch of more calls has no list.
    const FEW: usize = 16;

    /// A launch of so many calls begins.
    pub(crate) fn start(&mut self, calls: usize) {
        self.few.clear();
        self.few.resize(if calls <= Self::FEW { calls } else { 0 }, (0, 0));
        (self.call, self.one) = (0, (0, 0));
    }

    /// Adds what was loaded from, and stored into, the memory of the rank of a call.
    #[inline]
    pub(crate) fn add(&mut self, mail: &[Mail], call: usize, loaded: u64, stored: u64) {
        let sum = match self.few.get_mut(call) {
            Some(sum) => sum,
            None => {
                if self.call != call {
                    mail[self.call].moved(std::mem::take(&mut self.one));
                    self.call = call;
                }
                &mut self.one
            }
        };
        sum.0 += loaded;
        sum.1 += stored;
    }

    /// Tells all.
    pub(crate) fn tell(&mut self, mail: &[Mail]) {
        mail[self.call].moved(std::mem::take(&mut self.one));
        self.few.iter_mut().zip(mail).for_each(|(sum, mail)| mail.moved(std::mem::take(sum)));
    }

    /// Bytes that it holds.
    pub(crate) fn held(&self) -> usize {
        self.few.capacity() * size_of::<(u64, u64)>()
    }
}

impl Mail {
    /// A peer loaded and stored so much.
    fn moved(&self, (loaded, stored): (u64, u64)) {
        for (told, moved) in [(&self.served, loaded), (&self.pushed, stored)] {
            if moved > 0 {
                told.fetch_add(moved, Relaxed);
            }
        }
    }

    /// How often others changed the rank's memory, if it polls.
    pub(crate) fn changes(&self) -> u64 {
        self.bell.rung()
    }
}

impl Env<'_> {
    /// The call of a rank of a window's domain, when it takes part.
    #[inline]
    pub(crate) fn call_of(&self, window: &Window, rank: usize) -> Option<usize> {
        self.calls.get(window.domain[rank]).copied().flatten().map(|call| call as usize)
    }

    /// Tells that another rank changed the memory of the rank of a call.
    #[inline]
    pub(crate) fn changed(&self, call: usize, wake: &dyn Wake) {
        // Whether it polls stands in the plan, which nobody changes.
        if self.polls && self.plans[call].polls && self.mail[call].bell.ring() {
            wake.wake(call);
        }
    }

    /// Whether a notify of the rank of a call may leave a note, which changes the rank's memory only later.
    #[inline]
    pub(crate) fn leaves_notes(&self, call: usize, wake: &dyn Wake) -> bool {
        !self.plans[call].polls && wake.finds_notes(call)
    }

    /// Remembers something odd about an instruction of a rank, the first of its kind there.
    #[cold]
    pub(crate) fn lint(&self, kind: LintKind, at: Stamp, data: impl FnOnce() -> LintData) {
        let mut lints = self.lints.lock().unwrap_or_else(PoisonError::into_inner);
        lints.entry((at.rank as usize, at.pc as usize, kind)).or_insert_with(data);
    }

    /// Remembers a wait, an instruction of its rank, that passed by what an earlier launch had left in a cell, which a notify of this launch is for.
    #[cold]
    pub(crate) fn stale_wait(&self, window: &Window, (owner, index): (usize, usize), (pc, notify): (u32, Stamp)) {
        let memory = window.memory(owner);
        let Some(call) = memory.call() else { return };
        let plan = &*self.plans[call];
        let Some(Inst::Wait { signal }) = plan.code.get(pc as usize) else { return };
        self.lint(LintKind::StaleWait, Stamp { rank: call as u32, epoch: 0, pc }, || LintData::StaleWait {
            cell: cell_of(plan, plan.signals[*signal as usize].memory, window, owner, index),
            initial: memory.cell_history(index).initial,
            notify: self.site(notify.rank as usize, notify.pc as usize),
        });
    }

    /// The fault of a notify for which a cell that holds the first value has no room.
    #[cold]
    pub(crate) fn overflow(
        &self,
        window: &Window,
        (owner, index): (usize, usize),
        by: Stamp,
        (value, add): (i32, i32),
    ) -> Option<Fault> {
        let plan = &*self.plans[by.rank as usize];
        let memory = plan.signals[plan.op_at(by.pc as usize)?.signal? as usize].memory;
        let (site, cell) = (self.site(by.rank as usize, by.pc as usize), cell_of(plan, memory, window, owner, index));
        Some(Fault::CellOverflow(CellOverflow { site, cell, value, add }))
    }

    /// The site of an instruction of a call.
    pub(crate) fn site(&self, call: usize, pc: usize) -> Site {
        self.plans[call].site(self.ranks[call], pc)
    }
}
