; pass: program
; bind: SIZE=15701, world=2, platform=a2a3sim
; Outside of the loop the sum takes the place of `b`; in it three tiles of 62804 bytes are live.
InCore fn kernel(x: In tensor<f32, [1, SIZE]>, y: Out tensor<f32, [1, SIZE]>, n: usize) dynamic(SIZE) {
  a = pl::load(x, [0, 0], [1, SIZE])
  b = pl::load(x, [0, 0], [1, SIZE])
  c = pl::add(a, b)
  for i in 0..n {
    d = pl::mul(c, a)
    c = pl::add(c, d)
  }
  y = pl::store(c, [0, 0], y)
}
===
pl 1
InCore fn kernel(x: In tensor<f32, [1, SIZE]>, y: Out tensor<f32, [1, SIZE]>, n: usize) dynamic(SIZE) {
  a = pl::load(x, [0, 0], [1, SIZE])
  b = pl::load(x, [0, 0], [1, SIZE])
  c = pl::add(a, b)
  for i in 0..n {
    d = pl::mul(c, a)
    c = pl::add(c, d)
  }
  y = pl::store(c, [0, 0], y)
}
