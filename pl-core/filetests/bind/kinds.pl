; pass: bind
; bind: world=4
; args: window 0 [1, 64], [4, 64], [64], [4], scalar
InCore fn kernel(x: In tensor<f32, [1, SIZE]>, data: In window<f32, [NR, SIZE]>, y: In tensor<f32, [1, SIZE]>, n: i32, z: In tensor<f32, [NR]>) dynamic(NR, SIZE) {
}
===
error: argument `x` is a window, the parameter is `tensor<f32, [1, SIZE]>`
  --> text:4:18 (in kernel `kernel`)
  = help: pass what it declares

error: argument `data` is a tensor, the parameter is `window<f32, [NR, SIZE]>`
  --> text:4:48 (in kernel `kernel`)
  = help: pass what it declares

error: argument `y` has shape [64] of rank 1, the parameter is `tensor<f32, [1, SIZE]>` of rank 2
  --> text:4:82 (in kernel `kernel`)
  = help: pass memory of the rank that the parameter declares

error: argument `n` is memory, the parameter is `i32`
  --> text:4:112 (in kernel `kernel`)
  = help: pass what it declares

error: argument `z` is a scalar, the parameter is `tensor<f32, [NR]>`
  --> text:4:120 (in kernel `kernel`)
  = help: pass what it declares
