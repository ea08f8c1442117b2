; The function's own line.

OnCore fn kind() { ; error: expected `InCore`, `Inline`, `Orchestration` or `Host`, found `OnCore`
  a = 1 2 ; error: expected the end of the line, found `2`
}
---
InCore function kind() { ; error: expected `fn`, found `function`
}
---
InCore fn twice(
  x: usize,
  x: f32 ; error: parameter `x` is declared twice
) {
  a = 1 2 ; error: expected the end of the line, found `2`
}
---
InCore fn name_twice(x: In tensor<f32, [N]>) dynamic(
  N,
  N ; error: `N` is declared twice
) {
}
---
InCore fn constants<const N: usize> ; error: expected `=` before the constant's value, found `>`
() {
}
---
InCore fn enums<const OP: ReduceOp = Some>() { ; error: expected a value of `ReduceOp`, found `Some`
}
---
InCore fn unknown_type<T>(
  x: T,
  y: U ; error: expected an element type, found `U`
) {
}
---
InCore fn clause() dynamics(N) { ; error: expected `dynamic`, `allow`, `calls` or `{`, found `dynamics`
}
---
InCore fn allows_nothing_known() allow(stalewait) { ; error: unknown lint `stalewait`
}
---
InCore fn allows_twice() allow(stale_wait, order_dependent) allow(stale_wait) { ; error: `stale_wait` is allowed twice
}
---
locals a, b, a ; error: local `a` is listed twice
InCore fn table() {
}
---
InCore fn after() {
}
InCore fn second() { ; error: expected the end of the text after the function, found `InCore`
}
