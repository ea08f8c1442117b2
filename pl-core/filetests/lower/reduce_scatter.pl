; pass: lower
; library: library.txt
; bind: NR=4, SIZE=64, world=4, platform=a2a3sim
; A row that fits: the branch with chunks is gone.
InCore fn kernel(x: In tensor<f32, [1, NR * SIZE]>, y: Out tensor<f32, [1, SIZE]>, data: InOut window<f32, [NR, SIZE]>, signal: InOut window<i32, [NR, 1]>) -> tensor<f32, [1, SIZE]> dynamic(NR, SIZE) {
  ctx = pld::get_comm_ctx(data)
  my_rank = pld::rank(ctx)
  nranks = pld::nranks(ctx)
  for c in 0..nranks {
    chunk = pl::load(x, [0, c * SIZE], [1, SIZE])
    data = pl::store(chunk, [c, 0], data)
  }
  data = pld::tensor::reduce_scatter(data, signal, op = Sum)
  acc = pl::load(data, [my_rank, 0], [1, SIZE])
  y = pl::store(acc, [0, 0], y)
  return y
}
===
pl 1
InCore fn kernel(x: In tensor<f32, [1, NR * SIZE]>, y: Out tensor<f32, [1, SIZE]>, data: InOut window<f32, [NR, SIZE]>, signal: InOut window<i32, [NR, 1]>) -> tensor<f32, [1, SIZE]> dynamic(NR, SIZE) {
  ctx = pld::get_comm_ctx(data)
  my_rank = pld::rank(ctx)
  nranks = pld::nranks(ctx)
  for c in 0..nranks {
    chunk = pl::load(x, [0, c * SIZE], [1, SIZE])
    data = pl::store(chunk, [c, 0], data)
  }
  pld::system::enter(signal, data, collective = ReduceScatter, op = Sum, _, _)
  for peer in 0..nranks {
    if peer != my_rank {
      pld::system::notify(signal, peer, [my_rank, 0], 1, op = AtomicAdd)
    }
  }
  for src in 0..nranks {
    if src != my_rank {
      pld::system::wait(signal, [src, 0], 1, cmp = Ge)
    }
  }
  acc = pl::load(data, [my_rank, 0], [1, SIZE])
  for peer.1 in 0..nranks {
    if peer.1 != my_rank {
      recv = pld::tile::remote_load(data, peer.1, [my_rank, 0], [1, SIZE])
      acc = pl::add(acc, recv)
    }
  }
  for peer.2 in 0..nranks {
    if peer.2 != my_rank {
      pld::system::notify(signal, peer.2, [my_rank, 0], 1, op = AtomicAdd)
    }
  }
  for src.1 in 0..nranks {
    if src.1 != my_rank {
      pld::system::wait(signal, [src.1, 0], 2, cmp = Ge)
    }
  }
  data = pl::store(acc, [my_rank, 0], data)
  for src.2 in 0..nranks {
    if src.2 != my_rank {
      pld::system::notify(signal, my_rank, [src.2, 0], -2, op = AtomicAdd)
    }
  }
  pld::system::leave(signal)
  acc.1 = pl::load(data, [my_rank, 0], [1, SIZE])
  y = pl::store(acc.1, [0, 0], y)
  return y
}
