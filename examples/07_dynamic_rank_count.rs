//! Dynamic rank count: one source for every number of ranks, and for sizes that it does not divide.
//!
//! ```text
//! cargo run --release --example 07_dynamic_rank_count -- -d 0-3
//! cargo run --release --example 07_dynamic_rank_count -- -d 0-15
//! ```
//! The walkthrough is in `docs/tutorial/07-dynamic-rank-count.md`.

use pl::distributed as pld;
use pl::ndarray::Array3;
use pl::{Call, DType, Window};
use pl_examples_cli::golden::Golden;
use pl_examples_cli::{Done, Failure, Program, Session, array};
use std::process::ExitCode;

/// Each rank squares its segment of the vector, and collects those of all ranks. The segments are as equal as they can be.
#[pl::function(InCore, dynamic(NR, SIZE))]
pub fn square(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    mut y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    let nranks = pld::nranks(ctx);

    // Rank r owns what lies from r * SIZE / nranks up to where the next rank begins.
    let begin = my_rank * SIZE / nranks;
    let len = (my_rank + 1) * SIZE / nranks - begin;
    let mine = pl::load(x, [0, begin], [1, len]);
    data = pl::store(mine * mine, [0, begin], data);

    pld::tensor::barrier(signal);

    for owner in 0..nranks {
        let begin = owner * SIZE / nranks;
        let len = (owner + 1) * SIZE / nranks - begin;
        let segment = pld::tile::remote_load(data, peer = owner, offsets = [0, begin], shape = [1, len]);
        y = pl::store(segment, [0, begin], y);
    }
}

pub(crate) const PROGRAM: Program = Program::new(
    "07_dynamic_rank_count",
    "Dynamic rank count: one source for every number of ranks, and for sizes that it does not divide",
)
.input("x", DType::F32, "[P, 1, SIZE]", "SIZE is 10 and every x[r] counts up from 0")
.output("y", DType::F32, "[P, 1, SIZE]");

fn main() -> ExitCode {
    pl_examples_cli::main(PROGRAM, run)
}

pub(crate) fn run(session: &Session) -> Result<Done, Failure> {
    let world = session.world()?;
    let p = world.size();
    let x = session.input(p)?.map_or_else(|| array((p, 1, 10), |(_, _, i)| i as f32), Ok)?;
    let mut y = Array3::zeros(x.dim());
    let size = x.dim().2;

    let data = world.window::<f32>([1, size])?;
    let signal = world.window::<i32>([p, 1])?;
    if let Some(stage) = session.emit() {
        return session.print_stage(stage, |_| world.compile(calls(&x, &mut y, &data, &signal)));
    }
    session.launch(&world, calls(&x, &mut y, &data, &signal))?;

    session.output(y.view())?;
    session.judge(golden(&x).check(y.view()))
}

/// Element i is squared by its owner: the last rank whose segment begins at or before it.
pub fn golden(x: &Array3<f32>) -> Golden<'_, f32> {
    let (p, _, size) = x.dim();
    let owner = move |i: usize| (0..p).rev().find(|rank| rank * size / p <= i).unwrap_or(0);
    let squares = move |len: usize| {
        let square = |x: f32| x * x;
        Array3::from_shape_fn(x.dim(), |(_, row, i)| if i < len { square(x[[owner(i), row, i]]) } else { 0.0 })
    };
    Golden::exact("the squares of all segments", squares(size)).mistake(
        "the last SIZE % P elements are missing",
        "let a segment end where the next one begins: at `(rank + 1) * SIZE / nranks`",
        move || Golden::exact("the squares but for the last", squares(size / p * p)),
    )
}

/// One call per rank.
fn calls<'a>(
    x: &'a Array3<f32>,
    y: &'a mut Array3<f32>,
    data: &'a Window<f32>,
    signal: &'a Window<i32>,
) -> impl Iterator<Item = Call<'a>> {
    x.outer_iter().zip(y.outer_iter_mut()).map(move |(x, y)| square(x, y, data, signal))
}
