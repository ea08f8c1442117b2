//! How ranks park and wake one another, model-checked: the scheduler's own files, with loom's primitives in the place of `crate::sync`, under all
//! interleavings of two workers.
//!
//! What is modelled is what a rank executes: a few ops that notify, wait, or re-read a cell. Loom reports a worker that is never woken as a deadlock of its
//! own; what a model says itself is how the run must end.

#[path = "../../src/check/awaited.rs"]
mod awaited;
#[path = "../../src/sched/bell.rs"]
mod bell;
#[path = "../../src/check/channel.rs"]
mod channel;
#[path = "../../src/sched/groups.rs"]
mod groups;
#[path = "../../src/sched/mail.rs"]
mod mail;
#[path = "../../src/sched/news.rs"]
mod news;
#[path = "../../src/sched/offers.rs"]
mod offers;
#[expect(dead_code, reason = "no model stops before an op that others can see")]
#[path = "../../src/sched/queue.rs"]
mod queue;

mod sync {
    use loom::sync::MutexGuard;
    pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
    pub(crate) use loom::sync::{Condvar, Mutex};
    use std::ops::{Deref, DerefMut};
    use std::sync::PoisonError;

    /// A lock that several threads use from the start.
    pub(crate) struct Lock<T>(Mutex<T>);

    impl<T> Lock<T> {
        pub(crate) fn new(value: T) -> Lock<T> {
            Lock(Mutex::new(value))
        }

        pub(crate) fn shared(value: T) -> Lock<T> {
            Lock::new(value)
        }

        pub(crate) fn share(&self) {}

        pub(crate) fn lock(&self) -> Locked<'_, T> {
            Locked(self.0.lock().unwrap_or_else(PoisonError::into_inner))
        }

        pub(crate) fn into_inner(self) -> T {
            self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
        }
    }

    pub(crate) struct Locked<'l, T>(MutexGuard<'l, T>);

    impl<T> Locked<'_, T> {
        pub(crate) fn wait(self, waker: &Condvar) -> Self {
            Locked(waker.wait(self.0).unwrap_or_else(PoisonError::into_inner))
        }
    }

    impl<T> Deref for Locked<'_, T> {
        type Target = T;

        fn deref(&self) -> &T {
            &self.0
        }
    }

    impl<T> DerefMut for Locked<'_, T> {
        fn deref_mut(&mut self) -> &mut T {
            &mut self.0
        }
    }

    /// Looks twice: whether the other thread does something in between is for loom to try.
    pub(crate) fn spin(news: impl Fn() -> bool) -> bool {
        if news() {
            return true;
        }
        loom::thread::yield_now();
        news()
    }
}

use awaited::{Awaited, Parked};
use bell::Bell;
use channel::Channel;
use groups::Groups;
use loom::sync::Arc;
use loom::sync::MutexGuard;
use loom::sync::atomic::{AtomicBool, Ordering};
use loom::thread;
use offers::{Offers, Taken};
use pl_core::fault::Compare;
use queue::{At, Ended, Queue, Stop, Work};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use sync::Mutex;

/// What a rank does.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Op {
    /// Adds one to the cell of a rank.
    Notify(usize),
    /// The same by a note, where that is possible.
    Note(usize),
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
use Op::{Delay, Fail, Follow, Note, Notify, Panic, Reread, Wait, Yield};

/// One rank: its position, and how often its bell had rung when it read its cell last.
#[derive(Default)]
struct Rank {
    at: usize,
    seen: Option<u64>,
}

/// A cell, the wait that is parked on it, and whether a note satisfied that.
#[derive(Default)]
struct Cell {
    value: i32,
    parked: Parked,
    woken: bool,
}

/// A launch.
struct Launch {
    queue: Queue<&'static str>,
    programs: &'static [&'static [Op]],
    ranks: Vec<Mutex<Rank>>,
    /// The cell of each rank.
    cells: Vec<Mutex<Cell>>,
    /// The notes that each rank left for each: of the first those of all, and so on.
    notes: Vec<Channel<1>>,
    bells: Vec<Bell>,
    /// Which ranks have come to their end.
    done: Vec<AtomicBool>,
    interrupt: AtomicBool,
    /// Whether workers look out for ranks before they park.
    looks: bool,
}

/// A worker of a launch.
struct Worker<'l>(&'l Launch);

impl Work<&'static str> for Worker<'_> {
    fn interrupted(&self) -> bool {
        self.0.interrupt.load(Ordering::Relaxed)
    }

    fn looks(&self) -> bool {
        self.0.looks
    }

    fn before(&mut self, _others: usize) {}

    fn turn(&mut self, rank: usize, _short: bool, at: &At<'_, &'static str>) -> Result<Stop, &'static str> {
        self.0.turn(rank, at)
    }

    fn collect(&self, rank: usize) -> bool {
        std::mem::take(&mut self.0.cell(rank).woken)
    }
}

impl Cell {
    fn add(&mut self) {
        self.value += 1;
        self.woken |= self.parked.notified(0, self.value);
    }
}

impl Launch {
    fn new(programs: &'static [&'static [Op]], groups: &Groups) -> Launch {
        // What is not needed costs the model steps.
        let notes = programs.iter().any(|program| program.iter().any(|op| matches!(op, Note(_))));
        Launch {
            queue: Queue::new(programs.len(), groups.start()),
            programs,
            ranks: programs.iter().map(|_| Mutex::default()).collect(),
            cells: programs.iter().map(|_| Mutex::default()).collect(),
            notes: (0..if notes { programs.len() * programs.len() } else { 0 }).map(|_| Channel::default()).collect(),
            bells: programs.iter().map(|_| Bell::default()).collect(),
            done: programs.iter().map(|_| AtomicBool::new(false)).collect(),
            interrupt: AtomicBool::new(false),
            looks: false,
        }
    }

    fn looking(self) -> Launch {
        Launch { looks: true, ..self }
    }

    fn lead(&self) {
        self.queue.lead(&mut Worker(self));
    }

    fn work(&self) {
        self.queue.work(&mut Worker(self));
    }

    /// A rank's cell, with what the notes add.
    fn cell(&self, owner: usize) -> MutexGuard<'_, Cell> {
        let mut cell = self.cells[owner].lock().expect("no panic");
        for notes in self.notes.iter().skip(owner * self.programs.len()).take(self.programs.len()) {
            for _ in 0..notes.waiting() {
                assert_eq!(notes.peek(), [1]);
                notes.receive();
                cell.add();
            }
        }
        cell
    }

    fn turn(&self, me: usize, at: &At<'_, &'static str>) -> Result<Stop, &'static str> {
        // Woken before it has told that it parked, a rank may be with another worker already, which waits here.
        let mut rank = self.ranks[me].lock().expect("no panic");
        while let Some(op) = self.programs[me].get(rank.at) {
            match *op {
                Note(peer) if at.finds_notes(peer) && self.notes[peer * self.programs.len() + me].has_room() => {
                    self.notes[peer * self.programs.len() + me].send([1]);
                    at.noted(peer);
                }
                Notify(peer) | Note(peer) => {
                    let wakes = {
                        let mut cell = self.cell(peer);
                        cell.add();
                        std::mem::take(&mut cell.woken)
                    };
                    if wakes {
                        at.wake(peer);
                    }
                    if self.bells[peer].ring() {
                        at.wake(peer);
                    }
                }
                Wait(expected) => {
                    let Cell { value, parked, .. } = &mut *self.cell(me);
                    if !parked.test(Awaited { index: 0, expected, compare: Compare::Ge }, *value) {
                        return Ok(Stop::Parked);
                    }
                }
                Reread(expected) => {
                    let rung = self.bells[me].rung();
                    if rank.seen == Some(rung) && self.bells[me].sleep(rung) {
                        return Ok(Stop::Parked);
                    }
                    if self.cell(me).value < expected {
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
        let launch = Launch::new(programs, &groups);
        launch.queue.expect(2);
        run(launch, 1)
    });
}

/// Runs a launch with so many workers beside the leader; how it ended.
fn run(launch: Launch, helpers: usize) -> String {
    let launch = Arc::new(launch);
    let helpers: Vec<_> = std::iter::repeat_with(|| {
        let launch = launch.clone();
        thread::spawn(move || launch.work())
    })
    .take(helpers)
    .collect();
    launch.lead();
    helpers.into_iter().for_each(|helper| helper.join().expect("no panic"));
    end(launch)
}

/// How a launch ended that no worker has any more.
fn end(launch: Arc<Launch>) -> String {
    let Ok(Launch { queue, ranks, programs, .. }) = Arc::try_unwrap(launch).map_err(|_| ()) else {
        panic!("all workers are done")
    };
    let ended = queue.ended();
    if let Ended::Done = ended {
        for (rank, program) in ranks.into_iter().zip(programs) {
            assert_eq!(rank.into_inner().expect("no panic").at, program.len(), "a rank did not come to its end");
        }
    }
    word(&ended)
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
        let mine = catch_unwind(AssertUnwindSafe(|| launch.lead())).is_err();
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
        launch.lead();
        other.join().expect("no panic");
        end(launch)
    });
}

/// Workers that look out for ranks before they park.
#[test]
fn workers_that_look_out() {
    const PROGRAMS: [(&[&[Op]], &str); 5] = [
        (&[&[Wait(1)], &[Notify(0)]], "done"),
        (&[&[Notify(1), Wait(1)], &[Notify(0), Wait(1)]], "done"),
        (&[&[Notify(1), Follow(1)], &[Wait(1)]], "done"),
        (&[&[Wait(1)], &[Wait(1)]], "stuck 0"),
        // All ranks are at home with one worker; the other one helps.
        (&[&[Follow(1)], &[Yield], &[], &[]], "done"),
    ];
    for (programs, ended) in PROGRAMS {
        let groups = Groups::new(programs.len(), [(0, 1)]);
        explore(FEW, &[ended], move || {
            let launch = Launch::new(programs, &groups).looking();
            run(launch, 1)
        });
    }
}

/// Ranks move to new homes as workers come, once each.
#[test]
fn three_workers() {
    // The third of six ranks is at home with the first worker of two and the second one of three.
    const PROGRAMS: [(&[&[Op]], &str); 2] =
        [(&[&[], &[], &[], &[], &[], &[]], "done"), (&[&[Notify(3)], &[], &[], &[Wait(1)]], "done")];
    for (programs, ended) in PROGRAMS {
        for looks in [false, true] {
            let groups = Groups::new(programs.len(), [(0, 3)]);
            explore(Some(2), &[ended], move || {
                let launch = Launch::new(programs, &groups);
                let launch = if looks { launch.looking() } else { launch };
                run(launch, 2)
            });
        }
    }
}

/// Notes, which lock nothing, wake their ranks all the same: whether the other worker looks out for them, or is about to park.
#[test]
fn notes() {
    // The first rank is at home with the leader, the second one with the other worker.
    const PROGRAMS: [(&[&[Op]], &str); 6] = [
        (&[&[Note(1)], &[Wait(1)]], "done"),
        (&[&[Wait(1)], &[Note(0)]], "done"),
        (&[&[Note(1), Wait(1)], &[Note(0), Wait(1)]], "done"),
        (&[&[Note(1)], &[Wait(1), Wait(2)]], "stuck 0"),
        (&[&[Yield, Note(1), Wait(1)], &[Wait(1), Note(0)]], "done"),
        (&[&[Note(1), Yield, Notify(1)], &[Wait(2)]], "done"),
    ];
    for (programs, ended) in PROGRAMS {
        for looks in [false, true] {
            let groups = Groups::new(programs.len(), [(0, 1)]);
            explore(if looks { Some(2) } else { FEW }, &[ended], move || {
                let launch = Launch::new(programs, &groups);
                let launch = if looks { launch.looking() } else { launch };
                launch.queue.expect(2);
                run(launch, 1)
            });
        }
    }
}

/// Notes for others do not hide a group that is stuck.
#[test]
fn notes_beside_a_deadlock() {
    check_groups(FEW, &[&[Wait(1)], &[Wait(1)], &[Note(1)]], vec![(1, 2)], &["stuck 0"]);
    check_groups(FEW, &[&[Wait(1)], &[Note(2), Wait(1)], &[Wait(1), Note(1)]], vec![(1, 2)], &["stuck 0"]);
}

/// A rank that another worker than its own has taken finds its notes all the same.
#[test]
fn notes_for_a_rank_that_moved() {
    check(FEW, &[&[Note(3)], &[], &[], &[Wait(1)]], &["done"]);
    check(FEW, &[&[Wait(1)], &[], &[], &[Note(0)]], &["done"]);
}

/// A rank that a worker runs that is not its own may be woken by a note of a third one's.
#[test]
fn notes_among_three_workers() {
    const PROGRAMS: [(&[&[Op]], &str); 2] =
        [(&[&[Note(1)], &[Yield, Wait(1)], &[]], "done"), (&[&[Note(2)], &[Note(2)], &[Wait(2)]], "done")];
    for (programs, ended) in PROGRAMS {
        let groups = Groups::new(programs.len(), [(0, 1), (1, 2)]);
        explore(Some(2), &[ended], move || {
            let launch = Launch::new(programs, &groups);
            launch.queue.expect(3);
            run(launch, 2)
        });
    }
}

/// What a message says, and what happened before it was sent, is there when it is received; nothing is lost or comes twice.
#[test]
fn a_channel() {
    const MESSAGES: u32 = 6;
    explore(Some(2), &["6 of 6"], || {
        let channel = Arc::new((Channel::<2>::default(), sync::AtomicU32::new(0)));
        let sender = thread::spawn({
            let channel = channel.clone();
            move || {
                for number in 0..MESSAGES {
                    while !channel.0.has_room() {
                        thread::yield_now();
                    }
                    channel.1.store(number + 1, Ordering::Relaxed);
                    channel.0.send([number, !number]);
                }
            }
        });
        let mut received = 0;
        while received < MESSAGES {
            for _ in 0..channel.0.waiting() {
                assert_eq!(channel.0.peek(), [received, !received]);
                channel.0.receive();
                received += 1;
                assert!(channel.1.load(Ordering::Relaxed) >= received);
            }
            thread::yield_now();
        }
        sender.join().expect("no panic");
        format!("{received} of {MESSAGES}")
    });
}

/// What a launch offers: itself. It has an owner anyway, whom it outlives only where a worker does not let go of it.
type Offered = Arc<Offers<Job>>;

/// The number of a launch among those of a model.
type Job = usize;

/// The worker of a crew, which runs launches of a model.
fn crew(offers: &Offered, launches: &[Arc<Launch>], looks: bool) -> thread::JoinHandle<()> {
    let (offers, launches) = (offers.clone(), launches.to_vec());
    thread::spawn(move || offers.work(|job| launches[job].work(), || looks))
}

/// Runs a launch of which the crew is told; how it ended, and how many joined.
fn lead(offers: &Offered, job: Job, launch: &Launch, looks: bool) -> Taken {
    let number = offers.offer(job, 1);
    let result = catch_unwind(AssertUnwindSafe(|| launch.lead()));
    let mut taken = offers.withdraw(number, looks);
    // From here on the launch is its owner's alone.
    assert!(launch.ranks.iter().all(|rank| rank.try_lock().is_ok()), "a worker is still inside");
    taken.panic = taken.panic.or(result.err());
    taken
}

/// A worker joins a launch, or comes too late. It has left when the offer is withdrawn, and ends when the crew does.
#[test]
fn a_worker_joins() {
    const PROGRAMS: &[&[Op]] = &[&[Notify(1), Wait(1)], &[Notify(0), Wait(1)]];
    for looks in [false, true] {
        explore(FEW, &["done, 0 joined", "done, 1 joined"], move || {
            let offers = Offered::default();
            let launch = Arc::new(Launch::new(PROGRAMS, &Groups::new(2, [(0, 1)])));
            let worker = crew(&offers, std::slice::from_ref(&launch), looks);
            let taken = lead(&offers, 0, &launch, looks);
            offers.close();
            worker.join().expect("no panic");
            format!("{}, {} joined", end(launch), taken.workers)
        });
    }
}

/// The same worker serves launches that follow one another, and those of two threads.
#[test]
fn a_worker_joins_several() {
    const PROGRAMS: &[&[Op]] = &[&[Yield], &[]];
    explore(FEW, &["0 joined", "1 joined", "2 joined"], || {
        let offers = Offered::default();
        let launches: Vec<_> = (0..2).map(|_| Arc::new(Launch::new(PROGRAMS, &Groups::new(2, [])))).collect();
        let worker = crew(&offers, &launches, false);
        let joined: usize = launches.iter().enumerate().map(|(job, l)| lead(&offers, job, l, false).workers).sum();
        offers.close();
        worker.join().expect("no panic");
        launches.into_iter().for_each(|launch| assert_eq!(end(launch), "done"));
        format!("{joined} joined")
    });
    explore(Some(2), &["0 joined", "1 joined", "2 joined"], || {
        let offers = Offered::default();
        let launches: Vec<_> = (0..2).map(|_| Arc::new(Launch::new(&[&[]], &Groups::new(1, [])))).collect();
        let worker = crew(&offers, &launches, false);
        let other = thread::spawn({
            let (offers, launch) = (offers.clone(), launches[1].clone());
            move || lead(&offers, 1, &launch, false).workers
        });
        let joined = lead(&offers, 0, &launches[0], false).workers + other.join().expect("no panic");
        offers.close();
        worker.join().expect("no panic");
        launches.into_iter().for_each(|launch| assert_eq!(end(launch), "done"));
        format!("{joined} joined")
    });
}

/// A panic of either comes out on the thread that launched, and the crew lives on.
#[test]
fn a_panic_comes_out() {
    const PROGRAMS: &[&[Op]] = &[&[Panic], &[Wait(1)]];
    explore(FEW, &["a panic"], || {
        let offers = Offered::default();
        let launch = Arc::new(Launch::new(PROGRAMS, &Groups::new(2, [(0, 1)])));
        let after = Arc::new(Launch::new(&[&[]], &Groups::new(1, [])));
        let worker = crew(&offers, &[launch.clone(), after.clone()], false);
        let number = offers.offer(0, 1);
        let mine = catch_unwind(AssertUnwindSafe(|| launch.lead())).err();
        let panic = offers.withdraw(number, false).panic.or(mine);
        lead(&offers, 1, &after, false);
        offers.close();
        worker.join().expect("the worker catches it");
        assert_eq!(end(after), "done");
        if panic.is_some() { "a panic".into() } else { "none".into() }
    });
}
