; pass: lower
; bind: SIZE=4, world=2, platform=sim
; A condition whose evaluation fails is not decided: the run reports it. What is decided through a name is.
InCore fn kernel(y: Out tensor<f32, [1, SIZE]>, p: usize) dynamic(SIZE) {
  t = pl::full::<f32>([1, SIZE], 0.0)
  y = pl::store(t, [0, 0], y)
  if SIZE - 8 > 0 {
    a = 1
  }
  if SIZE - 8 + 5 == 1 {
    b = 1
  }
  if SIZE * 9000000000000000000 > 5 {
    c = 1
  }
  if 1 / p > 0 && SIZE > 100 {
    d = 1
  }
  small = SIZE <= 4
  if !small {
    u = pl::full::<f32>([1, 1000000], 0.0)
  }
  if 4 - 8 > 0 {
    e = 1
  }
}
===
pl 1
InCore fn kernel(y: Out tensor<f32, [1, SIZE]>, p: usize) dynamic(SIZE) {
  t = pl::full::<f32>([1, SIZE], 0.0)
  y = pl::store(t, [0, 0], y)
  if SIZE - 8 > 0 {
    a = 1
  }
  if SIZE - 8 + 5 == 1 {
    b = 1
  }
  if SIZE * 9000000000000000000 > 5 {
    c = 1
  }
  if 1 / p > 0 && SIZE > 100 {
    d = 1
  }
  small = SIZE <= 4
}
