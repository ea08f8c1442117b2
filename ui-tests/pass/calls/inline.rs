// Functions of tiles, tensors, windows and scalars; calls in calls, in conditions, in loops; across modules.
#![deny(warnings)]

use pl::distributed as pld;

#[pl::function(Inline, dynamic(N))]
fn scaled(t: pl::Tile<f32, { [1, N] }>, by: f32) -> pl::Tile<f32, { [1, N] }> {
    t * by
}

#[pl::function(Inline, dynamic(NR, N))]
fn row(x: pl::Tensor<f32, { [NR, N] }>, at: usize) -> pl::Tile<f32, { [1, N] }> {
    pl::load(x, [at, 0], [1, N])
}

#[pl::function(Inline)]
fn even(n: usize) -> bool {
    n % 2 == 0
}

#[pl::function(Inline, dynamic(NR))]
fn bump(signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>, by: i32) {
    pl::write(signal, [0, 0], pl::read(signal, [0, 0]) + by);
}

#[pl::function(Inline, dynamic(N))]
fn place(t: pl::Tile<f32, { [1, N] }>, mut y: pl::Out<pl::Tensor<f32, { [1, N] }>>) -> pl::Tensor<f32, { [1, N] }> {
    y = pl::store(t, [0, 0], y);
    y
}

mod more {
    pub mod deep {
        #[pl::function(Inline)]
        pub fn next(n: usize) -> usize {
            let doubled: usize = super::twice(n);
            doubled + 1
        }
    }

    #[pl::function(Inline)]
    pub fn twice(n: usize) -> usize {
        n * 2
    }
}

use more::deep::next as following;

#[pl::function(InCore, dynamic(NR, N))]
fn kernel(
    n: usize,
    x: pl::Tensor<f32, { [NR, N] }>,
    mut y: pl::Out<pl::Tensor<f32, { [1, N] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) -> pl::Tensor<f32, { [1, N] }> {
    let t: pl::Tile<f32, { [1, N] }> = scaled(row(x, 0), 2.0);
    let u = scaled(scaled(t, 0.5), pl::read(x, [0, 0]));
    y = place(u, y);
    if even(n) && even(n + 1) || !even(3) {
        bump(signal, 1);
    }
    let mut i: usize = more::twice(n);
    while even(i) {
        i = following(i);
    }
    for j in 0..more::twice(2) {
        bump(signal, j as i32);
    }
    for k in more::deep::next(0)..following(n) {
        bump(signal, k as i32);
    }
    self::bump(signal, -1);
    crate::bump(signal, -1);
    place(t + row(x, 0), y)
}

fn main() -> Result<(), pl::BindError> {
    let text = kernel::ir().text()?;
    assert!(!text.contains("call "), "{text}");
    assert!(kernel::ir().source()?.contains("call scaled"));
    Ok(())
}
