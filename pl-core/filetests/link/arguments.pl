; pass: link
; What a caller can do wrong, all at once.
InCore fn kernel(x: In tensor<f32, [1, 8]>, flat: In tensor<f32, [8]>, n: usize, k: i32) calls(put, half) {
  t = pl::load(x, [0, 0], [1, 8])
  call put(x, t)
  a = call half(t, n, 3)
  u = pl::load(flat, [0], [8])
  c = call half(u, n)
  d, e = call half(t, n)
}
---
Inline fn put(dst: InOut tensor<f32, [R, C]>, row: tile<f32, [1, C]>) dynamic(R, C) {
  dst = pl::store(row, [0, 0], dst)
}
---
Inline fn half(t: tile<f32, [1, N]>, n: usize) -> tile<f32, [1, N]> dynamic(N) {
  u = pl::mul(t, 0.5)
  return u
}
===
error: `x` is an `In` parameter and is passed as `dst` of `put`, which is `InOut`
  --> text:5:3 (in kernel `kernel`)
  = help: declare `x` as `pl::InOut<…>` or `pl::Out<…>`

error: `half` is called with 3 arguments, it has 2 parameters
  --> text:6:3 (in kernel `kernel`)
  = help: pass one argument per parameter

error: `u` has 1 axes, parameter `t` of `half` has 2
  --> text:8:3 (in kernel `kernel`)
  = help: pass memory or a tile of the rank that the parameter declares

error: 2 values are taken from `half`, it returns 1
  --> text:9:3 (in kernel `kernel`)
  = help: take as many as it returns
