// Shapes of literals, constants, dims, const generics, and their arithmetic; up to six axes.
#![deny(warnings)]

const ROW: usize = 8;

mod sizes {
    pub const COLS: usize = 4;
    pub struct Model;
    impl Model {
        pub const HEADS: usize = 2;
    }
}

#[pl::function(InCore, dynamic(N, M, K))]
fn arithmetic<const G: usize>(
    a: pl::Tensor<f32, { [N, M] }>,
    b: pl::Tensor<f32, { [N * M] }>,
    c: pl::Tensor<f32, { [2 * N + 1, ROW * sizes::COLS] }>,
    d: pl::Tensor<f32, { [(N + M) * 2, M - 1, ROW / 2, ROW % 3] }>,
    e: pl::Tensor<f32, { [G * M, sizes::Model::HEADS] }>,
    f: pl::Tensor<f32, { [K / 2, K] }>,
    y: pl::Out<pl::Tensor<f32, { [N, M] }>>,
) {
    let sum = pl::load(a, [0, 0], [N, M]) + 1.0;
    pl::store(sum, [0, 0], y);
    let flat = pl::load(b, [0], [N * M]);
    let same = pl::load(b, [0], [M * N]);
    pl::store(pl::load(a, [0, 0], [1, M]), [0, 0], y);
    pl::write(y, [0, 0], pl::read(c, [2 * N, ROW]) + pl::read(d, [0, 0, 0, 0]));
    pl::write(y, [0, M - 1], pl::read(e, [G, 1]) + pl::read(f, [0, K - 1]));
    let both: pl::Tile<f32, { [N * M] }> = flat + same;
    let _ = both;
}

#[pl::function(InCore)]
fn axes(x: pl::InOut<pl::Tensor<f32, { [1, 2, 3, 4, 5, 6] }>>, y: pl::InOut<pl::Tensor<f32, { [7] }>>) {
    pl::store(pl::load(x, [0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 5, 6]), [0, 1, 2, 3, 0, 0], x);
    pl::write(y, [6], pl::read(x, [0, 0, 0, 0, 0, 0]));
}

fn main() -> Result<(), pl::BindError> {
    arithmetic::ir::<3>().text()?;
    axes::ir().text()?;
    Ok(())
}
