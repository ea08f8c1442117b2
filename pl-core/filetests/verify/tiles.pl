; Tile ops: element types, shapes, operands.

InCore fn element_types(x: In tensor<f32, [4]>, h: In tensor<f16, [4]>, k: i32) {
  a = pl::load(x, [0], [4])
  b = pl::load(h, [0], [4])
  c = pl::add(a, b) ; error: `pl::add` between element types `f32` and `f16`
  d = pl::cast::<f32>(b)
  e = pl::add(a, d)
  f = pl::mul(a, k) ; error: argument `rhs` of `pl::mul` is `i32`, expected the element type `f32`
  g = pl::mul(a, 0.5)
  i = pl::mul(a, k as f32)
  j = pl::sub(a, 1)
  l = pl::mul(b, 0.5f32) ; error: argument `rhs` of `pl::mul` is `f32`, expected the element type `f16`
}
---
InCore fn shapes(x: In tensor<f32, [NR, SIZE]>, y: In tensor<f32, [4, 4]>) dynamic(NR, SIZE) {
  a = pl::load(x, [0, 0], [1, SIZE])
  b = pl::load(x, [0, 0], [1, NR])
  c = pl::add(a, b) ; error: `pl::add` of tiles of different shapes: `tile<f32, [1, SIZE]>` and `tile<f32, [1, NR]>`
  d = pl::load(y, [0, 0], [1, 4])
  e = pl::load(y, [0, 0], [4, 1])
  f = pl::add(d, e) ; error: `pl::add` of tiles of different shapes: `tile<f32, [1, 4]>` and `tile<f32, [4, 1]>`
  g = pl::add(a, d)
  h = pl::load(x, [0, 0], [1, SIZE * 2 - SIZE])
  i = pl::add(a, h)
  j = pl::full::<f32>([1, SIZE + 1], 0.0)
  k = pl::add(a, j) ; error: `pl::add` of tiles of different shapes
}
---
InCore fn ranks(x: In tensor<f32, [4]>, y: In tensor<f32, [1, 4]>) {
  a = pl::load(x, [0], [4])
  b = pl::load(y, [0, 0], [1, 4])
  c = pl::add(a, b) ; error: `pl::add` of tiles of different shapes: `tile<f32, [4]>` and `tile<f32, [1, 4]>`
}
---
InCore fn constants<const A: usize = 4, const B: usize = 5, const C: usize = 4>() {
  a = pl::full::<f32>([1, A], 0.0)
  b = pl::full::<f32>([1, B], 0.0)
  c = pl::full::<f32>([1, C], 0.0)
  d = pl::add(a, b) ; error: `pl::add` of tiles of different shapes: `tile<f32, [1, A]>` = [1, 4] and `tile<f32, [1, B]>` = [1, 5]
  e = pl::add(a, c)
}
---
InCore fn operands(x: In tensor<f32, [4]>, n: usize, flag: bool) {
  a = pl::load(x, [0], [4])
  b = pl::add(x, a) ; error: argument `lhs` of `pl::add`: `x` is `tensor<f32, [4]>`, expected a tile
  c = pl::add(a, x) ; error: argument `rhs` of `pl::add`: `x` is `tensor<f32, [4]>`, expected a tile or a scalar
  d = pl::add(1.0, a) ; error: argument `lhs` of `pl::add` is a scalar expression, expected a tile
  e = pl::neg(n) ; error: argument `tile` of `pl::neg`: `n` is `usize`, expected a tile
  f = pl::add(a, flag) ; error: argument `rhs` of `pl::add` is `bool`, expected the element type `f32`
  g = pl::add(a, [1]) ; error: argument `rhs` of `pl::add` is a list, expected a scalar
}
---
InCore fn signed() {
  a = pl::full::<u8>([4], 0)
  b = pl::neg(a) ; error: `tile` of `pl::neg` has element type `u8`, expected f32, f16, bf16, i8, i16, i32, i64
  c = pl::full::<i8>([4], 0)
  d = pl::neg(c)
}
---
InCore fn full(x: f32, n: usize) {
  a = pl::full::<f32>([4], x)
  b = pl::full::<i32>([4], x) ; error: argument `value` of `pl::full` is `f32`, expected the element type `i32`
  c = pl::full::<i32>([4], 0.5) ; error: float literal 0.5 where `i32` is expected
  d = pl::full::<u8>([4], -1) ; error: literal -1 is out of range for `u8`
  e = pl::full::<f32>([], 0.0) ; error: argument `shape` of `pl::full` is empty, expected at least one extent
  f = pl::full::<f32>([n, 4], 0.0)
  g = pl::full::<f32>([1.5], 0.0) ; error: float literal 1.5 where `usize` is expected
}
---
; An error poisons its result: what uses it stays silent.
InCore fn poisoned(x: In tensor<f32, [4]>) {
  a = pl::load(x, [0, 0], [4]) ; error: argument `offsets` of `pl::load` has 2 entries, expected 1: `x` has 1 axes
  b = pl::add(z, a) ; error: `z` is not assigned on every path to here
  c = pl::add(b, 1.0)
  d = pl::cast::<f16>(c)
}
---
InCore fn generic<T, U>(x: In tensor<T, [4]>, y: In tensor<U, [4]>, s: T) {
  a = pl::load(x, [0], [4])
  b = pl::load(y, [0], [4])
  c = pl::add(a, b) ; error: `pl::add` between element types `T` and `U`
  d = pl::cast::<T>(b)
  e = pl::add(a, d)
  f = pl::mul(a, s)
  g = pl::mul(a, pl::lit::<T>(1.5))
  h = pl::mul(b, s) ; error: argument `rhs` of `pl::mul` is `T`, expected the element type `U`
  i = pl::mul(a, 0.5)
}
