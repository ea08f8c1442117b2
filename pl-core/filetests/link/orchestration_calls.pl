; pass: link
; What is wrong with calls of kernels, all at once, at the arguments.
Orchestration fn steps(x: In tensor<f32, [NR, SIZE]>, y: Out tensor<f32, [1, SIZE]>, h: In tensor<f16, [NR, SIZE]>, data: InOut window<f32, [NR, SIZE]>, n: usize, k: i32) dynamic(NR, SIZE) calls(stage, fetch, half) {
  call stage(x, data)
  call stage(h, data, n)
  call stage(data, x, n)
  call stage(y, data, k)
  call stage(x, data, 1.5)
  call stage(n, data, x)
  call fetch(data, x, 0)
  call half(y)
  a, b = call fetch(data, y, 0)
  call stage(y, data, 0)
}
---
InCore fn stage(src: In tensor<f32, [R, C]>, dst: InOut window<f32, [R, C]>, row: usize) -> window<f32, [R, C]> dynamic(R, C) {
  t = pl::load(src, [row, 0], [1, C])
  dst = pl::store(t, [row, 0], dst)
  return dst
}
---
InCore fn fetch(src: In window<f32, [R, C]>, dst: Out tensor<f32, [1, C]>, row: usize) -> tensor<f32, [1, C]> dynamic(R, C) {
  t = pl::load(src, [row, 0], [1, C])
  dst = pl::store(t, [0, 0], dst)
  return dst
}
---
Inline fn half(dst: Out tensor<f32, [1, N]>) dynamic(N) {
  t = pl::full::<f32>([1, N], 0.5)
  dst = pl::store(t, [0, 0], dst)
}
===
error: `stage` is called with 2 arguments, it has 3 parameters
  --> text:4:3 (in Orchestration function `steps`)
  = help: pass one argument per parameter

error: `h` is `tensor<f16, [NR, SIZE]>`, parameter `src` of `stage` takes `tensor<f32, [R, C]>`
  --> text:5:3 (in Orchestration function `steps`)
  = help: pass what the parameter declares

error: `data` is `window<f32, [NR, SIZE]>`, parameter `src` of `stage` takes `tensor<f32, [R, C]>`
  --> text:6:3 (in Orchestration function `steps`)
  = help: pass a tensor; a kernel that takes a window declares `pld::DistributedTensor<…>`

error: `x` is `tensor<f32, [NR, SIZE]>`, parameter `dst` of `stage` takes `window<f32, [R, C]>`
  --> text:6:3 (in Orchestration function `steps`)
  = help: pass a window: every rank has its part of it, and ranks reach each other's

error: `y` is an `Out` parameter that no call has written before, and is read as `src` of `stage`
  --> text:7:3 (in Orchestration function `steps`)
  = help: call a kernel that writes `y` first, or declare it `pl::InOut<…>` if it comes with data

error: `i32` is passed as `row` of `stage`, which takes `usize`
  --> text:7:3 (in Orchestration function `steps`)
  = help: convert it: `… as usize`

error: `1.5` is passed as `row` of `stage`, which takes `usize`
  --> text:8:3 (in Orchestration function `steps`)
  = help: convert it: `… as usize`

error: `n` is `usize`, parameter `src` of `stage` takes `tensor<f32, [R, C]>`
  --> text:9:3 (in Orchestration function `steps`)
  = help: pass what the parameter declares

error: `x` is `tensor<f32, [NR, SIZE]>`, parameter `row` of `stage` takes `usize`
  --> text:9:3 (in Orchestration function `steps`)
  = help: pass a scalar

error: `x` is an `In` parameter and is passed as `dst` of `fetch`, which is `Out`
  --> text:10:3 (in Orchestration function `steps`)
  = help: declare `x` as `pl::InOut<…>` or `pl::Out<…>`

error: `half` is an Inline function, an Orchestration function calls InCore functions
  --> text:11:3 (in Orchestration function `steps`)
  = help: call `half` in an `InCore` function, and that one here

error: 2 values are taken from `fetch`, it returns 1
  --> text:12:3 (in Orchestration function `steps`)
  = help: take as many as it returns
