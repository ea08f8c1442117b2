; pass: cost
; bind: NR=4, SIZE=100000, world=4, platform=a2a3sim
; In chunks: more remote loads, the same bytes. Each rank receives (P-1)/P of the bytes of the window, deposits 2 credits at each peer and takes as many back.
InCore fn kernel(x: In tensor<f32, [1, NR * SIZE]>, y: Out tensor<f32, [1, SIZE]>, data: InOut window<f32, [NR, SIZE]>, signal: InOut window<i32, [NR, 1]>) -> tensor<f32, [1, SIZE]> dynamic(NR, SIZE) {
  ctx = pld::get_comm_ctx(data)
  my_rank = pld::rank(ctx)
  nranks = pld::nranks(ctx)
  for c in 0..nranks {
    for at in 0..SIZE step 1000 {
      chunk = pl::load(x, [0, c * SIZE + at], [1, 1000])
      data = pl::store(chunk, [c, at], data)
    }
  }
  data = pld::tensor::reduce_scatter(data, signal, op = Sum)
  for at in 0..SIZE step 1000 {
    acc = pl::load(data, [my_rank, at], [1, 1000])
    y = pl::store(acc, [0, at], y)
  }
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
rank 0: received 1200000, sent 1200000, remote loads 15, notifies 6 + 3, waits 6, barriers 2, credits 2, results 100000
rank 1: received 1200000, sent 1200000, remote loads 15, notifies 6 + 3, waits 6, barriers 2, credits 2, results 100000
rank 2: received 1200000, sent 1200000, remote loads 15, notifies 6 + 3, waits 6, barriers 2, credits 2, results 100000
rank 3: received 1200000, sent 1200000, remote loads 15, notifies 6 + 3, waits 6, barriers 2, credits 2, results 100000
