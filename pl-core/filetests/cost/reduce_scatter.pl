; pass: cost
; library: library.txt
; bind: NR=4, SIZE=64, world=4, platform=a2a3sim
; Each rank receives (P-1)/P of the bytes of the window, deposits 2 credits at each peer and takes as many back.
InCore fn kernel(x: In tensor<f32, [1, NR * SIZE]>, y: Out tensor<f32, [1, SIZE]>, data: InOut window<f32, [NR, SIZE]>, signal: InOut window<i32, [NR, 1]>) -> tensor<f32, [1, SIZE]> dynamic(NR, SIZE) {
  ctx = pld::get_comm_ctx(data)
  my_rank = pld::rank(ctx)
  nranks = pld::nranks(ctx)
  for c in 0..nranks {
    chunk = pl::load(x, [0, c * SIZE], [1, SIZE])
    data = pl::store(chunk, [c, 0], data)
  }
  data = pld::tensor::reduce_scatter(data, signal, op = Sum)
  acc = pl::load(data, [my_rank, 0], [1, SIZE])
  y = pl::store(acc, [0, 0], y)
  return y
}
===
rank 0: received 768, sent 768, loads 3, stores 0, notifies 6 + 3, waits 6, barriers 2, credits 2, results 64
rank 1: received 768, sent 768, loads 3, stores 0, notifies 6 + 3, waits 6, barriers 2, credits 2, results 64
rank 2: received 768, sent 768, loads 3, stores 0, notifies 6 + 3, waits 6, barriers 2, credits 2, results 64
rank 3: received 768, sent 768, loads 3, stores 0, notifies 6 + 3, waits 6, barriers 2, credits 2, results 64
