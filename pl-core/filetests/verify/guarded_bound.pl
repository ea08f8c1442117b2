; bind: SIZE=4, world=2, platform=a2a3sim
; With bindings, what may not run is left to the run.
InCore fn while_loop(x: In tensor<f32, [SIZE]>, y: Out tensor<f32, [SIZE]>, mode: usize) dynamic(SIZE) {
  off = 0
  while off + 8 <= SIZE {
    t = pl::load(x, [off], [8])
    y = pl::store(t, [off], y)
    off = off + 8
  }
  if mode == 1 {
    u = pl::load(x, [0], [8])
  }
  for i in 0..SIZE / 8 {
    v = pl::load(x, [i * 8], [8])
  }
  for i.1 in 0..SIZE {
    w = pl::load(x, [0], [8])      ; error: past extent `SIZE` = 4
  }
  z = pl::load(x, [0], [8])        ; error: past extent `SIZE` = 4
}
