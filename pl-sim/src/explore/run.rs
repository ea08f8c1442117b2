//! A scheduler that is told who runs next. It gives control back before each op that others can see, when it is known which ranks can go on.

use super::event::Event;
use crate::exec::Exec;
use crate::machine::{Machine, Turn};
use crate::sched::{Ended, Ranks, Schedule, Standing, Stop, Woken};
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
                let Some(call) = self.delayed.pop_front() else { return Ended::Done };
                self.ready[call] = true;
                if let Err(ended) = self.settle(call) {
                    return ended;
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
            Stop::Yield => self.settle(call),
            Stop::Before => self.park(call),
            Stop::Delayed => self.put_aside(call),
            Stop::Parked | Stop::Stopped | Stop::Done => self.stopped(call, stop),
        }
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
        let Running { woken, standing, ready, .. } = self;
        woken.take(|call| {
            standing.woken(call);
            ready[call] = true;
        });
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
