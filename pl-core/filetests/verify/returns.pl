; What is returned is what is declared.

InCore fn right(y: Out tensor<f32, [1, 4]>, d: InOut window<f32, [4, 4]>) -> (tensor<f32, [1, 4]>, window<f32, [4, 4]>) {
  t = pl::load(d, [0, 0], [1, 4])
  y = pl::store(t, [0, 0], y)
  return y, d
}
---
InCore fn missing(y: Out tensor<f32, [1, 4]>) -> (
  tensor<f32, [1, 4]> ; error: the function declares a return value and returns none
) {
  t = pl::full::<f32>([1, 4], 0.0)
  y = pl::store(t, [0, 0], y)
}
---
InCore fn too_few(y: Out tensor<f32, [1, 4]>) -> (tensor<f32, [1, 4]>, tensor<f32, [1, 4]>) {
  t = pl::full::<f32>([1, 4], 0.0)
  y = pl::store(t, [0, 0], y)
  return y ; error: 1 value returned, 2 values declared
}
---
InCore fn not_declared(y: Out tensor<f32, [1, 4]>) {
  t = pl::full::<f32>([1, 4], 0.0)
  y = pl::store(t, [0, 0], y)
  return y ; error: 1 value returned, no value declared
}
---
InCore fn a_tile(y: Out tensor<f32, [1, 4]>) -> tensor<f32, [1, 4]> {
  t = pl::full::<f32>([1, 4], 0.0)
  y = pl::store(t, [0, 0], y)
  return t ; error: `tile<f32, [1, 4]>` is returned, declared is `tensor<f32, [1, 4]>`
}
---
InCore fn other_element_type(y: Out tensor<f32, [1, 4]>) -> tensor<f16, [1, 4]> {
  t = pl::full::<f32>([1, 4], 0.0)
  y = pl::store(t, [0, 0], y)
  return y ; error: `tensor<f32, [1, 4]>` is returned, declared is `tensor<f16, [1, 4]>`
}
---
InCore fn other_shape(y: Out tensor<f32, [1, 4]>) -> tensor<f32, [1, 8]> {
  t = pl::full::<f32>([1, 4], 0.0)
  y = pl::store(t, [0, 0], y)
  return y ; error: `tensor<f32, [1, 4]>` is returned, declared is `tensor<f32, [1, 8]>`
}
---
InCore fn an_input(x: In tensor<f32, [1, 4]>) -> tensor<f32, [1, 4]> {
  return x ; error: `x` is returned, which is an `In` parameter
}
---
InCore fn a_number(y: InOut tensor<f32, [1, 4]>) -> tensor<f32, [1, 4]> {
  return 3 ; error: a number is returned, declared is `tensor<f32, [1, 4]>`
}
---
InCore fn in_the_middle(y: InOut tensor<f32, [1, 4]>, flag: bool) -> tensor<f32, [1, 4]> {
  if flag {
    return y ; error: return before the end of the body
  }
  return y
}
---
Inline fn scalars(n: usize) -> (usize, i32) {
  return n + 1, 3
}
---
Inline fn wrong_scalar(n: usize) -> i32 {
  return n ; error: `usize` is returned, declared is `i32`
}
