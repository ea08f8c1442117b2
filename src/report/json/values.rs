//! The data of reports as JSON.
//!
//! An object has the fields of its struct, under their names, and all of them: a field that is new is one that `objects!` misses.

use super::Json;
use pl_core::dtype::DType;
use pl_core::explore::{Explored, Found, Run, Strategy};
use pl_core::fault::*;
use pl_core::ir::{Name, Place};
use pl_core::runtime::Scheduler;

pub(super) trait ToJson {
    fn to_json(&self) -> Json;
}

pub(super) fn object<const N: usize>(fields: [(&'static str, Json); N]) -> Json {
    Json::Object(fields.into())
}

/// Structs as objects of their fields.
macro_rules! objects {
    ($($ty:ident { $($field:ident),* $(,)? })*) => {
        $(impl ToJson for $ty {
            fn to_json(&self) -> Json {
                let $ty { $($field),* } = self;
                object([$((stringify!($field), $field.to_json())),*])
            }
        })*
    };
}

objects! {
    RankCost {
        bytes_received, bytes_sent, remote_loads, remote_stores, peer_notifies, self_notifies, waits, result_elements,
    }
    Checked { accesses, signals, ops }
    Region { memory, owner, domain_rank, offsets, extents }
    Race { first, second, overlap, first_notifies, acquired, notify, learnt, polled, idle, stale }
    RaceSide { site, access, region, reached }
    Reached { number, inside, site }
    Learnt { wait, notify, through }
    StaleWait { site, cell, value, expected, compare }
    Uninitialised { site, region, first, missing, writers, discarded, learnt, idle, stale }
    Writer { site, still, state }
    Passed { wait, notify }
    OutOfBounds { site, memory, extents, offsets, shape, axis }
    Arithmetic { site, problem, operation, ty }
    ElementDivision { site, dtype, element }
    PeerOutOfRange { site, window, peer, ranks }
    ExtentMismatch { site, lhs, rhs }
    DeclaredType { site, local, declared, found, axis }
    TileMemory { site, needed, limit, platform, tiles }
    CellOverflow { site, cell, value, add }
    CountOutOfRange { site, peer, count, limit }
    RootOutOfRange { site, root, ranks }
    CollectiveMismatch { first, second, before, differences }
    Difference { argument, first, second }
    Credits { site, when, cell, value, credit, history }
    CellHistory { initial, earlier, events }
    CellEvent { site, change, value }
    Deadlock { among, not_entered, ring, blocked, finished }
    NotEntered { first, entered, absent }
    Blocked { site, cell, value, expected, compare, senders, more_senders, history }
    Sender { site, still, sent, elsewhere, state }
    Livelock { among, not_entered, spinning, blocked, finished }
    Spinning { site, cell, value }
    Stopped { among, stopped, spinning, blocked, finished }
    StoppedRank { site, op }
    Explored { strategy, seed, schedules, redundant, complete, found }
    Found { token, switches, switches_before, repeatable }
    OpBudget { site, budget }
    Differs { rank, region }
    Interrupted { ranks }
}

impl ToJson for Fault {
    fn to_json(&self) -> Json {
        match self {
            Fault::Race(fault) => fault.to_json(),
            Fault::Uninitialised(fault) => fault.to_json(),
            Fault::OutOfBounds(fault) => fault.to_json(),
            Fault::Arithmetic(fault) => fault.to_json(),
            Fault::ElementDivision(fault) => fault.to_json(),
            Fault::Peer(fault) => fault.to_json(),
            Fault::Extents(fault) => fault.to_json(),
            Fault::Declared(fault) => fault.to_json(),
            Fault::TileMemory(fault) => fault.to_json(),
            Fault::CellOverflow(fault) => fault.to_json(),
            Fault::Count(fault) => fault.to_json(),
            Fault::Root(fault) => fault.to_json(),
            Fault::Collective(fault) => fault.to_json(),
            Fault::Credits(fault) => fault.to_json(),
            Fault::Deadlock(fault) => fault.to_json(),
            Fault::Livelock(fault) => fault.to_json(),
            Fault::Stopped(fault) => fault.to_json(),
            Fault::OpBudget(fault) => fault.to_json(),
            Fault::Differs(fault) => fault.to_json(),
            Fault::Interrupted(fault) => fault.to_json(),
        }
    }
}

impl ToJson for Lint {
    fn to_json(&self) -> Json {
        let Lint { site, ranks, data } = self;
        let mut fields = vec![("site", site.to_json()), ("ranks", ranks.to_json())];
        match data {
            LintData::SetOverwrote { cell, lost, notify } => {
                fields.extend([("cell", cell.to_json()), ("lost", lost.to_json()), ("notify", notify.to_json())]);
            }
            LintData::SetAddMixed { cell, notify } => {
                fields.extend([("cell", cell.to_json()), ("notify", notify.to_json())]);
            }
            LintData::StaleWait { cell, initial, notify } => {
                fields.extend([("cell", cell.to_json()), ("initial", initial.to_json()), ("notify", notify.to_json())]);
            }
            LintData::OutUnwritten { memory, param, missing, elements } => fields.extend([
                ("memory", memory.to_json()),
                ("param", param.to_json()),
                ("missing", missing.to_json()),
                ("elements", elements.to_json()),
            ]),
            LintData::OrderDependent => {}
        }
        Json::Object(fields)
    }
}

impl ToJson for Report {
    fn to_json(&self) -> Json {
        // What the lints found is among the problems, and what was not injected among the notes.
        let Report { ranks, wall, scheduler, threads, checked, explored, lints: _, not_injected: _ } = self;
        object([
            ("scheduler", scheduler.to_json()),
            ("threads", threads.to_json()),
            ("wall_seconds", Json::Float(wall.as_secs_f64())),
            ("checked", checked.to_json()),
            ("explored", explored.to_json()),
            ("ranks", ranks.to_json()),
        ])
    }
}

impl ToJson for Run {
    fn to_json(&self) -> Json {
        match self {
            Run::Parallel => Scheduler::Parallel.to_json(),
            Run::Seeded(seed) => Scheduler::Seeded(*seed).to_json(),
            Run::Explored(explored) => object([("kind", "explored".to_json()), ("explored", explored.to_json())]),
        }
    }
}

impl ToJson for Strategy {
    fn to_json(&self) -> Json {
        self.name().to_json()
    }
}

impl ToJson for Scheduler {
    fn to_json(&self) -> Json {
        match self {
            Scheduler::Parallel => object([("kind", "parallel".to_json())]),
            Scheduler::Seeded(seed) => object([("kind", "seeded".to_json()), ("seed", seed.to_json())]),
            Scheduler::Explored(_) => object([("kind", "explored".to_json())]),
        }
    }
}

/// The fields of a site; without a rank where no run came to it.
pub(super) fn site(rank: Option<usize>, kernel: &str, op: &str, place: Option<&Place>) -> Vec<(&'static str, Json)> {
    let called_from = std::iter::successors(place, |place| place.called_from.as_deref()).skip(1);
    let at = |at: &Place| [("file", at.file.to_json()), ("line", at.line.to_json()), ("column", at.column.to_json())];
    let mut fields = vec![
        ("rank", rank.to_json()),
        ("kernel", kernel.to_json()),
        ("op", if op.is_empty() { Json::Null } else { op.to_json() }),
    ];
    fields.extend(place.map_or([("file", Json::Null), ("line", Json::Null), ("column", Json::Null)], at));
    fields.push(("called_from", called_from.map(|place| object(at(place))).collect()));
    fields
}

impl ToJson for Site {
    fn to_json(&self) -> Json {
        Json::Object(site(Some(self.rank), &self.kernel, self.op, self.place.as_ref()))
    }
}

impl ToJson for RankState {
    fn to_json(&self) -> Json {
        let state = match self {
            RankState::Finished => "finished",
            RankState::Blocked(_) => "blocked",
            RankState::Running(_) => "running",
            RankState::Spinning(_) => "spinning",
            RankState::Queued => "queued",
            RankState::NoCall => "no-call",
            RankState::Stopped(_) => "stopped",
        };
        object([("state", state.to_json()), ("site", self.site().map_or(Json::Null, ToJson::to_json))])
    }
}

/// What a rank does.
impl ToJson for (usize, RankState) {
    fn to_json(&self) -> Json {
        object([("rank", self.0.to_json()), ("state", self.1.to_json())])
    }
}

/// A tile: its name and extents.
impl ToJson for (Name, Vec<usize>) {
    fn to_json(&self) -> Json {
        object([("name", self.0.to_json()), ("extents", self.1.to_json())])
    }
}

/// A tile: its name and size.
impl ToJson for (Name, u64) {
    fn to_json(&self) -> Json {
        object([("name", self.0.to_json()), ("bytes", self.1.to_json())])
    }
}

/// How many notifies went to other cells, and one of those cells.
impl ToJson for (u32, Region) {
    fn to_json(&self) -> Json {
        object([("count", self.0.to_json()), ("cell", self.1.to_json())])
    }
}

impl ToJson for AccessKind {
    fn to_json(&self) -> Json {
        let kind = match self {
            AccessKind::Read => "read",
            AccessKind::Write => "write",
            AccessKind::Add => "add",
            AccessKind::Notify => "notify",
            AccessKind::Test => "test",
        };
        kind.to_json()
    }
}

impl ToJson for CreditsFound {
    fn to_json(&self) -> Json {
        let when = match self {
            CreditsFound::Before => "before",
            CreditsFound::After => "after",
        };
        when.to_json()
    }
}

impl ToJson for CellChange {
    fn to_json(&self) -> Json {
        let (kind, value) = match self {
            CellChange::Add(value) => ("add", Some(*value)),
            CellChange::Set(value) => ("set", Some(*value)),
            CellChange::Store => ("store", None),
        };
        object([("kind", kind.to_json()), ("value", value.to_json())])
    }
}

impl ToJson for ArithmeticProblem {
    fn to_json(&self) -> Json {
        let problem = match self {
            ArithmeticProblem::Overflow => "overflow",
            ArithmeticProblem::Underflow => "underflow",
            ArithmeticProblem::DivisionByZero => "division-by-zero",
            ArithmeticProblem::ZeroStep => "zero-step",
        };
        problem.to_json()
    }
}

impl ToJson for Compare {
    fn to_json(&self) -> Json {
        self.symbol().to_json()
    }
}

impl ToJson for DType {
    fn to_json(&self) -> Json {
        self.to_string().to_json()
    }
}

macro_rules! integers {
    ($($ty:ty),*) => {
        $(impl ToJson for $ty {
            fn to_json(&self) -> Json {
                // No integer has more than 64 bits.
                Json::Integer(*self as i128)
            }
        })*
    };
}

integers!(i32, u32, u64, usize);

impl ToJson for bool {
    fn to_json(&self) -> Json {
        Json::Bool(*self)
    }
}

impl ToJson for str {
    fn to_json(&self) -> Json {
        Json::String(self.to_owned())
    }
}

impl ToJson for String {
    fn to_json(&self) -> Json {
        self.as_str().to_json()
    }
}

impl ToJson for Name {
    fn to_json(&self) -> Json {
        (**self).to_json()
    }
}

impl<T: ToJson> ToJson for Vec<T> {
    fn to_json(&self) -> Json {
        self.iter().map(ToJson::to_json).collect()
    }
}

impl<T: ToJson> ToJson for Option<T> {
    fn to_json(&self) -> Json {
        self.as_ref().map_or(Json::Null, ToJson::to_json)
    }
}

impl<T: ToJson + ?Sized> ToJson for &T {
    fn to_json(&self) -> Json {
        (**self).to_json()
    }
}

impl<T: ToJson> ToJson for Box<T> {
    fn to_json(&self) -> Json {
        (**self).to_json()
    }
}
