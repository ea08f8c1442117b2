; pass: lower
; bind: NR=4, SIZE=1000000, world=4, platform=a2a3sim
; A row that does not fit is worked on in chunks: two tiles of half of the memory.
InCore fn kernel(data: InOut window<f32, [NR, SIZE]>, signal: InOut window<i32, [NR, 1]>) dynamic(NR, SIZE) {
  data = pld::tensor::reduce_scatter(data, signal, op = Sum)
}
---
Inline fn reduce_scatter<T: f32, const CHUNK: usize = 1024>(target: InOut window<T, [NR, SIZE]>, signal: InOut window<i32, [NR, 1]>) -> window<T, [NR, SIZE]> dynamic(NR, SIZE) calls(meet, leave) {
  ctx = pld::get_comm_ctx(target)
  me = pld::rank(ctx)
  n = pld::nranks(ctx)
  call meet(signal, 1)
  if SIZE <= CHUNK {
    acc = pl::load(target, [me, 0], [1, SIZE])
    for peer in 0..n {
      if peer != me {
        row = pld::tile::remote_load(target, peer, [me, 0], [1, SIZE])
        acc = pl::add(acc, row)
      }
    }
    call meet(signal, 2)
    target = pl::store(acc, [me, 0], target)
  } else {
    for start in 0..SIZE step CHUNK {
      len = pl::min(CHUNK, SIZE - start)
      part = pl::load(target, [me, start], [1, len])
      for peer in 0..n {
        if peer != me {
          piece = pld::tile::remote_load(target, peer, [me, start], [1, len])
          part = pl::add(part, piece)
        }
      }
      target = pl::store(part, [me, start], target)
    }
    call meet(signal, 2)
  }
  call leave(signal, 2)
  return target
}
---
Inline fn meet(signal: InOut window<i32, [NR, 1]>, generation: i32) dynamic(NR) {
  ctx = pld::get_comm_ctx(signal)
  me = pld::rank(ctx)
  n = pld::nranks(ctx)
  for peer in 0..n {
    if peer != me {
      pld::system::notify(signal, peer, [me, 0], 1, op = AtomicAdd)
    }
  }
  for src in 0..n {
    if src != me {
      pld::system::wait(signal, [src, 0], generation, cmp = Ge)
    }
  }
}
---
Inline fn leave(signal: InOut window<i32, [NR, 1]>, generations: i32) dynamic(NR) {
  ctx = pld::get_comm_ctx(signal)
  me = pld::rank(ctx)
  n = pld::nranks(ctx)
  for src in 0..n {
    if src != me {
      pld::system::notify(signal, me, [src, 0], -generations, op = AtomicAdd)
    }
  }
}
===
pl 1
InCore fn kernel(data: InOut window<f32, [NR, SIZE]>, signal: InOut window<i32, [NR, 1]>) dynamic(NR, SIZE) {
  ctx = pld::get_comm_ctx(data)
  me = pld::rank(ctx)
  n = pld::nranks(ctx)
  ctx.1 = pld::get_comm_ctx(signal)
  me.1 = pld::rank(ctx.1)
  n.1 = pld::nranks(ctx.1)
  for peer in 0..n.1 {
    if peer != me.1 {
      pld::system::notify(signal, peer, [me.1, 0], 1, op = AtomicAdd)
    }
  }
  for src in 0..n.1 {
    if src != me.1 {
      pld::system::wait(signal, [src, 0], 1, cmp = Ge)
    }
  }
  for start in 0..SIZE step 23552 {
    len = pl::min(23552, SIZE - start)
    part = pl::load(data, [me, start], [1, len])
    for peer.1 in 0..n {
      if peer.1 != me {
        piece = pld::tile::remote_load(data, peer.1, [me, start], [1, len])
        part = pl::add(part, piece)
      }
    }
    data = pl::store(part, [me, start], data)
  }
  for peer.2 in 0..n.1 {
    if peer.2 != me.1 {
      pld::system::notify(signal, peer.2, [me.1, 0], 1, op = AtomicAdd)
    }
  }
  for src.1 in 0..n.1 {
    if src.1 != me.1 {
      pld::system::wait(signal, [src.1, 0], 2, cmp = Ge)
    }
  }
  for src.2 in 0..n.1 {
    if src.2 != me.1 {
      pld::system::notify(signal, me.1, [src.2, 0], -2, op = AtomicAdd)
    }
  }
}
