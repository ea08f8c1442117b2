// Tile extents that depend on run-time values; a tile whose extent only a run knows.
#![deny(warnings)]

use pl::distributed as pld;

const CHUNK: usize = 16;

#[pl::function(InCore, dynamic(S))]
fn chunks(x: pl::Tensor<f32, { [1, S] }>, y: pl::Out<pl::Tensor<f32, { [1, S] }>>) {
    for at in pl::range(0, S, CHUNK) {
        let len = pl::min(CHUNK, S - at);
        let tile: pl::Tile<f32, { [1, len] }> = pl::load(x, [0, at], [1, len]);
        let twice = tile + pl::load(x, [0, at], [1, len]);
        pl::store(twice, [0, at], y);
    }
}

#[pl::function(InCore, dynamic(NR, S))]
fn by_rank(data: pl::InOut<pld::DistributedTensor<f32, { [NR, S] }>>, rows: usize) {
    let me = pld::rank(pld::get_comm_ctx(data));
    let mut tile = pl::load(data, [0, 0], [rows, S]);
    tile = pl::load(data, [me, 0], [rows - me, S]) + tile;
    pl::store(tile, [0, 0], data);
    let open: pl::Tile<f32, { [_, S] }> = pl::full::<f32>([me + 1, S], 0.0);
    pl::store(open, [0, 0], data);
}

fn main() -> Result<(), pl::BindError> {
    chunks::ir().text()?;
    by_rank::ir().text()?;
    Ok(())
}
