; pass: bind
; bind: world=4
; args: [7], [3]
InCore fn kernel(x: In tensor<f32, [2 * N]>, y: In tensor<f32, [M + 5]>) dynamic(N, M) {
}
===
error: axis 0 of argument `x` is 7, the parameter declares `2 * N` = 6 (N = 3 from argument `x`)
  --> text:4:18 (in kernel `kernel`)
  = help: pass arguments whose shapes agree on every dim

error: axis 0 of argument `y` is 3, which gives no value to `M + 5`
  --> text:4:46 (in kernel `kernel`)
  = help: dims are integers, at least 0
