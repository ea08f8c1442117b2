; pass: bind
; bind: world=4
; args: [1, 250], [1, 64], window 0 [4, 60], [4]
InCore fn kernel(x: In tensor<f32, [1, NR * SIZE]>, y: Out tensor<f32, [1, SIZE]>, data: InOut window<f32, [NR, SIZE]>, z: In tensor<f32, [5]>) dynamic(NR, SIZE) {
  t = pl::load(x, [0, 0], [1, SIZE])
  y = pl::store(t, [0, 0], y)
}
===
error: axis 1 of argument `x` is 250, the parameter declares `NR * SIZE` = 256 (NR = 4 from argument `data`, SIZE = 64 from argument `y`)
  --> text:4:18 (in kernel `kernel`)
  = help: pass arguments whose shapes agree on every dim

error: axis 1 of argument `data` is 60, the parameter declares `SIZE` = 64 (SIZE = 64 from argument `y`)
  --> text:4:84 (in kernel `kernel`)
  = help: pass arguments whose shapes agree on every dim

error: axis 0 of argument `z` is 4, the parameter declares `5`
  --> text:4:121 (in kernel `kernel`)
  = help: pass arguments whose shapes agree on every dim
