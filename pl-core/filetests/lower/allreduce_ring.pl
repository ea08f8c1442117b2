; pass: lower
; library: library.txt
; bind: NR=4, SIZE=63, world=4, platform=a2a3sim
InCore fn kernel(data: InOut window<f32, [SIZE]>, signal: InOut window<i32, [2 * (NR - 1), NR]>) dynamic(NR, SIZE) {
  data = pld::tensor::allreduce(data, signal, op = Prod, mode = Ring)
}
===
pl 1
InCore fn kernel(data: InOut window<f32, [SIZE]>, signal: InOut window<i32, [2 * (NR - 1), NR]>) dynamic(NR, SIZE) {
  pld::system::enter(signal, data, collective = Allreduce, op = Prod, mode = Ring, _)
  ctx = pld::get_comm_ctx(data)
  my_rank = pld::rank(ctx)
  nranks = pld::nranks(ctx)
  left = (my_rank + nranks - 1) % nranks
  steps = nranks - 1
  longest = (SIZE + nranks - 1) / nranks
  for round in 0..2 * steps {
    step = round
    newest = left
    if round >= steps {
      step = round - steps
      newest = my_rank
    }
    segment = (newest + nranks - step) % nranks
    start = segment * SIZE / nranks
    end = (segment + 1) * SIZE / nranks
    generation = 0i32
    for at in 0..longest step 23552 {
      from = pl::min(start + at, end)
      len = pl::min(23552usize, end - from)
      generation = generation + 1
      for peer in 0..nranks {
        if peer != my_rank {
          pld::system::notify(signal, peer, [round, my_rank], 1, op = AtomicAdd)
        }
      }
      for src in 0..nranks {
        if src != my_rank {
          pld::system::wait(signal, [round, src], generation, cmp = Ge)
        }
      }
      acc = pld::tile::remote_load(data, left, [from], [len])
      if round < steps {
        load = pl::load(data, [from], [len])
        acc = pl::mul(acc, load)
      }
      generation = generation + 1
      for peer.1 in 0..nranks {
        if peer.1 != my_rank {
          pld::system::notify(signal, peer.1, [round, my_rank], 1, op = AtomicAdd)
        }
      }
      for src.1 in 0..nranks {
        if src.1 != my_rank {
          pld::system::wait(signal, [round, src.1], generation, cmp = Ge)
        }
      }
      data = pl::store(acc, [from], data)
    }
    for src.2 in 0..nranks {
      if src.2 != my_rank {
        pld::system::notify(signal, my_rank, [round, src.2], -generation, op = AtomicAdd)
      }
    }
  }
  pld::system::leave(signal)
}
