; pass: cost
; bind: NR=3, world=3
; What is pushed counts as received at the target; a transfer to oneself moves nothing. A count that is checked bounds what it moves.
InCore fn kernel(x: In tensor<f16, [NR, 8]>, data: InOut window<f16, [NR, 8]>, signal: InOut window<i32, [NR, 1]>, y: InOut tensor<f16, [NR, 8]>, counts: In tensor<i32, [NR]>) dynamic(NR) {
  ctx = pld::get_comm_ctx(data)
  me = pld::rank(ctx)
  for peer in 0..NR {
    pld::tensor::put(data, peer, x, [me, 0], [peer, 0], [1, 8], atomic = None, 0, 0, false)
  }
  if me == 0 {
    t = pl::load(x, [0, 0], [2, 3])
    pld::tile::remote_store(t, data, 2, [0, 0], atomic = Add)
    pld::tensor::put_with_signal(data, 1, x, signal, [0, 0], 2, op = AtomicAdd, _, _, _, atomic = Add, 1, 8, false)
  } else {
    y = pld::tensor::get(y, 0, data, _, _, _, 1, 8, false)
    y = pld::tensor::get(y, me, data, [0, 0], [0, 0], [1, 4], 0, 0, false)
  }
  if me == 1 {
    count = pl::read(counts, [0])
    rows = pld::system::check_count(count, 2, 2)
    pld::tensor::put(data, 2, x, [0, 0], [0, 0], [rows, 4], atomic = None, 1, 4, false)
    other = pl::read(counts, [1])
    pld::tensor::put(data, 0, x, [0, 0], [0, 0], [other as usize, 4], atomic = None, 1, 4, false)
  }
}
===
rank 0: received 32 to 56, sent 188, loads 0, stores 4, notifies 1 + 0, waits 0, barriers 0, credits 0, results 0
rank 1: received 128, sent 32 to 72, loads 1, stores 4, notifies 0 + 0, waits 0, barriers 0, credits 0, results 28
rank 2: received 92 to 108, sent 32, loads 1, stores 2, notifies 0 + 0, waits 0, barriers 0, credits 0, results 28
