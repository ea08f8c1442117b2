//! One signal cell: who notified it, what the owner has not learnt from that, and what is odd about it.

use super::Deposit;
use super::clock::{Clock, Few, Knowledge, Release, Stamp, Told};
use crate::recent::Recent;
use pl_core::fault;
use std::sync::Arc;

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

/// What stands apart from the cells of a memory.
#[derive(Debug)]
pub(super) struct Apart {
    /// The last changes of cells, each with its cell, but for those of cells whose changes are all alike. They stand in their order, not with their cells, so
    /// that to note one costs little.
    pub(super) events: Recent<(u32, Event)>,
    /// What few cells need.
    more: Vec<More>,
}

impl Apart {
    /// That of a memory of so many cells.
    pub(super) const fn new(cells: usize) -> Apart {
        // A signal of a large world has many cells, and each rank has one: then fewer changes are kept of each.
        let events = Recent::new(if cells < 1024 { 2048 } else { 512 });
        Apart { events, more: Vec::new() }
    }

    fn note(&mut self, index: usize, event: Event) {
        self.events.push((index as u32, event));
    }

    /// The last changes of the cell with this index, the last one first.
    pub(super) fn events_of(&self, index: usize) -> impl Iterator<Item = Event> {
        self.events.backwards().filter(move |(of, _)| *of as usize == index).map(|(_, event)| *event)
    }
}

/// That a rank notified a cell, as an access.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Notified {
    /// Its last notify of the cell.
    pub(super) stamp: Stamp,
    /// How many notifies it made.
    pub(super) count: u32,
}

/// Notifies of a peer that the owner has not learnt from: one, or several adds that are alike, as a loop makes them. So cells that nobody waits for
/// do not grow with each turn of a loop, and each notify still is apart.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    /// The first one.
    pub(super) stamp: Stamp,
    pub(super) deposit: Deposit,
    /// What they told.
    pub(super) told: Told,
    /// How many they are, and how many epochs lie between two of them.
    pub(super) times: u32,
    pub(super) stride: u32,
}

impl Pending {
    pub(super) const fn new(stamp: Stamp, deposit: Deposit, told: Told) -> Pending {
        Pending { stamp, deposit, told, times: 1, stride: 0 }
    }

    /// One of them, counted from 0.
    pub(super) const fn stamp(&self, number: u32) -> Stamp {
        Stamp { epoch: self.stamp.epoch + number * self.stride, ..self.stamp }
    }

    /// The last of them.
    pub(super) const fn last(&self) -> Stamp {
        self.stamp(self.times - 1)
    }

    /// How many of them the owner knows of.
    pub(super) fn followed(&self, clock: &Clock) -> u32 {
        match clock.known_since(self.stamp, &self.told).checked_sub(self.stamp.epoch) {
            Some(beyond) => self.times.min(beyond / self.stride.max(1) + 1),
            None => 0,
        }
    }

    /// Adds one more, when it is like these; whether it is.
    pub(super) fn extend(&mut self, new: &Pending) -> bool {
        let alike = matches!(self.deposit, Deposit::Add(_))
            && (self.deposit, self.stamp.rank, self.stamp.pc) == (new.deposit, new.stamp.rank, new.stamp.pc)
            && self.told.is_same(&new.told);
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
    pub(super) fn forget(&mut self, count: u32) {
        self.stamp = self.stamp(count);
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
    pub(super) const fn is_other(&self, deposit: Deposit) -> bool {
        matches!(
            (self.change, deposit),
            (Change::Notify(Deposit::Add(_)), Deposit::Set(_)) | (Change::Notify(Deposit::Set(_)), Deposit::Add(_))
        )
    }

    pub(super) const fn new(stamp: Stamp, change: Change, value: i32) -> Event {
        Event { call: stamp.rank, pc: stamp.pc, change, value }
    }
}

/// One cell. There may be as many as the square of the number of ranks, so what few of them need stands [`Apart`].
#[derive(Clone, Debug, Default)]
pub(super) struct Cell {
    /// What notifies did.
    pub(super) did: Did,
    /// Whether its changes differ, so that they stand among those of the other cells. Otherwise each of them was the last one of the first rank, and added
    /// `step`.
    pub(super) varied: bool,
    /// What the owner did last.
    pub(super) last: Last,
    /// What the owner has not learnt from.
    pub(super) news: News,
    /// When it did that: the epoch (0: nothing) and the instruction.
    pub(super) did_last: (u32, u32),
    /// The value at the start of the launch.
    pub(super) initial: i32,
    /// What builtins deposited.
    pub(super) credit: i32,
    /// The rank that notified it first.
    pub(super) first: Notified,
    pub(super) step: i32,
    /// The value before the news, with all that the owner added.
    pub(super) base: i32,
    /// What the notify told that is the only news ([`News::One`]). In a launch of few ranks that stands in the cell's page.
    pub(super) knowledge: Option<Arc<Knowledge>>,
    /// The number of what it has apart, from 1; 0: nothing.
    more: u32,
}

/// What the notifies of a cell did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Did {
    #[default]
    Nothing,
    Add,
    Set,
    Both,
}

/// What the owner of a cell did there. Of its notifies only the first one stands here, and only until it does something else: as a builtin ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Last {
    /// It waited, or did nothing yet.
    #[default]
    Wait,
    /// A `pl::read`.
    Read,
    /// It notified itself, once.
    Notify,
}

/// What the owner of a cell has not learnt from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum News {
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
pub(super) struct More {
    /// The other ranks that notified the cell.
    pub(super) notified: Vec<Notified>,
    /// The notifies of peers that the owner has not learnt from, in their order. What a `Set` sets holds what the owner added since, too.
    pub(super) pending: Vec<Pending>,
    /// How often a store or transfer changed the value.
    pub(super) stores: u32,
    /// The owner's wait that passed by what an earlier launch left here.
    pub(super) stale: Option<u32>,
}

impl Cell {
    /// All that is known is out of date: the cell holds `value` at the start of a launch.
    #[inline]
    pub(super) fn start(&mut self, value: i32, apart: &mut Apart) {
        if let Some(more) = self.more_mut(apart) {
            more.notified.clear();
            more.pending.clear();
            (more.stores, more.stale) = (0, None);
        }
        *self = Cell { base: value, initial: value, more: self.more, ..Cell::default() };
    }

    /// What it has apart, if anything.
    fn more<'a>(&self, apart: &'a Apart) -> Option<&'a More> {
        apart.more.get((self.more as usize).wrapping_sub(1))
    }

    /// The same, to change.
    pub(super) fn more_mut<'a>(&self, apart: &'a mut Apart) -> Option<&'a mut More> {
        apart.more.get_mut((self.more as usize).wrapping_sub(1))
    }

    /// What it has apart, from now on.
    pub(super) fn some_more<'a>(&mut self, apart: &'a mut Apart) -> &'a mut More {
        if self.more == 0 {
            apart.more.push(More::default());
            self.more = apart.more.len() as u32;
        }
        &mut apart.more[self.more as usize - 1]
    }

    /// Who notified it; `owner` is whose cell it is.
    pub(super) fn notified<'a>(&self, owner: u32, apart: &'a Apart) -> impl Iterator<Item = Notified> + use<'a> {
        let others = self.more(apart).into_iter().flat_map(|more| &more.notified).copied();
        let own = (self.last == Last::Notify).then(|| Notified { stamp: self.last_stamp(owner), count: 1 });
        [self.first].into_iter().filter(|first| first.count > 0).chain(others).chain(own)
    }

    /// What the owner did last.
    pub(super) const fn last_stamp(&self, owner: u32) -> Stamp {
        Stamp { rank: owner, epoch: self.did_last.0, pc: self.did_last.1 }
    }

    /// The owner waits or reads.
    pub(super) fn test(&mut self, stamp: Stamp, read: bool, apart: &mut Apart) {
        if self.last == Last::Notify {
            self.count_other(self.last_stamp(stamp.rank), apart);
        }
        (self.last, self.did_last) = (if read { Last::Read } else { Last::Wait }, (stamp.epoch, stamp.pc));
    }

    /// Counts a notify of the owner, which is not the first who notified.
    fn count_own(&mut self, stamp: Stamp, apart: &mut Apart) {
        let is_first = self.more(apart).is_none_or(|more| more.notified.iter().all(|n| n.stamp.rank != stamp.rank));
        match self.last {
            // Whoever is ordered after the notify is after the wait, too.
            Last::Wait if is_first => (self.last, self.did_last) = (Last::Notify, (stamp.epoch, stamp.pc)),
            Last::Notify => {
                self.count_other(self.last_stamp(stamp.rank), apart);
                self.last = Last::Wait;
                self.count_other(stamp, apart);
            }
            _ => self.count_other(stamp, apart),
        }
    }

    /// How often it was changed.
    pub(super) fn changes(&self, apart: &Apart) -> u32 {
        let stores = self.more(apart).map_or(0, |more| more.stores);
        self.notified(0, apart).fold(stores, |changes, notified| changes.saturating_add(notified.count))
    }

    /// Records a notify of the cell with this index, which holds `value` before it and `new` after it. `own` tells whether the owner made it, who then
    /// records its tests, too.
    #[inline]
    pub(super) fn count(
        &mut self,
        index: usize,
        (value, new): (i32, i32),
        deposit: Deposit,
        (stamp, own): (Stamp, bool),
        apart: &mut Apart,
    ) {
        if !self.count_alike(value, deposit, stamp) {
            self.count_another(index, (value, new), deposit, (stamp, own), apart);
        }
    }

    /// The same of a notify that is like all the others, which need not be noted apart; whether it is.
    #[inline(always)]
    pub(super) fn count_alike(&mut self, value: i32, deposit: Deposit, stamp: Stamp) -> bool {
        let Notified { stamp: first, count } = self.first;
        // Where nothing is checked, stores are not noted: after one the value is another.
        let is_alike = first.rank == stamp.rank
            && first.pc == stamp.pc
            && deposit == Deposit::Add(self.step)
            && self.value_after(count) == value
            && count > 0
            && !self.varied;
        if is_alike {
            self.first = Notified { stamp, count: count.saturating_add(1) };
        }
        is_alike
    }

    /// The same of the first notify of a cell, and of one that is not like the others.
    pub(super) fn count_another(
        &mut self,
        index: usize,
        (value, new): (i32, i32),
        deposit: Deposit,
        (stamp, own): (Stamp, bool),
        apart: &mut Apart,
    ) {
        match deposit {
            Deposit::Add(step) if self.first.count == 0 && value == self.initial && !self.varied => self.step = step,
            _ => {
                self.vary(index, apart);
                apart.note(index, Event::new(stamp, Change::Notify(deposit), new));
            }
        }
        self.did = match (self.did, deposit) {
            (Did::Nothing | Did::Add, Deposit::Add(_)) => Did::Add,
            (Did::Nothing | Did::Set, Deposit::Set(_)) => Did::Set,
            _ => Did::Both,
        };
        if self.first.count == 0 || self.first.stamp.rank == stamp.rank {
            self.first = Notified { stamp, count: self.first.count.saturating_add(1) };
        } else if own {
            self.count_own(stamp, apart);
        } else {
            self.count_other(stamp, apart);
        }
    }

    fn count_other(&mut self, stamp: Stamp, apart: &mut Apart) {
        let others = &mut self.some_more(apart).notified;
        match others.iter_mut().find(|n| n.stamp.rank == stamp.rank) {
            Some(notified) => *notified = Notified { stamp, count: notified.count.saturating_add(1) },
            None => others.push(Notified { stamp, count: 1 }),
        }
    }

    /// The value after so many changes that are all alike.
    pub(super) const fn value_after(&self, changes: u32) -> i32 {
        self.initial.wrapping_add(self.step.wrapping_mul(changes as i32))
    }

    /// The last changes in their order, as long as they are all alike.
    pub(super) fn alike(&self) -> impl Iterator<Item = Event> {
        let count = if self.varied { 0 } else { self.first.count };
        let kept = count.saturating_sub(fault::CellHistory::MAX_EVENTS as u32)..count;
        let change = Change::Notify(Deposit::Add(self.step));
        kept.map(move |before| Event::new(self.first.stamp, change, self.value_after(before + 1)))
    }

    /// From now on the changes of the cell with this index stand among those of the other cells.
    pub(super) fn vary(&mut self, index: usize, apart: &mut Apart) {
        self.alike().for_each(|event| apart.note(index, event));
        self.varied = true;
    }

    /// A store or transfer changes it, who knows to what.
    pub(super) fn store(&mut self, index: usize, stamp: Stamp, apart: &mut Apart) {
        self.vary(index, apart);
        self.forget_news(apart);
        self.news = News::Stored;
        let more = self.some_more(apart);
        more.stores = more.stores.saturating_add(1);
        apart.note(index, Event::new(stamp, Change::Store, 0));
    }

    /// A store or transfer left this value, which is known only now.
    #[cold]
    pub(super) fn come_to(&mut self, index: usize, value: i32, apart: &mut Apart) {
        (self.base, self.news) = (value, News::None);
        if let Some((_, event)) = apart.events.backwards_mut().find(|(of, _)| *of as usize == index) {
            event.value = value;
        }
    }

    /// Whether a deposit is the first of a second kind.
    pub(super) const fn mixes(&self, deposit: Deposit) -> bool {
        match deposit {
            Deposit::Add(_) => matches!(self.did, Did::Set),
            Deposit::Set(_) => matches!(self.did, Did::Add),
        }
    }

    /// The notify that is the only news, which told this. The cell holds `value` now. Beside a `Set` there is no such add: see [`Cell::add_news`].
    fn one(&self, value: i32, told: Told) -> Pending {
        let deposit = match self.did {
            Did::Set | Did::Both => Deposit::Set(value),
            Did::Nothing | Did::Add => Deposit::Add(value.wrapping_sub(self.base)),
        };
        Pending::new(self.first.stamp, deposit, told)
    }

    /// The news that stand apart.
    pub(super) fn pending<'a>(&self, apart: &'a Apart) -> &'a [Pending] {
        match (self.more(apart), self.news) {
            (Some(more), News::Many) => &more.pending,
            _ => &[],
        }
    }

    /// What is odd about a deposit that is about to happen to a cell that holds `value`, unless it mixes two kinds.
    pub(super) fn odd(
        &self,
        deposit: Deposit,
        value: i32,
        (stamp, own): (Stamp, bool),
        clock: &Clock,
        apart: &Apart,
    ) -> Option<Box<Odd>> {
        let sets = matches!(deposit, Deposit::Set(_));
        let stale = self.more(apart).and_then(|more| more.stale).filter(|_| !own).map(|wait| (wait, stamp));
        let overwrote = if sets {
            let one = (self.news == News::One).then(|| self.one(value, Told::Nothing));
            let mut all = one.iter().chain(self.pending(apart).iter().rev());
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
    pub(super) fn notify_own(&mut self, deposit: Deposit, apart: &mut Apart) {
        match deposit {
            Deposit::Add(add) => {
                self.base = self.base.wrapping_add(add);
                if self.news == News::Many {
                    for pending in self.more_mut(apart).into_iter().flat_map(|more| &mut more.pending) {
                        if let Deposit::Set(value) = &mut pending.deposit {
                            *value = value.wrapping_add(add);
                        }
                    }
                }
            }
            Deposit::Set(value) => {
                self.forget_news(apart);
                self.base = value;
            }
        }
    }

    /// Nothing that is pending teaches anything.
    fn forget_news(&mut self, apart: &mut Apart) {
        (self.news, self.knowledge) = (News::None, None);
        if let Some(more) = self.more_mut(apart) {
            more.pending.clear();
        }
    }

    /// Adds a notify of a peer to a cell that holds `value`, before it counts. `few` is where that is which notifies of few ranks tell.
    #[inline(always)]
    pub(super) fn add_news(
        &mut self,
        stamp: Stamp,
        deposit: Deposit,
        value: i32,
        (told, few): (Told, Option<&mut Few>),
        apart: &mut Apart,
    ) {
        let is_first = self.first.count == 0 || self.first.stamp.rank == stamp.rank;
        let is_told = matches!(deposit, Deposit::Set(_)) || matches!(self.did, Did::Nothing | Did::Add);
        if self.news != News::None || !is_first || !is_told {
            return self.add_pending(value, Pending::new(stamp, deposit, told), few, apart);
        }
        self.news = News::One;
        match (told, few) {
            (Told::Few(told), Some(few)) => *few = told,
            (Told::Shared(knowledge), _) => self.knowledge = Some(knowledge),
            (Told::Nothing, _) | (_, None) => self.knowledge = None,
        }
    }

    fn add_pending(&mut self, value: i32, new: Pending, few: Option<&mut Few>, apart: &mut Apart) {
        let one = (self.news == News::One).then(|| {
            let told = self.take_told(few.as_deref());
            self.one(value, told)
        });
        self.news = News::Many;
        let pending = &mut self.some_more(apart).pending;
        if pending.capacity() == 0 {
            // Most cells have two at most, and there are many cells.
            pending.reserve_exact(2);
        }
        pending.extend(one);
        if !pending.last_mut().is_some_and(|last| last.extend(&new)) {
            pending.push(new);
        }
    }

    /// What the only news told.
    fn take_told(&mut self, few: Option<&Few>) -> Told {
        match (few, self.knowledge.take()) {
            (Some(few), _) => Told::Few(*few),
            (None, Some(knowledge)) => Told::Shared(knowledge),
            (None, None) => Told::Nothing,
        }
    }

    /// Learns from the only news, where a wait needs it, or the owner knows of it already.
    pub(super) fn take_one(
        &mut self,
        value: i32,
        holds: impl Fn(i32) -> bool,
        few: Option<&Few>,
        clock: &mut Clock,
    ) -> Option<Stamp> {
        let stamp = self.first.stamp;
        if let Some(told) = few {
            // There nothing is deferred.
            if holds(self.base) && clock.known(stamp.rank) < stamp.epoch {
                return None;
            }
            clock.acquire_few(stamp.rank, stamp.epoch, told);
        } else {
            let told = self.take_told(None);
            if holds(self.base) && clock.known_since(stamp, &told) < stamp.epoch {
                if let Told::Shared(knowledge) = told {
                    self.knowledge = Some(knowledge);
                }
                return None;
            }
            clock.acquire(stamp.rank, Release { epoch: stamp.epoch, told });
        }
        (self.news, self.base) = (News::None, value);
        Some(stamp)
    }

    /// Learns from the first of the news alone, where that is all that the wait needs, and the owner knows of none: as when a rank that is ahead has notified
    /// for the next wait, too. Otherwise nothing is done.
    #[inline]
    pub(super) fn take_first(
        &mut self,
        holds: impl Fn(i32) -> bool,
        clock: &mut Clock,
        apart: &mut Apart,
    ) -> Option<Stamp> {
        let pending = &mut self.more_mut(apart)?.pending;
        let first = pending.first_mut()?;
        let Deposit::Add(add) = first.deposit else { return None };
        let (stamp, after) = (first.stamp, self.base.wrapping_add(add));
        if holds(self.base) || !holds(after) || pending.iter().any(|news| news.followed(clock) > 0) {
            return None;
        }
        self.base = after;
        let first = &mut pending[0];
        match &first.told {
            Told::Few(told) => clock.acquire_few(stamp.rank, stamp.epoch, told),
            told => clock.acquire(stamp.rank, Release { epoch: stamp.epoch, told: told.clone() }),
        }
        if first.times > 1 {
            first.forget(1);
        } else if pending.len() > 1 {
            drop(pending.remove(0));
        } else {
            pending.clear();
            self.news = News::None;
        }
        Some(stamp)
    }

    /// Learns from the first of the news, as far as [`Cells::wait`] tells. Gives the last one.
    #[cold]
    pub(super) fn take_pending(
        &mut self,
        holds: impl Fn(i32) -> bool,
        clock: &mut Clock,
        apart: &mut Apart,
    ) -> Option<Stamp> {
        let pending = &mut self.more_mut(apart)?.pending;
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
                clock.acquire(stamp.rank, Release { epoch: stamp.epoch, told: pending.told.clone() });
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
