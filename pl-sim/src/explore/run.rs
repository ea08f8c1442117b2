//! A scheduler that is told who runs next. It gives control back before each op that others can see, when it is known which ranks can go on.

use super::event::Event;
use crate::exec::Exec;
use crate::machine::{Machine, Turn};
use crate::sched::{Ended, Ranks, Schedule, Standing, Stop, Woken};
use pl_core::op::OpCode;
use pl_core::runtime::WindowId;
use std::cell::RefCell;
use std::collections::VecDeque;

/// Decides who runs next.
pub(super) trait Guide {
    /// One of the calls that can go on, which stand in rising order. `last` ran before, and may be among them.
    fn choose(&mut self, ready: &[u32], last: Option<u32>) -> u32;

    /// Whether it wants to know what was executed.
    fn wants_events(&self) -> bool {
        false
    }

    /// What the rank that it chose last did.
    fn executed(&mut self, _event: Event) {}
}

/// The scheduler.
pub(super) struct Guided<'g>(pub(super) RefCell<&'g mut dyn Guide>);

impl Schedule for Guided<'_> {
    fn run(&self, ranks: &Ranks<'_, '_>) -> (Ended, usize) {
        let mut running = Running {
            ranks,
            woken: Woken::default(),
            standing: ranks.groups.start(),
            ready: vec![true; ranks.machines.len()],
            delayed: VecDeque::new(),
            polls: ranks.machines.iter().map(|_| Polls::default()).collect(),
        };
        (running.run(&mut **self.0.borrow_mut()), 1)
    }
}

struct Running<'r, 'l, 'a> {
    ranks: &'r Ranks<'l, 'a>,
    woken: Woken,
    standing: Standing,
    /// The calls that stand before an op that others can see, and are not parked.
    ready: Vec<bool>,
    /// The calls that an injected fault put aside.
    delayed: VecDeque<usize>,
    /// What each call looks at, over and over.
    polls: Vec<Polls>,
}

/// The cells that a rank has looked at since its memory changed or it did anything else. One that looks at a cell again learns nothing new: it is put aside
/// until its memory changes, or no other can go on. So a schedule is not made of a rank that polls, and those that differ in how often it does are one.
#[derive(Default)]
struct Polls {
    /// How often its memory had changed.
    changes: u64,
    seen: Vec<(usize, WindowId, usize)>,
    aside: bool,
}

impl Running<'_, '_, '_> {
    fn run(&mut self, guide: &mut dyn Guide) -> Ended {
        let count = self.ready.len();
        let mut last = None;
        let mut list = Vec::with_capacity(count);
        let settled = (0..count).try_for_each(|call| self.settle(call));
        if let Err(ended) = settled {
            return ended;
        }
        loop {
            if let Err(ended) = self.wake() {
                return ended;
            }
            list.clear();
            list.extend((0..count as u32).filter(|call| self.ready[*call as usize]));
            if list.is_empty() {
                if let Some(call) = self.delayed.pop_front() {
                    self.ready[call] = true;
                    if let Err(ended) = self.settle(call) {
                        return ended;
                    }
                } else if !self.poll_again() {
                    return Ended::Done;
                }
                continue;
            }
            let call = guide.choose(&list, last);
            last = Some(call);
            if let Err(ended) = self.step(call as usize, guide) {
                return ended;
            }
        }
    }

    /// Executes the op that a rank stands before, and what follows up to the next one.
    fn step(&mut self, call: usize, guide: &mut dyn Guide) -> Result<(), Ended> {
        self.note_poll(call);
        let mut event = guide.wants_events().then(|| self.with_exec(call, Event::next));
        let known = |machine: &Machine<'_>| machine.clock.all_known().to_vec();
        let before = event.as_ref().map(|_| known(&self.ranks.machine(call)));
        let stop = self.turn(call, 1)?;
        if let Some(mut event) = event.take() {
            let machine = self.ranks.machine(call);
            event.epochs.1 = machine.clock.epoch();
            let after = known(&machine);
            if before.is_some_and(|before| before != after) {
                event.known = after.into();
            }
            event.parked = stop == Stop::Parked;
            drop(machine);
            guide.executed(event);
        }
        match stop {
            Stop::Yield => self.settle(call).map(|()| self.stop_polling(call)),
            Stop::Before => self.park(call),
            Stop::Delayed => self.put_aside(call),
            Stop::Parked | Stop::Stopped | Stop::Done => self.stopped(call, stop),
        }
    }

    /// Notes what the op looks at that a rank stands before.
    fn note_poll(&mut self, call: usize) {
        let looks_at = self.looks_at(call);
        let changes = self.ranks.env.mail[call].changes();
        let polls = &mut self.polls[call];
        match looks_at {
            Some(cell) => {
                if polls.changes != changes {
                    polls.seen.clear();
                }
                polls.changes = changes;
                polls.seen.push(cell);
            }
            None => polls.seen.clear(),
        }
    }

    /// Puts a rank aside that stands before a cell which it has looked at already.
    fn stop_polling(&mut self, call: usize) {
        if !self.ready[call] || self.polls[call].seen.is_empty() {
            return;
        }
        let again = self.looks_at(call).is_some_and(|cell| self.polls[call].seen.contains(&cell));
        if again && self.polls[call].changes == self.ranks.env.mail[call].changes() {
            (self.ready[call], self.polls[call].aside) = (false, true);
        }
    }

    /// Lets ranks look once more that were put aside; whether there are any.
    fn poll_again(&mut self) -> bool {
        let mut any = false;
        for (polls, ready) in self.polls.iter_mut().zip(&mut self.ready).filter(|(polls, _)| polls.aside) {
            polls.seen.clear();
            (polls.aside, *ready, any) = (false, true, true);
        }
        any
    }

    /// The instruction and cell of the `pl::read` that a rank stands before.
    fn looks_at(&self, call: usize) -> Option<(usize, WindowId, usize)> {
        self.with_exec(call, |exec| {
            let machine = &*exec.machine;
            machine.plan.op_at(machine.pc).filter(|op| op.code == OpCode::Read)?;
            let (window, element) = Event::next(exec).looks_at()?;
            Some((machine.pc, window, element))
        })
    }

    fn put_aside(&mut self, call: usize) -> Result<(), Ended> {
        self.ready[call] = false;
        self.delayed.push_back(call);
        Ok(())
    }

    /// Runs a rank up to the next op that others can see.
    fn settle(&mut self, call: usize) -> Result<(), Ended> {
        loop {
            match self.turn(call, 0)? {
                Stop::Yield => {}
                Stop::Before => return self.park(call),
                Stop::Delayed => return self.put_aside(call),
                stop @ (Stop::Parked | Stop::Stopped | Stop::Done) => return self.stopped(call, stop),
            }
        }
    }

    /// Lets a rank park that stands before a wait which does not hold.
    fn park(&mut self, call: usize) -> Result<(), Ended> {
        if self.with_exec(call, |exec| exec.is_blocked())
            && let stop @ (Stop::Parked | Stop::Done) = self.turn(call, 1)?
        {
            return self.stopped(call, stop);
        }
        Ok(())
    }

    /// Ranks that were woken can go on, unless what they wait for has passed already.
    fn wake(&mut self) -> Result<(), Ended> {
        let Running { woken, standing, ready, polls, ranks, .. } = self;
        woken.take(|call| {
            standing.woken(call);
            ready[call] = true;
        });
        for (call, polls) in polls.iter_mut().enumerate().filter(|(_, polls)| polls.aside) {
            if polls.changes != ranks.env.mail[call].changes() {
                (polls.aside, ready[call]) = (false, true);
            }
        }
        (0..self.ready.len())
            .filter(|call| self.ready[*call])
            .collect::<Vec<_>>()
            .into_iter()
            .try_for_each(|c| self.park(c))
    }

    fn stopped(&mut self, call: usize, stop: Stop) -> Result<(), Ended> {
        self.ready[call] = false;
        // Whom the rank woke counts as running before it counts as stopped.
        let Running { woken, standing, ready, .. } = self;
        woken.take(|call| {
            standing.woken(call);
            ready[call] = true;
        });
        self.standing.stopped(call, stop == Stop::Done).map_or(Ok(()), |group| Err(Ended::Stuck(group)))
    }

    fn turn(&mut self, call: usize, visible: u32) -> Result<Stop, Ended> {
        if self.ranks.interrupted() {
            return Err(Ended::Interrupted);
        }
        let turn = Turn { fuel: 1 << 16, visible, enters: true };
        self.ranks.machine(call).run(self.ranks.env, &self.woken, turn).map_err(Ended::Failed)
    }

    fn with_exec<R>(&self, call: usize, f: impl FnOnce(&Exec<'_, '_, '_>) -> R) -> R {
        let mut machine = self.ranks.machine(call);
        f(&Exec { machine: &mut machine, env: self.ranks.env, wake: &self.woken })
    }
}
