; pass: lower
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
InCore fn kernel(x: In tensor<f32, [1, NR * SIZE]>, y: Out tensor<f32, [1, SIZE]>, data: InOut window<f32, [NR, SIZE]>, signal: InOut window<i32, [NR, 1]>) -> tensor<f32, [1, SIZE]> dynamic(NR, SIZE) {
  ctx = pld::get_comm_ctx(data)
  my_rank = pld::rank(ctx)
  nranks = pld::nranks(ctx)
  for c in 0..nranks {
    chunk = pl::load(x, [0, c * SIZE], [1, SIZE])
    data = pl::store(chunk, [c, 0], data)
  }
  ctx.1 = pld::get_comm_ctx(signal)
  me = pld::rank(ctx.1)
  n = pld::nranks(ctx.1)
  for peer in 0..n {
    if peer != me {
      pld::system::notify(signal, peer, [me, 0], 1, op = AtomicAdd)
    }
  }
  for src in 0..n {
    if src != me {
      pld::system::wait(signal, [src, 0], 1, cmp = Ge)
    }
  }
  acc = pl::load(data, [my_rank, 0], [1, SIZE])
  for peer.1 in 0..nranks {
    if peer.1 != my_rank {
      row = pld::tile::remote_load(data, peer.1, [my_rank, 0], [1, SIZE])
      acc = pl::add(acc, row)
    }
  }
  for peer.2 in 0..n {
    if peer.2 != me {
      pld::system::notify(signal, peer.2, [me, 0], 1, op = AtomicAdd)
    }
  }
  for src.1 in 0..n {
    if src.1 != me {
      pld::system::wait(signal, [src.1, 0], 2, cmp = Ge)
    }
  }
  data = pl::store(acc, [my_rank, 0], data)
  for src.2 in 0..n {
    if src.2 != me {
      pld::system::notify(signal, me, [src.2, 0], -2, op = AtomicAdd)
    }
  }
  acc.1 = pl::load(data, [my_rank, 0], [1, SIZE])
  y = pl::store(acc.1, [0, 0], y)
  return y
}
