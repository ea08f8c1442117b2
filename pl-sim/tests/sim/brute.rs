//! Small programs under all interleavings, against a model that knows nothing of clocks, plans or partial orders: what can go wrong, and what can come
//! out.
//!
//! The model executes a program in every order. It takes the rules of the checks literally: a set of the ops that a rank knows of takes the place of
//! vector clocks. Exhaustive exploration must find a failure where the model has one, and must come to its end without one where it has none, with
//! the same results. What the checks call a race must also be one to the eye: two conflicting accesses that can happen at the same time.

use crate::support::{Arg, Random, World, id, input, output};
use pl_core::dtype::DType;
use pl_core::explore::{Explore, Outcome};
use pl_core::runtime::{Engine, EngineError, LaunchOptions, Scheduler};
use std::collections::{BTreeSet, HashSet};

/// The most ops of a rank; and how many elements and cells a rank has.
const OPS: usize = 6;
const CELLS: usize = 2;
const RANKS: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Deposit {
    Add(i32),
    Set(i32),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Op {
    /// Writes an element: by a store, or by a put.
    Write {
        owner: usize,
        at: usize,
        put: bool,
    },
    Read {
        owner: usize,
        at: usize,
    },
    Add {
        owner: usize,
        at: usize,
    },
    Notify {
        owner: usize,
        cell: usize,
        deposit: Deposit,
    },
    /// Waits for at least a value, or for that value.
    Wait {
        cell: usize,
        least: bool,
        expected: i32,
    },
    /// Reads a cell; the next op only happens if it holds `only`.
    Look {
        cell: usize,
        only: Option<i32>,
    },
    PutWithSignal {
        owner: usize,
        at: usize,
        cell: usize,
        deposit: Deposit,
    },
}

/// What an op does to an element.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Access {
    Read,
    Write,
    Add,
}

impl Op {
    fn data(self) -> Option<(usize, usize, Access)> {
        match self {
            Op::Write { owner, at, .. } | Op::PutWithSignal { owner, at, .. } => Some((owner, at, Access::Write)),
            Op::Read { owner, at } => Some((owner, at, Access::Read)),
            Op::Add { owner, at } => Some((owner, at, Access::Add)),
            Op::Notify { .. } | Op::Wait { .. } | Op::Look { .. } => None,
        }
    }

    fn conflicts(self, other: Op) -> bool {
        match (self.data(), other.data()) {
            (Some((a, i, first)), Some((b, j, second))) => {
                (a, i) == (b, j) && (first != second || first == Access::Write)
            }
            _ => false,
        }
    }
}

/// A program: the ops of each rank, and whether elements are data from the start.
#[derive(Clone, Debug)]
struct Program {
    ranks: Vec<Vec<Op>>,
    zeros: bool,
}

/// The value that an op writes or adds.
fn value(rank: usize, index: usize) -> i32 {
    (rank * OPS + index + 1) as i32
}

/// Ops, as bits.
type Set = u32;

fn bit(rank: usize, index: usize) -> Set {
    1 << (rank * OPS + index)
}

/// A notify that the owner of the cell has not learnt from: the op, what it deposits, what its rank knew.
type Pending = (Set, Deposit, Set);

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Cell {
    value: i32,
    base: i32,
    pending: Vec<Pending>,
}

/// Where a run stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct State {
    at: [usize; RANKS],
    executed: Set,
    knows: [Set; RANKS],
    cells: [[Cell; CELLS]; RANKS],
    /// Elements that are data, and what they hold.
    data: [[Option<i32>; CELLS]; RANKS],
    /// What a read or look found, by op.
    found: [[i32; OPS]; RANKS],
}

/// What a run leaves: cells, elements, what was found.
type Left = (Vec<i32>, Vec<i32>, Vec<i32>);

/// All that can become of a program.
#[derive(Debug, Default)]
struct Fates {
    /// `race`, `uninitialised`, `deadlock`.
    kinds: BTreeSet<&'static str>,
    left: BTreeSet<Left>,
    /// Whether two conflicting accesses can happen at the same time, or an element be read that is no data, in runs that no check stops.
    wrong_to_the_eye: bool,
}

impl Program {
    fn fates(&self) -> Fates {
        let mut fates = Fates::default();
        let mut start = State::default();
        if self.zeros {
            start.data = [[Some(0); CELLS]; RANKS];
        }
        for checked in [true, false] {
            let mut seen = HashSet::new();
            let mut open = vec![start.clone()];
            while let Some(state) = open.pop() {
                self.step(&state, checked, &mut fates, |next| {
                    if seen.insert(next.clone()) {
                        open.push(next);
                    }
                });
            }
        }
        fates
    }

    fn next(&self, state: &State, rank: usize) -> Option<Op> {
        let op = *self.ranks.get(rank)?.get(state.at[rank])?;
        match op {
            Op::Wait { cell, least, expected } => holds(state.cells[rank][cell].value, least, expected).then_some(op),
            _ => Some(op),
        }
    }

    /// Every way to go on.
    fn step(&self, state: &State, checked: bool, fates: &mut Fates, mut open: impl FnMut(State)) {
        let count = self.ranks.len();
        let ready: Vec<(usize, Op)> = (0..count).filter_map(|rank| Some((rank, self.next(state, rank)?))).collect();
        if !checked {
            let pairs = ready.iter().enumerate().flat_map(|(i, a)| ready[..i].iter().map(move |b| (a.1, b.1)));
            fates.wrong_to_the_eye |= pairs.into_iter().any(|(a, b)| a.conflicts(b));
        }
        if ready.is_empty() {
            if (0..count).any(|rank| state.at[rank] < self.ranks[rank].len()) {
                fates.kinds.insert("deadlock");
            } else if checked {
                fates.left.insert(state.left(count));
            }
            return;
        }
        for (rank, op) in ready {
            if let Some((owner, at, access)) = op.data() {
                if checked && self.races(state, rank, op) {
                    fates.kinds.insert("race");
                    continue;
                }
                if access == Access::Read && state.data[owner][at].is_none() {
                    if checked {
                        fates.kinds.insert("uninitialised");
                        continue;
                    }
                    fates.wrong_to_the_eye = true;
                }
            }
            let mut next = state.clone();
            next.execute(rank, op);
            open(next);
        }
    }

    /// Whether an op conflicts with one that was executed and that its rank does not know of.
    fn races(&self, state: &State, rank: usize, op: Op) -> bool {
        let others = self.ranks.iter().enumerate().filter(|(other, _)| *other != rank);
        let mut executed =
            others.flat_map(|(other, ops)| ops.iter().enumerate().map(move |(i, op)| (bit(other, i), *op)));
        executed.any(|(bit, other)| state.executed & bit != 0 && state.knows[rank] & bit == 0 && other.conflicts(op))
    }
}

fn holds(value: i32, least: bool, expected: i32) -> bool {
    if least { value >= expected } else { value == expected }
}

impl State {
    fn execute(&mut self, rank: usize, op: Op) {
        let index = self.at[rank];
        self.at[rank] += 1;
        self.executed |= bit(rank, index);
        self.knows[rank] |= bit(rank, index);
        if let Some((owner, at, access)) = op.data() {
            let element = &mut self.data[owner][at];
            match access {
                Access::Read => self.found[rank][index] = element.unwrap_or(0),
                Access::Write => *element = Some(value(rank, index)),
                Access::Add => *element = Some(element.unwrap_or(0) + value(rank, index)),
            }
        }
        match op {
            Op::Notify { owner, cell, deposit } | Op::PutWithSignal { owner, cell, deposit, .. } => {
                self.notify(rank, index, owner, cell, deposit);
            }
            Op::Wait { cell, least, expected } => self.learn(rank, cell, least, expected),
            Op::Look { cell, only } => {
                let value = self.cells[rank][cell].value;
                self.found[rank][index] = value;
                if only.is_some_and(|only| only != value) {
                    self.at[rank] += 1;
                }
            }
            Op::Write { .. } | Op::Read { .. } | Op::Add { .. } => {}
        }
    }

    fn notify(&mut self, rank: usize, index: usize, owner: usize, cell: usize, deposit: Deposit) {
        let Cell { value, base, pending } = &mut self.cells[owner][cell];
        match deposit {
            Deposit::Add(add) => *value += add,
            Deposit::Set(set) => *value = set,
        }
        if rank != owner {
            pending.push((bit(rank, index), deposit, self.knows[rank]));
            return;
        }
        // The owner's own teaches it nothing.
        match deposit {
            Deposit::Add(add) => {
                *base += add;
                for (_, pending, _) in pending {
                    if let Deposit::Set(set) = pending {
                        *set += add;
                    }
                }
            }
            Deposit::Set(set) => {
                *base = set;
                pending.clear();
            }
        }
    }

    /// A wait passed: of the first notifies after which it holds, and none is left that the rank knew, those since the last that set the cell.
    fn learn(&mut self, rank: usize, cell: usize, least: bool, expected: i32) {
        let Cell { base, pending, .. } = &mut self.cells[rank][cell];
        let known = self.knows[rank];
        let after = |taken: usize| {
            pending[..taken].iter().fold(*base, |value, (_, deposit, _)| match deposit {
                Deposit::Add(add) => value + add,
                Deposit::Set(set) => *set,
            })
        };
        let enough = |taken: &usize| {
            holds(after(*taken), least, expected) && pending[*taken..].iter().all(|(op, ..)| known & op == 0)
        };
        let taken = (0..=pending.len()).find(enough).expect("it holds after all of them");
        let since = pending[..taken].iter().rposition(|(_, deposit, _)| matches!(deposit, Deposit::Set(_)));
        *base = after(taken);
        let learnt = pending[since.unwrap_or(0)..taken].iter().fold(0, |learnt, (_, _, knew)| learnt | knew);
        pending.drain(..taken);
        self.knows[rank] |= learnt;
    }

    fn left(&self, count: usize) -> Left {
        let cells = self.cells[..count].iter().flatten().map(|cell| cell.value).collect();
        let data = self.data[..count].iter().flatten().map(|element| element.unwrap_or(0)).collect();
        (cells, data, self.found[..count].iter().flatten().copied().collect())
    }
}

/// The program as a kernel.
fn kernel(program: &Program) -> String {
    let mut text = format!(
        "InCore fn k(x: In tensor<f32, [{OPS}, 1]>, data: InOut window<f32, [{CELLS}, 1]>, signal: InOut window<i32, [{CELLS}]>, looked: InOut tensor<i32, [{OPS}]>, read: InOut tensor<f32, [{OPS}, 1]>) {{
  ctx = pld::get_comm_ctx(data)
  me = pld::rank(ctx)
"
    );
    for (rank, ops) in program.ranks.iter().enumerate() {
        text += &format!("  if me == {rank} {{\n");
        let mut close = false;
        for (i, op) in ops.iter().enumerate() {
            let operation = |deposit| match deposit {
                Deposit::Add(value) => format!("{value}, op = AtomicAdd"),
                Deposit::Set(value) => format!("{value}, op = Set"),
            };
            let body = match *op {
                Op::Write { owner, at, put: true } => format!(
                    "pld::tensor::put(data, {owner}, x, [{at}, 0], [{i}, 0], [1, 1], atomic = None, 1, 1, false)\n"
                ),
                Op::Write { owner, at, put: false } if owner == rank => {
                    format!(
                        "t{rank}{i} = pl::load(x, [{i}, 0], [1, 1])\ndata = pl::store(t{rank}{i}, [{at}, 0], data)\n"
                    )
                }
                Op::Write { owner, at, put: false } => format!(
                    "t{rank}{i} = pl::load(x, [{i}, 0], [1, 1])\npld::tile::remote_store(t{rank}{i}, data, {owner}, [{at}, 0], atomic = None)\n"
                ),
                Op::Add { owner, at } => format!(
                    "t{rank}{i} = pl::load(x, [{i}, 0], [1, 1])\npld::tile::remote_store(t{rank}{i}, data, {owner}, [{at}, 0], atomic = Add)\n"
                ),
                Op::Read { owner, at } if owner == rank => {
                    format!(
                        "u{rank}{i} = pl::load(data, [{at}, 0], [1, 1])\nread = pl::store(u{rank}{i}, [{i}, 0], read)\n"
                    )
                }
                Op::Read { owner, at } => format!(
                    "u{rank}{i} = pld::tile::remote_load(data, {owner}, [{at}, 0], [1, 1])\nread = pl::store(u{rank}{i}, [{i}, 0], read)\n"
                ),
                Op::Notify { owner, cell, deposit } => {
                    format!("pld::system::notify(signal, {owner}, [{cell}], {})\n", operation(deposit))
                }
                Op::Wait { cell, least, expected } => {
                    let cmp = if least { "Ge" } else { "Eq" };
                    format!("pld::system::wait(signal, [{cell}], {expected}, cmp = {cmp})\n")
                }
                Op::Look { cell, .. } => {
                    format!("f{rank}{i} = pl::read(signal, [{cell}])\npl::write(looked, [{i}], f{rank}{i})\n")
                }
                Op::PutWithSignal { owner, at, cell, deposit } => format!(
                    "pld::tensor::put_with_signal(data, {owner}, x, signal, [{cell}], {}, [{at}, 0], [{i}, 0], [1, 1], atomic = None, 1, 1, false)\n",
                    operation(deposit)
                ),
            };
            text += &body;
            if std::mem::take(&mut close) {
                text += "}\n";
            }
            if let Op::Look { only: Some(only), .. } = op
                && i + 1 < ops.len()
            {
                text += &format!("if f{rank}{i} == {only} {{\n");
                close = true;
            }
        }
        text += "  }\n";
    }
    text + "}"
}

/// A program that waits, moves data and signals; most do something wrong.
fn generate(random: &mut Random) -> Program {
    let mut below = |n: usize| (random.next() % n as u64) as usize;
    let count = if below(3) == 0 { 3 } else { 2 };
    let most = if count == 3 { 4 } else { OPS };
    // Where all signals meet in one cell, more depends on their order.
    let cells = 1 + below(CELLS);
    let mut ranks: Vec<Vec<Op>> = vec![vec![]; count];
    // Data that is sent with a signal, to one that waits for it: a frame that makes sense.
    for _ in 0..below(3) {
        let (from, to, owner) = (below(count), below(count), below(count));
        let (at, cell, value) = (below(CELLS), below(cells), 1 + below(2) as i32);
        let deposit = if below(3) == 0 { Deposit::Set(value) } else { Deposit::Add(value) };
        if below(3) == 0 {
            ranks[from].push(Op::PutWithSignal { owner: to, at, cell, deposit });
        } else {
            ranks[from].push(if below(3) == 0 {
                Op::Add { owner, at }
            } else {
                Op::Write { owner, at, put: below(2) == 0 }
            });
            ranks[from].push(Op::Notify { owner: to, cell, deposit });
        }
        ranks[to].push(Op::Wait { cell, least: below(4) > 0, expected: value });
        let owner = if matches!(ranks[from].last(), Some(Op::PutWithSignal { .. })) { to } else { owner };
        ranks[to].push(if below(3) == 0 { Op::Write { owner, at, put: false } } else { Op::Read { owner, at } });
    }
    for (rank, ops) in ranks.iter_mut().enumerate() {
        for _ in 0..below(4) {
            let (owner, at, cell) = (below(count), below(CELLS), below(cells));
            let deposit = match below(4) {
                0 => Deposit::Set(below(3) as i32),
                1 => Deposit::Add(-1),
                _ => Deposit::Add(1 + below(2) as i32),
            };
            let op = match below(11) {
                0 => Op::Write { owner, at, put: below(2) == 0 },
                1 => Op::Read { owner, at },
                2 => Op::Add { owner, at },
                3 | 4 | 9 => Op::Notify { owner, cell, deposit },
                5 => Op::Notify { owner: rank, cell, deposit },
                6 => Op::Wait { cell, least: below(3) > 0, expected: below(3) as i32 },
                7 | 10 => Op::Look { cell, only: (below(2) == 0).then(|| below(3) as i32) },
                _ => Op::PutWithSignal { owner, at, cell, deposit },
            };
            ops.insert(below(ops.len() + 1), op);
        }
        ops.truncate(most);
        // What may not happen decides nothing itself.
        for i in 1..ops.len() {
            if let [Op::Look { only: Some(_), .. }, Op::Look { only, .. }] = &mut ops[i - 1..=i] {
                *only = None;
            }
        }
    }
    Program { ranks, zeros: below(2) == 0 }
}

impl Program {
    /// Whether ranks have anything to do with one another that could go wrong.
    fn matters(&self) -> bool {
        let all = |f: &dyn Fn(Op) -> bool| self.ranks.iter().flatten().any(|op| f(*op));
        let pairs = |a: usize, b: usize| self.ranks[a].iter().any(|x| self.ranks[b].iter().any(|y| x.conflicts(*y)));
        let conflict = (0..self.ranks.len()).any(|a| (0..a).any(|b| pairs(a, b)));
        conflict || all(&|op| matches!(op, Op::Look { .. })) && all(&|op| matches!(op, Op::Notify { .. }))
    }
}

/// What the simulator makes of a program.
struct Subject<'p> {
    world: World,
    program: &'p Program,
    compiled: std::sync::Arc<pl_core::bind::Program>,
    data: Arg,
    signal: Arg,
}

impl Subject<'_> {
    fn new(program: &Program) -> Subject<'_> {
        let world = World::new(program.ranks.len());
        let data = match program.zeros {
            true => world.zeros(DType::F32, &[CELLS, 1]),
            false => world.window(DType::F32, &[CELLS, 1]),
        };
        let signal = world.window(DType::I32, &[CELLS]);
        let compiled = world.program(&kernel(program), &args(0, &data, &signal));
        Subject { world, program, compiled, data, signal }
    }

    /// Runs it once: what it leaves, or the kind of fault.
    fn run(&self, scheduler: Scheduler) -> Result<Left, (String, String)> {
        let count = self.program.ranks.len();
        let options = LaunchOptions { scheduler, ..LaunchOptions::default() };
        let calls = (0..count).map(|rank| (rank, self.compiled.clone(), args(rank, &self.data, &self.signal)));
        let ran = match self.world.launch_with(options, calls.collect()) {
            Ok(ran) => ran,
            Err(EngineError::Fault(fault)) => return Err((fault.kind().into(), fault.signature())),
            Err(other) => panic!("{other}"),
        };
        let (mut cells, mut data, mut found) = (vec![], vec![], vec![]);
        for rank in 0..count {
            let mut bytes = [0; 4 * CELLS];
            self.world.sim.read(id(&self.signal), rank, &mut bytes).expect("a window");
            cells.extend(bytemuck::pod_read_unaligned::<[i32; CELLS]>(&bytes));
            self.world.sim.read(id(&self.data), rank, &mut bytes).expect("a window");
            data.extend(bytemuck::pod_read_unaligned::<[f32; CELLS]>(&bytes).map(|x| x as i32));
            let (looked, read) = (ran.out::<i32>(rank, 0), ran.out::<f32>(rank, 1));
            found.extend(looked.iter().zip(&read).map(|(looked, read)| looked + *read as i32));
        }
        Ok((cells, data, found))
    }

    fn reset(&self) {
        for arg in [&self.data, &self.signal] {
            self.world.sim.reset(id(arg)).expect("a reset");
        }
        if self.program.zeros {
            (0..self.program.ranks.len())
                .for_each(|rank| self.world.sim.write(id(&self.data), rank, &[0; 4 * CELLS]).expect("a write"));
        }
    }
}

fn args(rank: usize, data: &Arg, signal: &Arg) -> Vec<Arg> {
    let x: Vec<f32> = (0..OPS).map(|index| value(rank, index) as f32).collect();
    vec![input(&[OPS, 1], &x), data.clone(), signal.clone(), output(DType::I32, &[OPS]), output(DType::F32, &[OPS, 1])]
}

/// Compares the simulator with the model. The number of schedules that an exhaustive exploration took.
fn compare(program: &Program, fates: &Fates) -> u64 {
    let what = || format!("{program:?}\n{}\n{fates:#?}", kernel(program));
    let subject = Subject::new(program);
    // Single runs: what the model knows.
    for scheduler in [Scheduler::Parallel, Scheduler::Seeded(1), Scheduler::Seeded(2), Scheduler::Seeded(3)] {
        match subject.run(scheduler) {
            Ok(left) => assert!(fates.left.contains(&left), "{scheduler:?} leaves {left:?}\n{}", what()),
            Err((kind, _)) => assert!(fates.kinds.contains(&*kind), "{scheduler:?} has a {kind}\n{}", what()),
        }
        subject.reset();
    }
    let (mut left, mut kinds, mut differs) = (BTreeSet::new(), BTreeSet::new(), false);
    let mut body = |scheduler| match subject.run(scheduler) {
        Ok(found) => {
            left.insert(found);
            Outcome::Right
        }
        // What a right program leaves may depend on the order of a `Set` and an add.
        Err((kind, _)) if kind == "differs" => {
            differs = true;
            Outcome::Right
        }
        Err((kind, signature)) => {
            kinds.insert(kind);
            Outcome::Fails(signature)
        }
    };
    let explored = subject.world.sim.explore(&Explore::exhaustive(), &mut body);
    let explored = explored.unwrap_or_else(|e| panic!("{e}\n{}", what()));
    assert!(left.is_subset(&fates.left), "exploration leaves {left:?}\n{}", what());
    for kind in &kinds {
        assert!(fates.kinds.contains(&**kind), "exploration has a {kind}\n{}", what());
    }
    assert_eq!(explored.found.is_some(), !fates.kinds.is_empty(), "{explored}\n{}", what());
    assert!(!differs || fates.left.len() > 1, "{explored}\n{}", what());
    if fates.kinds.is_empty() {
        assert!(explored.complete, "{explored}\n{}", what());
        assert!(differs || left == fates.left, "exploration only leaves {left:?}, {explored}\n{}", what());
    }
    explored.schedules
}

/// Thousands of programs, as many that are right as that are not.
#[test]
fn exploration_finds_what_can_go_wrong() {
    let full = std::env::var_os("PL_TEST").is_some_and(|value| value == "full");
    let (wanted, seed) = if full { (20_000, 77) } else { (1_000, 7) };
    let mut random = Random(seed);
    // By whether something always goes wrong, or sometimes, or different results come out, or one.
    let mut counts = [0; 4];
    let mut schedules = [0; 4];
    let mut deadlocks = 0;
    while counts.iter().any(|count| *count < wanted) {
        let program = generate(&mut random);
        if !program.matters() {
            continue;
        }
        let fates = program.fates();
        let class = match (fates.kinds.is_empty(), fates.left.len()) {
            (false, 0) => 0,
            (false, _) => 1,
            (true, 1) => 2,
            (true, _) => 3,
        };
        if counts[class] >= wanted {
            continue;
        }
        counts[class] += 1;
        deadlocks += usize::from(fates.kinds.contains("deadlock"));
        // A check never stops what is right, and stops all that is wrong. A `pl::read` orders nothing, though it may keep an op from happening.
        let branches = program.ranks.iter().flatten().any(|op| matches!(op, Op::Look { only: Some(_), .. }));
        let wrong = fates.kinds.contains("race") || fates.kinds.contains("uninitialised");
        assert!(branches || wrong == fates.wrong_to_the_eye, "{program:?}\n{}\n{fates:#?}", kernel(&program));
        schedules[class] += compare(&program, &fates);
    }
    println!("{schedules:?} schedules, {deadlocks} deadlocks");
    assert!(deadlocks > wanted / 4, "{deadlocks} programs can block");
}

/// Rank 0 blocks the wait of rank 1 again after rank 2 has let it go, and rank 2 lets it go once more: the wait could have passed before all of that.
#[test]
fn a_wait_that_is_blocked_again() {
    let notify = |owner, deposit| Op::Notify { owner, cell: 0, deposit };
    let set = |value| notify(1, Deposit::Set(value));
    let program = Program {
        ranks: vec![
            vec![Op::Look { cell: 0, only: None }, notify(0, Deposit::Set(1)), notify(1, Deposit::Add(-1))],
            vec![Op::Wait { cell: 0, least: true, expected: 1 }, notify(1, Deposit::Add(2))],
            vec![set(1), notify(0, Deposit::Add(2)), set(2)],
        ],
        zeros: false,
    };
    let fates = program.fates();
    assert_eq!((fates.kinds.len(), fates.left.len()), (0, 12), "{fates:?}");
    compare(&program, &fates);
}
