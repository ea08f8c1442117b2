; pass: lower
; library: library.txt
; bind: NR=4, SIZE=40000, world=4, platform=a2a3sim
; A tile that is live across the call leaves less: 160000 of 188416 bytes are held.
InCore fn kernel(data: InOut window<f32, [NR, SIZE]>, signal: InOut window<i32, [NR, 1]>) dynamic(NR, SIZE) {
  kept = pl::load(data, [0, 0], [1, SIZE])
  data = pld::tensor::reduce_scatter(data, signal, op = Sum)
  data = pl::store(kept, [0, 0], data)
}
===
pl 1
InCore fn kernel(data: InOut window<f32, [NR, SIZE]>, signal: InOut window<i32, [NR, 1]>) dynamic(NR, SIZE) {
  kept = pl::load(data, [0, 0], [1, SIZE])
  pld::system::enter(signal, data, collective = ReduceScatter, op = Sum, _, _)
  ctx = pld::get_comm_ctx(data)
  my_rank = pld::rank(ctx)
  nranks = pld::nranks(ctx)
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
  for at in 0..SIZE step 3552 {
    len = pl::min(3552, SIZE - at)
    acc = pl::load(data, [my_rank, at], [1, len])
    for peer.1 in 0..nranks {
      if peer.1 != my_rank {
        recv = pld::tile::remote_load(data, peer.1, [my_rank, at], [1, len])
        acc = pl::add(acc, recv)
      }
    }
    data = pl::store(acc, [my_rank, at], data)
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
  for src.2 in 0..nranks {
    if src.2 != my_rank {
      pld::system::notify(signal, my_rank, [src.2, 0], -2, op = AtomicAdd)
    }
  }
  pld::system::leave(signal)
  data = pl::store(kept, [0, 0], data)
}
