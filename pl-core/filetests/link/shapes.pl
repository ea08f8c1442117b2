; pass: link
; Arguments of other types and shapes than the callee declares, found once the call is inlined.
InCore fn kernel(x: In tensor<f32, [2, 8]>, h: In tensor<f16, [1, 8]>, n: usize) calls(row, half) {
  a = pl::load(x, [0, 0], [2, 8])
  b = call row(a)
  c = pl::load(h, [0, 0], [1, 8])
  d = call row(c)
  f = call half(n, n)
}
---
Inline fn row(t: tile<f32, [1, N]>) -> tile<f32, [1, N]> dynamic(N) {
  u = pl::mul(t, 0.5)
  return u
}
---
Inline fn half(t: tile<f32, [1, N]>, n: usize) -> tile<f32, [1, N]> dynamic(N) {
  for i in 0..n {
    t = pl::mul(t, 0.5)
  }
  return t
}
===
error: `a` is `tile<f32, [2, 8]>`, parameter `t` of `row` takes `tile<f32, [1, N]>`
  --> text:5:3 (in kernel `kernel`)
  = help: pass what the parameter declares

error: `c` is `tile<f16, [1, 8]>`, parameter `t` of `row` takes `tile<f32, [1, N]>`
  --> text:7:3 (in kernel `kernel`)
  = help: pass what the parameter declares

error: `n` is `usize`, parameter `t` of `half` takes `tile<f32, [1, N]>`
  --> text:8:3 (in kernel `kernel`)
  = help: pass what the parameter declares
