; pass: lower
; bind: NR=4, SIZE=47104, world=4, platform=a2a3sim
; No byte is left beside the tile that is live across the call.
InCore fn kernel(data: InOut window<f32, [NR, SIZE]>, signal: InOut window<i32, [NR, 1]>) dynamic(NR, SIZE) {
  kept = pl::load(data, [0, 0], [1, SIZE])
  data = pld::tensor::reduce_scatter(data, signal, op = Sum)
  data = pl::store(kept, [0, 0], data)
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
error: `pld::tensor::reduce_scatter` needs 2 tiles of at least one element, 0 bytes of tile memory are free here on `a2a3sim`
  --> text:6:3 (in kernel `kernel`)
  = help: keep fewer or smaller tiles live across the call
