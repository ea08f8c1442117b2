; pass: lower
; bind: NR=4, world=4
InCore fn kernel(signal: InOut window<i32, [NR, 1]>) dynamic(NR) {
  pld::tensor::barrier(signal)
}
===
error: `pld::tensor::barrier` has no function in the collectives library
  --> text:4:3 (in kernel `kernel`)
  = help: give the lowering pass a library that has it
