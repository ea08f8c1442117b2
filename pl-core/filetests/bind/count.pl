; pass: bind
; bind: world=4
; args: [4]
InCore fn kernel(x: In tensor<f32, [N]>, n: i32) dynamic(N) {
}
===
error: 1 arguments, `kernel` has 2 parameters
  --> text:4:11 (in kernel `kernel`)
  = help: pass one argument per parameter
