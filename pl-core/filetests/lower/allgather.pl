; pass: lower
; library: library.txt
; bind: NR=4, SIZE=64, world=4, platform=sim
InCore fn kernel(x: In tensor<f32, [1, SIZE]>, mine: In window<f32, [1, SIZE]>, data: InOut window<f32, [NR, SIZE]>, signal: InOut window<i32, [NR, 1]>) dynamic(NR, SIZE) {
  data = pld::tensor::allgather(x, data, signal)
  data = pld::tensor::allgather(mine, data, signal)
}
===
pl 1
InCore fn kernel(x: In tensor<f32, [1, SIZE]>, mine: In window<f32, [1, SIZE]>, data: InOut window<f32, [NR, SIZE]>, signal: InOut window<i32, [NR, 1]>) dynamic(NR, SIZE) {
  pld::system::enter(signal, data, collective = Allgather, _, _, _)
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
  for peer.1 in 0..nranks {
    pld::tensor::put(data, peer.1, x, [my_rank, 0], [0, 0], [1, SIZE], atomic = None, 0, 262144, false)
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
  pld::system::enter(signal, data, collective = Allgather, _, _, _)
  for peer.3 in 0..nranks {
    if peer.3 != my_rank {
      pld::system::notify(signal, peer.3, [my_rank, 0], 1, op = AtomicAdd)
    }
  }
  for src.3 in 0..nranks {
    if src.3 != my_rank {
      pld::system::wait(signal, [src.3, 0], 1, cmp = Ge)
    }
  }
  for peer.4 in 0..nranks {
    pld::tensor::put(data, peer.4, mine, [my_rank, 0], [0, 0], [1, SIZE], atomic = None, 0, 262144, false)
  }
  for peer.5 in 0..nranks {
    if peer.5 != my_rank {
      pld::system::notify(signal, peer.5, [my_rank, 0], 1, op = AtomicAdd)
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
}
