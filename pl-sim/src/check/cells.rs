//! Signal cells: who notified which, what a wait learns from that, who looked, and what the builtins left in them.

use super::Deposit;
use super::clock::{Clock, Knowledge, Release, Stamp};
use super::log::{Access, Conflict};
use crate::recent::Recent;
use pl_core::fault::{self, AccessKind};
use std::sync::Arc;

/// Cells in a page.
const PAGE: usize = 64;

/// That a rank notified a cell, as an access.
#[derive(Clone, Copy, Debug, Default)]
struct Notified {
    /// Its last notify of the cell.
    stamp: Stamp,
    /// How many notifies it made.
    count: u32,
}

/// Notifies of a peer that the owner has not learnt from: one, or several adds that are alike, as a loop makes them. So cells that nobody waits for
/// do not grow with each turn of a loop, and each notify still is apart.
#[derive(Clone, Debug)]
struct Pending {
    /// The first one.
    stamp: Stamp,
    deposit: Deposit,
    release: Release,
    /// How many they are, and how many epochs lie between two of them.
    times: u32,
    stride: u32,
}

impl Pending {
    const fn new(stamp: Stamp, deposit: Deposit, release: Release) -> Pending {
        Pending { stamp, deposit, release, times: 1, stride: 0 }
    }

    /// One of them, counted from 0.
    const fn stamp(&self, number: u32) -> Stamp {
        Stamp { epoch: self.stamp.epoch + number * self.stride, ..self.stamp }
    }

    /// The last of them.
    const fn last(&self) -> Stamp {
        self.stamp(self.times - 1)
    }

    /// How many of them the owner knows of.
    fn followed(&self, clock: &Clock) -> u32 {
        match clock.known_since(self.stamp.rank, &self.release).checked_sub(self.stamp.epoch) {
            Some(beyond) => self.times.min(beyond / self.stride.max(1) + 1),
            None => 0,
        }
    }

    /// Adds one more, when it is like these; whether it is.
    fn extend(&mut self, new: &Pending) -> bool {
        let knowledge = |pending: &Pending| pending.release.knowledge.as_ref().map(Arc::as_ptr);
        let alike = matches!(self.deposit, Deposit::Add(_))
            && (self.deposit, self.stamp.rank, self.stamp.pc) == (new.deposit, new.stamp.rank, new.stamp.pc)
            && knowledge(self) == knowledge(new);
        if !alike || self.times > 1 && new.stamp.epoch != self.stamp(self.times).epoch {
            return false;
        }
        if self.times == 1 {
            self.stride = new.stamp.epoch - self.stamp.epoch;
        }
        self.times += 1;
        true
    }

    /// Forgets the first ones, of which some are left.
    fn forget(&mut self, count: u32) {
        self.stamp = self.stamp(count);
        self.release.epoch = self.stamp.epoch;
        self.times -= count;
    }
}

/// What changed a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// A notify.
    Notify(Deposit),
    /// A store or transfer.
    Store,
}

/// A change of a cell, for reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    /// The call of the rank that made it.
    pub(crate) call: u32,
    /// Its instruction.
    pub(crate) pc: u32,
    /// What it did.
    pub(crate) change: Change,
    /// What the cell held then.
    pub(crate) value: i32,
}

impl Event {
    /// Whether it is a notify of the other kind.
    const fn is_other(&self, deposit: Deposit) -> bool {
        matches!(
            (self.change, deposit),
            (Change::Notify(Deposit::Add(_)), Deposit::Set(_)) | (Change::Notify(Deposit::Set(_)), Deposit::Add(_))
        )
    }

    const fn new(stamp: Stamp, change: Change, value: i32) -> Event {
        Event { call: stamp.rank, pc: stamp.pc, change, value }
    }
}

/// How many changes of the cells of one memory are kept, but for those of cells whose changes are all alike. They stand in their order, not with their
/// cells, so that to note one costs little.
const MAX_EVENTS: usize = 2048;

/// The last changes of cells, each with its cell.
type Events = Recent<(u32, Event), MAX_EVENTS>;

/// The last changes of a cell.
#[derive(Clone, Debug, Default)]
pub(crate) struct CellHistory {
    /// The value at the start of the launch.
    pub(crate) initial: i32,
    /// The changes in their order.
    pub(crate) events: Vec<Event>,
    /// How many came before these.
    pub(crate) earlier: u32,
}

/// What is odd about a notify or wait, though it is no error: the instructions of the other side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Odd {
    /// A `Set` replaced what this notify had deposited, and no wait had learnt of.
    pub(crate) overwrote: Option<Event>,
    /// The cell was set and added to; this was the other kind.
    pub(crate) mixed: Option<Event>,
    /// The owner's `pl::read` of the cell that is not ordered before this notify: its instruction.
    pub(crate) unordered_read: Option<u32>,
    /// A wait passed by what an earlier launch had left in the cell, and this launch notifies it, too: both instructions.
    pub(crate) stale: Option<(u32, Stamp)>,
}

/// One cell. There may be as many as the square of the number of ranks, so what few of them need stands apart.
#[derive(Clone, Debug, Default)]
struct Cell {
    /// The launch that the rest is of; of another launch, it is out of date.
    launch: u32,
    /// What notifies did.
    did: Did,
    /// Whether its changes differ, so that they stand among those of the other cells. Otherwise each of them was the last one of the first rank, and added
    /// `step`.
    varied: bool,
    /// Whether the owner's last test was a `pl::read`.
    read: bool,
    /// What the owner has not learnt from.
    news: News,
    /// The owner's last wait or read: its epoch (0: none) and instruction.
    tested: (u32, u32),
    /// The value at the start of the launch.
    initial: i32,
    /// What builtins deposited.
    credit: i32,
    /// The rank that notified it first.
    first: Notified,
    step: i32,
    /// The value before the news, with all that the owner added.
    base: i32,
    /// What the notify released that is the news, where it is one.
    knowledge: Option<Arc<Knowledge>>,
    /// The rest.
    more: Option<Box<More>>,
}

/// What the notifies of a cell did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Did {
    #[default]
    Nothing,
    Add,
    Set,
    Both,
}

/// What the owner of a cell has not learnt from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum News {
    /// Nothing.
    #[default]
    None,
    /// A store or transfer changed the value: what it is now is not known of that.
    Stored,
    /// The last notify of the rank that notified first.
    One,
    /// What stands apart.
    Many,
}

/// What few cells need.
#[derive(Clone, Debug, Default)]
struct More {
    /// The other ranks that notified the cell.
    notified: Vec<Notified>,
    /// The notifies of peers that the owner has not learnt from, in their order. What a `Set` sets holds what the owner added since, too.
    pending: Vec<Pending>,
    /// How often a store or transfer changed the value.
    stores: u32,
    /// The owner's wait that passed by what an earlier launch left here.
    stale: Option<u32>,
}

/// The cells of one rank's memory in one window.
#[derive(Debug, Default)]
pub(crate) struct Cells {
    table: Table,
    /// Whether the host wrote what the cells held at the start of the launch.
    preset: bool,
    /// What is counted of the signal of a collective.
    credits: Option<Credits>,
    events: Events,
}

/// The cells, as far as they were touched.
#[derive(Debug, Default)]
struct Table {
    /// Those of which no cell was touched are empty.
    pages: Vec<Box<[Cell]>>,
    /// The launch that is going on.
    launch: u32,
    /// Whether it touched any cell.
    touched: bool,
}

/// What is counted of the cells of a collective's signal.
#[derive(Clone, Copy, Debug, Default)]
struct Credits {
    /// The cells whose value is not what builtins deposited.
    foreign: usize,
    /// The cells in which builtins deposited something that is not zero in all.
    open: usize,
    /// Whether a store or transfer changed cells since `foreign` was counted.
    recount: bool,
}

/// What a wait or read of a cell found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tested {
    /// What the cell held when the launch started.
    pub(crate) initial: i32,
    /// Whether a notify of another rank is not ordered before: the value depends on the schedule.
    pub(crate) unordered: bool,
}

/// What a wait that passed learnt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Acquired {
    /// The last notify that it learnt from.
    pub(crate) from: Option<Stamp>,
    /// Whether what the cell held when the launch started was enough: nothing of this launch was needed.
    pub(crate) stale: bool,
}

impl Cell {
    /// All that is known is out of date: the cell holds `value` at the start of a launch.
    #[cold]
    fn start(&mut self, launch: u32, value: i32) {
        let mut more = self.more.take();
        if let Some(more) = &mut more {
            more.notified.clear();
            more.pending.clear();
            (more.stores, more.stale) = (0, None);
        }
        *self = Cell { launch, base: value, initial: value, more, ..Cell::default() };
    }

    /// Who notified it.
    fn notified(&self) -> impl Iterator<Item = &Notified> {
        let others = self.more.iter().flat_map(|more| &more.notified);
        [&self.first].into_iter().filter(|first| first.count > 0).chain(others)
    }

    /// How often it was changed.
    fn changes(&self) -> u32 {
        let stores = self.more.as_ref().map_or(0, |more| more.stores);
        self.notified().fold(stores, |changes, notified| changes.saturating_add(notified.count))
    }

    /// Records a notify of the cell with this index, which holds `value` before it and `new` after it.
    #[inline]
    fn count(&mut self, index: usize, (value, new): (i32, i32), deposit: Deposit, stamp: Stamp, events: &mut Events) {
        let Notified { stamp: first, count } = self.first;
        // Where nothing is checked, stores are not noted: after one the value is another.
        let is_alike = (first.rank, first.pc, Deposit::Add(self.step), self.value_after(count))
            == (stamp.rank, stamp.pc, deposit, value);
        if is_alike && count > 0 && !self.varied {
            self.first = Notified { stamp, count: count.saturating_add(1) };
        } else {
            self.count_another(index, (value, new), deposit, stamp, events);
        }
    }

    /// The same of the first notify of a cell, and of one that is not like the others.
    fn count_another(
        &mut self,
        index: usize,
        (value, new): (i32, i32),
        deposit: Deposit,
        stamp: Stamp,
        events: &mut Events,
    ) {
        match deposit {
            Deposit::Add(step) if self.first.count == 0 && value == self.initial && !self.varied => self.step = step,
            _ => {
                self.vary(index, events);
                events.push((index as u32, Event::new(stamp, Change::Notify(deposit), new)));
            }
        }
        self.did = match (self.did, deposit) {
            (Did::Nothing | Did::Add, Deposit::Add(_)) => Did::Add,
            (Did::Nothing | Did::Set, Deposit::Set(_)) => Did::Set,
            _ => Did::Both,
        };
        if self.first.count == 0 || self.first.stamp.rank == stamp.rank {
            self.first = Notified { stamp, count: self.first.count.saturating_add(1) };
        } else {
            self.count_other(stamp);
        }
    }

    fn count_other(&mut self, stamp: Stamp) {
        let others = &mut self.more.get_or_insert_default().notified;
        match others.iter_mut().find(|n| n.stamp.rank == stamp.rank) {
            Some(notified) => *notified = Notified { stamp, count: notified.count.saturating_add(1) },
            None => others.push(Notified { stamp, count: 1 }),
        }
    }

    /// The value after so many changes that are all alike.
    const fn value_after(&self, changes: u32) -> i32 {
        self.initial.wrapping_add(self.step.wrapping_mul(changes as i32))
    }

    /// The last changes in their order, as long as they are all alike.
    fn alike(&self) -> impl Iterator<Item = Event> {
        let count = if self.varied { 0 } else { self.first.count };
        let kept = count.saturating_sub(fault::CellHistory::MAX_EVENTS as u32)..count;
        let change = Change::Notify(Deposit::Add(self.step));
        kept.map(move |before| Event::new(self.first.stamp, change, self.value_after(before + 1)))
    }

    /// From now on the changes of the cell with this index stand among those of the other cells.
    fn vary(&mut self, index: usize, events: &mut Events) {
        self.alike().for_each(|event| events.push((index as u32, event)));
        self.varied = true;
    }

    /// Whether a deposit is the first of a second kind.
    const fn mixes(&self, deposit: Deposit) -> bool {
        match deposit {
            Deposit::Add(_) => matches!(self.did, Did::Set),
            Deposit::Set(_) => matches!(self.did, Did::Add),
        }
    }

    /// The notify that is the only news. The cell holds `value` now. Beside a `Set` there is no such add: see [`Cell::add_news`].
    fn one(&self, value: i32) -> Pending {
        let deposit = match self.did {
            Did::Set | Did::Both => Deposit::Set(value),
            Did::Nothing | Did::Add => Deposit::Add(value.wrapping_sub(self.base)),
        };
        let release = Release { epoch: self.first.stamp.epoch, knowledge: self.knowledge.clone() };
        Pending::new(self.first.stamp, deposit, release)
    }

    /// The news that stand apart.
    fn pending(&self) -> &[Pending] {
        match (&self.more, self.news) {
            (Some(more), News::Many) => &more.pending,
            _ => &[],
        }
    }

    /// What is odd about a deposit that is about to happen to a cell that holds `value`, unless it mixes two kinds.
    fn odd(&self, deposit: Deposit, value: i32, stamp: Stamp, own: bool, clock: &Clock) -> Option<Box<Odd>> {
        let sets = matches!(deposit, Deposit::Set(_));
        let stale = self.more.as_ref().and_then(|more| more.stale).filter(|_| !own).map(|wait| (wait, stamp));
        let overwrote = if sets {
            let one = (self.news == News::One).then(|| self.one(value));
            let mut all = one.iter().chain(self.pending().iter().rev());
            let lost = all.find(|p| !(own && clock.follows(p.last())));
            lost.map(|p| Event::new(p.stamp, Change::Notify(p.deposit), 0))
        } else {
            None
        };
        (stale.is_some() || overwrote.is_some()).then(|| Box::new(Odd { overwrote, stale, ..Odd::default() }))
    }

    /// The owner notifies itself, which teaches it nothing: its own `Set` makes all before it void, and its own add counts wherever the peers'
    /// notifies came in between. Whether an add came before one of a peer or after it makes no difference to what a wait
    /// learns: the wait follows it in any case, and the peer's only because of what that added.
    fn notify_own(&mut self, deposit: Deposit) {
        match deposit {
            Deposit::Add(add) => {
                self.base = self.base.wrapping_add(add);
                if self.news == News::Many {
                    for pending in self.more.iter_mut().flat_map(|more| &mut more.pending) {
                        if let Deposit::Set(value) = &mut pending.deposit {
                            *value = value.wrapping_add(add);
                        }
                    }
                }
            }
            Deposit::Set(value) => {
                self.forget_news();
                self.base = value;
            }
        }
    }

    /// Nothing that is pending teaches anything.
    fn forget_news(&mut self) {
        (self.news, self.knowledge) = (News::None, None);
        if let Some(more) = &mut self.more {
            more.pending.clear();
        }
    }

    /// Adds a notify of a peer to a cell that holds `value`, before it counts.
    #[inline]
    fn add_news(&mut self, stamp: Stamp, deposit: Deposit, value: i32, release: Release) {
        let is_first = self.first.count == 0 || self.first.stamp.rank == stamp.rank;
        let is_told = matches!(deposit, Deposit::Set(_)) || matches!(self.did, Did::Nothing | Did::Add);
        if self.news == News::None && is_first && is_told {
            (self.news, self.knowledge) = (News::One, release.knowledge);
        } else {
            self.add_pending(value, Pending::new(stamp, deposit, release));
        }
    }

    fn add_pending(&mut self, value: i32, new: Pending) {
        let one = (self.news == News::One).then(|| self.one(value));
        (self.news, self.knowledge) = (News::Many, None);
        let pending = &mut self.more.get_or_insert_default().pending;
        pending.extend(one);
        if !pending.last_mut().is_some_and(|last| last.extend(&new)) {
            pending.push(new);
        }
    }

    /// Learns from the only news, where a wait needs it, or the owner knows of it already.
    fn take_one(&mut self, value: i32, holds: impl Fn(i32) -> bool, clock: &mut Clock) -> Option<Stamp> {
        let stamp = self.first.stamp;
        let release = Release { epoch: stamp.epoch, knowledge: self.knowledge.take() };
        if holds(self.base) && clock.known_since(stamp.rank, &release) < release.epoch {
            self.knowledge = release.knowledge;
            return None;
        }
        clock.acquire(stamp.rank, release);
        (self.news, self.base) = (News::None, value);
        Some(stamp)
    }

    /// Learns from the first of the news, as far as [`Cells::acquire`] tells. Gives the last one.
    #[cold]
    fn take_pending(&mut self, holds: impl Fn(i32) -> bool, clock: &mut Clock) -> Option<Stamp> {
        let pending = &mut self.more.as_mut()?.pending;
        // A position among the notifies: an entry of the list, and how many of it lie before.
        let followed =
            |(at, pending): (usize, &Pending)| Some((at, pending.followed(clock))).filter(|known| known.1 > 0);
        let known = pending.iter().enumerate().rev().find_map(followed).unwrap_or((0, 0));
        let (mut taken, mut last_set, mut running) = ((0, 0), 0, self.base);
        'notifies: for (at, pending) in pending.iter().enumerate() {
            for number in 0..pending.times {
                if (at, number) >= known && holds(running) {
                    break 'notifies;
                }
                running = match pending.deposit {
                    Deposit::Add(add) => running.wrapping_add(add),
                    Deposit::Set(value) => {
                        last_set = at;
                        value
                    }
                };
                taken = (at, number + 1);
            }
        }
        let mut from = None;
        for (at, pending) in pending.iter().enumerate().take(taken.0 + 1).skip(last_set) {
            let count = if at == taken.0 { taken.1 } else { pending.times };
            if count > 0 {
                let stamp = pending.stamp(count - 1);
                let knowledge = pending.release.knowledge.clone();
                clock.acquire(stamp.rank, Release { epoch: stamp.epoch, knowledge });
                from = Some(stamp);
            }
        }
        self.base = running;
        match pending.get_mut(taken.0) {
            Some(part) if taken.1 < part.times => {
                part.forget(taken.1);
                pending.drain(..taken.0);
            }
            Some(_) => drop(pending.drain(..=taken.0)),
            None => {}
        }
        if pending.is_empty() {
            self.news = News::None;
        }
        from
    }
}

/// Who notifies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct By {
    /// The instruction.
    pub(crate) pc: usize,
    /// Whether it is one of a builtin's body.
    pub(crate) builtin: bool,
}

impl Credits {
    /// A notify changes a cell from `value` to `new`; `credit` is what builtins deposited there.
    fn note(&mut self, credit: &mut i32, value: i32, new: i32, builtin: bool) {
        let count = |credit: i32, value: i32| (usize::from(value != credit), usize::from(credit != 0));
        let before = count(*credit, value);
        if builtin {
            *credit = credit.wrapping_add(new.wrapping_sub(value));
        }
        let after = count(*credit, new);
        // After a store `foreign` says nothing until it is counted anew.
        self.foreign = self.foreign.wrapping_add(after.0).wrapping_sub(before.0);
        self.open = self.open + after.1 - before.1;
    }
}

impl Cells {
    /// Starts a launch: what is known of the cells is forgotten.
    /// `preset` tells whether the host wrote what they hold; `held` how many hold something, when they are the signal of a collective.
    pub(crate) fn start(&mut self, launch: u32, preset: bool, held: Option<usize>) {
        (self.table.launch, self.table.touched) = (launch, false);
        self.preset = preset;
        self.events.clear();
        self.credits = held.map(|foreign| Credits { foreign, ..Credits::default() });
    }

    fn peek(&self, index: usize) -> Option<&Cell> {
        let cell = self.table.pages.get(index / PAGE)?.get(index % PAGE)?;
        (cell.launch == self.table.launch).then_some(cell)
    }

    /// What a load or store of a rank conflicts with. `owner` is the rank whose memory this is.
    pub(crate) fn check(
        &self,
        start: usize,
        end: usize,
        access: Access,
        owner: usize,
        clock: &Clock,
    ) -> Result<(), Conflict> {
        if !self.table.touched {
            return Ok(());
        }
        for (index, cell) in self.table.cells(start, end) {
            let found = |first, kind| {
                let one = (index, index + 1);
                Err(Conflict { first, kind, accessed: one, overlap: one })
            };
            if let Some(notified) = cell.notified().find(|n| !clock.follows(n.stamp)) {
                return found(notified.stamp, AccessKind::Notify);
            }
            let tested = Stamp { rank: owner as u32, epoch: cell.tested.0, pc: cell.tested.1 };
            if access != Access::Read && !clock.follows(tested) {
                return found(tested, AccessKind::Test);
            }
        }
        Ok(())
    }

    /// A store or transfer changes the cells from `start` to `end`. It is ordered after all notifies of them, and whoever tests them next after it: what is
    /// pending teaches nothing more.
    pub(crate) fn change(&mut self, start: usize, end: usize, stamp: Stamp) {
        if let Some(credits) = &mut self.credits {
            credits.recount = true;
        }
        if !self.table.touched {
            return;
        }
        for (index, cell) in self.table.cells_mut(start, end) {
            cell.vary(index, &mut self.events);
            cell.forget_news();
            cell.news = News::Stored;
            let more = cell.more.get_or_insert_default();
            more.stores = more.stores.saturating_add(1);
            self.events.push((index as u32, Event::new(stamp, Change::Store, 0)));
        }
    }

    /// Records a notify of a cell, which holds the first value before it and the second one after it. What is odd about it.
    pub(crate) fn notify(
        &mut self,
        index: usize,
        (value, new): (i32, i32),
        deposit: Deposit,
        owner: usize,
        clock: &mut Clock,
        by: By,
    ) -> Option<Box<Odd>> {
        let stamp = clock.stamp(by.pc);
        let own = clock.rank() == owner;
        let Cells { table, credits, events, .. } = self;
        let cell = table.touch(index, value, events);
        if let Some(credits) = credits {
            credits.note(&mut cell.credit, value, new, by.builtin);
        }
        let mut odd = cell.odd(deposit, value, stamp, own, clock);
        if cell.mixes(deposit) {
            cell.vary(index, events);
            let other = events.backwards().find(|(of, event)| *of as usize == index && event.is_other(deposit));
            odd.get_or_insert_default().mixed = other.map(|(_, event)| *event);
        }
        let read = Stamp { rank: owner as u32, epoch: cell.tested.0, pc: cell.tested.1 };
        if cell.read && !clock.follows(read) {
            odd.get_or_insert_default().unordered_read = Some(read.pc);
        }
        if own {
            clock.pass();
            cell.notify_own(deposit);
        } else {
            if let Some(more) = &mut cell.more {
                more.stale = None;
            }
            cell.add_news(stamp, deposit, value, clock.release());
        }
        cell.count(index, (value, new), deposit, stamp, events);
        odd
    }

    /// Records a notify for reports alone.
    pub(crate) fn count(
        &mut self,
        index: usize,
        (value, new): (i32, i32),
        deposit: Deposit,
        clock: &mut Clock,
        by: By,
    ) {
        let stamp = clock.stamp(by.pc);
        let cell = self.table.touch(index, value, &mut self.events);
        cell.count(index, (value, new), deposit, stamp, &mut self.events);
        clock.pass();
    }

    /// Records a wait or read of the owner, on a cell that holds `value`.
    pub(crate) fn test(&mut self, index: usize, value: i32, read: bool, clock: &Clock, pc: usize) -> Tested {
        let stamp = clock.stamp(pc);
        let cell = self.table.touch(index, value, &mut self.events);
        cell.tested = (stamp.epoch, stamp.pc);
        cell.read = read;
        let unordered = read && cell.notified().any(|n| !clock.follows(n.stamp));
        Tested { initial: cell.initial, unordered }
    }

    /// A wait of the owner passed: it learns from the notifies because of which it did.
    ///
    /// Those are the first ones, in their order, after which the value satisfies the wait and none is left that the owner knows of already: the
    /// wait could have passed then, before anything that came later. Learning from the later ones too would be right for this
    /// interleaving, and would hide what goes wrong in that one.
    pub(crate) fn acquire(
        &mut self,
        index: usize,
        value: i32,
        holds: impl Fn(i32) -> bool,
        clock: &mut Clock,
    ) -> Acquired {
        let cell = self.table.touch(index, value, &mut self.events);
        let before = cell.base;
        let from = match cell.news {
            News::None | News::Stored => None,
            News::One => cell.take_one(value, &holds, clock),
            News::Many => cell.take_pending(&holds, clock),
        };
        Acquired { from, stale: from.is_none() && before == cell.initial && holds(before) }
    }

    /// The owner's wait at `pc` passed by what the cell held when the launch started. What is odd about that.
    pub(crate) fn passed_stale(&mut self, index: usize, value: i32, pc: usize) -> Option<Box<Odd>> {
        if self.preset {
            return None;
        }
        let cell = self.table.touch(index, value, &mut self.events);
        cell.more.get_or_insert_default().stale = Some(pc as u32);
        let first = match cell.news {
            News::One => cell.first.stamp,
            _ => cell.pending().first()?.stamp,
        };
        Some(Box::new(Odd { stale: Some((pc as u32, first)), ..Odd::default() }))
    }

    /// Counts the cells whose value is not what builtins deposited, where a store made the count void. `value` gives that of a cell that may be
    /// looked at now, of `cells`. Gives the count; `None` where the cells are no collective's signal.
    pub(crate) fn foreign(&mut self, cells: usize, value: impl Fn(usize) -> Option<i32>) -> Option<usize> {
        let mut credits = self.credits?;
        if credits.recount {
            let differs = |&index: &usize| value(index).is_some_and(|value| value != self.credit(index));
            credits.foreign = (0..cells).filter(differs).count();
            self.credits = Some(Credits { recount: false, ..credits });
        }
        Some(credits.foreign)
    }

    /// What builtins deposited in a cell.
    pub(crate) fn credit(&self, index: usize) -> i32 {
        self.peek(index).map_or(0, |cell| cell.credit)
    }

    /// A cell in which builtins left something.
    pub(crate) fn left(&self) -> Option<usize> {
        self.credits.filter(|credits| credits.open > 0)?;
        self.table.cells(0, usize::MAX).find(|(_, cell)| cell.credit != 0).map(|(index, _)| index)
    }

    /// The last changes of a cell in this launch; `value` is what it holds where nothing touched it.
    pub(crate) fn history(&self, index: usize, value: i32) -> CellHistory {
        let Some(cell) = self.peek(index) else { return CellHistory { initial: value, ..CellHistory::default() } };
        let of_cell = self.events.backwards().filter(|(of, _)| *of as usize == index);
        let mut events: Vec<Event> = of_cell.take(fault::CellHistory::MAX_EVENTS).map(|(_, event)| *event).collect();
        events.reverse();
        events.extend(cell.alike());
        CellHistory { initial: cell.initial, earlier: cell.changes().saturating_sub(events.len() as u32), events }
    }

    /// Calls `f` for each cell and rank that notified it in this launch, with the number of times.
    pub(crate) fn for_each_sent(&self, f: &mut dyn FnMut(usize, usize, u32)) {
        for (index, cell) in self.table.cells(0, usize::MAX) {
            cell.notified().for_each(|n| f(index, n.stamp.rank as usize, n.count));
        }
    }

    /// How often a rank notified a cell in this launch.
    pub(crate) fn sent(&self, index: usize, rank: usize) -> u32 {
        let mine = |cell: &Cell| cell.notified().find(|n| n.stamp.rank as usize == rank).map(|n| n.count);
        self.peek(index).and_then(mine).unwrap_or(0)
    }
}

impl Table {
    /// The cell, which holds `value` now.
    #[inline]
    fn touch(&mut self, index: usize, value: i32, events: &mut Events) -> &mut Cell {
        self.touched = true;
        let page = index / PAGE;
        if self.pages.get(page).is_none_or(|cells| cells.is_empty()) {
            self.add_page(page);
        }
        let cell = &mut self.pages[page][index % PAGE];
        if cell.launch != self.launch {
            cell.start(self.launch, value);
        }
        if cell.news == News::Stored {
            (cell.base, cell.news) = (value, News::None);
            // What the store left there is known only now.
            if let Some((_, event)) = events.backwards_mut().find(|(of, _)| *of as usize == index) {
                event.value = value;
            }
        }
        cell
    }

    #[cold]
    fn add_page(&mut self, page: usize) {
        if self.pages.len() <= page {
            self.pages.resize_with(page + 1, Box::default);
        }
        self.pages[page] = vec![Cell::default(); PAGE].into();
    }

    /// The cells from `start` to `end` that this launch touched, each with its index.
    fn cells(&self, start: usize, end: usize) -> impl Iterator<Item = (usize, &Cell)> {
        let pages = self.pages.iter().enumerate().take(end.div_ceil(PAGE)).skip(start / PAGE);
        let all = pages
            .flat_map(|(page, cells)| cells.iter().enumerate().map(move |(slot, cell)| (page * PAGE + slot, cell)));
        all.filter(move |(index, cell)| cell.launch == self.launch && (start..end).contains(index))
    }

    /// The same, to change.
    fn cells_mut(&mut self, start: usize, end: usize) -> impl Iterator<Item = (usize, &mut Cell)> {
        let launch = self.launch;
        let pages = self.pages.iter_mut().enumerate().take(end.div_ceil(PAGE)).skip(start / PAGE);
        let all = pages
            .flat_map(|(page, cells)| cells.iter_mut().enumerate().map(move |(slot, cell)| (page * PAGE + slot, cell)));
        all.filter(move |(index, cell)| cell.launch == launch && (start..end).contains(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_small() {
        assert!(size_of::<Cell>() <= 64);
    }
}
