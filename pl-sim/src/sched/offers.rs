//! What launches offer to the workers of a crew: a launch whose ranks are worth more than its own thread offers its work, and every worker that has none
//! joins it. `tests/loom` model-checks this file as it is.

use super::news::News;
use crate::sync::{Lock, Locked};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The offers of the launches that run now. `J` is what a worker does.
pub(crate) struct Offers<J> {
    state: Lock<State<J>>,
    /// There is an offer, or there will be none any more.
    offered: News,
    /// A worker left.
    left: News,
}

struct State<J> {
    open: Vec<Offer<J>>,
    /// The number of the next offer.
    next: u64,
    /// Whether there will be none any more.
    closed: bool,
}

struct Offer<J> {
    number: u64,
    job: J,
    /// How many workers more may join.
    wanted: usize,
    /// How many have joined, and how many of them have not left.
    taken: Taken,
    inside: usize,
}

/// What came of an offer.
#[derive(Default)]
pub(crate) struct Taken {
    /// How many workers joined.
    pub(crate) workers: usize,
    /// What one panicked with.
    pub(crate) panic: Option<Box<dyn Any + Send>>,
}

impl<J> Default for Offers<J> {
    fn default() -> Self {
        let state = State { open: vec![], next: 0, closed: false };
        Offers { state: Lock::shared(state), offered: News::default(), left: News::default() }
    }
}

impl<J: Copy> Offers<J> {
    fn lock(&self) -> Locked<'_, State<J>> {
        self.state.lock()
    }

    /// Offers work to so many workers. The number of the offer, for [`Offers::withdraw`].
    pub(crate) fn offer(&self, job: J, workers: usize) -> u64 {
        let mut state = self.lock();
        let number = state.next;
        state.next += 1;
        state.open.push(Offer { number, job, wanted: workers, taken: Taken::default(), inside: 0 });
        let wakes = self.offered.tell(workers);
        drop(state);
        self.offered.wake(wakes);
        number
    }

    /// Takes an offer back, and waits until every worker that joined has left. `looks` tells whether a core is free to look out for that.
    pub(crate) fn withdraw(&self, number: u64, looks: bool) -> Taken {
        let mut state = self.lock();
        loop {
            let Some(at) = state.open.iter().position(|offer| offer.number == number) else { return Taken::default() };
            let offer = &mut state.open[at];
            offer.wanted = 0;
            if offer.inside == 0 {
                return state.open.swap_remove(at).taken;
            }
            state = self.left.wait(&self.state, state, looks);
        }
    }

    /// Works for whoever offers something, until there will be nothing any more. `run` does the work of an offer; `looks` tells whether there is a core
    /// for a worker to look out for the next one.
    pub(crate) fn work(&self, run: impl Fn(J), looks: impl Fn() -> bool) {
        let mut state = self.lock();
        loop {
            if let Some(offer) = state.open.iter_mut().find(|offer| offer.wanted > 0) {
                offer.wanted -= 1;
                offer.inside += 1;
                offer.taken.workers += 1;
                let (number, job) = (offer.number, offer.job);
                drop(state);
                let panic = catch_unwind(AssertUnwindSafe(|| run(job))).err();
                state = self.lock();
                // It is there as long as a worker is inside.
                if let Some(offer) = state.open.iter_mut().find(|offer| offer.number == number) {
                    offer.inside -= 1;
                    offer.taken.panic = offer.taken.panic.take().or(panic);
                }
                let wakes = self.left.tell(usize::MAX);
                self.left.wake(wakes);
            } else if state.closed {
                return;
            } else {
                state = self.offered.wait(&self.state, state, looks());
            }
        }
    }

    /// There will be no offers any more.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        let wakes = self.offered.tell(usize::MAX);
        drop(state);
        self.offered.wake(wakes);
    }
}
