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

/// One choice on the way to where the walk is.
#[derive(Debug)]
struct Node {
    /// The launch.
    launch: usize,
    /// The calls that could go on.
    ready: Vec<u32>,
    /// What the chosen one did; `None` until it has.
    event: Option<Event>,
    chosen: u32,
    /// What was tried here, or need not be since it was tried before: it would only reorder what is independent.
    asleep: Vec<Event>,
    /// The calls to try here.
    wanted: BTreeSet<u32>,
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
        if self.redundant || self.strayed || self.too_long {
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
        self.nodes.push(Node { launch, ready, event: None, chosen, asleep, wanted: BTreeSet::new() });
        chosen
    }

    fn wants_events(&self) -> bool {
        true
    }

    fn executed(&mut self, event: Event) {
        if self.redundant || self.strayed || self.too_long {
            return;
        }
        if let Some(node) = self.nodes.get_mut(self.depth) {
            node.event = Some(event);
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

    /// Whether the run that has ended only reordered what is independent in another.
    pub(super) fn is_redundant(&self) -> bool {
        self.redundant
    }

    /// What sleeps after the last choice: what slept before it, and does not depend on it.
    fn asleep_next(&self) -> Vec<Event> {
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

    /// Asks for branches where events of one launch could have come the other way round.
    fn want_reversals(&mut self, start: usize, end: usize) {
        let mut wanted = vec![];
        {
            let events: Vec<&Event> = self.nodes[start..end].iter().filter_map(|node| node.event.as_ref()).collect();
            let order = Order::new(&events);
            for (second, races) in order.races.iter().enumerate() {
                for &first in races {
                    wanted.push((start + first, order.initials(&events, first, second)));
                }
            }
        }
        for (node, initials) in wanted {
            let node = &mut self.nodes[node];
            // What sleeps was tried before.
            let known = |call: &u32| {
                *call == node.chosen
                    || node.wanted.contains(call)
                    || node.asleep.iter().any(|event| event.call == *call)
            };
            if !initials.iter().any(known)
                && let Some(call) = initials.into_iter().find(|call| node.ready.contains(call))
            {
                node.wanted.insert(call);
            }
        }
    }
}

/// What happens before what in the events of a launch.
struct Order {
    /// Per event, per call: how many events of that call happen before it, itself included.
    before: Vec<Vec<u32>>,
    /// Per event: its number among the events of its call, from 1.
    number: Vec<u32>,
    /// Per event: the earlier ones with which it could change places.
    races: Vec<Vec<usize>>,
}

impl Order {
    fn new(events: &[&Event]) -> Order {
        let calls = events.iter().map(|event| event.call as usize + 1).max().unwrap_or(0);
        let mut order = Order { before: vec![], number: vec![], races: vec![] };
        let mut of_call: Vec<Vec<usize>> = vec![vec![]; calls];
        for (at, event) in events.iter().enumerate() {
            let call = event.call as usize;
            let mut before = of_call[call].last().map_or_else(|| vec![0; calls], |last| order.before[*last].clone());
            // The notifies from which it learnt: what the rank knew before is in what happened before its last event, or is known through these.
            for (other, &epoch) in event.known.iter().enumerate().filter(|(other, epoch)| *other != call && **epoch > 0)
            {
                let of_other = of_call.get(other).map_or(&[][..], |of| of);
                let notify = of_other.partition_point(|at| events[*at].epochs.1 <= epoch);
                if let Some(notify) = of_other.get(notify).filter(|at| events[**at].epochs.0 <= epoch) {
                    join(&mut before, &order.before[*notify]);
                }
            }
            // A wait may have been blocked and let go again by others: it could have passed before all of these, not only before the last.
            let due = event.waits().then(|| before.clone());
            let mut races = vec![];
            for earlier in (0..at).rev().filter(|earlier| events[*earlier].call != event.call) {
                let in_order = |before: &[u32]| before[events[earlier].call as usize] >= order.number[earlier];
                let known = in_order(&before);
                if known && due.as_ref().is_none_or(|due| in_order(due)) || !events[earlier].depends(event) {
                    continue;
                }
                races.push(earlier);
                if !known {
                    join(&mut before, &order.before[earlier]);
                }
            }
            of_call[call].push(at);
            let number = of_call[call].len() as u32;
            before[call] = number;
            order.before.push(before);
            order.number.push(number);
            order.races.push(races);
        }
        order
    }

    fn happens_before(&self, events: &[&Event], first: usize, second: usize) -> bool {
        self.before[second][events[first].call as usize] >= self.number[first]
    }

    /// Who may come first in the place of `first`, so that `second` comes before it: the calls of events that nothing precedes among those after `first`
    /// that are independent of it, and `second`.
    fn initials(&self, events: &[&Event], first: usize, second: usize) -> Vec<u32> {
        let between = (first + 1..second).filter(|at| !self.happens_before(events, first, *at)).chain([second]);
        let moved: Vec<usize> = between.collect();
        let mut initials: Vec<u32> = vec![];
        for (index, at) in moved.iter().enumerate() {
            if !moved[..index].iter().any(|earlier| self.happens_before(events, *earlier, *at)) {
                initials.push(events[*at].call);
            }
        }
        // The rank of the second event itself, where it is one of them: that is the shortest way.
        if let Some(own) = initials.iter().position(|call| *call == events[second].call) {
            initials.swap(0, own);
        }
        initials
    }
}

fn join(into: &mut [u32], other: &[u32]) {
    for (mine, theirs) in into.iter_mut().zip(other) {
        *mine = (*mine).max(*theirs);
    }
}
