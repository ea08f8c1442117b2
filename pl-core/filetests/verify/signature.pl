; Parameters, dims and returns.

InCore fn nothing() {
}
---
InCore fn unused_dim(x: In tensor<f32, [NR]>) dynamic(
  NR,
  SIZE ; error: dim `SIZE` is declared in `dynamic(…)` and never used
) {
}
---
; Its only place in a shape is inside a division: nothing solves it.
InCore fn unbindable(x: In tensor<f32, [NR / 2]>) dynamic(
  NR ; error: no argument can bind dim `NR`
) {
}
---
; A product binds both once one of them stands alone.
InCore fn product(x: In tensor<f32, [1, NR * SIZE]>, w: In window<f32, [NR, 4]>) dynamic(NR, SIZE) {
}
---
InCore fn product_of_unknowns(x: In tensor<f32, [1, NR * SIZE]>) dynamic(
  NR, ; error: no argument can bind dim `NR`
  SIZE ; error: no argument can bind dim `SIZE`
) {
}
---
; Used in the body alone: used, but no argument tells it.
InCore fn body_only(y: Out tensor<f32, [1, 4]>) dynamic(
  NR ; error: no argument can bind dim `NR`
) {
  for c in 0..NR {
    t = pl::full::<f32>([1, 4], 0.0)
    y = pl::store(t, [0, 0], y)
  }
}
---
InCore fn unknown_names(
  x: In tensor<f32, [1, LEN]>, ; error: `LEN` is neither a constant nor a declared dim
  n: usize
) {
  for i in 0..TIMES { ; error: `TIMES` is neither a constant nor a declared dim
  }
  m = n + consts::STEP ; error: `consts::STEP` is neither a constant nor a declared dim
}
---
InCore fn scalar_modes(
  n: Out usize, ; error: parameter `n` is `Out` of `usize`
  x: InOut f32 ; error: parameter `x` is `InOut` of `f32`
) {
}
---
InCore fn tile_parameter(
  t: tile<f32, [1, 4]>, ; error: parameter `t` of a kernel is `tile<f32, [1, 4]>`, expected a tensor, a window or a scalar
  ctx: context ; error: parameter `ctx` of a kernel is `context`
) {
}
---
; An inline function takes both.
Inline fn tiles(t: tile<f32, [1, 4]>, ctx: context) -> tile<f32, [1, 4]> {
  u = pl::add(t, t)
  return u
}
---
InCore fn no_axis(
  x: In tensor<f32, []> ; error: parameter `x` has no axis, expected at least one extent
) {
}
---
InCore fn negative_extents<const LOW: usize = 3>(
  x: In tensor<f32, [-1]>, ; error: extent `-1` is -1, expected at least 0
  w: In window<f32, [LOW - 4, 4]> ; error: extent `LOW - 4` is -1, expected at least 0
) {
}
---
InCore fn returns_scalar(n: usize) -> (
  usize ; error: a kernel returns `usize`, expected a tensor or window that it rebinds
) {
  return n
}
---
Inline fn inline_returns_scalar(n: usize) -> usize {
  return n
}
---
; Several mistakes come at once, each at its place.
InCore fn several(
  x: In tensor<f32, [LEN]>, ; error: `LEN` is neither
  n: Out usize ; error: parameter `n` is `Out` of `usize`
) dynamic(
  NR ; error: dim `NR` is declared in `dynamic(…)` and never used
) {
  y = pl::load(x, [0], [4, 4]) ; error: argument `shape` of `pl::load` has 2 entries, expected 1
}
---
InCore fn axes(
  six: In tensor<f32, [1, 2, 3, 4, 5, 6]>,
  seven: In tensor<f32, [1, 2, 3, 4, 5, 6, 7]>, ; error: parameter `seven` has 7 axes, expected at most 6
  w: InOut window<f32, [1, 1, 1, 1, 1, 1, 1]> ; error: parameter `w` has 7 axes, expected at most 6
) {
  a = pl::full::<f32>([1, 1, 1, 1, 1, 1], 0.0)
  b = pl::full::<f32>([1, 1, 1, 1, 1, 1, 1], 0.0) ; error: argument `shape` of `pl::full` has 7 entries, expected at most 6
}
