; pass: lower
; bind: SIZE=4, world=2, platform=sim
InCore fn kernel(y: Out tensor<f32, [1, SIZE]>) dynamic(SIZE) {
  t = pl::full::<f32>([1, SIZE], 0.0)
  y = pl::store(t, [0, 0], y)
  for i in 0..SIZE - 8 {
    a = i
  }
}
===
error: the end of a range is `SIZE - 8` = -4, expected at least 0
  --> text:6:20 (in kernel `kernel`)
  = help: index arithmetic is on `usize` and does not go below zero
