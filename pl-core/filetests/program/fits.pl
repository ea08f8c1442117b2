; pass: program
; bind: SIZE=23552, world=2, platform=a2a3sim
; Two tiles of 92 KiB fill 184 KiB; the sum takes the place of an operand that is dead after.
InCore fn kernel(x: In tensor<f32, [1, SIZE]>, y: Out tensor<f32, [1, SIZE]>) dynamic(SIZE) {
  a = pl::load(x, [0, 0], [1, SIZE])
  b = pl::load(x, [0, 0], [1, SIZE])
  c = pl::add(a, b)
  y = pl::store(c, [0, 0], y)
}
===
pl 1
InCore fn kernel(x: In tensor<f32, [1, SIZE]>, y: Out tensor<f32, [1, SIZE]>) dynamic(SIZE) {
  a = pl::load(x, [0, 0], [1, SIZE])
  b = pl::load(x, [0, 0], [1, SIZE])
  c = pl::add(a, b)
  y = pl::store(c, [0, 0], y)
}
