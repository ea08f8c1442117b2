//! All schedules that can differ: dynamic partial-order reduction with source sets and sleep sets (Abdulla, Aronis, Jonsson, Sagonas, "Optimal dynamic
//! partial order reduction", 2014).
//!
//! The tree of choices is walked depth first, one branch a run. When a run has ended, each pair of its events that could have come the other way round
//! (two events of different ranks that depend on one another, with nothing between that orders them) asks for a branch at the choice of the first
//! of them. What signals order needs no branch: a wait does not pass before the notifies that it learns from, and accesses to memory that nothing
//! else orders are a race, which ends the run as a failure. So a protocol that leaves nothing to timing has one schedule.
//!
//! A run that does not fail has executed every rank's code to its end, so that all events are known: a wait that was passed by for good would be a
//! deadlock.

use super::event::Event;
use super::run::Guide;
use std::collections::BTreeSet;
use std::sync::Arc;

/// One choice on the way to where the walk is.
#[derive(Debug)]
struct Node {
    /// The launch.
    launch: usize,
    /// The calls that could go on.
    ready: Vec<u32>,
    chosen: u32,
    /// What the chosen one did; `None` until it has.
    event: Option<Arc<Event>>,
    /// When that was; `None` until the run has ended. Runs that have the choices up to here in common have that in common, too.
    moment: Option<Moment>,
    /// What was tried here, or need not be since it was tried before: it would only reorder what is independent.
    asleep: Vec<Arc<Event>>,
    /// The calls to try here.
    wanted: BTreeSet<u32>,
}

/// What happens before an event of a launch.
#[derive(Debug)]
struct Moment {
    /// Its number among the events of its call, from 1.
    number: u32,
    /// Per call: how many events of that call happen before it, itself included.
    before: Box<[u32]>,
}

/// The walk.
#[derive(Debug, Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// How many choices of this run are made.
    depth: usize,
    launch: usize,
    /// From some choice on all that could be tried was tried: the rest of the run is any.
    redundant: bool,
    /// The run has more choices than can be kept.
    pub(super) too_long: bool,
    /// The run went another way than the one before, whose choices it followed.
    pub(super) strayed: bool,
}

impl Guide for Tree {
    fn choose(&mut self, ready: &[u32], last: Option<u32>) -> u32 {
        let any = || last.filter(|last| ready.contains(last)).unwrap_or(ready[0]);
        if self.is_over() {
            return any();
        }
        if let Some(node) = self.nodes.get(self.depth) {
            if node.launch != self.launch || node.ready != ready {
                self.strayed = true;
                return any();
            }
            return node.chosen;
        }
        if self.nodes.len() >= Tree::MOST {
            self.too_long = true;
            return any();
        }
        let asleep = self.asleep_next();
        let awake = |call: &u32| asleep.iter().all(|event| event.call != *call);
        let Some(chosen) = last.into_iter().chain(ready.iter().copied()).find(|c| ready.contains(c) && awake(c)) else {
            self.redundant = true;
            return any();
        };
        let (launch, ready) = (self.launch, ready.to_vec());
        let node = Node { launch, ready, chosen, event: None, moment: None, asleep, wanted: BTreeSet::new() };
        self.nodes.push(node);
        chosen
    }

    fn wants_event(&self) -> bool {
        !self.is_over() && self.nodes.get(self.depth).is_some_and(|node| node.event.is_none())
    }

    fn executed(&mut self, event: Option<Event>) {
        if self.is_over() {
            return;
        }
        if let (Some(node), Some(event)) = (self.nodes.get_mut(self.depth), event) {
            node.event = Some(Arc::new(event));
        }
        self.depth += 1;
    }
}

impl Tree {
    /// The most choices of a run: to compare each with each takes time.
    pub(super) const MOST: usize = 20_000;

    /// Begins a run.
    pub(super) fn begin(&mut self) {
        (self.depth, self.launch, self.redundant) = (0, 0, false);
    }

    /// Begins a launch of the run.
    pub(super) fn start(&mut self, launch: usize) {
        self.launch = launch;
    }

    /// Whether the rest of the run is not looked at.
    fn is_over(&self) -> bool {
        self.redundant || self.strayed || self.too_long
    }

    /// Whether the run that has ended only reordered what is independent in another.
    pub(super) fn is_redundant(&self) -> bool {
        self.redundant
    }

    /// What sleeps after the last choice: what slept before it, and does not depend on it.
    fn asleep_next(&self) -> Vec<Arc<Event>> {
        let Some(parent) = self.nodes.last().filter(|node| node.launch == self.launch) else { return vec![] };
        let Some(done) = &parent.event else { return vec![] };
        parent.asleep.iter().filter(|e| e.call != done.call && !e.depends(done)).cloned().collect()
    }

    /// Learns from the run that has ended, and goes to the next; false when there is none.
    pub(super) fn advance(&mut self) -> bool {
        // The choices of a run that strayed are not those that it made.
        self.nodes.truncate(self.depth);
        let mut start = 0;
        while start < self.nodes.len() {
            let launch = self.nodes[start].launch;
            let end = start + self.nodes[start..].iter().take_while(|node| node.launch == launch).count();
            self.want_reversals(start, end);
            start = end;
        }
        while let Some(node) = self.nodes.last_mut() {
            node.asleep.extend(node.event.take());
            node.moment = None;
            let asleep = &node.asleep;
            let next = node.wanted.iter().copied().find(|call| asleep.iter().all(|event| event.call != *call));
            if let Some(next) = next {
                node.chosen = next;
                return true;
            }
            self.nodes.pop();
        }
        false
    }

    /// Asks for branches where events of one launch could have come the other way round. What is common with the run before has asked already.
    fn want_reversals(&mut self, start: usize, end: usize) {
        let nodes = &mut self.nodes[start..end];
        let calls = nodes.iter().map(|node| node.chosen as usize + 1).max().unwrap_or(0);
        // Per call, its events.
        let mut of_call: Vec<Vec<usize>> = vec![vec![]; calls];
        for at in 0..nodes.len() {
            let call = nodes[at].chosen as usize;
            if nodes[at].moment.is_none() {
                let (moment, races) = moment(nodes, at, &of_call);
                nodes[at].moment = Some(moment);
                for first in races {
                    let initials = initials(nodes, first, at, calls);
                    nodes[first].want(&initials);
                }
            }
            of_call[call].push(at);
        }
    }
}

impl Node {
    /// Asks for a branch that begins with one of these calls.
    fn want(&mut self, initials: &[u32]) {
        // What sleeps was tried before.
        let known = |call: &u32| {
            *call == self.chosen || self.wanted.contains(call) || self.asleep.iter().any(|event| event.call == *call)
        };
        if !initials.iter().any(known)
            && let Some(call) = initials.iter().find(|call| self.ready.contains(call))
        {
            self.wanted.insert(*call);
        }
    }

    /// Its number among the events of its call.
    fn number(&self) -> u32 {
        self.moment.as_ref().map_or(0, |moment| moment.number)
    }

    /// How many events of a call happen before its event, itself included.
    fn before(&self, call: usize) -> u32 {
        self.moment.as_ref().and_then(|moment| moment.before.get(call)).copied().unwrap_or(0)
    }
}

/// What happens before the event of a node, and the earlier ones with which it could change places; the moments of these are known, and `of_call` has
/// them by their calls.
fn moment(nodes: &[Node], at: usize, of_call: &[Vec<usize>]) -> (Moment, Vec<usize>) {
    let mut races = vec![];
    let call = nodes[at].chosen as usize;
    let number = of_call[call].len() as u32 + 1;
    let mut before = vec![0; of_call.len()];
    let join = |before: &mut [u32], earlier: usize| {
        if let Some(moment) = &nodes[earlier].moment {
            join(before, &moment.before);
        }
    };
    if let Some(last) = of_call[call].last() {
        join(&mut before, *last);
    }
    let Some(event) = nodes[at].event.as_deref() else { return (Moment { number, before: before.into() }, races) };
    // The notifies from which it learnt: what the rank knew before is in what happened before its last event, or is known through these.
    let known = event.known.iter().enumerate().filter(|(other, epoch)| *other != call && **epoch > 0);
    for (other, &epoch) in known {
        let epochs = |at: &usize| nodes[*at].event.as_ref().map_or((0, 0), |event| event.epochs);
        let of_other = of_call.get(other).map_or(&[][..], |of| of);
        let notify = of_other.partition_point(|at| epochs(at).1 <= epoch);
        if let Some(notify) = of_other.get(notify).filter(|at| epochs(at).0 <= epoch) {
            join(&mut before, *notify);
        }
    }
    // A wait may have been blocked and let go again by others: it could have passed before all of these, not only before the last.
    let due = event.waits().then(|| before.clone());
    for earlier in (0..at).rev().filter(|earlier| nodes[*earlier].chosen as usize != call) {
        let Some(first) = &nodes[earlier].event else { continue };
        let in_order = |before: &[u32]| before[first.call as usize] >= nodes[earlier].number();
        let known = in_order(&before);
        if known && due.as_ref().is_none_or(|due| in_order(due)) || !first.depends(event) {
            continue;
        }
        races.push(earlier);
        if !known {
            join(&mut before, earlier);
        }
    }
    before[call] = number;
    (Moment { number, before: before.into() }, races)
}

/// Who may come first in the place of `first`, so that `second` comes before it: the calls of events that nothing precedes among those after `first`
/// that are independent of it, and `second`.
fn initials(nodes: &[Node], first: usize, second: usize, calls: usize) -> Vec<u32> {
    let mut initials: Vec<u32> = vec![];
    // Per call, the number of the first event that moves.
    let mut moved = vec![u32::MAX; calls];
    for (at, node) in nodes.iter().enumerate().take(second + 1).skip(first + 1) {
        if at < second && node.before(nodes[first].chosen as usize) >= nodes[first].number() {
            continue;
        }
        if (0..calls).all(|call| node.before(call) < moved[call]) {
            initials.push(node.chosen);
        }
        let first_of_call = &mut moved[node.chosen as usize];
        *first_of_call = node.number().min(*first_of_call);
    }
    // The rank of the second event itself, where it is one of them: that is the shortest way.
    if let Some(own) = initials.iter().position(|call| *call == nodes[second].chosen) {
        initials.swap(0, own);
    }
    initials
}

fn join(into: &mut [u32], other: &[u32]) {
    for (mine, theirs) in into.iter_mut().zip(other) {
        *mine = (*mine).max(*theirs);
    }
}
