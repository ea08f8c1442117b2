; Scalar expressions: types of operands and conditions, literals, division.

InCore fn mixed(n: usize, k: i32, x: f32) {
  a = n + k ; error: `+` between `usize` and `i32`
  b = k * x ; error: `*` between `i32` and `f32`
  c = n < k ; error: `<` between `usize` and `i32`
  d = n + k as usize
  e = k as f32 * x
  f = pl::min(n, k) ; error: `pl::min` between `usize` and `i32`
}
---
InCore fn literals_take_a_type(n: usize, k: i32, x: f32) {
  a = n + 1
  b = 1 + k
  c = x * 0.5
  d = 2.0 / x
  e = -1 + k
  f = (1 + 2) * n
}
---
InCore fn literals_that_do_not_fit(n: usize, k: i8, x: f32, u: u8) {
  a = k + 128 ; error: literal 128 is out of range for `i8`
  b = n + -1 ; error: literal -1 is out of range for `usize`
  c = k + 0.5 ; error: float literal 0.5 where `i8` is expected
  d = u - 256 ; error: literal 256 is out of range for `u8`
  e = k + -128
  f = x + 1.0
  g = -(129) + k ; error: literal -129 is out of range for `i8`
  h = 300i16 + 70000i16 ; error: literal 70000 is out of range for `i16`
}
---
; A local that holds a bare literal takes the type of its first use.
InCore fn open(n: usize, k: i32) {
  a = 0
  for i in 0..n {
    a = a + i
  }
  b = 0
  b = b + k
  c = 1
  d = c + 1
  e = d + n
  f = c + k ; error: `+` between `usize` and `i32`
}
---
InCore fn open_float(x: f32, k: i32) {
  a = 0.5
  b = a * x
  c = 0.5
  d = c + k ; error: `c` was assigned a float, expected `i32`
}
---
InCore fn conditions(n: usize, x: f32, flag: bool) {
  if n { ; error: the condition of `if` is `usize`, expected `bool`
  }
  while 1 { ; error: the condition of `while` is a number, expected `bool`
  }
  if x > 0.0 && flag || !(n == 0) {
  }
  if flag && n { ; error: the right side of `&&` is `usize`, expected `bool`
  }
  if x || flag { ; error: the left side of `||` is `f32`, expected `bool`
  }
  a = !n ; error: the operand of `!` is `usize`, expected `bool`
  b = flag + flag ; error: `+` on `bool`, expected numbers
  c = flag == (n > 1)
}
---
InCore fn negation(n: usize, u: u32, k: i32, flag: bool) {
  a = -n ; error: `-` on `usize`, expected a signed number
  b = -u ; error: `-` on `u32`, expected a signed number
  c = -k
  d = -flag ; error: `-` on `bool`, expected a signed number
}
---
InCore fn casts(n: usize, x: f32, flag: bool) {
  a = x as i32
  b = n as f32
  c = flag as i32
  d = flag as usize
  e = n as bool ; error: `usize` cannot be cast to `bool`
  f = flag as f32 ; error: `bool` cannot be cast to `f32`
}
---
InCore fn ranges(n: usize, k: i32, x: f32) {
  for i in 0..k { ; error: the end of a range is `i32`, expected `usize`
  }
  for i in x..n { ; error: the start of a range is `f32`, expected `usize`
  }
  for i in 0..n step 0 { ; error: the step of a range is 0, expected at least 1
  }
  for i in 0..n step k { ; error: the step of a range is `i32`, expected `usize`
  }
  for i in -1..n { ; error: literal -1 is out of range for `usize`
  }
  for i in 0..1.5 { ; error: float literal 1.5 where `usize` is expected
  }
}
---
InCore fn division<const ZERO: usize = 0, const TWO: usize = 2>(n: usize, k: i32, x: f32) {
  a = n / 0 ; error: division by `0`, which is zero
  b = n % ZERO ; error: division by `ZERO`, which is zero
  c = n / (TWO - 2) ; error: division by `TWO - 2`, which is zero
  d = n / TWO
  e = k / 0 ; error: division by `0`, which is zero
  f = x / 0.0
}
---
InCore fn below_zero(x: In tensor<f32, [8]>) {
  n = 3usize
  t = pl::load(x, [n - 4], [4]) ; error: entry 0 of argument `offsets` of `pl::load` is `n - 4` = -1, expected at least 0
}
---
InCore fn not_a_scalar(x: In tensor<f32, [4]>, n: usize) {
  t = pl::load(x, [0], [4])
  a = t + 1 ; error: `t` is `tile<f32, [4]>`, expected a scalar
  b = x < x ; error: `x` is `tensor<f32, [4]>`, expected a scalar ; error: `x` is `tensor<f32, [4]>`, expected a scalar
  if t { ; error: `t` is `tile<f32, [4]>`, expected a scalar
  }
}
---
InCore fn index_arguments(x: In tensor<f32, [4, 4]>, k: i32, s: f32) {
  t = pl::load(x, [k, 0], [1, 4]) ; error: entry 0 of argument `offsets` of `pl::load` is `i32`, expected `usize`
  u = pl::load(x, [0, s], [1, 4]) ; error: entry 1 of argument `offsets` of `pl::load` is `f32`, expected `usize`
  v = pl::load(x, [0, 0], [1, k]) ; error: entry 1 of argument `shape` of `pl::load` is `i32`, expected `usize`
  w = pl::load(x, [0, -1], [1, 4]) ; error: literal -1 is out of range for `usize`
}
---
; Where nothing asks for a type, an integer literal is `i32`, a float literal `f32`; under `as` an integer literal takes the integer type.
InCore fn defaults(n: usize) {
  a = -1 as f32
  b = (3 - 5) as f32
  c = 3 - 5 < 0
  d = 3000000000 as i64
  e = 3000000000 as f32 ; error: literal 3000000000 is out of range for `i32`
  f = (3000000000 + 1) as i64 ; error: literal 3000000000 is out of range for `i32`
  g = 0 < 3000000000 ; error: literal 3000000000 is out of range for `i32`
  h = -1 as usize ; error: literal -1 is out of range for `usize`
  i = 300 as u8 ; error: literal 300 is out of range for `u8`
  j = 1.5 as i32 + a as i32
  k = -129 as i8 ; error: literal -129 is out of range for `i8`
  l = 0
  m = l as f32 + (l + n) as f32
}
