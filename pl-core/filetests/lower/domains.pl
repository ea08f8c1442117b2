; pass: lower
; library: library.txt
; bind: world=4, pair+bell.world=2
; args: window 0 [4, 1], window 1 [2, 8], window 2 [2, 1]
; Each collective is lowered for the number of ranks of its windows' domain.
InCore fn kernel(signal: InOut window<i32, [4, 1]>, pair: InOut window<f32, [2, 8]>, bell: InOut window<i32, [2, 1]>) {
  pld::tensor::barrier(signal)
  pair = pld::tensor::reduce_scatter(pair, bell, op = Sum)
  pld::tensor::barrier(signal)
}
===
pl 1
InCore fn kernel(signal: InOut window<i32, [4, 1]>, pair: InOut window<f32, [2, 8]>, bell: InOut window<i32, [2, 1]>) {
  pld::system::enter(signal, _, collective = Barrier, _, _, _)
  ctx = pld::get_comm_ctx(signal)
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
  for src.1 in 0..nranks {
    if src.1 != my_rank {
      pld::system::notify(signal, my_rank, [src.1, 0], -1, op = AtomicAdd)
    }
  }
  pld::system::leave(signal)
  pld::system::enter(bell, pair, collective = ReduceScatter, op = Sum, _, _)
  ctx.1 = pld::get_comm_ctx(pair)
  my_rank.1 = pld::rank(ctx.1)
  nranks.1 = pld::nranks(ctx.1)
  for peer.1 in 0..nranks.1 {
    if peer.1 != my_rank.1 {
      pld::system::notify(bell, peer.1, [my_rank.1, 0], 1, op = AtomicAdd)
    }
  }
  for src.2 in 0..nranks.1 {
    if src.2 != my_rank.1 {
      pld::system::wait(bell, [src.2, 0], 1, cmp = Ge)
    }
  }
  acc = pl::load(pair, [my_rank.1, 0], [1, 8])
  for peer.2 in 0..nranks.1 {
    if peer.2 != my_rank.1 {
      recv = pld::tile::remote_load(pair, peer.2, [my_rank.1, 0], [1, 8])
      acc = pl::add(acc, recv)
    }
  }
  for peer.3 in 0..nranks.1 {
    if peer.3 != my_rank.1 {
      pld::system::notify(bell, peer.3, [my_rank.1, 0], 1, op = AtomicAdd)
    }
  }
  for src.3 in 0..nranks.1 {
    if src.3 != my_rank.1 {
      pld::system::wait(bell, [src.3, 0], 2, cmp = Ge)
    }
  }
  pair = pl::store(acc, [my_rank.1, 0], pair)
  for src.4 in 0..nranks.1 {
    if src.4 != my_rank.1 {
      pld::system::notify(bell, my_rank.1, [src.4, 0], -2, op = AtomicAdd)
    }
  }
  pld::system::leave(bell)
  pld::system::enter(signal, _, collective = Barrier, _, _, _)
  for peer.4 in 0..nranks {
    if peer.4 != my_rank {
      pld::system::notify(signal, peer.4, [my_rank, 0], 1, op = AtomicAdd)
    }
  }
  for src.5 in 0..nranks {
    if src.5 != my_rank {
      pld::system::wait(signal, [src.5, 0], 1, cmp = Ge)
    }
  }
  for src.6 in 0..nranks {
    if src.6 != my_rank {
      pld::system::notify(signal, my_rank, [src.6, 0], -1, op = AtomicAdd)
    }
  }
  pld::system::leave(signal)
}
