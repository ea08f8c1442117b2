; pass: link
; The kernels that an Orchestration function calls are inlined: a device runs one function.
Orchestration fn steps(x: In tensor<f32, [NR, SIZE]>, y: Out tensor<f32, [1, SIZE]>, data: InOut window<f32, [NR, SIZE]>, n: usize) -> tensor<f32, [1, SIZE]> dynamic(NR, SIZE) calls(stage, fetch) {
  for i in 0..n {
    data = call stage(x, data, i)
  }
  if n > 1 {
    y = call fetch(data, y, n - 1)
  } else {
    y = call fetch(data, y, 0)
  }
  return y
}
---
InCore fn stage(src: In tensor<f32, [R, C]>, dst: InOut window<f32, [R, C]>, row: usize) -> window<f32, [R, C]> dynamic(R, C) calls(scaled) {
  t = pl::load(src, [row, 0], [1, C])
  u = call scaled(t)
  dst = pl::store(u, [row, 0], dst)
  return dst
}
---
InCore fn fetch(src: In window<f32, [R, C]>, dst: Out tensor<f32, [1, C]>, row: usize) -> tensor<f32, [1, C]> dynamic(R, C) {
  t = pl::load(src, [row, 0], [1, C])
  dst = pl::store(t, [0, 0], dst)
  return dst
}
---
Inline fn scaled(t: tile<f32, [1, N]>) -> tile<f32, [1, N]> dynamic(N) {
  u = pl::mul(t, 0.5)
  return u
}
===
pl 1
Orchestration fn steps(x: In tensor<f32, [NR, SIZE]>, y: Out tensor<f32, [1, SIZE]>, data: InOut window<f32, [NR, SIZE]>, n: usize) -> tensor<f32, [1, SIZE]> dynamic(NR, SIZE) {
  for i in 0..n {
    t = pl::load(x, [i, 0], [1, SIZE])
    u = pl::mul(t, 0.5)
    u.1 = u
    data = pl::store(u.1, [i, 0], data)
  }
  if n > 1 {
    row = n - 1
    t.1 = pl::load(data, [row, 0], [1, SIZE])
    y = pl::store(t.1, [0, 0], y)
  } else {
    t.2 = pl::load(data, [0, 0], [1, SIZE])
    y = pl::store(t.2, [0, 0], y)
  }
  return y
}
