; pass: link
InCore fn kernel(x: In tensor<f32, [1, SIZE]>, y: Out tensor<f32, [1, SIZE]>, n: usize) -> tensor<f32, [1, SIZE]> dynamic(SIZE) calls(stage, scaled) {
  t = call stage(x, n + 1)
  y = pl::store(t, [0, 0], y)
  u = call scaled(t, 2.0)
  y = pl::store(u, [0, 0], y)
  return y
}
---
Inline fn stage(src: In tensor<f32, [1, LEN]>, times: usize) -> tile<f32, [1, LEN]> dynamic(LEN) calls(scaled) {
  acc = pl::load(src, [0, 0], [1, LEN])
  for i in 0..times {
    acc = call scaled(acc, 0.5)
  }
  return acc
}
---
Inline fn scaled(t: tile<f32, [R, C]>, by: f32) -> tile<f32, [R, C]> dynamic(R, C) {
  u = pl::mul(t, by)
  return u
}
===
pl 1
InCore fn kernel(x: In tensor<f32, [1, SIZE]>, y: Out tensor<f32, [1, SIZE]>, n: usize) -> tensor<f32, [1, SIZE]> dynamic(SIZE) {
  times = n + 1
  acc = pl::load(x, [0, 0], [1, SIZE])
  for i in 0..times {
    u = pl::mul(acc, 0.5f32)
    acc = u
  }
  t = acc
  y = pl::store(t, [0, 0], y)
  u.1 = pl::mul(t, 2.0f32)
  u.2 = u.1
  y = pl::store(u.2, [0, 0], y)
  return y
}
