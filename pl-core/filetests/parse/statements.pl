; What is wrong in a statement is reported on its line, and the rest is read.

InCore fn statements(x: In tensor<f32, [4]>, n: usize) calls(stage) {
  t = pl::lod(x, [0], [4]) ; error: unknown op `pl::lod`
  t = pl::load(x, [0]) ; error: `pl::load` has 3 parameters, found 2 arguments
  t = pl::load(x, offset = [0], [4]) ; error: expected the argument for `offsets`, found `offset`
  t = pl::load(x, offsets = [0], shape = [4])
  t = pl::load::<f32>(x, [0], [4]) ; error: `pl::load` takes no type argument
  t = pl::cast(t) ; error: `pl::cast` needs a type argument
  t = pl::cast::<f23>(t) ; error: expected an element type, found `f23`
  a = n + pl::read(x, [0]) ; error: `pl::read` is called inside an expression
  a = ; error: expected an expression before the end of the line
  a ; error: expected `=` before the end of the line
  a = n n ; error: expected the end of the line, found `n`
  a, b = n ; error: expected `call`, found `n`
  a, b = call stage(x)
  a = call other(x) ; error: `other` is called and not declared
  a = call stage#3(x) ; error: callee 3 is not `stage`
  check a tile<f32, [4]> ; error: expected `:` before the type that the local must have, found `tile`
  check a: tiles<f32, [4]> ; error: expected an element type, found `tiles`
  = 3 ; error: expected a statement, found `=`
  return 3 4 ; error: expected the end of the line, found `4`
}
---
; A block whose head is wrong is read for its own errors, and ends where it ends.
InCore fn blocks(n: usize) {
  for i on 0..n { ; error: expected `in`, found `on`
    a = 1 2 ; error: expected the end of the line, found `2`
  }
  if n < { ; error: expected an expression, found `{`
    a = $ ; error: unexpected character `$`
  } else {
    a = 99999999999999999999999999999999999999999 ; error: the number is too large
  }
  while n < 3 {
    for i in 0...n { ; error: unexpected character `.`
    }
  }
  b = 3u16 ; error: unknown suffix `u16` of a number
}
---
InCore fn not_closed(n: usize) {
  if n < 3 { ; error: the brace is not closed
    a = n
---
InCore fn expressions(n: usize) {
  a = 0 < n < 3 ; error: comparisons do not chain
  b = (0 < n) == (n < 3)
  c = n + * 2 ; error: expected an expression, found `*`
  e = [n] ; error: expected an expression, found `[`
  f = pl::lit::<f32>(1.0f32) ; error: the number has a suffix `f32` where none is needed
  g = pl::min(n) ; error: expected `,` between the two values, found `)`
  h = `open ; error: the back quote has no partner on its line
}
---
; A parenthesis goes on to the next line, where its end is missed.
InCore fn parenthesis(n: usize) {
  a = (n + 2
  b = n ; error: expected `)` after an expression in parentheses, found `b`
}
