; pass: link
Host fn kernel(x: InOut tensor<f32, [4, 8]>) calls(tile, main) {
  for r in 0..4 {
    mine = pl::part(x, r)
    call tile(mine, device = r)
  }
  for r in 0..4 {
    whole = pl::part(x, r)
    call main(whole, device = r)
  }
}
---
Inline fn tile(x: InOut tensor<f32, [8]>) {
  t = pl::load(x, [0], [8])
  x = pl::store(t, [0], x)
}
---
Host fn main(x: InOut tensor<f32, [8]>) {
}
===
error: `tile` is an Inline function, a Host function calls InCore and Orchestration functions
  --> text:5:5 (in Host function `kernel`)
  = help: call `tile` in an `InCore` function, and that one here

error: `main` is a Host function, a Host function calls InCore and Orchestration functions
  --> text:9:5 (in Host function `kernel`)
  = help: run `main` from the host: `world.run(main(…))`
