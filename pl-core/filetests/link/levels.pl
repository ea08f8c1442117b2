; pass: link
; Who calls whom.
InCore fn kernel(x: InOut tensor<f32, [1, 8]>) calls(steps, other, main) {
  call steps(x)
  call other(x)
  call main(x)
}
---
Orchestration fn steps(x: InOut tensor<f32, [1, 8]>) calls(other) {
  call other(x)
}
---
InCore fn other(x: InOut tensor<f32, [1, 8]>) {
  t = pl::load(x, [0, 0], [1, 8])
  x = pl::store(t, [0, 0], x)
}
---
Host fn main(x: InOut tensor<f32, [1, 8]>) {
}
===
error: `steps` is an Orchestration function, an InCore function calls Inline functions
  --> text:4:3 (in kernel `kernel`)
  = help: call `steps` in a `Host` function, with `device = r`

error: `other` is an InCore function, an InCore function calls Inline functions
  --> text:5:3 (in kernel `kernel`)
  = help: declare `other` as `#[pl::function(Inline)]`, or call both in an `Orchestration` function

error: `main` is a Host function, an InCore function calls Inline functions
  --> text:6:3 (in kernel `kernel`)
  = help: run `main` from the host: `world.run(main(…))`
