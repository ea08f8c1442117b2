; pass: cost
; bind: NR=3, world=3
; What depends on data is a range; a loop whose end nothing tells has no bound.
InCore fn kernel(counts: In tensor<i32, [NR]>, data: In window<f32, [NR, 8]>, signal: InOut window<i32, [NR, 1]>, y: Out tensor<f32, [NR, 8]>) dynamic(NR) {
  ctx = pld::get_comm_ctx(data)
  me = pld::rank(ctx)
  for peer in 0..NR {
    count = pl::read(counts, [peer])
    if count > 0 {
      t = pld::tile::remote_load(data, peer, [me, 0], [1, 8])
      y = pl::store(t, [peer, 0], y)
    }
  }
  times = pl::read(counts, [0])
  for i in 0..times as usize {
    pld::system::notify(signal, me, [0, 0], 1, op = AtomicAdd)
  }
}
===
rank 0: received 0 to 64, sent 0 to 64, loads 0 to 2, stores 0, notifies 0 + 0 or more, waits 0, barriers 0, credits 0, results 0 to 24
rank 1: received 0 to 64, sent 0 to 64, loads 0 to 2, stores 0, notifies 0 + 0 or more, waits 0, barriers 0, credits 0, results 0 to 24
rank 2: received 0 to 64, sent 0 to 64, loads 0 to 2, stores 0, notifies 0 + 0 or more, waits 0, barriers 0, credits 0, results 0 to 24
