; pass: cost
; library: library.txt
; bind: NR=4, SIZE=100000, world=4, platform=a2a3sim
; In chunks: more remote loads, the same bytes. Each rank receives (P-1)/P of the bytes of the window, deposits 2 credits at each peer and takes as many back.
InCore fn kernel(x: In tensor<f32, [1, NR * SIZE]>, y: Out tensor<f32, [1, SIZE]>, data: InOut window<f32, [NR, SIZE]>, signal: InOut window<i32, [NR, 1]>) -> tensor<f32, [1, SIZE]> dynamic(NR, SIZE) {
  ctx = pld::get_comm_ctx(data)
  my_rank = pld::rank(ctx)
  nranks = pld::nranks(ctx)
  for c in 0..nranks {
    for at in 0..SIZE step 1000 {
      chunk = pl::load(x, [0, c * SIZE + at], [1, 1000])
      data = pl::store(chunk, [c, at], data)
    }
  }
  data = pld::tensor::reduce_scatter(data, signal, op = Sum)
  for at in 0..SIZE step 1000 {
    acc = pl::load(data, [my_rank, at], [1, 1000])
    y = pl::store(acc, [0, at], y)
  }
  return y
}
===
rank 0: received 1200000, sent 1200000, loads 15, stores 0, notifies 6 + 3, waits 6, barriers 2, credits 2, results 100000
rank 1: received 1200000, sent 1200000, loads 15, stores 0, notifies 6 + 3, waits 6, barriers 2, credits 2, results 100000
rank 2: received 1200000, sent 1200000, loads 15, stores 0, notifies 6 + 3, waits 6, barriers 2, credits 2, results 100000
rank 3: received 1200000, sent 1200000, loads 15, stores 0, notifies 6 + 3, waits 6, barriers 2, credits 2, results 100000
