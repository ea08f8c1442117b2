; pass: lower
; library: library.txt
; bind: NR=4, M=2, SIZE=64, world=4, platform=a2a3sim
InCore fn kernel(x: In tensor<f32, [NR * M, SIZE]>, data: InOut window<f32, [NR * M, SIZE]>, signal: InOut window<i32, [NR, 1]>, send: In tensor<i32, [NR, 1]>, recv: InOut window<i32, [NR, 1]>) dynamic(NR, M, SIZE) {
  data = pld::tensor::all_to_all_v(x, data, signal, send, recv)
}
===
pl 1
InCore fn kernel(x: In tensor<f32, [NR * M, SIZE]>, data: InOut window<f32, [NR * M, SIZE]>, signal: InOut window<i32, [NR, 1]>, send: In tensor<i32, [NR, 1]>, recv: InOut window<i32, [NR, 1]>) dynamic(NR, M, SIZE) {
  pld::system::enter(signal, data, collective = AllToAllV, _, _, _)
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
    count = pl::read(send, [peer.1, 0])
    rows = pld::system::check_count(count, peer.1, NR * M / NR)
    pld::tensor::put(data, peer.1, x, [my_rank * (NR * M / NR), 0], [peer.1 * (NR * M / NR), 0], [rows, SIZE], atomic = None, 1, 47104, false)
    full = pl::full::<i32>([1, 1], count)
    pld::tile::remote_store(full, recv, peer.1, [my_rank, 0], atomic = None)
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
    read = pl::read(recv, [src.2, 0])
    rows.1 = read as usize
    pl::discard(data, [src.2 * (NR * M / NR) + rows.1, 0], [NR * M / NR - rows.1, SIZE])
  }
  for src.3 in 0..nranks {
    if src.3 != my_rank {
      pld::system::notify(signal, my_rank, [src.3, 0], -2, op = AtomicAdd)
    }
  }
  pld::system::leave(signal)
}
