; pass: cost
; library: library.txt
; bind: world=4, pair+bell.world=2
; args: window 0 [4, 1], window 1 [2, 8], window 2 [2, 1]
; A barrier of four ranks and a reduce_scatter of two: barriers and credits add up over the domains.
InCore fn kernel(signal: InOut window<i32, [4, 1]>, pair: InOut window<f32, [2, 8]>, bell: InOut window<i32, [2, 1]>) {
  pld::tensor::barrier(signal)
  pair = pld::tensor::reduce_scatter(pair, bell, op = Sum)
}
===
rank 0: received 32, sent 32, loads 1, stores 0, notifies 5 + 4, waits 5, barriers 3, credits 3, results 0
rank 1: received 32, sent 32, loads 1, stores 0, notifies 5 + 4, waits 5, barriers 3, credits 3, results 0
rank 2: received 32, sent 32, loads 1, stores 0, notifies 5 + 4, waits 5, barriers 3, credits 3, results 0
rank 3: received 32, sent 32, loads 1, stores 0, notifies 5 + 4, waits 5, barriers 3, credits 3, results 0
