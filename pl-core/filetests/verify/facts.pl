; What depends on open constants is a fact for rustc to check.

InCore fn boxes<const ROWS, const COLS, generic const G>(x: In tensor<f32, [ROWS, 64]>, y: Out tensor<f32, [1, COLS]>) {
  a = pl::load(x, [0, 0], [1, COLS]) ; fact: box with offset `0` and extent `COLS` does not fit axis 1 of `x` ; fact: box with offset `0` and extent `1` does not fit axis 0 of `x`
  y = pl::store(a, [0, 0], y)
  b = pl::load(x, [1, 0], [1, 64]) ; fact: box with offset `1` and extent `1` does not fit axis 0 of `x`
  c = pl::load(x, [0, G], [ROWS, 1]) ; fact: box with offset `G` and extent `1` does not fit axis 1 of `x`
}
---
InCore fn shapes<const A, const B>() {
  a = pl::full::<f32>([1, A], 0.0)
  b = pl::full::<f32>([1, B], 0.0)
  c = pl::add(a, b) ; fact: `pl::add` of tiles of different shapes, `a` and `b`: `A` against `B`
  d = pl::full::<f32>([1, 4], 0.0)
  e = pl::add(a, d) ; fact: `A` against `4`
  f = pl::add(a, a)
}
---
InCore fn division<const A, const B>(n: usize) {
  a = n / A ; fact: division by `A`, which is zero
  b = n % (A - B) ; fact: division by `A - B`, which is zero
}
---
InCore fn below_zero<const A>(x: In tensor<f32, [8]>) {
  t = pl::load(x, [A - 1], [1]) ; fact: entry 0 of argument `offsets` of `pl::load` is `A - 1`, which is below zero ; fact: box with offset `A - 1` and extent `1` does not fit axis 0 of `x`
}
---
; A dim of the launch is not known to rustc: bind and the run check it.
InCore fn dims<const A>(x: In tensor<f32, [NR]>) dynamic(NR) {
  t = pl::load(x, [0], [A])
  u = pl::load(x, [A], [1])
}
---
; The declared shape of a value.
InCore fn declared<const A>() {
  t = pl::full::<f32>([1, 4], 0.0)
  u = t
  v = t
  check t: tile<f32, [1, A]> ; fact: `t` does not have its declared shape: `4` against `A`
  check t: tile<f32, [1, ?]>
  check t: tile<f32, [1, 8]> ; error: `t` is `tile<f32, [1, 4]>`, declared as `tile<f32, [1, 8]>`
  check u: tile<f16, [1, 4]> ; error: `u` is `tile<f32, [1, 4]>`, declared as `tile<f16, [1, 4]>`
  check v: tensor<f32, [1, 4]> ; error: `v` is `tile<f32, [1, 4]>`, declared as `tensor<f32, [1, 4]>`
  n = 3
  check n: usize
  m = n + 1i32 ; error: `+` between `usize` and `i32`
}
---
InCore fn assigned_again<const A, const B>(x: In tensor<f32, [A]>, y: In tensor<f32, [B]>, v: In window<f32, [A]>, w: In window<f32, [B]>) {
  t = x
  t = y ; error: `t` names the memory of `x` and is assigned that of `y` ; fact: `t` is assigned tensors of different shapes: `A` against `B`
  u = v
  u = w ; error: `u` names the memory of `v` and is assigned that of `w` ; fact: `u` is assigned windows of different shapes: `A` against `B`
}
