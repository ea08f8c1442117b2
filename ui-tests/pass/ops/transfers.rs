// Bulk transfers and remote stores: defaults, names and positions, boxes, chunks, views.
#![deny(warnings)]

use pl::distributed as pld;

const CHUNK: usize = 16;
const DEEP: bool = true;
const HOW: pld::AtomicType = pld::AtomicType::Add;

#[pl::function(InCore)]
fn whole(
    x: pl::Tensor<f32, { [4, 64] }>,
    y: pl::Out<pl::Tensor<f32, { [4, 64] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [4, 64] }>>,
    other: pl::InOut<pld::DistributedTensor<f32, { [4, 64] }>>,
) -> pl::Tensor<f32, { [4, 64] }> {
    pld::tensor::put(data, peer = 1, src = x);
    pld::tensor::put(data, 1, x);
    pld::tensor::put(data, 1, x, atomic = pld::AtomicType::Add);
    pld::tensor::put(data, 1, other, atomic = HOW, chunk_cols = CHUNK, chunk_rows = 2, pipeline = DEEP);
    pld::tensor::put(data, 1, x, pipeline = false);
    pld::tensor::get(other, peer = 1, src = data);
    pld::tensor::get(y, 1, data)
}

#[pl::function(InCore, dynamic(NR, S))]
fn boxes<const ROWS: usize>(
    n: usize,
    x: pl::Tensor<f32, { [NR, S] }>,
    mut y: pl::Out<pl::Tensor<f32, { [ROWS, S] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [NR, S] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let me = pld::rank(pld::get_comm_ctx(data));
    for peer in 0..NR {
        pld::tensor::put(data, peer, x, [me, 0], [peer, 0], [1, S], chunk_cols = 4096);
        pld::tensor::put(
            shape = [n, S],
            src_offsets = [0, 0],
            dst_offsets = [0, 0],
            src = x,
            peer = peer,
            dst = data,
            chunk_rows = ROWS,
            chunk_cols = 2 * CHUNK,
            pipeline = true,
            atomic = pld::AtomicType::None,
        );
    }
    y = pld::tensor::get(y, 0, data, [0, 0], [me, 0], [1, S], chunk_cols = 64);
    pld::tensor::put_with_signal(
        data,
        peer = 0,
        src = x,
        signal = signal,
        signal_offsets = [me, 0],
        value = -1,
        op = pld::NotifyOp::Set,
        chunk_rows = 1,
        chunk_cols = 64,
    );
    pld::tensor::put_with_signal(
        data,
        0,
        x,
        signal,
        [me, 0],
        1,
        pld::NotifyOp::AtomicAdd,
        [me, 0],
        [me, 0],
        [1, S],
        pld::AtomicType::Add,
        0,
        64,
        false,
    );
    let row = pl::load(y, [0, 0], [1, S]);
    pld::tile::remote_store(row, data, 0, [me, 0]);
    pld::tile::remote_store(row, target = data, peer = 0, offsets = [me, 0], atomic = pld::AtomicType::from_int(1));
}

#[pl::function(InCore, dynamic(NR, S))]
fn views(
    x: pl::InOut<pl::Tensor<f32, { [NR, S] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [NR, S] }>>,
    counts: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let mut flat = pl::reshape(x, [NR * S]);
    let half = pl::load(flat, [0], [S]) * 0.5;
    flat = pl::store(half, [S], flat);
    pld::tensor::put(pl::reshape(data, shape = [NR * S]), 1, flat, chunk_cols = 64);
    let back = pl::reshape(flat, [NR, S]);
    pld::tensor::put(data, 1, back, chunk_rows = 4, chunk_cols = 64);
    pl::discard(data, offsets = [1, 0], shape = [1, S]);
    for peer in 0..NR {
        let rows = pld::system::check_count(pl::read(counts, [peer, 0]), peer = peer, limit = NR);
        data = pl::store(pl::full::<f32>([rows, S], 0.0), [0, 0], data);
    }
}

fn main() -> Result<(), pl::BindError> {
    whole::ir().text()?;
    boxes::ir::<1>().text()?;
    views::ir().text()?;
    Ok(())
}
