; pass: lower
; library: library.txt
; bind: NR=3, SIZE=64, world=4
; What the values of the launch show is wrong before anything is lowered.
InCore fn kernel(data: InOut window<f32, [NR, SIZE]>, signal: InOut window<i32, [NR, 1]>) dynamic(NR, SIZE) {
  data = pld::tensor::reduce_scatter(data, signal, op = Sum)
}
===
error: `target` of `pld::tensor::reduce_scatter` has shape `[NR, SIZE]` = [3, 64], expected `[P, S]` with P = 4
  --> text:6:3 (in kernel `kernel`)
  = help: P is the number of ranks, 2 or more: declare `target` with shape `[P, S]`

error: `signal` of `pld::tensor::reduce_scatter` has shape `[NR, 1]` = [3, 1], expected `[P, 1]` with P = 4
  --> text:6:3 (in kernel `kernel`)
  = help: P is the number of ranks, 2 or more: declare `signal` with shape `[P, 1]`
