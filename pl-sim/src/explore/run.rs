//! A scheduler that is told who runs next. It gives control back before each op that others can see, when it is known which ranks can go on.

use super::event::Event;
use crate::exec::{Exec, Test};
use crate::machine::{Machine, Turn};
use crate::sched::{Ended, Ranks, Schedule, Standing, Stop, Woken};
use crate::shared::Locked;
use pl_core::op::OpCode;
use pl_core::runtime::WindowId;
use std::cell::RefCell;
use std::collections::VecDeque;

/// Decides who runs next.
pub(super) trait Guide {
    /// One of the calls that can go on, which stand in rising order. `last` ran before, and may be among them.
    fn choose(&mut self, ready: &[u32], last: Option<u32>) -> u32;

    /// Whether it wants to know what the rank does that it chose last.
    fn wants_event(&self) -> bool {
        false
    }

    /// That rank has executed its op: which, where that was asked for.
    fn executed(&mut self, _event: Option<Event>) {}
}

/// The scheduler.
pub(super) struct Guided<'g>(pub(super) RefCell<&'g mut dyn Guide>);

impl Schedule for Guided<'_> {
    fn run(&self, ranks: &Ranks<'_, '_>) -> (Ended, usize) {
        let count = ranks.machines.len();
        let mut running = Running {
            ranks,
            machines: (0..count).map(|call| ranks.machine(call)).collect(),
            woken: Woken::default(),
            standing: ranks.groups.start(),
            ready: (0..count as u32).collect(),
            testing: vec![],
            aside: vec![],
            delayed: VecDeque::new(),
            calls: (0..count).map(|_| OfCall::default()).collect(),
        };
        (running.run(&mut **self.0.borrow_mut()), 1)
    }
}

struct Running<'r, 'l, 'a> {
    ranks: &'r Ranks<'l, 'a>,
    /// Nobody else runs them meanwhile.
    machines: Vec<Locked<'l, Machine<'a>>>,
    woken: Woken,
    standing: Standing,
    /// The calls that stand before an op that others can see, and are not parked, in rising order.
    ready: Vec<u32>,
    /// Those of them that stand before a wait, in rising order.
    testing: Vec<u32>,
    /// The calls that were put aside because they poll, in rising order.
    aside: Vec<u32>,
    /// The calls that an injected fault put aside.
    delayed: VecDeque<usize>,
    calls: Vec<OfCall<'a>>,
}

/// What is known of a call.
#[derive(Default)]
struct OfCall<'a> {
    before: Before<'a>,
    polls: Polls,
}

/// The op that a rank stands before.
#[derive(Clone, Copy, Default)]
enum Before<'a> {
    /// One that does not depend on what a cell holds.
    #[default]
    Any,
    /// A wait.
    Test(Test<'a>),
    /// A `pl::read`: the instruction and the cell.
    Look(Cell),
}

type Cell = (usize, WindowId, usize);

/// The cells that a rank has looked at since its memory changed or it did anything else. One that looks at a cell again learns nothing new: it is put aside
/// until its memory changes, or no other can go on. So a schedule is not made of a rank that polls, and those that differ in how often it does are one.
#[derive(Default)]
struct Polls {
    /// How often its memory had changed.
    changes: u64,
    seen: Vec<Cell>,
}

/// Puts a call into a list in rising order.
fn insert(list: &mut Vec<u32>, call: usize) {
    let call = call as u32;
    if let Err(at) = list.binary_search(&call) {
        list.insert(at, call);
    }
}

/// Takes a call out of a list in rising order.
fn remove(list: &mut Vec<u32>, call: usize) {
    if let Ok(at) = list.binary_search(&(call as u32)) {
        list.remove(at);
    }
}

impl<'a> Running<'_, '_, 'a> {
    fn run(&mut self, guide: &mut dyn Guide) -> Ended {
        match self.run_on(guide) {
            Ok(()) => Ended::Done,
            Err(ended) => ended,
        }
    }

    fn run_on(&mut self, guide: &mut dyn Guide) -> Result<(), Ended> {
        let mut last = None;
        (0..self.machines.len()).try_for_each(|call| self.settle(call))?;
        loop {
            self.wake()?;
            if !self.ready.is_empty() {
                let call = guide.choose(&self.ready, last);
                last = Some(call);
                self.step(call as usize, guide)?;
            } else if let Some(call) = self.delayed.pop_front() {
                self.make_ready(call);
                self.settle(call)?;
            } else if !self.poll_again() {
                return Ok(());
            }
        }
    }

    fn make_ready(&mut self, call: usize) {
        insert(&mut self.ready, call);
        if matches!(self.calls[call].before, Before::Test(_)) {
            insert(&mut self.testing, call);
        }
    }

    fn make_unready(&mut self, call: usize) {
        remove(&mut self.ready, call);
        remove(&mut self.testing, call);
    }

    /// Executes the op that a rank stands before, and what follows up to the next one.
    fn step(&mut self, call: usize, guide: &mut dyn Guide) -> Result<(), Ended> {
        self.note_poll(call);
        let mut event = None;
        let stop = if guide.wants_event() { self.observed(call, &mut event)? } else { self.turn(call, 1)? };
        guide.executed(event);
        match stop {
            Stop::Yield => self.settle(call).map(|()| self.stop_polling(call)),
            Stop::Before => self.arrive(call),
            Stop::Delayed => self.put_aside(call),
            Stop::Parked | Stop::Stopped | Stop::Done => self.stopped(call, stop),
        }
    }

    /// Executes an op, and notes what it was.
    fn observed(&mut self, call: usize, noted: &mut Option<Event>) -> Result<Stop, Ended> {
        let mut event = self.with_exec(call, Event::next);
        // Only waits learn.
        let before = event.waits().then(|| self.machines[call].clock.all_known().to_vec());
        let stop = self.turn(call, 1)?;
        let clock = &mut self.machines[call].clock;
        event.epochs.1 = clock.epoch();
        if let Some(before) = before
            && before != clock.all_known()
        {
            event.known = clock.all_known().into();
        }
        event.parked = stop == Stop::Parked;
        *noted = Some(event);
        Ok(stop)
    }

    /// Notes what the op looks at that a rank stands before.
    fn note_poll(&mut self, call: usize) {
        let OfCall { before, polls } = &mut self.calls[call];
        match *before {
            Before::Look(cell) => {
                let changes = self.ranks.env.mail[call].changes();
                if polls.changes != changes {
                    polls.seen.clear();
                }
                polls.changes = changes;
                polls.seen.push(cell);
            }
            Before::Any | Before::Test(_) => polls.seen.clear(),
        }
    }

    /// Puts a rank aside that stands before a cell which it has looked at already.
    fn stop_polling(&mut self, call: usize) {
        let OfCall { before: Before::Look(cell), polls } = &self.calls[call] else { return };
        if polls.seen.contains(cell)
            && polls.changes == self.ranks.env.mail[call].changes()
            && self.ready.binary_search(&(call as u32)).is_ok()
        {
            self.make_unready(call);
            insert(&mut self.aside, call);
        }
    }

    /// Lets ranks look once more that were put aside; whether there are any.
    fn poll_again(&mut self) -> bool {
        let again = std::mem::take(&mut self.aside);
        for &call in &again {
            self.calls[call as usize].polls.seen.clear();
            self.make_ready(call as usize);
        }
        !again.is_empty()
    }

    fn put_aside(&mut self, call: usize) -> Result<(), Ended> {
        self.make_unready(call);
        self.delayed.push_back(call);
        Ok(())
    }

    /// Runs a rank up to the next op that others can see.
    fn settle(&mut self, call: usize) -> Result<(), Ended> {
        loop {
            match self.turn(call, 0)? {
                Stop::Yield => {}
                Stop::Before => return self.arrive(call),
                Stop::Delayed => return self.put_aside(call),
                stop @ (Stop::Parked | Stop::Stopped | Stop::Done) => return self.stopped(call, stop),
            }
        }
    }

    /// A rank stands before an op that others can see.
    fn arrive(&mut self, call: usize) -> Result<(), Ended> {
        remove(&mut self.testing, call);
        let before = self.with_exec(call, |exec| {
            let machine = &*exec.machine;
            match machine.plan.op_at(machine.pc).map(|op| op.code) {
                Some(OpCode::Wait) => exec.test().map(Before::Test),
                Some(OpCode::Read) => {
                    Event::next(exec).looks_at().map(|(window, element)| Before::Look((machine.pc, window, element)))
                }
                _ => None,
            }
        });
        self.calls[call].before = before.unwrap_or_default();
        if matches!(before, Some(Before::Test(_))) {
            insert(&mut self.testing, call);
        }
        self.park(call)
    }

    /// Lets a rank park that stands before a wait which does not hold.
    fn park(&mut self, call: usize) -> Result<(), Ended> {
        if let Before::Test(test) = self.calls[call].before
            && !test.holds()
            && let stop @ (Stop::Parked | Stop::Done) = self.turn(call, 1)?
        {
            return self.stopped(call, stop);
        }
        Ok(())
    }

    /// Ranks that were woken can go on, unless what they wait for has passed already.
    fn wake(&mut self) -> Result<(), Ended> {
        self.take_woken();
        let mut at = 0;
        while let Some(&call) = self.aside.get(at) {
            let call = call as usize;
            if self.calls[call].polls.changes == self.ranks.env.mail[call].changes() {
                at += 1;
            } else {
                self.aside.remove(at);
                self.make_ready(call);
            }
        }
        at = 0;
        while let Some(&call) = self.testing.get(at) {
            self.park(call as usize)?;
            at += usize::from(self.testing.get(at) == Some(&call));
        }
        Ok(())
    }

    fn take_woken(&mut self) {
        while let Some(call) = self.woken.next() {
            self.standing.woken(call);
            self.make_ready(call);
        }
    }

    fn stopped(&mut self, call: usize, stop: Stop) -> Result<(), Ended> {
        self.make_unready(call);
        // Whom the rank woke counts as running before it counts as stopped.
        self.take_woken();
        self.standing.stopped(call, stop == Stop::Done).map_or(Ok(()), |group| Err(Ended::Stuck(group)))
    }

    fn turn(&mut self, call: usize, visible: u32) -> Result<Stop, Ended> {
        if self.ranks.interrupted() {
            return Err(Ended::Interrupted);
        }
        let turn = Turn { fuel: 1 << 16, visible, enters: true };
        self.machines[call].run(self.ranks.env, &self.woken, turn).map_err(Ended::Failed)
    }

    fn with_exec<R>(&mut self, call: usize, f: impl FnOnce(&Exec<'_, 'a, '_>) -> R) -> R {
        f(&Exec { machine: &mut self.machines[call], env: self.ranks.env, wake: &self.woken })
    }
}
