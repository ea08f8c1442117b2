; With the values of a launch.
; bind: NR=4, SIZE=64, world=4

InCore fn right(data: InOut window<f32, [NR, SIZE]>, signal: InOut window<i32, [NR, 1]>) dynamic(NR, SIZE) {
  data = pld::tensor::reduce_scatter(data, signal, op = Sum)
}
---
InCore fn fits(x: In tensor<f32, [NR, SIZE]>) dynamic(NR, SIZE) {
  a = pl::load(x, [0, 0], [4, 64])
  b = pl::load(x, [0, 0], [4, 65]) ; error: past extent `SIZE` = 64 of axis 1 of `x`
  c = pl::load(x, [4, 0], [1, 64]) ; error: box with offset `4` and extent `1` ends at 5, past extent `NR` = 4 of axis 0 of `x`
  d = pl::load(x, [NR - 4, 0], [1, 64])
  e = pl::load(x, [NR - 5, 0], [1, 64]) ; error: `NR - 5` = -1, expected at least 0
}
---
InCore fn shapes(x: In tensor<f32, [NR, SIZE]>) dynamic(NR, SIZE) {
  a = pl::full::<f32>([1, SIZE], 0.0)
  b = pl::full::<f32>([1, 16 * NR], 0.0)
  c = pl::full::<f32>([1, 65], 0.0)
  d = pl::add(a, b)
  e = pl::add(a, c) ; error: `pl::add` of tiles of different shapes: `tile<f32, [1, SIZE]>` = [1, 64] and `tile<f32, [1, 65]>`
}
---
; bind: NR=3, SIZE=64, world=4
InCore fn signal_of_another_world(data: InOut window<f32, [4, SIZE]>, signal: InOut window<i32, [NR, 1]>) dynamic(NR, SIZE) {
  data = pld::tensor::reduce_scatter(data, signal, op = Sum) ; error: `signal` of `pld::tensor::reduce_scatter` has shape `[NR, 1]` = [3, 1], expected `[P, 1]` with P = 4
}
---
; bind: NR=1, world=1
InCore fn alone(signal: InOut window<i32, [NR, 1]>) dynamic(NR) {
  pld::tensor::barrier(signal) ; error: `pld::tensor::barrier` needs at least 2 ranks, the domain of `signal` has 1
}
---
InCore fn peers(data: In window<f32, [NR, SIZE]>) dynamic(NR, SIZE) {
  a = pld::tile::remote_load(data, 3, [0, 0], [1, SIZE])
  b = pld::tile::remote_load(data, 4, [0, 0], [1, SIZE]) ; error: peer 4 is not a rank of the domain of `data`, which has 4
  c = pld::tile::remote_load(data, NR, [0, 0], [1, SIZE]) ; error: peer 4 is not a rank of the domain of `data`, which has 4
}
---
; bind: NR=4, world=4
InCore fn division(x: In tensor<f32, [NR]>, n: usize) dynamic(NR) {
  a = n / (NR - 4) ; error: division by `NR - 4`, which is zero
}
