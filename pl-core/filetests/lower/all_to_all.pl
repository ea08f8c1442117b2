; pass: lower
; library: library.txt
; bind: NR=4, SIZE=64, world=4, platform=a2a3sim
InCore fn kernel(x: In tensor<f32, [NR, SIZE]>, data: InOut window<f32, [NR, SIZE]>, signal: InOut window<i32, [NR, 1]>) dynamic(NR, SIZE) {
  data = pld::tensor::all_to_all(x, data, signal)
}
===
pl 1
InCore fn kernel(x: In tensor<f32, [NR, SIZE]>, data: InOut window<f32, [NR, SIZE]>, signal: InOut window<i32, [NR, 1]>) dynamic(NR, SIZE) {
  pld::system::enter(signal, data, collective = AllToAll, _, _, _)
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
    pld::tensor::put(data, peer.1, x, [my_rank, 0], [peer.1, 0], [1, SIZE], atomic = None, 0, 47104, false)
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
}
