//! The threads beside those that launch: one for each further core, started when the first launch is large enough, and parked while none is. All engines
//! of a process share them, so that there are never more than cores; when the last engine is dropped, they end.

use super::offers::{Offers, Taken};
use crate::shared::Job;
use std::cell::Cell;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::{self, JoinHandle};

/// The workers of a process.
#[derive(Default)]
pub(crate) struct Crew {
    shared: Arc<Shared>,
    /// The threads, when they were started.
    threads: Mutex<Option<Vec<JoinHandle<()>>>>,
}

#[derive(Default)]
struct Shared {
    offers: Offers<Job>,
    /// The launches that run now: each has a thread of its own.
    launches: AtomicUsize,
}

impl Shared {
    /// Whether there is a core for each thread: then one that has nothing to do may look out for work for a while.
    fn looks(&self) -> bool {
        self.launches.load(Relaxed) <= 1
    }
}

/// How many threads the machine runs at the same time.
fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

impl Crew {
    /// The crew that the engines of this process share.
    pub(crate) fn of_process() -> Arc<Crew> {
        static CREW: Mutex<Weak<Crew>> = Mutex::new(Weak::new());
        let mut crew = CREW.lock().unwrap_or_else(PoisonError::into_inner);
        crew.upgrade().unwrap_or_else(|| {
            let new = Arc::default();
            *crew = Arc::downgrade(&new);
            new
        })
    }

    /// Whether there is a core for a worker of a launch that has no rank to run.
    pub(crate) fn looks(&self) -> bool {
        self.shared.looks()
    }

    /// The workers, which are started when they are not yet: how many there are. Without threads a launch runs on its own.
    fn start(&self) -> usize {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        let threads = threads.get_or_insert_with(|| {
            let spawn = |number| {
                let shared = Arc::clone(&self.shared);
                let work = move || shared.offers.work(Job::run, || shared.looks());
                thread::Builder::new().name(format!("pl-sim worker {number}")).spawn(work).ok()
            };
            (1..cores()).map_while(spawn).collect()
        });
        threads.len()
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.shared.offers.close();
        let threads = self.threads.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        // What a worker panicked with, its launch has had.
        threads.into_iter().flatten().for_each(|thread| drop(thread.join()));
    }
}

/// Work of a launch that workers may join, as long as this lives. Dropped, it waits until all have left.
pub(crate) struct Shift<'c> {
    crew: &'c Crew,
    job: Job,
    offer: Cell<Option<u64>>,
}

impl<'c> Shift<'c> {
    /// Nobody is asked to join yet.
    pub(crate) fn new(crew: &'c Crew, job: Job) -> Shift<'c> {
        crew.shared.launches.fetch_add(1, Relaxed);
        Shift { crew, job, offer: Cell::default() }
    }

    /// How many of so many workers there are.
    pub(crate) fn available(&self, workers: usize) -> usize {
        if workers == 0 { 0 } else { workers.min(self.crew.start()) }
    }

    /// Asks so many workers to join, unless some were asked.
    pub(crate) fn ask(&self, workers: usize) {
        if self.offer.get().is_none() {
            self.offer.set(Some(self.crew.shared.offers.offer(self.job, workers)));
        }
    }

    /// Waits until all have left: how many had joined. A panic of one of them goes on here.
    pub(crate) fn end(self) -> usize {
        let Taken { workers, panic } = self.withdraw();
        if let Some(panic) = panic {
            drop(self);
            resume_unwind(panic);
        }
        workers
    }

    fn withdraw(&self) -> Taken {
        let looks = self.crew.looks();
        self.offer.take().map_or_else(Taken::default, |offer| self.crew.shared.offers.withdraw(offer, looks))
    }
}

impl Drop for Shift<'_> {
    fn drop(&mut self) {
        self.withdraw();
        self.crew.shared.launches.fetch_sub(1, Relaxed);
    }
}
