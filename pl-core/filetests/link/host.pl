; pass: link
; The calls of a Host function stay; what they give back is memory that they were given.
Host fn kernel(x: In tensor<f32, [NR, 1, SIZE]>, y: Out tensor<f32, [NR, 1, SIZE]>, signal: InOut window<i32, [NR, 1]>, n: usize) -> tensor<f32, [NR, 1, SIZE]> dynamic(NR, SIZE) calls(step) {
  world = pld::world_size()
  buffer = pld::alloc_window_buffer(NR * SIZE * 4)
  data = pld::window::<f32>(buffer, [NR, SIZE])
  for round in 0..n {
    for r in 0..world {
      mine = pl::part(x, r)
      theirs = pl::part(y, r)
      again, data = call step(mine, theirs, data, 2, device = r)
    }
    data = pld::tensor::reduce_scatter(data, signal, op = Sum)
  }
  return y
}
---
InCore fn step(x: In tensor<f32, [1, N]>, y: Out tensor<f32, [1, N]>, data: InOut window<f32, [R, N]>, row: usize) -> (tensor<f32, [1, N]>, window<f32, [R, N]>) dynamic(R, N) {
  t = pl::load(x, [0, 0], [1, N])
  y = pl::store(t, [0, 0], y)
  data = pl::store(t, [row, 0], data)
  return y, data
}
===
pl 1
Host fn kernel(x: In tensor<f32, [NR, 1, SIZE]>, y: Out tensor<f32, [NR, 1, SIZE]>, signal: InOut window<i32, [NR, 1]>, n: usize) -> tensor<f32, [NR, 1, SIZE]> dynamic(NR, SIZE) calls(step) {
  world = pld::world_size()
  buffer = pld::alloc_window_buffer(NR * SIZE * 4)
  data = pld::window::<f32>(buffer, [NR, SIZE])
  for round in 0..n {
    for r in 0..world {
      mine = pl::part(x, r)
      theirs = pl::part(y, r)
      call step(mine, theirs, data, 2usize, device = r)
      again = theirs
    }
    data = pld::tensor::reduce_scatter(data, signal, op = Sum)
  }
  return y
}
