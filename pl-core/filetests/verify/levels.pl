; Signatures and returns of functions that are no kernels; Orchestration functions.

Orchestration fn steps(x: In tensor<f32, [NR, SIZE]>, y: Out tensor<f32, [NR, SIZE]>, data: InOut window<f32, [NR, SIZE]>, n: usize) -> (tensor<f32, [NR, SIZE]>, window<f32, [NR, SIZE]>) dynamic(NR, SIZE) calls(stage, fetch) {
  for i in 0..n {
    data = call stage(x, data, i)
    if i % 2 == 0 {
      y = call fetch(data, y)
    }
  }
  first = pl::read(x, [0, 0])
  while first < 1.0 {
    call stage(x, data, 0)
    first = first + 0.5
  }
  return y, data
}
---
Orchestration fn ops(x: In tensor<f32, [4, 16]>, y: Out tensor<f32, [4, 16]>, data: InOut window<f32, [4, 16]>, signal: InOut window<i32, [4, 1]>) calls(k) {
  t = pl::load(x, [0, 0], [1, 16]) ; error: `pl::load` in an Orchestration function, it belongs to InCore and Inline
  u = pl::full::<f32>([1, 16], 0.0) ; error: `pl::full` in an Orchestration function
  data = pld::tensor::reduce_scatter(data, signal, op = Sum) ; error: `pld::tensor::reduce_scatter` in an Orchestration function
  pld::system::wait(signal, [0, 0], 1, cmp = Ge) ; error: `pld::system::wait` in an Orchestration function
  world = pld::world_size() ; error: `pld::world_size` in an Orchestration function
  call k(y)
}
---
Orchestration fn signature(t: tile<f32, [1, 16]>, b: buffer, c: context, x: In tensor<f32, [4]>, y: Out tensor<f32, [4]>) -> (tile<f32, [1, 16]>, tensor<f32, [4]>) { ; error: parameter `t` of an Orchestration function is `tile<f32, [1, 16]>`, expected a tensor, a window or a scalar ; error: parameter `b` of an Orchestration function is `buffer`, expected a tensor, a window or a scalar ; error: parameter `c` of an Orchestration function is `context` ; error: an Orchestration function returns `tile<f32, [1, 16]>`, expected a tensor or window that it rebinds ; error: `y` is an `Out` parameter and nothing is stored to it
  return t, x ; error: `x` is returned, which is an `In` parameter
}
---
Host fn signature(t: tile<f32, [1, 16]>, b: buffer, x: In tensor<f32, [4]>, y: Out tensor<f32, [4]>, n: usize) -> (usize, window<f32, [4]>, tensor<f32, [4]>) { ; error: parameter `t` of a Host function is `tile<f32, [1, 16]>`, expected a tensor, a window or a scalar ; error: parameter `b` of a Host function is `buffer`, expected a tensor, a window or a scalar ; error: a Host function returns `usize`, expected a tensor or window that it rebinds ; error: `y` is an `Out` parameter and nothing is stored to it
  buffer = pld::alloc_window_buffer(16)
  w = pld::window::<f32>(buffer, [4])
  return n, w, x ; error: `w` is returned, a window that is freed when the function ends ; error: `x` is returned, which is an `In` parameter
}
