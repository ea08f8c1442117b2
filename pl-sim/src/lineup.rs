//! Who takes part in a launch, and with what: the calls, checked against their plans and the windows that there are, and what follows from them whatever their data is. It is
//! found once: a launch like one before has it from there.

use crate::calls::{check_call, place_of, takes};
use crate::credits;
use crate::env::PerCall;
use crate::machine::Place;
use crate::plan::{Plan, is_plan_of, plan_of};
use crate::sched::{Groups, Together};
use crate::windows::{Table, usage};
use pl_core::bind::Program;
use pl_core::runtime::{EngineError, RankCall, WindowId};
use smallvec::SmallVec;
use std::ptr;
use std::sync::Arc;

/// The most that are kept.
const KEPT: usize = 8;

/// What is known of the calls of a launch but for their data.
pub(crate) struct Lineup {
    /// The rank of each call.
    pub(crate) ranks: PerCall<usize>,
    /// The call of each rank of the world; `None` for those that take no part.
    pub(crate) call_of: PerCall<Option<u32>>,
    /// The plan of each call.
    pub(crate) plans: PerCall<Arc<Plan>>,
    /// Whether any of them reads elements of windows over and over.
    pub(crate) polls: bool,
    /// The windows, in rising order of their ids.
    pub(crate) windows: SmallVec<[InUse; 4]>,
    /// The domains of the windows.
    pub(crate) domains: SmallVec<[Arc<[usize]>; 1]>,
    /// Which calls have a window in common.
    pub(crate) groups: Groups,
    /// About how many bytes the calls touch.
    pub(crate) bytes: usize,
    /// By the kernels' parameters: which of the windows is passed. Those of all calls, one after the other; calls that pass the same ones have one list.
    passed: Vec<Option<u32>>,
    /// Each rank's places in the domains of its memories.
    places: Vec<Place>,
    /// Where both start for each call.
    starts: PerCall<Starts>,
}

/// A window that a launch uses.
pub(crate) struct InUse {
    pub(crate) id: WindowId,
    /// The first kernel that uses it, and which of its memories it is.
    pub(crate) plan: Arc<Plan>,
    pub(crate) memory: u32,
    /// Whether a collective has it as its signal.
    pub(crate) is_signal: bool,
    /// Its domain.
    domain: usize,
    /// The first call that has it.
    pub(crate) first: usize,
}

/// Where what is of one call starts.
#[derive(Clone, Copy)]
struct Starts {
    passed: usize,
    places: usize,
}

impl Lineup {
    /// That of calls on a world of so many ranks, with these windows.
    fn new(world: usize, table: &Table, calls: &[RankCall<'_>]) -> Result<Lineup, EngineError> {
        let ranks: PerCall<usize> = calls.iter().map(|call| call.rank).collect();
        let call_of = calls_of("a launch", world, &ranks)?;
        let plans = plans_of(calls)?;
        let mut lineup = Lineup {
            polls: plans.iter().any(|plan| plan.polls),
            ranks,
            call_of,
            plans,
            windows: SmallVec::new(),
            domains: SmallVec::new(),
            groups: Groups::default(),
            bytes: 0,
            passed: vec![],
            places: vec![],
            starts: PerCall::with_capacity(calls.len()),
        };
        let mut together = Together::new(calls.len());
        // Per parameter of each call, its window: numbered when all are known.
        let mut passed: Vec<Option<WindowId>> = vec![];
        for (at, call) in calls.iter().enumerate() {
            let start = passed.len();
            lineup.starts.push(Starts { passed: start, places: lineup.places.len() });
            lineup.add(at, call, table, &mut together, &mut passed)?;
            // Most launches have the same windows on every rank.
            if let Some(before) = at.checked_sub(1).map(|before| lineup.starts[before].passed)
                && passed[before..start] == passed[start..]
            {
                passed.truncate(start);
                lineup.starts[at].passed = before;
            }
        }
        let number =
            |id: Option<WindowId>| Some(lineup.windows.binary_search_by_key(&id?, |used| used.id).ok()? as u32);
        lineup.passed = passed.into_iter().map(number).collect();
        lineup.groups = together.groups();
        Ok(lineup)
    }

    /// Adds a call, whose windows are appended.
    fn add(
        &mut self,
        at: usize,
        call: &RankCall<'_>,
        table: &Table,
        together: &mut Together,
        passed: &mut Vec<Option<WindowId>>,
    ) -> Result<(), EngineError> {
        let plan = &self.plans[at];
        let windows = check_call(table, call, plan)?;
        let start = self.places.len();
        let of_call = passed.len();
        passed.resize(of_call + plan.params, None);
        for (memory, (info, window)) in plan.memories.iter().zip(windows).enumerate() {
            if let Some(base) = info.view_of {
                self.places.push(self.places[start + base as usize]);
                continue;
            }
            self.bytes = self.bytes.saturating_add(info.elements * info.dtype.bytes());
            let Some(window) = window else {
                self.places.push(Place::default());
                continue;
            };
            passed[of_call + info.param] = Some(window.id);
            let number = match self.windows.binary_search_by_key(&window.id, |used| used.id) {
                Ok(number) => number,
                Err(number) => {
                    let domain = self.domains.iter().position(|known| *known == window.domain).unwrap_or_else(|| {
                        self.domains.push(Arc::clone(&window.domain));
                        self.domains.len() - 1
                    });
                    let (id, plan, memory) = (window.id, Arc::clone(plan), memory as u32);
                    self.windows.insert(number, InUse { id, plan, memory, is_signal: false, domain, first: at });
                    number
                }
            };
            let used = &mut self.windows[number];
            used.is_signal |= credits::signals(plan).any(|signal| plan.memories[signal as usize].param == info.param);
            together.join(used.first, at);
            // It is one of the domain: that was checked.
            let rank = place_of(&window.domain, call.rank).unwrap_or_default();
            self.places.push(Place { rank, ranks: window.domain.len(), domain: used.domain });
        }
        Ok(())
    }

    /// Whether this is that of calls. Then these fit their plans and the windows that they name; whether these can be had, [`Table::take`] finds out each time.
    fn is_of(&self, calls: &[RankCall<'_>]) -> bool {
        calls.len() == self.ranks.len()
            && calls.iter().zip(&self.ranks).zip(&self.plans).enumerate().all(|(at, ((call, rank), plan))| {
                let windows = self.passed_by(at);
                let passed = |param: usize| Some(self.windows[windows[param]? as usize].id);
                call.rank == *rank && is_plan_of(plan, call.program) && takes(plan, call, passed)
            })
    }

    /// By the parameters of a call's kernel: which of the windows is passed.
    fn passed_by(&self, call: usize) -> &[Option<u32>] {
        let start = self.starts[call].passed;
        &self.passed[start..start + self.plans[call].params]
    }

    /// Whether two calls pass the same windows for the same parameters.
    pub(crate) fn pass_alike(&self, a: usize, b: usize) -> bool {
        self.starts[a].passed == self.starts[b].passed || self.passed_by(a) == self.passed_by(b)
    }

    /// Which of the windows a call passes for a parameter, if any.
    #[inline]
    pub(crate) fn number(&self, call: usize, param: usize) -> Option<usize> {
        Some((*self.passed_by(call).get(param)?)? as usize)
    }

    /// The window that a call passes for a parameter, if any.
    pub(crate) fn window(&self, call: usize, param: usize) -> Option<WindowId> {
        Some(self.windows[self.number(call, param)?].id)
    }

    /// The places of a call's rank in the domains of its memories.
    pub(crate) fn places(&self, call: usize) -> &[Place] {
        let start = self.starts[call].places;
        &self.places[start..start + self.plans[call].memories.len()]
    }
}

/// Those of the last launches. A lineup keeps the plans of its calls, also when their programs are gone, until as many others came, or one of its windows is freed.
#[derive(Default)]
pub(crate) struct Lineups(Vec<Arc<Lineup>>);

impl Lineups {
    /// A known one of calls.
    fn find(&mut self, calls: &[RankCall<'_>]) -> Option<Arc<Lineup>> {
        let at = self.0.iter().position(|lineup| lineup.is_of(calls))?;
        if at > 0 {
            self.0[..=at].rotate_right(1);
        }
        self.0.first().cloned()
    }

    fn keep(&mut self, lineup: &Arc<Lineup>) {
        self.0.truncate(KEPT - 1);
        self.0.insert(0, Arc::clone(lineup));
    }

    /// Forgets those with a window that is gone.
    pub(crate) fn forget(&mut self, window: WindowId) {
        self.0.retain(|lineup| lineup.windows.binary_search_by_key(&window, |used| used.id).is_err());
    }
}

impl Table {
    /// The lineup of calls, which are checked, on a world of so many ranks.
    pub(crate) fn lineup(&mut self, world: usize, calls: &[RankCall<'_>]) -> Result<Arc<Lineup>, EngineError> {
        if let Some(known) = self.lineups.find(calls) {
            return Ok(known);
        }
        let lineup = Arc::new(Lineup::new(world, self, calls)?);
        self.lineups.keep(&lineup);
        Ok(lineup)
    }
}

/// Which of `ranks` each rank of a world is, if any. Each of them is one of the world, and stands once.
pub(crate) fn calls_of(what: &str, world: usize, ranks: &[usize]) -> Result<PerCall<Option<u32>>, EngineError> {
    let mut call_of: PerCall<Option<u32>> = PerCall::from_elem(None, world);
    for (at, rank) in ranks.iter().enumerate() {
        match call_of.get_mut(*rank) {
            Some(call @ None) => *call = Some(at as u32),
            Some(_) => {
                return Err(usage(format!("{what} names rank {rank} more than once"), "name each rank once"));
            }
            None => {
                return Err(usage(format!("{what} names rank {rank}; the world has {world}"), "ranks count from 0"));
            }
        }
    }
    Ok(call_of)
}

/// The plan of each call.
fn plans_of(calls: &[RankCall<'_>]) -> Result<PerCall<Arc<Plan>>, EngineError> {
    let mut plans: PerCall<Arc<Plan>> = PerCall::with_capacity(calls.len());
    let mut before: Option<&Program> = None;
    for &RankCall { program, .. } in calls {
        let known = plans.last().filter(|_| before.is_some_and(|before| ptr::eq(before, program))).cloned();
        plans.push(known.map_or_else(|| plan_of(program), Ok)?);
        before = Some(program);
    }
    Ok(plans)
}
