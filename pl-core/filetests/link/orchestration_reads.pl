; pass: link
; An Out parameter has no data before a kernel has written it.
Orchestration fn steps(x: In tensor<f32, [1, 8]>, y: Out tensor<f32, [1, 8]>, z: Out tensor<f32, [1, 8]>) calls(copy, twice) {
  call copy(y, z)
  call twice(y)
  call copy(x, y)
  call twice(y)
}
---
InCore fn copy(src: In tensor<f32, [1, 8]>, dst: Out tensor<f32, [1, 8]>) {
  t = pl::load(src, [0, 0], [1, 8])
  dst = pl::store(t, [0, 0], dst)
}
---
InCore fn twice(dst: InOut tensor<f32, [1, 8]>) {
  t = pl::load(dst, [0, 0], [1, 8])
  u = pl::add(t, t)
  dst = pl::store(u, [0, 0], dst)
}
===
error: `y` is an `Out` parameter that no call has written before, and is read as `src` of `copy`
  --> text:4:3 (in Orchestration function `steps`)
  = help: call a kernel that writes `y` first, or declare it `pl::InOut<…>` if it comes with data

error: `y` is an `Out` parameter that no call has written before, and is read as `dst` of `twice`
  --> text:5:3 (in Orchestration function `steps`)
  = help: call a kernel that writes `y` first, or declare it `pl::InOut<…>` if it comes with data
