; pass: program
; bind: SIZE=1000000, world=2, platform=a2a3sim
; The branch and the loop that do not run with these dims are left out: their tiles need not fit, their boxes need not either.
InCore fn kernel(x: In tensor<f32, [SIZE]>, y: Out tensor<f32, [SIZE]>) dynamic(SIZE) {
  small = 1000
  if SIZE <= small {
    t = pl::load(x, [0], [SIZE])
    y = pl::store(t, [0], y)
  } else {
    for at in 0..SIZE step 1000 {
      u = pl::load(x, [at], [1000])
      y = pl::store(u, [at], y)
    }
  }
  for i in 0..SIZE / 2000000 {
    v = pl::load(x, [i * 2000000], [2000000])
  }
}
===
pl 1
InCore fn kernel(x: In tensor<f32, [SIZE]>, y: Out tensor<f32, [SIZE]>) dynamic(SIZE) {
  small = 1000
  for at in 0..SIZE step 1000 {
    u = pl::load(x, [at], [1000])
    y = pl::store(u, [at], y)
  }
}
