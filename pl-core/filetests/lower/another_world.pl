; pass: lower
; bind: NR=3, SIZE=64, world=4
; What the values of the launch show is wrong before anything is lowered.
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
error: `target` of `pld::tensor::reduce_scatter` has shape `[NR, SIZE]` = [3, 64], expected `[P, S]` with P = 4
  --> text:5:3 (in kernel `kernel`)
  = help: P is the number of ranks: declare `target` with shape `[P, S]`

error: `signal` of `pld::tensor::reduce_scatter` has shape `[NR, 1]` = [3, 1], expected `[P, 1]` with P = 4
  --> text:5:3 (in kernel `kernel`)
  = help: P is the number of ranks: declare `signal` with shape `[P, 1]`
