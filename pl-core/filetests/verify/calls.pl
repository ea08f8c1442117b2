; What can be said of a call before it is linked.

InCore fn unknown_results(x: In tensor<f32, [1, 4]>, y: Out tensor<f32, [1, 4]>) -> tensor<f32, [1, 4]> calls(stage, reduce) {
  t = call stage(x, 3, 1.5)
  u = pl::add(t, t)
  a, b = call stage(x)
  check a: tile<f32, [1, 4]>
  c = pl::add(a, 1.0)
  d = pl::mul(a, 3i32) ; error: argument `rhs` of `pl::mul` is `i32`, expected the element type `f32`
  call reduce(y)
  return y
}
---
; A callee may have stored into what it was given.
InCore fn stores(y: Out tensor<f32, [1, 4]>) calls(fill) {
  call fill(y)
  t = pl::load(y, [0, 0], [1, 4])
}
---
InCore fn arguments(x: In tensor<f32, [1, 4]>) calls(stage) {
  call stage(z) ; error: `z` is not assigned on every path to here
  call stage([1, 4]) ; error: a list or enum value as an argument of a function
  call stage(enum ReduceOp Sum) ; error: a list or enum value as an argument of a function
  call stage(1 + true) ; error: `+` on `bool`, expected numbers
}
