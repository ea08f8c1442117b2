// What needs the values of constants is reported in one go.
use pl::distributed as pld;

const ROW: usize = 8;
const WIDE: usize = ROW + 1;
const NONE: usize = 0;
const OP: pld::ReduceOp = pld::ReduceOp::Min;

#[pl::function(Inline)]
fn halved(t: pl::Tile<f32, { [1, ROW] }>) -> pl::Tile<f32, { [1, ROW] }> {
    t * 0.5
}

#[pl::function(InCore, dynamic(NR))]
fn kernel(
    x: pl::Tensor<f32, { [4, ROW] }>,
    y: pl::InOut<pl::Tensor<f32, { [4, WIDE] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [NR, ROW] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, WIDE] }>>,
) {
    let row = pl::load(x, [0, 0], [1, ROW]);
    let wide = pl::load(y, [0, 0], [1, WIDE]);
    pl::store(row + wide, [0, 0], y);
    pl::store(halved(wide), [ROW, 0], y);
    pl::write(y, [ROW / NONE, ROW - WIDE], 1.0);
    pld::tensor::reduce_scatter(data, signal, op = OP);
}

fn main() {}
