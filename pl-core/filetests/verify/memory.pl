; Loads, stores and remote loads: what may be read and written, and where boxes fit.

InCore fn boxes(x: In tensor<f32, [4, 8]>) {
  a = pl::load(x, [0, 0], [4, 8])
  b = pl::load(x, [3, 4], [1, 4])
  c = pl::load(x, [4, 0], [1, 8]) ; error: box with offset `4` and extent `1` ends at 5, past extent `4` of axis 0 of `x`
  d = pl::load(x, [0, 1], [1, 8]) ; error: box with offset `1` and extent `8` ends at 9, past extent `8` of axis 1 of `x`
  e = pl::load(x, [4, 8], [0, 0])
  f = pl::load(x, [5, 0], [1, 9]) ; error: past extent `4` of axis 0 ; error: past extent `8` of axis 1
}
---
InCore fn boxes_by_name(x: In tensor<f32, [NR, SIZE]>) dynamic(NR, SIZE) {
  a = pl::load(x, [0, 0], [1, SIZE])
  b = pl::load(x, [0, 1], [1, SIZE]) ; error: box with offset `1` and extent `SIZE` reaches past extent `SIZE` of axis 1 of `x`
  c = pl::load(x, [NR, 0], [1, SIZE]) ; error: past extent `NR` of axis 0 of `x`
  d = pl::load(x, [NR - 1, 0], [1, SIZE])
  for i in 0..NR {
    e = pl::load(x, [i, 0], [1, SIZE])
    f = pl::load(x, [i, 0], [1, SIZE + 1]) ; error: past extent `SIZE` of axis 1 of `x`
  }
}
---
InCore fn ranks(x: In tensor<f32, [4, 8]>, y: Out tensor<f32, [1, 4]>) {
  a = pl::load(x, [0], [4, 8]) ; error: argument `offsets` of `pl::load` has 1 entry, expected 2
  b = pl::load(x, [0, 0], [8]) ; error: argument `shape` of `pl::load` has 1 entry, expected 2
  c = pl::full::<f32>([4], 0.0)
  y = pl::store(c, [0, 0], y) ; error: of rank 1 into `y` of rank 2
  d = pl::full::<f32>([1, 4], 0.0)
  y = pl::store(d, [0], y) ; error: argument `offsets` of `pl::store` has 1 entry, expected 2
}
---
InCore fn stores(x: In tensor<f32, [1, 4]>, y: Out tensor<f32, [1, 4]>, h: Out tensor<f16, [1, 4]>) {
  t = pl::load(x, [0, 0], [1, 4])
  x = pl::store(t, [0, 0], x) ; error: `pl::store` writes `x`, which is an `In` parameter
  h = pl::store(t, [0, 0], h) ; error: `pl::store` of a tile of `f32` into `h` of `f16`
  y = pl::store(t, [0, 1], y) ; error: box with offset `1` and extent `4` ends at 5, past extent `4` of axis 1 of `y`
  y = pl::store(x, [0, 0], y) ; error: argument `tile` of `pl::store`: `x` is `tensor<f32, [1, 4]>`, expected a tile
  y = pl::store(t, [0, 0], t) ; error: argument `dst` of `pl::store`: `t` is `tile<f32, [1, 4]>`, expected a tensor or window
}
---
InCore fn out_never_stored(
  y: Out tensor<f32, [1, 4]>, ; error: `y` is an `Out` parameter and nothing is stored to it
  z: InOut tensor<f32, [1, 4]>
) {
}
---
InCore fn out_read_first(y: Out tensor<f32, [1, 4]>) {
  t = pl::load(y, [0, 0], [1, 4]) ; error: `pl::load` reads `y`, which is an `Out` parameter that no path has stored to before
  y = pl::store(t, [0, 0], y)
  u = pl::load(y, [0, 0], [1, 4])
}
---
; What one iteration stores the next may read; and one path is enough.
InCore fn out_read_in_loop(y: Out tensor<f32, [4, 4]>, n: usize) {
  for i in 0..n {
    if i > 0 {
      t = pl::load(y, [i, 0], [1, 4])
    }
    z = pl::full::<f32>([1, 4], 0.0)
    y = pl::store(z, [i, 0], y)
  }
}
---
; Stored under another name.
InCore fn out_by_another_name(y: Out tensor<f32, [1, 4]>) {
  z = y
  t = pl::full::<f32>([1, 4], 0.0)
  pl::store(t, [0, 0], z)
  u = pl::load(y, [0, 0], [1, 4])
}
---
InCore fn elements(x: In tensor<f32, [2, 2]>, y: Out tensor<i32, [2]>, n: usize) {
  a = pl::read(x, [0, 1])
  b = a * 2.0
  c = pl::read(x, [0, 2]) ; error: past extent `2` of axis 1 of `x`
  d = pl::read(x, [n]) ; error: argument `indices` of `pl::read` has 1 entry, expected 2
  pl::write(y, [0], 3)
  pl::write(y, [1], a) ; error: argument `value` of `pl::write` is `f32`, expected the element type `i32`
  pl::write(x, [0, 0], 1.0) ; error: `pl::write` writes `x`, which is an `In` parameter
  pl::write(y, [2], 3) ; error: past extent `2` of axis 0 of `y`
}
---
InCore fn remote(x: In tensor<f32, [4, 8]>, data: In window<f32, [4, 8]>, peer: usize, k: i32) {
  a = pld::tile::remote_load(data, peer, [0, 0], [1, 8])
  b = pld::tile::remote_load(x, peer, [0, 0], [1, 8]) ; error: argument `target` of `pld::tile::remote_load`: `x` is `tensor<f32, [4, 8]>`, expected a window
  c = pld::tile::remote_load(data, k, [0, 0], [1, 8]) ; error: argument `peer` of `pld::tile::remote_load` is `i32`, expected `usize`
  d = pld::tile::remote_load(data, peer, [4, 0], [1, 8]) ; error: past extent `4` of axis 0 of `data`
  e = pld::tile::remote_load(data, -1, [0, 0], [1, 8]) ; error: literal -1 is out of range for `usize`
}
