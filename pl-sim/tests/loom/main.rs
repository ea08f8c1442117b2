//! How ranks park and wake one another, model-checked: the scheduler's own files, with loom's primitives in the place of `crate::sync`, under all
//! interleavings of two workers.
//!
//! What is modelled is what a rank executes: a few ops that notify, wait, or re-read a cell. Loom reports a worker that is never woken as a deadlock of its
//! own; what a model says itself is how the run must end.

#[path = "../../src/check/awaited.rs"]
mod awaited;
#[path = "../../src/sched/bell.rs"]
mod bell;
#[path = "../../src/sched/groups.rs"]
mod groups;
#[expect(dead_code, reason = "no model stops before an op that others can see")]
#[path = "../../src/sched/queue.rs"]
mod queue;

mod sync {
    pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU64, Ordering};
    pub(crate) use loom::sync::{Condvar, Mutex, MutexGuard};
}

use awaited::{Awaited, Parked};
use bell::Bell;
use groups::Groups;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, Ordering};
use loom::thread;
use pl_core::fault::Compare;
use queue::{Ended, Queue, Stop};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use sync::Mutex;

/// What a rank does.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Op {
    /// Adds one to the cell of a rank.
    Notify(usize),
    /// Waits until its own cell holds so much.
    Wait(i32),
    /// Re-reads its own cell until it holds so much.
    Reread(i32),
    /// Lets other ranks have their turn.
    Yield,
    /// Goes on in the same turn only when that rank has come to its end.
    Follow(usize),
    /// An injected fault puts the rank aside.
    Delay,
    /// An injected fault stops it.
    Stop,
    /// A check stops it.
    Fail,
    /// The simulator itself fails.
    Panic,
}
use Op::{Delay, Fail, Follow, Notify, Panic, Reread, Wait, Yield};

/// One rank: its position, and how often its bell had rung when it read its cell last.
#[derive(Default)]
struct Rank {
    at: usize,
    seen: Option<u64>,
}

/// A launch.
struct Launch {
    queue: Queue<&'static str>,
    programs: &'static [&'static [Op]],
    ranks: Vec<Mutex<Rank>>,
    /// The cell of each rank, and the wait that is parked on it.
    cells: Vec<Mutex<(i32, Parked)>>,
    bells: Vec<Bell>,
    /// Which ranks have come to their end.
    done: Vec<AtomicBool>,
    interrupt: AtomicBool,
}

impl Launch {
    fn new(programs: &'static [&'static [Op]], groups: &Groups) -> Launch {
        Launch {
            queue: Queue::new(programs.len(), groups.start()),
            programs,
            ranks: programs.iter().map(|_| Mutex::default()).collect(),
            cells: programs.iter().map(|_| Mutex::new((0, Parked::default()))).collect(),
            bells: programs.iter().map(|_| Bell::default()).collect(),
            done: programs.iter().map(|_| AtomicBool::new(false)).collect(),
            interrupt: AtomicBool::new(false),
        }
    }

    fn work(&self) {
        self.queue.work(|| self.interrupt.load(Ordering::Relaxed), |_| (), |rank| self.turn(rank));
    }

    fn turn(&self, me: usize) -> Result<Stop, &'static str> {
        // Woken before it has told that it parked, a rank may be with another worker already, which waits here.
        let mut rank = self.ranks[me].lock().expect("no panic");
        while let Some(op) = self.programs[me].get(rank.at) {
            match *op {
                Notify(peer) => {
                    let wakes = {
                        let (value, parked) = &mut *self.cells[peer].lock().expect("no panic");
                        *value += 1;
                        parked.notified(0, *value)
                    };
                    if wakes {
                        self.queue.wake(peer);
                    }
                    if self.bells[peer].ring() {
                        self.queue.wake(peer);
                    }
                }
                Wait(expected) => {
                    let (value, parked) = &mut *self.cells[me].lock().expect("no panic");
                    if !parked.test(Awaited { index: 0, expected, compare: Compare::Ge }, *value) {
                        return Ok(Stop::Parked);
                    }
                }
                Reread(expected) => {
                    let rung = self.bells[me].rung();
                    if rank.seen == Some(rung) && self.bells[me].sleep(rung) {
                        return Ok(Stop::Parked);
                    }
                    if self.cells[me].lock().expect("no panic").0 < expected {
                        rank.seen = Some(rung);
                        return Ok(Stop::Yield);
                    }
                    rank.seen = None;
                }
                Yield | Delay => {
                    rank.at += 1;
                    return Ok(if *op == Yield { Stop::Yield } else { Stop::Delayed });
                }
                Follow(peer) => {
                    while !self.done[peer].load(Ordering::Acquire) {
                        thread::yield_now();
                    }
                }
                Op::Stop => return Ok(Stop::Stopped),
                Fail => return Err("a check"),
                // A panic without its message.
                Panic => std::panic::resume_unwind(Box::new(())),
            }
            rank.at += 1;
        }
        self.done[me].store(true, Ordering::Release);
        Ok(Stop::Done)
    }
}

/// How a run may end: as `Display` of [`Ended`] would have it.
fn word(ended: &Ended<&str>) -> String {
    match ended {
        Ended::Done => "done".into(),
        Ended::Stuck(group) => format!("stuck {group}"),
        Ended::Failed(why) => format!("failed: {why}"),
        Ended::Interrupted => "interrupted".into(),
    }
}

/// Runs ranks that are all together, with two workers. All runs end in one of these ways, and each of these is how some run ends.
#[track_caller]
fn check(preemptions: Option<usize>, programs: &'static [&'static [Op]], expected: &[&str]) {
    check_groups(preemptions, programs, (1..programs.len()).map(|rank| (0, rank)).collect(), expected);
}

#[track_caller]
fn check_groups(
    preemptions: Option<usize>,
    programs: &'static [&'static [Op]],
    together: Vec<(usize, usize)>,
    expected: &[&str],
) {
    let groups = Groups::new(programs.len(), together);
    explore(preemptions, expected, move || {
        let launch = Arc::new(Launch::new(programs, &groups));
        let other = thread::spawn({
            let launch = launch.clone();
            move || launch.work()
        });
        launch.work();
        other.join().expect("no panic");
        let Ok(Launch { queue, ranks, .. }) = Arc::try_unwrap(launch).map_err(|_| ()) else { panic!("both are done") };
        let ended = queue.ended();
        if let Ended::Done = ended {
            for (rank, program) in ranks.into_iter().zip(programs) {
                assert_eq!(rank.into_inner().expect("no panic").at, program.len(), "a rank did not come to its end");
            }
        }
        word(&ended)
    });
}

/// Runs a model under all interleavings, and compares how its runs end.
#[track_caller]
fn explore(preemptions: Option<usize>, expected: &[&str], run: impl Fn() -> String + Send + Sync + 'static) {
    let ways = std::sync::Arc::new(std::sync::Mutex::new(BTreeSet::new()));
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = preemptions;
    let seen = ways.clone();
    builder.check(move || {
        let way = run();
        seen.lock().expect("no panic").insert(way);
    });
    let ways = ways.lock().expect("no panic");
    assert_eq!(ways.iter().map(String::as_str).collect::<Vec<_>>(), expected);
}

/// All interleavings, or those with a few preemptions, where a model is too large.
const ALL: Option<usize> = None;
const FEW: Option<usize> = Some(3);

#[test]
fn a_wait_and_its_notify() {
    check(ALL, &[&[Wait(1)], &[Notify(0)]], &["done"]);
}

#[test]
fn two_that_wait_for_one_another() {
    check(ALL, &[&[Notify(1), Wait(1)], &[Notify(0), Wait(1)]], &["done"]);
    check(ALL, &[&[Notify(1), Wait(1)], &[Wait(1), Notify(0)]], &["done"]);
}

#[test]
fn a_relay() {
    check(ALL, &[&[Notify(1)], &[Wait(1), Notify(2)], &[Wait(1)]], &["done"]);
}

#[test]
fn two_notifies_of_one_cell() {
    check(ALL, &[&[Wait(2)], &[Notify(0)], &[Notify(0)]], &["done"]);
    check(ALL, &[&[Wait(1), Wait(2)], &[Notify(0), Notify(0)]], &["done"]);
}

/// While one worker has a long turn, the other runs whom that turn wakes: it does not sleep on.
#[test]
fn an_idle_worker_is_woken() {
    check(ALL, &[&[Notify(1), Follow(1)], &[Wait(1)]], &["done"]);
}

#[test]
fn a_deadlock_is_always_found() {
    check(ALL, &[&[Wait(1)], &[Wait(1)]], &["stuck 0"]);
    check(ALL, &[&[Wait(2)], &[Notify(0)]], &["stuck 0"]);
    check(ALL, &[&[Wait(1)], &[Wait(1), Notify(0)], &[]], &["stuck 0"]);
}

/// The group that is stuck is found, whatever the other one does.
#[test]
fn a_deadlock_of_some() {
    check_groups(ALL, &[&[Wait(1)], &[Wait(1)], &[Notify(1)]], vec![(1, 2)], &["stuck 0"]);
}

#[test]
fn cells_that_are_read_again() {
    check(ALL, &[&[Reread(1)], &[Notify(0)]], &["done"]);
    check(FEW, &[&[Reread(2)], &[Notify(0)], &[Notify(0)]], &["done"]);
    check(FEW, &[&[Reread(2)], &[Notify(0)]], &["stuck 0"]);
    check(FEW, &[&[Reread(1), Notify(1)], &[Notify(0), Wait(1)]], &["done"]);
}

#[test]
fn delays() {
    check(ALL, &[&[Delay, Notify(1)], &[Wait(1)]], &["done"]);
    check(ALL, &[&[Delay, Notify(1)], &[Delay, Wait(1)]], &["done"]);
    check(ALL, &[&[Delay, Wait(1)], &[Yield]], &["stuck 0"]);
}

#[test]
fn a_rank_that_is_stopped() {
    check(ALL, &[&[Op::Stop], &[Notify(0)]], &["stuck 0"]);
    check(ALL, &[&[Op::Stop], &[Delay, Wait(1)]], &["stuck 0"]);
}

#[test]
fn a_rank_that_fails() {
    check(ALL, &[&[Fail], &[Wait(1)]], &["failed: a check"]);
    check(ALL, &[&[Yield, Fail], &[Yield, Notify(0)]], &["failed: a check"]);
}

/// The other worker does not wait for the one that panicked.
#[test]
fn a_worker_that_panics() {
    const PROGRAMS: &[&[Op]] = &[&[Panic], &[Wait(1)]];
    explore(ALL, &["1 panicked"], || {
        let launch = Arc::new(Launch::new(PROGRAMS, &Groups::new(2, [(0, 1)])));
        let other = thread::spawn({
            let launch = launch.clone();
            move || catch_unwind(AssertUnwindSafe(|| launch.work())).is_err()
        });
        let mine = catch_unwind(AssertUnwindSafe(|| launch.work())).is_err();
        let theirs = other.join().expect("it catches its panic");
        format!("{} panicked", u8::from(mine) + u8::from(theirs))
    });
}

#[test]
fn an_interruption() {
    const PROGRAMS: &[&[Op]] = &[&[Yield, Wait(1)], &[Yield, Notify(0)]];
    explore(ALL, &["done", "interrupted"], || {
        let launch = Arc::new(Launch::new(PROGRAMS, &Groups::new(2, [(0, 1)])));
        let other = thread::spawn({
            let launch = launch.clone();
            move || launch.work()
        });
        launch.interrupt.store(true, Ordering::Relaxed);
        launch.work();
        other.join().expect("no panic");
        let Ok(Launch { queue, .. }) = Arc::try_unwrap(launch).map_err(|_| ()) else { panic!("both are done") };
        word(&queue.ended())
    });
}
