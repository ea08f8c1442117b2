//! What the pages of steps 05, 06, 12, 13, 15 and 16 say of costs; and rows that are longer than tile memory.

use crate::support::world;
use pl::ndarray::{Array, Array3, Dimension, IntoDimension};
use pl::{Card, Element, Window};
use pl_examples_cli::{Mode, Number};

macro_rules! examples {
    ($($name:ident $path:literal)*) => {$(
        #[expect(dead_code, reason = "the example's own command line")]
        #[path = $path]
        mod $name;
    )*};
}

examples! {
    remote "../../examples/05_remote_load_store.rs"
    put_get "../../examples/06_put_get.rs"
    broadcast "../../examples/12_broadcast.rs"
    allgather "../../examples/13_allgather.rs"
    all_to_all "../../examples/15_all_to_all.rs"
    together "../../examples/16_putting_it_together.rs"
}

const RANKS: [usize; 4] = [2, 3, 4, 8];
const MODES: [Mode; 2] = [Mode::Hand, Mode::Builtin];
/// More floats than `a2a3sim` has tile memory for.
const LONG: usize = 100_003;

/// Compiles and launches the calls. Gives the cards, which say what the run has counted.
macro_rules! cards {
    ($world:expr, $calls:expr) => {{
        let stages = $world.compile($calls).unwrap();
        let report = $world.launch($calls).unwrap();
        for (stage, counted) in stages.iter().zip(&report.ranks) {
            assert_eq!(stage.cost().exact(), Some(*counted), "{}", stage.lowered().name);
        }
        stages.iter().map(|stage| stage.cost().clone()).collect::<Vec<_>>()
    }};
}

fn filled<T: Number, S: IntoDimension>(shape: S) -> Array<T, S::Dim> {
    let mut count = 0;
    Array::from_shape_simple_fn(shape.into_dimension(), || {
        count += 1;
        T::from_f64(f64::from(count * 7 % 23 - 4) / 4.0)
    })
}

/// Bytes received, barriers and notifies to the own rank.
fn counts(card: &Card) -> (u64, u64, u64) {
    let exact = |count: pl::Count| count.exact().unwrap();
    (exact(card.bytes_received), exact(card.barriers), exact(card.self_notifies))
}

/// By hand so many barriers, and of the builtins so many and their epilogue.
fn expected(mode: Mode, p: usize, hand: u64, builtin: u64, calls: u64) -> (u64, u64) {
    match mode {
        Mode::Hand => (hand, 0),
        Mode::Builtin => (builtin, calls * (p as u64 - 1)),
    }
}

/// Builtins leave the signal at zero.
fn check_signal<T: Element + PartialEq>(mode: Mode, p: usize, signal: &Window<T>) {
    for rank in 0..p {
        let zero = signal.to_array(rank).unwrap().iter().all(|cell| *cell == T::ZERO);
        assert_eq!(zero, mode == Mode::Builtin, "rank {rank}, {mode:?}");
    }
}

fn check<T: Number, D: Dimension>(golden: &pl_examples_cli::golden::Golden<'_, T>, y: &Array<T, D>) {
    golden.check(y.view()).unwrap();
}

#[test]
fn remote_load_store() {
    for (p, size) in RANKS.map(|p| (p, 64)).into_iter().chain([(3, LONG)]) {
        let world = world("a2a3sim", p);
        let (data, signal) = (world.window([3, size]).unwrap(), world.window([3, 1]).unwrap());
        let (x, mut y) = (filled((p, 1, size)), Array3::zeros((p, 3, size)));
        for card in cards!(world, {
            world.reset_all().unwrap();
            remote::calls(&x, &mut y, &data, &signal)
        }) {
            // A row that is pulled, one that is pushed, and those that are added.
            assert_eq!(card.bytes_received.exact(), Some(((p + 1) * size * 4) as u64));
            assert_eq!(card.peer_notifies.exact(), Some(p as u64 + 1));
        }
        check(&remote::golden(&x).unwrap(), &y);
    }
}

#[test]
fn put_and_get() {
    let shapes = [(6, 16), (1, 1), (5, LONG)];
    for (p, (rows, cols)) in RANKS.map(|p| (p, shapes[0])).into_iter().chain([(3, shapes[1]), (2, shapes[2])]) {
        let world = world("a2a3sim", p);
        let (block, signal) = (world.window([rows + 2, cols]).unwrap(), world.window([2, 1]).unwrap());
        let (x, mut y) = (filled((p, rows, cols)), Array3::zeros((p, rows, cols)));
        for card in cards!(world, {
            world.reset_all().unwrap();
            put_get::calls(&x, &mut y, &block, &signal)
        }) {
            // Two rows, however many the block has.
            assert_eq!(card.bytes_received.exact(), Some((2 * cols * 4) as u64));
            assert_eq!(card.peer_notifies.exact(), Some(2));
        }
        check(&put_get::golden(&x).unwrap(), &y);
    }
}

#[test]
fn broadcasts() {
    for (p, size) in RANKS.map(|p| (p, 64)).into_iter().chain([(3, LONG)]) {
        let world = world("a2a3sim", p);
        let (data, signal) = (world.window([1, size]).unwrap(), world.window([p, 1]).unwrap());
        for (mode, root) in [(MODES[0], 0), (MODES[1], 0), (MODES[0], p - 1), (MODES[1], p - 1)] {
            let (x, mut y) = (filled((p, 1, size)), Array3::zeros((p, 1, size)));
            let cards = cards!(world, {
                world.reset_all().unwrap();
                broadcast::calls(mode, &x, &mut y, &data, &signal, root)
            });
            let (barriers, epilogue) = expected(mode, p, 2, 2, 1);
            for (rank, card) in cards.iter().enumerate() {
                let received = if rank == root { 0 } else { size * 4 };
                assert_eq!(counts(card), (received as u64, barriers, epilogue), "rank {rank} of {p}, {mode:?}");
                let sent = if rank == root { (p - 1) * size * 4 } else { 0 };
                assert_eq!(card.bytes_sent.exact(), Some(sent as u64));
            }
            check(&broadcast::golden(&x, root).unwrap(), &y);
            check_signal(mode, p, &signal);
        }
    }
}

#[test]
fn allgathers() {
    for (p, size) in RANKS.map(|p| (p, 64)).into_iter().chain([(3, LONG)]) {
        let world = world("a2a3sim", p);
        let (data, signal) = (world.window([p, size]).unwrap(), world.window([p, 1]).unwrap());
        for mode in MODES {
            let (x, mut y) = (filled((p, 1, size)), Array3::zeros((p, p, size)));
            let (barriers, epilogue) = expected(mode, p, 1, 2, 1);
            for card in cards!(world, {
                world.reset_all().unwrap();
                allgather::calls(mode, &x, &mut y, &data, &signal)
            }) {
                assert_eq!(counts(&card), (((p - 1) * size * 4) as u64, barriers, epilogue), "{p} ranks, {mode:?}");
            }
            check(&allgather::golden(&x).unwrap(), &y);
            check_signal(mode, p, &signal);
        }
    }
}

#[test]
fn all_to_alls() {
    for (p, size) in RANKS.map(|p| (p, 64)).into_iter().chain([(3, LONG)]) {
        let world = world("a2a3sim", p);
        let (data, signal) = (world.window([p, size]).unwrap(), world.window([p, 1]).unwrap());
        for mode in MODES {
            let (x, mut y) = (filled((p, p, size)), Array3::zeros((p, p, size)));
            let (barriers, epilogue) = expected(mode, p, 1, 2, 1);
            for card in cards!(world, {
                world.reset_all().unwrap();
                all_to_all::calls(mode, &x, &mut y, &data, &signal)
            }) {
                assert_eq!(counts(&card), (((p - 1) * size * 4) as u64, barriers, epilogue), "{p} ranks, {mode:?}");
            }
            check(&all_to_all::golden(&x).unwrap(), &y);
            check_signal(mode, p, &signal);
        }
    }
}

#[test]
fn putting_it_together() {
    for p in RANKS {
        let (world, size) = (world("a2a3sim", p), 64);
        let (weights, grads) = (world.window([1, size]).unwrap(), world.window([1, size]).unwrap());
        let (errors, signal) = (world.window([p, size]).unwrap(), world.window([p, 1]).unwrap());
        for mode in MODES {
            let (x, mut y) = (filled((p, 3, size)), Array3::zeros((p, p, size)));
            let cards = cards!(world, {
                world.reset_all().unwrap();
                together::calls(mode, &x, &mut y, [&weights, &grads, &errors], &signal)
            });
            let (barriers, epilogue) = expected(mode, p, 3, 6, 3);
            for (rank, card) in cards.iter().enumerate() {
                // The gradients and errors of the peers, and the weights.
                let rows = 2 * (p - 1) + usize::from(rank != 0);
                assert_eq!(
                    counts(card),
                    ((rows * size * 4) as u64, barriers, epilogue),
                    "rank {rank} of {p}, {mode:?}"
                );
            }
            check(&together::golden(&x).unwrap(), &y);
            check_signal(mode, p, &signal);
        }
    }
}

/// Rounding, and a sum that goes in pieces: both variants give what the host gives, bit for bit.
#[test]
fn training_with_long_rows() {
    let (p, size) = (3, LONG);
    let world = world("a2a3sim", p);
    let (weights, grads) = (world.window([1, size]).unwrap(), world.window([1, size]).unwrap());
    let (errors, signal) = (world.window([p, size]).unwrap(), world.window([p, 1]).unwrap());
    let x = Array3::from_shape_fn((p, 3, size), |(r, row, i)| 0.1 + 0.7 * (r + row) as f32 + 0.3 * (i % 100) as f32);
    for mode in MODES {
        let mut y = Array3::zeros((p, p, size));
        world.launch(together::calls(mode, &x, &mut y, [&weights, &grads, &errors], &signal)).unwrap();
        check(&together::golden(&x).unwrap(), &y);
        check_signal(mode, p, &signal);
        world.reset_all().unwrap();
    }
}
