; pass: lower
; bind: NR=4, world=4, platform=sim
InCore fn kernel(signal: InOut window<i32, [NR, 1]>, flat: InOut window<i32, [NR]>) dynamic(NR) {
  ctx = pld::get_comm_ctx(signal)
  me = pld::rank(ctx)
  pld::tensor::barrier(signal)
  if me == 0 {
    pld::tensor::barrier(flat)
  }
}
---
Inline fn barrier(signal: InOut window<i32, [NR, 1]>) dynamic(NR) {
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
  for src in 0..nranks {
    if src != my_rank {
      pld::system::notify(signal, my_rank, [src, 0], -1, op = AtomicAdd)
    }
  }
}
---
Inline fn barrier_flat(signal: InOut window<i32, [NR]>) dynamic(NR) {
  ctx = pld::get_comm_ctx(signal)
  me = pld::rank(ctx)
  n = pld::nranks(ctx)
  for peer in 0..n {
    if peer != me {
      pld::system::notify(signal, peer, [me], 1, op = AtomicAdd)
    }
  }
  for src in 0..n {
    if src != me {
      pld::system::wait(signal, [src], 1, cmp = Ge)
      pld::system::notify(signal, me, [src], -1, op = AtomicAdd)
    }
  }
}
===
pl 1
InCore fn kernel(signal: InOut window<i32, [NR, 1]>, flat: InOut window<i32, [NR]>) dynamic(NR) {
  ctx = pld::get_comm_ctx(signal)
  me = pld::rank(ctx)
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
  for src in 0..nranks {
    if src != me {
      pld::system::notify(signal, me, [src, 0], -1, op = AtomicAdd)
    }
  }
  if me == 0 {
    ctx.1 = pld::get_comm_ctx(flat)
    me.1 = pld::rank(ctx.1)
    n = pld::nranks(ctx.1)
    for peer.1 in 0..n {
      if peer.1 != me.1 {
        pld::system::notify(flat, peer.1, [me.1], 1, op = AtomicAdd)
      }
    }
    for src.1 in 0..n {
      if src.1 != me.1 {
        pld::system::wait(flat, [src.1], 1, cmp = Ge)
        pld::system::notify(flat, me.1, [src.1], -1, op = AtomicAdd)
      }
    }
  }
}
