; What collectives ask of their arguments.

InCore fn right(x: In tensor<f16, [1, S]>, x2: In tensor<f16, [NR, S]>, data: InOut window<f16, [NR, S]>, any: InOut window<f16, [3, 5, S]>, signal: InOut window<i32, [NR, 1]>, ring: InOut window<i32, [2 * (NR - 1), NR]>) dynamic(NR, S) {
  any = pld::tensor::broadcast(any, signal, 0)
  data = pld::tensor::allgather(x, data, signal)
  any = pld::tensor::allreduce(any, signal, op = Prod, mode = Mesh)
  any = pld::tensor::allreduce(any, ring, op = Min, mode = Ring)
  data = pld::tensor::all_to_all(x2, data, signal)
}
---
InCore fn counts(x: In tensor<f32, [NR * M, S]>, data: InOut window<f32, [NR * M, S]>, signal: InOut window<i32, [NR, 1]>, send: In tensor<i32, [NR, 1]>, recv: InOut window<i32, [NR, 1]>) dynamic(NR, M, S) {
  data = pld::tensor::all_to_all_v(x, data, signal, send, recv)
  data = pld::tensor::all_to_all_v(x, data, signal, recv, recv) ; error: `send_counts` and `recv_counts` of `pld::tensor::all_to_all_v` are both `recv`
}
---
InCore fn modes(data: InOut window<f32, [NR, S]>, signal: InOut window<i32, [NR, 1]>, ring: InOut window<i32, [6, 4]>, four: InOut window<i32, [4, 1]>) dynamic(NR, S) {
  data = pld::tensor::allreduce(data, signal, op = Sum, mode = Ring) ; error: expected `[2 * (P - 1), P]` with `mode = "ring"`
  data = pld::tensor::allreduce(data, ring, op = Sum, mode = Mesh) ; error: expected `[P, 1]` with `mode = "mesh"`
  data = pld::tensor::allreduce(data, ring, op = Sum, mode = Ring)
  data = pld::tensor::allreduce(data, four, op = Sum, mode = Ring) ; error: expected `[2 * (P - 1), P]` with `mode = "ring"`
  data = pld::tensor::allreduce(data, _, op = Sum, mode = Ring) ; error: `pld::tensor::allreduce` lacks the argument `signal`
}
---
InCore fn types(w: InOut window<u8, [4, 4]>, x: In tensor<f32, [1, 4]>, signal: InOut window<i32, [4, 1]>) {
  w = pld::tensor::allreduce(w, signal, op = Sum, mode = Mesh) ; error: `target` of `pld::tensor::allreduce` has element type `u8`, expected f32, f16, bf16, i32
  w = pld::tensor::allgather(x, w, signal) ; error: `input` of `pld::tensor::allgather` has element type `f32` and `target` has `u8`
}
---
; bind: NR=4, S=8, world=4
InCore fn bound(x: In tensor<f32, [7, S]>, data: InOut window<f32, [8, S]>, signal: InOut window<i32, [NR, 1]>, send: In tensor<i32, [NR, 1]>, recv: InOut window<i32, [NR, 1]>, ring: InOut window<i32, [5, NR]>) dynamic(NR, S) {
  data = pld::tensor::all_to_all_v(x, data, signal, send, recv) ; error: `input` of `pld::tensor::all_to_all_v` has shape `[7, S]` = [7, 8], expected `[P * M, S]` with P = 4 ; error: `target` of `pld::tensor::all_to_all_v` has shape
  data = pld::tensor::broadcast(data, signal, 4) ; error: peer 4 is not a rank of the domain
  data = pld::tensor::allreduce(data, ring, op = Sum, mode = Ring) ; error: expected `[2 * (P - 1), P]` with `mode = "ring"` with P = 4
}
---
InCore fn roots(data: InOut window<f32, [8]>, signal: InOut window<i32, [4, 1]>) {
  data = pld::tensor::broadcast(data, signal, 3)
  data = pld::tensor::broadcast(data, signal, 4) ; error: `root` of `pld::tensor::broadcast` is 4, and `signal` has cells for 4 ranks
}
