//! Random kernels of loads, ops and stores of one tile shape, against a model that does each op at once: when a tile is computed does not show.

use crate::support::{Arg, Ran};
use crate::support::{Random, World, id, index, input};
use pl_core::dtype::DType;
use pl_core::runtime::Engine;
use std::fmt::Write;

const ROWS: usize = 20;
const COLUMNS: usize = 160;
/// Tile locals.
const TILES: usize = 5;
/// Shapes of tiles: rows that stand side by side, more than a strip; long runs; short runs; an element; nothing.
const SHAPES: [[usize; 2]; 6] = [[16, COLUMNS], [3, COLUMNS], [2, 130], [3, 7], [1, 1], [0, 4]];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    X,
    Y,
    Data,
}

#[derive(Clone, Debug)]
enum Stmt {
    Load {
        dst: usize,
        from: Place,
        at: [usize; 2],
        remote: bool,
    },
    Fill {
        dst: usize,
        value: i32,
    },
    Binary {
        op: &'static str,
        dst: usize,
        a: usize,
        b: usize,
    },
    Scalar {
        op: &'static str,
        dst: usize,
        a: usize,
        value: i32,
    },
    Neg {
        dst: usize,
        a: usize,
    },
    /// To a type and back.
    Cast {
        dst: usize,
        a: usize,
        through: DType,
    },
    Copy {
        dst: usize,
        a: usize,
    },
    Store {
        a: usize,
        to: Place,
        at: [usize; 2],
        remote: bool,
    },
    /// Adds in place.
    AddTo {
        a: usize,
        at: [usize; 2],
    },
    Notify,
    Loop {
        times: usize,
        body: Vec<Stmt>,
    },
    If {
        taken: bool,
        body: Vec<Stmt>,
    },
}

const OPS: [&str; 6] = ["add", "sub", "mul", "maximum", "minimum", "div"];

fn apply(op: &str, a: i32, b: i32) -> i32 {
    match op {
        "add" => a.wrapping_add(b),
        "sub" => a.wrapping_sub(b),
        "mul" => a.wrapping_mul(b),
        "maximum" => a.max(b),
        "minimum" => a.min(b),
        _ => a.wrapping_div(b),
    }
}

struct Generator {
    random: Random,
    shape: [usize; 2],
}

impl Generator {
    fn below(&mut self, n: usize) -> usize {
        (self.random.next() % n as u64) as usize
    }

    fn offsets(&mut self) -> [usize; 2] {
        // Few places, so that boxes meet; the same box often.
        let at = |generator: &mut Generator, size: usize, extent: usize| match generator.below(3) {
            0 => 0,
            1 => (size - extent).min(1),
            _ => generator.below(size - extent + 1),
        };
        [at(self, ROWS, self.shape[0]), at(self, COLUMNS, self.shape[1])]
    }

    fn block(&mut self, length: usize, depth: usize) -> Vec<Stmt> {
        (0..length).map(|_| self.stmt(depth)).collect()
    }

    fn stmt(&mut self, depth: usize) -> Stmt {
        let (dst, a, b) = (self.below(TILES), self.below(TILES), self.below(TILES));
        match self.below(if depth > 0 { 22 } else { 20 }) {
            0..=4 => {
                let from = [Place::X, Place::Y, Place::Data, Place::Data][self.below(4)];
                Stmt::Load { dst, from, at: self.offsets(), remote: from == Place::Data && self.below(2) == 0 }
            }
            5 => Stmt::Fill { dst, value: self.below(7) as i32 - 3 },
            6..=9 => Stmt::Binary { op: OPS[self.below(5)], dst, a, b },
            10 => Stmt::Scalar { op: OPS[self.below(6)], dst, a, value: [-3, 2, 5][self.below(3)] },
            11 => Stmt::Neg { dst, a },
            12 => Stmt::Cast { dst, a, through: [DType::I64, DType::I8, DType::U32][self.below(3)] },
            13 => Stmt::Copy { dst, a },
            14..=17 => {
                let to = [Place::Y, Place::Data, Place::Data][self.below(3)];
                Stmt::Store { a, to, at: self.offsets(), remote: to == Place::Data && self.below(2) == 0 }
            }
            18 => Stmt::AddTo { a, at: self.offsets() },
            19 => Stmt::Notify,
            20 => {
                let (times, length) = (self.below(40), 1 + self.below(4));
                Stmt::Loop { times, body: self.block(length, depth - 1) }
            }
            _ => {
                let (taken, length) = (self.below(2) == 0, 1 + self.below(4));
                Stmt::If { taken, body: self.block(length, depth - 1) }
            }
        }
    }
}

/// The text of a block; casts and loops need names of their own, which `names` counts.
fn text(block: &[Stmt], shape: [usize; 2], names: &mut usize, out: &mut String) {
    for stmt in block {
        *names += 1;
        let name = *names;
        let line = match stmt {
            Stmt::Load { dst, at, remote: true, .. } => {
                format!("t{dst} = pld::tile::remote_load(data, me, {at:?}, {shape:?})")
            }
            Stmt::Load { dst, from, at, .. } => {
                let from = ["x", "y", "data"][*from as usize];
                format!("t{dst} = pl::load({from}, {at:?}, {shape:?})")
            }
            Stmt::Fill { dst, value } => format!("t{dst} = pl::full::<i32>({shape:?}, {value})"),
            Stmt::Binary { op, dst, a, b } => format!("t{dst} = pl::{op}(t{a}, t{b})"),
            Stmt::Scalar { op, dst, a, value } => format!("t{dst} = pl::{op}(t{a}, {value})"),
            Stmt::Neg { dst, a } => format!("t{dst} = pl::neg(t{a})"),
            Stmt::Cast { dst, a, through } => {
                format!("c{name} = pl::cast::<{through}>(t{a})\nt{dst} = pl::cast::<i32>(c{name})")
            }
            Stmt::Copy { dst, a } => format!("t{dst} = t{a}"),
            Stmt::Store { a, at, remote: true, .. } => {
                format!("pld::tile::remote_store(t{a}, data, me, {at:?}, atomic = None)")
            }
            Stmt::Store { a, to, at, .. } => {
                let to = ["x", "y", "data"][*to as usize];
                format!("{to} = pl::store(t{a}, {at:?}, {to})")
            }
            Stmt::AddTo { a, at } => format!("pld::tile::remote_store(t{a}, data, me, {at:?}, atomic = Add)"),
            Stmt::Notify => "pld::system::notify(signal, me, [0], 1, op = AtomicAdd)".into(),
            Stmt::Loop { times, body } => {
                let _ = writeln!(out, "for i{name} in 0..{times} {{");
                text(body, shape, names, out);
                "}".into()
            }
            Stmt::If { taken, body } => {
                // The run decides it, not the binding.
                let _ = writeln!(out, "if n == {} {{", if *taken { 1 } else { 2 });
                text(body, shape, names, out);
                "}".into()
            }
        };
        let _ = writeln!(out, "{line}");
    }
}

/// What each op does, at once.
struct Model {
    memories: [Vec<i32>; 3],
    tiles: Vec<Vec<i32>>,
    shape: [usize; 2],
}

impl Model {
    fn positions(&self, at: [usize; 2]) -> impl Iterator<Item = usize> + use<> {
        let [rows, columns] = self.shape;
        (0..rows * columns).map(move |i| (at[0] + i / columns) * COLUMNS + at[1] + i % columns)
    }

    fn run(&mut self, block: &[Stmt]) {
        for stmt in block {
            match stmt {
                Stmt::Load { dst, from, at, .. } => {
                    self.tiles[*dst] = self.positions(*at).map(|p| self.memories[*from as usize][p]).collect();
                }
                Stmt::Fill { dst, value } => self.tiles[*dst] = vec![*value; self.shape[0] * self.shape[1]],
                Stmt::Binary { op, dst, a, b } => {
                    let pairs = self.tiles[*a].iter().zip(&self.tiles[*b]);
                    self.tiles[*dst] = pairs.map(|(a, b)| apply(op, *a, *b)).collect();
                }
                Stmt::Scalar { op, dst, a, value } => {
                    self.tiles[*dst] = self.tiles[*a].iter().map(|a| apply(op, *a, *value)).collect();
                }
                Stmt::Neg { dst, a } => self.tiles[*dst] = self.tiles[*a].iter().map(|a| a.wrapping_neg()).collect(),
                Stmt::Cast { dst, a, through } => {
                    let cast = |a: i32| match through {
                        DType::I8 => a.clamp(-128, 127),
                        DType::U32 => a.max(0),
                        _ => a,
                    };
                    self.tiles[*dst] = self.tiles[*a].iter().map(|a| cast(*a)).collect();
                }
                Stmt::Copy { dst, a } => self.tiles[*dst] = self.tiles[*a].clone(),
                Stmt::Store { a, to, at, .. } => {
                    for (p, value) in self.positions(*at).zip(&self.tiles[*a]) {
                        self.memories[*to as usize][p] = *value;
                    }
                }
                Stmt::AddTo { a, at } => {
                    for (p, value) in self.positions(*at).zip(&self.tiles[*a]) {
                        let sum = &mut self.memories[Place::Data as usize][p];
                        *sum = sum.wrapping_add(*value);
                    }
                }
                Stmt::Notify => {}
                Stmt::Loop { times, body } => (0..*times).for_each(|_| self.run(body)),
                Stmt::If { taken: true, body } => self.run(body),
                Stmt::If { .. } => {}
            }
        }
    }
}

#[test]
fn when_a_tile_is_computed_does_not_show() {
    let x: Vec<i32> = (0..ROWS * COLUMNS).map(|i| (i as i32).wrapping_mul(0x9e37_79b1_u32 as i32) >> 12).collect();
    let y: Vec<i32> = x.iter().map(|x| x / 3 + 1).collect();
    for seed in 0..600 {
        let mut generator = Generator { random: Random(seed), shape: SHAPES[seed as usize % SHAPES.len()] };
        let body = generator.block(24, 2);
        let shape = generator.shape;
        let mut kernel = format!(
            "InCore fn k(x: In tensor<i32, [{ROWS}, {COLUMNS}]>, y: InOut tensor<i32, [{ROWS}, {COLUMNS}]>, \
             data: InOut window<i32, [{ROWS}, {COLUMNS}]>, signal: InOut window<i32, [1]>, n: usize) {{\n\
             ctx = pld::get_comm_ctx(data)\nme = pld::rank(ctx)\n"
        );
        for tile in 0..TILES {
            let _ = writeln!(kernel, "t{tile} = pl::load(x, [{tile}, 0], {shape:?})");
        }
        text(&body, shape, &mut 0, &mut kernel);
        kernel += "}";
        let tiles = vec![vec![]; TILES];
        let mut model = Model { memories: [x.clone(), y.clone(), vec![0; ROWS * COLUMNS]], tiles, shape };
        for tile in 0..TILES {
            model.run(&[Stmt::Load { dst: tile, from: Place::X, at: [tile, 0], remote: false }]);
        }
        model.run(&body);

        for checks in [true, false] {
            let mut world = World::new(1);
            world.options.checks = checks;
            let (data, signal) = (world.zeros(DType::I32, &[ROWS, COLUMNS]), world.window(DType::I32, &[1]));
            let inout = Arg::Out(vec![ROWS, COLUMNS], bytemuck::cast_slice(&y).to_vec());
            let args = vec![input(&[ROWS, COLUMNS], &x), inout, data.clone(), signal, index(1)];
            let ran: Ran = world.ok(&kernel, |_| args.clone());
            assert_eq!(ran.out::<i32>(0, 0), model.memories[Place::Y as usize], "seed {seed}\n{kernel}");
            let mut left = vec![0_i32; ROWS * COLUMNS];
            world.sim.read(id(&data), 0, bytemuck::cast_slice_mut(&mut left)).expect("a window");
            assert_eq!(left, model.memories[Place::Data as usize], "seed {seed}\n{kernel}");
        }
    }
}

/// One op over more boxes than one loop reads, over fewer, and into a box that it reads: rows of one run, and rows apart.
#[test]
fn one_op_over_many_boxes() {
    let x: Vec<i32> = (0..ROWS * COLUMNS).map(|i| (i as i32).wrapping_mul(0x9e37_79b1_u32 as i32) >> 3).collect();
    for [rows, columns] in [[1, COLUMNS], [1, 33], [3, COLUMNS], [2, 140]] {
        for boxes in 1..ROWS - rows {
            // `before` is added to the front: the box that the result replaces.
            for before in [false, true] {
                let mut kernel = format!(
                    "InCore fn k(x: In tensor<i32, [{ROWS}, {COLUMNS}]>, data: InOut window<i32, [{ROWS}, {COLUMNS}]>) {{\n\
                     d = pl::load(x, [0, 0], [{ROWS}, {COLUMNS}])\ndata = pl::store(d, [0, 0], data)\n"
                );
                let (at, from) = if columns == COLUMNS { (0, 0) } else { (5, 7) };
                let first = if before { format!("data, [0, {at}]") } else { format!("x, [1, {from}]") };
                let _ = writeln!(kernel, "s = pl::load({first}, [{rows}, {columns}])");
                let element = |row: usize, column: usize| x[row * COLUMNS + column];
                let mut left = x.clone();
                for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
                    let first = if before { element(row, at + column) } else { element(1 + row, from + column) };
                    let sum = (0..boxes).fold(first, |sum, n| sum.wrapping_sub(element(n + row, from + column)));
                    left[row * COLUMNS + at + column] = sum;
                }
                for n in 0..boxes {
                    let _ = writeln!(kernel, "t = pl::load(x, [{n}, {from}], [{rows}, {columns}])\ns = pl::sub(s, t)");
                }
                let _ = writeln!(kernel, "data = pl::store(s, [0, {at}], data)\n}}");
                for checks in [true, false] {
                    let mut world = World::new(1);
                    world.options.checks = checks;
                    let data = world.zeros(DType::I32, &[ROWS, COLUMNS]);
                    let args = vec![input(&[ROWS, COLUMNS], &x), data.clone()];
                    world.ok(&kernel, |_| args.clone());
                    let mut found = vec![0_i32; ROWS * COLUMNS];
                    world.sim.read(id(&data), 0, bytemuck::cast_slice_mut(&mut found)).expect("a window");
                    assert_eq!(found, left, "{kernel}");
                }
            }
        }
    }
}
