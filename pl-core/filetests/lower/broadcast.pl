; pass: lower
; library: library.txt
; bind: NR=4, SIZE=64, world=4, platform=a2a3sim
InCore fn kernel(data: InOut window<i16, [2, 3, SIZE]>, signal: InOut window<i32, [NR, 1]>, root: usize) dynamic(NR, SIZE) {
  data = pld::tensor::broadcast(data, signal, root)
  held = pl::load(data, [0, 0, 0], [2, 3, SIZE])
  copy = pld::tensor::broadcast(data, signal, 0)
  copy = pl::store(held, [0, 0, 0], copy)
}
===
pl 1
InCore fn kernel(data: InOut window<i16, [2, 3, SIZE]>, signal: InOut window<i32, [NR, 1]>, root: usize) dynamic(NR, SIZE) {
  pld::system::enter(signal, data, collective = Broadcast, _, _, root)
  data.1 = pl::reshape(data, [384])
  ctx = pld::get_comm_ctx(data.1)
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
  if my_rank != root {
    data.1 = pld::tensor::get(data.1, root, data.1, _, _, _, 0, 94208, false)
  }
  for peer.1 in 0..nranks {
    if peer.1 != my_rank {
      pld::system::notify(signal, peer.1, [my_rank, 0], 1, op = AtomicAdd)
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
  held = pl::load(data, [0, 0, 0], [2, 3, SIZE])
  pld::system::enter(signal, data, collective = Broadcast, _, _, 0)
  data.2 = pl::reshape(data, [384])
  for peer.2 in 0..nranks {
    if peer.2 != my_rank {
      pld::system::notify(signal, peer.2, [my_rank, 0], 1, op = AtomicAdd)
    }
  }
  for src.3 in 0..nranks {
    if src.3 != my_rank {
      pld::system::wait(signal, [src.3, 0], 1, cmp = Ge)
    }
  }
  if my_rank != 0usize {
    data.2 = pld::tensor::get(data.2, 0, data.2, _, _, _, 0, 93824, false)
  }
  for peer.3 in 0..nranks {
    if peer.3 != my_rank {
      pld::system::notify(signal, peer.3, [my_rank, 0], 1, op = AtomicAdd)
    }
  }
  for src.4 in 0..nranks {
    if src.4 != my_rank {
      pld::system::wait(signal, [src.4, 0], 2, cmp = Ge)
    }
  }
  for src.5 in 0..nranks {
    if src.5 != my_rank {
      pld::system::notify(signal, my_rank, [src.5, 0], -2, op = AtomicAdd)
    }
  }
  pld::system::leave(signal)
  copy = data
  copy = pl::store(held, [0, 0, 0], copy)
}
