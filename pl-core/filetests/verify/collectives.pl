; The composites: shapes, element types, the one reduction that is there.

InCore fn right(data: InOut window<f32, [NR, SIZE]>, signal: InOut window<i32, [NR, 1]>, flat: InOut window<i32, [NR]>) dynamic(NR, SIZE) {
  data = pld::tensor::reduce_scatter(data, signal, op = Sum)
  pld::tensor::reduce_scatter(data, signal, op = Sum)
  pld::tensor::barrier(signal)
  pld::tensor::barrier(flat)
}
---
InCore fn reductions(data: InOut window<f32, [4, 8]>, signal: InOut window<i32, [4, 1]>, n: usize) {
  data = pld::tensor::reduce_scatter(data, signal, op = Max) ; error: pld::tensor::reduce_scatter op must be ReduceOp::Sum (got int 1); Max / Min / Prod lowerings are not yet implemented
  data = pld::tensor::reduce_scatter(data, signal, op = Min) ; error: (got int 2)
  data = pld::tensor::reduce_scatter(data, signal, op = Prod) ; error: (got int 3)
  data = pld::tensor::reduce_scatter(data, signal, op = 7) ; error: (got int 7)
  data = pld::tensor::reduce_scatter(data, signal, op = enum WaitCmp Eq) ; error: argument `op` of `pld::tensor::reduce_scatter` is a `pld::WaitCmp`, expected a `pld::ReduceOp`
  data = pld::tensor::reduce_scatter(data, signal, op = (n)) ; error: argument `op` of `pld::tensor::reduce_scatter` is not a `pld::ReduceOp`
}
---
InCore fn constants<const RIGHT: ReduceOp = Sum, const WRONG: ReduceOp = Prod, const OTHER: NotifyOp = Set, const N: usize = 0, const OPEN>(data: InOut window<f32, [4, 8]>, signal: InOut window<i32, [4, 1]>) {
  data = pld::tensor::reduce_scatter(data, signal, op = const RIGHT)
  data = pld::tensor::reduce_scatter(data, signal, op = const WRONG) ; error: (got int 3)
  data = pld::tensor::reduce_scatter(data, signal, op = const OTHER) ; error: argument `op` of `pld::tensor::reduce_scatter`: `OTHER` is not a constant `pld::ReduceOp`
  data = pld::tensor::reduce_scatter(data, signal, op = const N) ; error: `N` is not a constant `pld::ReduceOp`
  data = pld::tensor::reduce_scatter(data, signal, op = const OPEN)
  data = pld::tensor::reduce_scatter(data, signal, op = const MISSING) ; error: `MISSING` is not a constant `pld::ReduceOp`
}
---
InCore fn not_windows(x: InOut tensor<f32, [4, 8]>, s: InOut tensor<i32, [4, 1]>, data: InOut window<f32, [4, 8]>, signal: InOut window<i32, [4, 1]>) {
  pld::tensor::reduce_scatter(x, signal, op = Sum) ; error: argument `target` of `pld::tensor::reduce_scatter`: `x` is `tensor<f32, [4, 8]>`, expected a window
  pld::tensor::reduce_scatter(data, s, op = Sum) ; error: argument `signal` of `pld::tensor::reduce_scatter`: `s` is `tensor<i32, [4, 1]>`, expected a window
  pld::tensor::barrier(s) ; error: argument `signal` of `pld::tensor::barrier`: `s` is `tensor<i32, [4, 1]>`, expected a window
}
---
InCore fn shapes(line: InOut window<f32, [32]>, cube: InOut window<f32, [2, 2, 8]>, data: InOut window<f32, [4, 8]>, signal: InOut window<i32, [4, 1]>, flat: InOut window<i32, [4]>, wide: InOut window<i32, [4, 2]>, floats: InOut window<f32, [4, 1]>) {
  pld::tensor::reduce_scatter(line, signal, op = Sum) ; error: `target` of `pld::tensor::reduce_scatter` has shape `[32]` of rank 1, expected `[P, S]`
  pld::tensor::reduce_scatter(cube, signal, op = Sum) ; error: `target` of `pld::tensor::reduce_scatter` has shape `[2, 2, 8]` of rank 3, expected `[P, S]`
  pld::tensor::reduce_scatter(data, flat, op = Sum) ; error: `signal` of `pld::tensor::reduce_scatter` has shape `[4]` of rank 1, expected `[P, 1]`
  pld::tensor::reduce_scatter(data, wide, op = Sum) ; error: `signal` of `pld::tensor::reduce_scatter` has shape `[4, 2]`, expected `[P, 1]`
  pld::tensor::reduce_scatter(data, floats, op = Sum) ; error: `signal` of `pld::tensor::reduce_scatter` has element type `f32`, expected i32
  pld::tensor::barrier(wide) ; error: `signal` of `pld::tensor::barrier` has shape `[4, 2]`, expected `[P, 1]` or `[P]`
}
---
; Both have P as their first extent: two different constants, or two different names, are not both P.
InCore fn two_worlds(data: InOut window<f32, [4, 8]>, signal: InOut window<i32, [3, 1]>) {
  data = pld::tensor::reduce_scatter(data, signal, op = Sum) ; error: `signal` of `pld::tensor::reduce_scatter` has shape `[3, 1]`, expected `[P, 1]` with P = `4` of `target`
}
---
InCore fn two_names(data: InOut window<f32, [NR, 8]>, signal: InOut window<i32, [N, 1]>) dynamic(NR, N) {
  data = pld::tensor::reduce_scatter(data, signal, op = Sum) ; error: `signal` of `pld::tensor::reduce_scatter` has shape `[N, 1]`, expected `[P, 1]` with P = `NR` of `target`
}
---
InCore fn same(both: InOut window<i32, [4, 1]>) {
  both = pld::tensor::reduce_scatter(both, both, op = Sum) ; error: `target` and `signal` of `pld::tensor::reduce_scatter` are both `both`
}
---
InCore fn read_only(data: In window<f32, [4, 8]>, signal: In window<i32, [4, 1]>) {
  pld::tensor::reduce_scatter(data, signal, op = Sum) ; error: `pld::tensor::reduce_scatter` writes `data`, which is an `In` parameter ; error: `pld::tensor::reduce_scatter` writes `signal`
}
---
InCore fn read_before(data: Out window<f32, [4, 8]>, signal: InOut window<i32, [4, 1]>) {
  pld::tensor::reduce_scatter(data, signal, op = Sum) ; error: `pld::tensor::reduce_scatter` reads `data`, which is an `Out` parameter that no path has stored to before
}
