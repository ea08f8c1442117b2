; pass: link
; A callee that writes memory and gives it back; two results at once.
InCore fn kernel(x: In tensor<f32, [1, 8]>, y: Out tensor<f32, [1, 8]>, data: InOut window<f32, [NR, 8]>) -> tensor<f32, [1, 8]> dynamic(NR) calls(both, put) {
  a = pl::load(x, [0, 0], [1, 8])
  b = pl::full::<f32>([1, 8], 1.0)
  a, b = call both(a, b)
  data = call put(data, a, 0)
  y = pl::store(b, [0, 0], y)
  return y
}
---
Inline fn both(a: tile<f32, [1, N]>, b: tile<f32, [1, N]>) -> (tile<f32, [1, N]>, tile<f32, [1, N]>) dynamic(N) {
  return b, a
}
---
Inline fn put(dst: InOut window<f32, [R, C]>, row: tile<f32, [1, C]>, at: usize) -> window<f32, [R, C]> dynamic(R, C) {
  dst = pl::store(row, [at, 0], dst)
  return dst
}
===
pl 1
InCore fn kernel(x: In tensor<f32, [1, 8]>, y: Out tensor<f32, [1, 8]>, data: InOut window<f32, [NR, 8]>) -> tensor<f32, [1, 8]> dynamic(NR) {
  a = pl::load(x, [0, 0], [1, 8])
  b = pl::full::<f32>([1, 8], 1.0)
  result = b
  result.1 = a
  a = result
  b = result.1
  data = pl::store(a, [0, 0], data)
  y = pl::store(b, [0, 0], y)
  return y
}
