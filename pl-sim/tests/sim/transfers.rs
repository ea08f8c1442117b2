//! Ops that move boxes between ranks: what arrives, on every element type, and what the checks say of transfers that nothing orders.

use crate::support::{Arg, Random, World, id, index, input, output};
use expect_test::{Expect, expect};
use half::{bf16, f16};
use pl_core::dtype::DType;
use pl_core::fault::{AccessKind, Fault, Race};
use pl_core::runtime::{Engine, EngineError};

/// Random bytes as an `In` tensor of a type.
fn random_input(dtype: DType, shape: &[usize], random: &mut Random) -> Arg {
    let count = shape.iter().product::<usize>() * dtype.bytes();
    Arg::In(shape.to_vec(), (0..count).map(|_| random.next() as u8).collect())
}

fn bytes(arg: &Arg) -> &[u8] {
    match arg {
        Arg::In(_, bytes) | Arg::Out(_, bytes) => bytes,
        _ => panic!("no tensor"),
    }
}

/// Copies a box between plain arrays of two axes, element by element.
#[expect(clippy::too_many_arguments, reason = "a box of two axes has that many numbers")]
fn copy_box(
    size: usize,
    to: &mut [u8],
    columns: usize,
    at: (usize, usize),
    from: &[u8],
    from_columns: usize,
    from_at: (usize, usize),
    extents: (usize, usize),
) {
    for row in 0..extents.0 {
        for column in 0..extents.1 {
            let target = ((at.0 + row) * columns + at.1 + column) * size;
            let source = ((from_at.0 + row) * from_columns + from_at.1 + column) * size;
            to[target..target + size].copy_from_slice(&from[source..source + size]);
        }
    }
}

/// Whole memories and boxes, of tensors, windows and tiles, one rank to the next and back.
#[test]
fn every_element_type_arrives_bit_by_bit() {
    let mut random = Random(11);
    for dtype in DType::ALL {
        let kernel = "
InCore fn ring(x: In tensor<T, [3, 6]>, data: InOut window<T, [5, 7]>, whole: InOut window<T, [3, 6]>, signal: InOut window<i32, [2, 1]>, y: Out tensor<T, [4, 9]>, z: Out tensor<T, [3, 6]>, v: Out tensor<T, [5, 7]>) {
  ctx = pld::get_comm_ctx(data)
  me = pld::rank(ctx)
  n = pld::nranks(ctx)
  next = (me + 1) % n
  pld::tensor::put(whole, next, x, _, _, _, atomic = None, 2, 4, true)
  t = pl::load(x, [0, 0], [2, 3])
  pld::tile::remote_store(t, data, next, [0, 4], atomic = None)
  pld::tensor::put_with_signal(data, next, x, signal, [1, 0], 1, op = AtomicAdd, [2, 2], [0, 1], [3, 4], atomic = None, 0, 0, false)
  pld::system::wait(signal, [1, 0], 1, cmp = Ge)
  y = pld::tensor::get(y, next, data, [1, 5], [2, 2], [3, 4], 0, 0, false)
  z = pld::tensor::get(z, me, whole, _, _, _, 0, 0, false)
  pld::tensor::put(data, me, z, [0, 0], [2, 0], [1, 4], atomic = None, 0, 0, false)
  data = pld::tensor::get(data, me, whole, [1, 0], [0, 2], [2, 2], 0, 0, false)
  pl::write(data, [0, 6], pl_value)
  u = pl::load(data, [0, 4], [2, 3])
  v = pl::store(u, [0, 0], v)
  w = pl::load(data, [2, 2], [3, 4])
  v = pl::store(w, [2, 2], v)
  w.1 = pl::load(data, [0, 0], [1, 4])
  v = pl::store(w.1, [0, 3], v)
  w.2 = pl::load(data, [1, 0], [2, 2])
  v = pl::store(w.2, [3, 0], v)
}"
        .replace("tensor<T", &format!("tensor<{}", dtype.name()))
        .replace("window<T", &format!("window<{}", dtype.name()))
        .replace("  pl::write(data, [0, 6], pl_value)\n", "");
        let size = dtype.bytes();
        let xs: Vec<Arg> = (0..3).map(|_| random_input(dtype, &[3, 6], &mut random)).collect();
        for seed in 0..6 {
            let world = World::new(3).seeded(seed);
            let data = world.window(dtype, &[5, 7]);
            let whole = world.window(dtype, &[3, 6]);
            let signal = world.window(DType::I32, &[2, 1]);
            let ran = world.ok(&kernel, |rank| {
                vec![
                    xs[rank].clone(),
                    data.clone(),
                    whole.clone(),
                    signal.clone(),
                    output(dtype, &[4, 9]),
                    output(dtype, &[3, 6]),
                    output(dtype, &[5, 7]),
                ]
            });
            for rank in 0..3 {
                let (mine, theirs) = (bytes(&xs[rank]), bytes(&xs[(rank + 2) % 3]));
                let mut y = vec![0; 36 * size];
                copy_box(size, &mut y, 9, (1, 5), mine, 6, (0, 1), (3, 4));
                assert_eq!(ran.outputs[rank][0], y, "{dtype}");
                assert_eq!(ran.outputs[rank][1], theirs, "{dtype}");
                let mut v = vec![0; 35 * size];
                copy_box(size, &mut v, 7, (0, 0), theirs, 6, (0, 0), (2, 3));
                copy_box(size, &mut v, 7, (2, 2), theirs, 6, (0, 1), (3, 4));
                copy_box(size, &mut v, 7, (0, 3), theirs, 6, (2, 0), (1, 4));
                copy_box(size, &mut v, 7, (3, 0), theirs, 6, (0, 2), (2, 2));
                assert_eq!(ran.outputs[rank][2], v, "{dtype}");
                let cost = ran.report.ranks[rank];
                assert_eq!(cost.bytes_received, (18 + 6 + 12 + 12) * size as u64);
                assert_eq!(cost.bytes_sent, (18 + 6 + 12 + 12) * size as u64);
                assert_eq!((cost.remote_loads, cost.remote_stores, cost.peer_notifies, cost.waits), (1, 3, 1, 1));
            }
        }
    }
}
