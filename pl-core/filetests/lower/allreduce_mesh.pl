; pass: lower
; library: library.txt
; bind: NR=4, SIZE=64, world=4, platform=a2a3sim
InCore fn kernel(data: InOut window<bf16, [NR, SIZE]>, signal: InOut window<i32, [NR, 1]>) dynamic(NR, SIZE) {
  for i in 0..3 {
    data = pld::tensor::allreduce(data, signal, op = Max, mode = Mesh)
  }
}
===
pl 1
InCore fn kernel(data: InOut window<bf16, [NR, SIZE]>, signal: InOut window<i32, [NR, 1]>) dynamic(NR, SIZE) {
  for i in 0..3 {
    pld::system::enter(signal, data, collective = Allreduce, op = Max, mode = Mesh, _)
    data.1 = pl::reshape(data, [256])
    ctx = pld::get_comm_ctx(data.1)
    my_rank = pld::rank(ctx)
    nranks = pld::nranks(ctx)
    generation = 1i32
    for peer in 0..nranks {
      if peer != my_rank {
        pld::system::notify(signal, peer, [my_rank, 0], 1, op = AtomicAdd)
      }
    }
    for src in 0..nranks {
      if src != my_rank {
        pld::system::wait(signal, [src, 0], generation, cmp = Ge)
      }
    }
    for at in 0..256 step 47104 {
      len = pl::min(47104usize, 256 - at)
      acc = pld::tile::remote_load(data.1, 0, [at], [len])
      for peer.1 in 1..nranks {
        recv = pld::tile::remote_load(data.1, peer.1, [at], [len])
        acc = pl::maximum(acc, recv)
      }
      generation = generation + 1
      for peer.2 in 0..nranks {
        if peer.2 != my_rank {
          pld::system::notify(signal, peer.2, [my_rank, 0], 1, op = AtomicAdd)
        }
      }
      for src.1 in 0..nranks {
        if src.1 != my_rank {
          pld::system::wait(signal, [src.1, 0], generation, cmp = Ge)
        }
      }
      data.1 = pl::store(acc, [at], data.1)
    }
    for src.2 in 0..nranks {
      if src.2 != my_rank {
        pld::system::notify(signal, my_rank, [src.2, 0], -generation, op = AtomicAdd)
      }
    }
    pld::system::leave(signal)
  }
}
