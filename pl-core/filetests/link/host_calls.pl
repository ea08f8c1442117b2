; pass: link
; Everything that is wrong with the dispatches of a Host function, at once.
Host fn kernel<const ROWS: usize = 4>(x: In tensor<f32, [NR, 1, SIZE]>, y: Out tensor<f32, [NR, 1, SIZE]>, w: In tensor<f32, [SIZE, NR]>, k: i32) dynamic(NR, SIZE) calls(step, scale) {
  world = pld::world_size()
  buffer = pld::alloc_window_buffer(NR * SIZE * 4)
  data = pld::window::<f32>(buffer, [NR, SIZE])
  other = pld::alloc_window_buffer(ROWS * 64 * 2)
  halves = pld::window::<f16>(other, [ROWS, 64])
  for r in 0..world {
    mine = pl::part(x, r)
    theirs = pl::part(y, r)
    call step(mine, theirs, data, device = r)
  }
  for r in 0..world {
    a = pl::part(x, r)
    b = pl::part(y, r)
    call step(x, b, data, 0, device = r)
  }
  for r in 0..world {
    c = pl::part(x, r)
    d = pl::part(y, r)
    call step(d, c, data, k, device = r)
  }
  for r in 0..world {
    e = pl::part(x, r)
    f = pl::part(y, r)
    call step(e, f, halves, r, device = r)
  }
  for r in 0..world {
    g = pl::part(x, r)
    h = pl::part(y, r)
    call step(g, h, buffer, r, device = r)
  }
  for r in 0..world {
    call scale(w, data, device = r)
  }
}
---
InCore fn step(x: In tensor<f32, [1, N]>, y: Out tensor<f32, [1, N]>, data: InOut window<f32, [R, N]>, row: usize) dynamic(R, N) {
  t = pl::load(x, [0, 0], [1, N])
  y = pl::store(t, [0, 0], y)
  data = pl::store(t, [row, 0], data)
}
---
InCore fn scale(w: In tensor<f32, [R, C]>, data: InOut window<f32, [R, C]>) dynamic(R, C) {
  t = pl::load(w, [0, 0], [R, C])
  data = pl::store(t, [0, 0], data)
}
===
error: `step` is called with 3 arguments, it has 4 parameters
  --> text:12:5 (in Host function `kernel`)
  = help: pass one argument per parameter

error: `x` is `tensor<f32, [NR, 1, SIZE]>` with 3 axes, parameter `x` of `step` takes `tensor<f32, [1, N]>` with 2
  --> text:17:5 (in Host function `kernel`)
  = help: pass the part of one rank: `x[r]`

error: `x` is an `In` parameter and is passed as `y` of `step`, which is `Out`
  --> text:22:5 (in Host function `kernel`)
  = help: declare `x` as `pl::InOut<…>` or `pl::Out<…>`

error: `i32` is passed as `row` of `step`, which takes `usize`
  --> text:22:5 (in Host function `kernel`)
  = help: convert it: `… as usize`

error: `halves` is `window<f16, [ROWS, 64]>`, parameter `data` of `step` takes `window<f32, [R, N]>`
  --> text:27:5 (in Host function `kernel`)
  = help: pass what the parameter declares

error: `buffer` is `buffer`, parameter `data` of `step` takes `window<f32, [R, N]>`
  --> text:32:5 (in Host function `kernel`)
  = help: make it a window: `pld::window::<…>(buffer, [..])`

error: axis 0 of `data` is `NR`, parameter `data` of `scale` has `R` (`R` = `SIZE` from the argument for `w`)
  --> text:35:5 (in Host function `kernel`)
  = help: the shapes of the arguments must agree with those that the function declares

error: axis 1 of `data` is `SIZE`, parameter `data` of `scale` has `C` (`C` = `NR` from the argument for `w`)
  --> text:35:5 (in Host function `kernel`)
  = help: the shapes of the arguments must agree with those that the function declares
