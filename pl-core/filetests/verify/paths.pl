; What holds on every path: assignment, types, memory.

InCore fn one_branch(flag: bool, n: usize) {
  if flag {
    a = n
  }
  b = a + 1 ; error: `a` is not assigned on every path to here
}
---
InCore fn both_branches(flag: bool, n: usize) {
  if flag {
    a = n
  } else {
    a = n + 1
  }
  b = a + 1
}
---
InCore fn else_if(n: usize) {
  if n < 1 {
    a = n
  } else if n < 2 {
    a = n + 1
  }
  b = a ; error: `a` is not assigned on every path to here
}
---
; A loop may run no time at all.
InCore fn in_loop(n: usize) {
  for i in 0..n {
    a = i
  }
  b = a + 1 ; error: `a` is not assigned on every path to here
}
---
InCore fn loop_variable(n: usize) {
  for i in 0..n {
  }
  b = i + 1 ; error: `i` is not assigned on every path to here
}
---
; The block before a condition runs at least once.
InCore fn while_before(n: usize, flags: In tensor<i32, [4]>) {
  while {
    a = pl::read(flags, [0])
  } a < 3 {
    b = a
  }
  c = a
  d = b ; error: `b` is not assigned on every path to here
}
---
; Used once wrongly, reported once.
InCore fn reported_once() {
  b = a + 1usize ; error: `a` is not assigned on every path to here
  c = a + 2usize
}
---
InCore fn two_types(x: In tensor<f32, [1, 4]>, flag: bool, n: usize) {
  a = n
  if flag {
    a = pl::load(x, [0, 0], [1, 4]) ; error: `a` is `usize` and is assigned `tile<f32, [1, 4]>`
  }
}
---
InCore fn two_element_types(x: In tensor<f32, [1, 4]>, flag: bool) {
  if flag {
    a = pl::full::<f32>([1, 4], 0.0)
  } else {
    a = pl::full::<f16>([1, 4], 0.0) ; error: `a` is `tile<f32, [1, 4]>` and is assigned `tile<f16, [1, 4]>`
  }
}
---
InCore fn loop_carried(x: In tensor<f32, [1, 8]>, n: usize) {
  acc = pl::load(x, [0, 0], [1, 4])
  for i in 0..n {
    acc = pl::load(x, [0, 0], [1, 8]) ; error: `acc` is `tile<f32, [1, 4]>` and is assigned `tile<f32, [1, 8]>`
  }
}
---
InCore fn loop_carried_scalar(n: usize) {
  sum = 0i32
  for i in 0..n {
    sum = i ; error: `sum` is `i32` and is assigned `usize`
  }
}
---
InCore fn other_memory(a: InOut window<f32, [1, 4]>, b: InOut window<f32, [1, 4]>) {
  t = pl::load(a, [0, 0], [1, 4])
  a = pl::store(t, [0, 0], b) ; error: `a` names the memory of `a` and is assigned that of `b`
}
---
InCore fn rebound(a: InOut window<f32, [1, 4]>) -> window<f32, [1, 4]> {
  t = pl::load(a, [0, 0], [1, 4])
  b = pl::store(t, [0, 0], a)
  c = b
  c = pl::store(t, [0, 0], a)
  return c
}
---
InCore fn memory_by_branch(a: InOut window<f32, [1, 4]>, b: InOut window<f32, [1, 4]>, flag: bool) {
  if flag {
    c = a
  } else {
    c = b ; error: `c` names the memory of `a` and is assigned that of `b`
  }
}
---
; Ragged tiles: extents that differ in form are checked by the run.
InCore fn ragged(x: In tensor<f32, [1, SIZE]>, y: Out tensor<f32, [1, SIZE]>) -> tensor<f32, [1, SIZE]> dynamic(SIZE) {
  for c in 0..SIZE step 16 {
    len = pl::min(16, SIZE - c)
    t = pl::load(x, [0, c], [1, len])
    u = pl::full::<f32>([1, len], 1.0)
    v = pl::add(t, u)
    y = pl::store(v, [0, c], y)
  }
  return y
}
