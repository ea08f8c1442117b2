; pass: lower
; library: library.txt
; bind: NR=4, world=4, platform=sim
InCore fn kernel(signal: InOut window<i32, [NR, 1]>, flat: InOut window<i32, [NR]>) dynamic(NR) {
  ctx = pld::get_comm_ctx(signal)
  me = pld::rank(ctx)
  pld::tensor::barrier(signal)
  cell = pl::read(signal, [me, 0])
  if cell == 0 {
    pld::tensor::barrier(flat)
  }
}
===
pl 1
InCore fn kernel(signal: InOut window<i32, [NR, 1]>, flat: InOut window<i32, [NR]>) dynamic(NR) {
  ctx = pld::get_comm_ctx(signal)
  me = pld::rank(ctx)
  pld::system::enter(signal, _, collective = Barrier, _, _, _)
  nranks = pld::nranks(ctx)
  for peer in 0..nranks {
    if peer != me {
      pld::system::notify(signal, peer, [me, 0], 1, op = AtomicAdd)
    }
  }
  for src in 0..nranks {
    if src != me {
      pld::system::wait(signal, [src, 0], 1, cmp = Ge)
    }
  }
  for src.1 in 0..nranks {
    if src.1 != me {
      pld::system::notify(signal, me, [src.1, 0], -1, op = AtomicAdd)
    }
  }
  pld::system::leave(signal)
  cell = pl::read(signal, [me, 0])
  if cell == 0 {
    pld::system::enter(flat, _, collective = Barrier, _, _, _)
    ctx.1 = pld::get_comm_ctx(flat)
    my_rank = pld::rank(ctx.1)
    nranks.1 = pld::nranks(ctx.1)
    for peer.1 in 0..nranks.1 {
      if peer.1 != my_rank {
        pld::system::notify(flat, peer.1, [my_rank], 1, op = AtomicAdd)
      }
    }
    for src.2 in 0..nranks.1 {
      if src.2 != my_rank {
        pld::system::wait(flat, [src.2], 1, cmp = Ge)
      }
    }
    for src.3 in 0..nranks.1 {
      if src.3 != my_rank {
        pld::system::notify(flat, my_rank, [src.3], -1, op = AtomicAdd)
      }
    }
    pld::system::leave(flat)
  }
}
