; Window buffers of Host functions.

Host fn sizes<T: f16, const SIDE: usize = 4>(n: usize, x: In tensor<f32, [NR, SIZE]>) dynamic(NR, SIZE) calls(k) {
  world = pld::world_size()
  a = pld::alloc_window_buffer(64)
  a1 = pld::window::<f32>(a, [4, 4])
  b = pld::alloc_window_buffer(60)
  b1 = pld::window::<f32>(b, [4, 4]) ; error: the window needs 64 bytes, the buffer `b` has 60
  c = pld::alloc_window_buffer(NR * SIZE * 4)
  c1 = pld::window::<f32>(c, [NR, SIZE])
  d = pld::alloc_window_buffer(NR * SIZE)
  d1 = pld::window::<f32>(d, [NR, SIZE])
  e = pld::alloc_window_buffer(4 * SIZE)
  e1 = pld::window::<f32>(e, [1, SIZE + 1]) ; error: the window needs 4 bytes more than the buffer `e` has
  f = pld::alloc_window_buffer(world * 4)
  f1 = pld::window::<i32>(f, [world, 1])
  g = pld::alloc_window_buffer(world * 4 - 4)
  g1 = pld::window::<i32>(g, [world, 1]) ; error: the window needs 4 bytes more than the buffer `g` has
  h = pld::alloc_window_buffer(SIDE * SIDE * 2)
  h1 = pld::window::<f16>(h, [SIDE, SIDE])
  i = pld::alloc_window_buffer(n)
  i1 = pld::window::<f32>(i, [n])
  for r in 0..world {
    call k(a1, b1, c1, d1, e1, f1, g1, h1, i1, device = r)
  }
}
---
Host fn twice(x: In tensor<f32, [NR, SIZE]>) dynamic(NR, SIZE) calls(k) {
  world = pld::world_size()
  a = pld::alloc_window_buffer(64)
  a1 = pld::window::<f32>(a, [16])
  a2 = pld::window::<f32>(a, [16])
  a3 = pld::window::<f32>(a, [4, 4]) ; error: the window buffer `a` is one for `window<f32, [16]>` and for `window<f32, [4, 4]>`
  a4 = pld::window::<i32>(a, [16]) ; error: the window buffer `a` is one for `window<f32, [16]>` and for `window<i32, [16]>`
  again = a
  a5 = pld::window::<f32>(again, [8]) ; error: the window buffer `a` is one for `window<f32, [16]>` and for `window<f32, [8]>`
  b = pld::alloc_window_buffer(NR * SIZE * 4)
  b1 = pld::window::<f32>(b, [NR, SIZE])
  b2 = pld::window::<f32>(b, [world, SIZE])
  b3 = pld::window::<f32>(b, [SIZE, NR]) ; error: the window buffer `b` is one for `window<f32, [NR, SIZE]>` and for `window<f32, [SIZE, NR]>`
  for r in 0..world {
    call k(a1, a2, a3, a4, a5, b1, b2, b3, device = r)
  }
}
---
Host fn unused(n: usize) {
  a = pld::alloc_window_buffer(64) ; error: the window buffer `a` is never used
  b = pld::window::<f32>(n, [16]) ; error: argument `buffer` of `pld::window`: `n` is `usize`, expected a window buffer
}
