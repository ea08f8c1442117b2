; pass: bind
; bind: world=4
; args: window 7 [4, 1], window 7 [4, 1]
InCore fn kernel(data: InOut window<i32, [NR, SIZE]>, signal: InOut window<i32, [NR, 1]>) dynamic(NR, SIZE) {
  data = pld::tensor::reduce_scatter(data, signal, op = Sum)
}
===
error: `target` and `signal` of `pld::tensor::reduce_scatter` are the same window: it was passed for both `data` and `signal`
  --> text:5:3 (in kernel `kernel`)
  = help: allocate a window for each: `world.window::<…>(…)`
