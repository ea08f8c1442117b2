; pass: link
; Constants and types have their values; a mismatch that they show is an error now.
InCore fn kernel<T: f16, const ROWS: usize = 4, generic const COLS: usize = 8>(x: In tensor<T, [ROWS, COLS]>, y: Out tensor<T, [1, 16]>) {
  t = pl::load(x, [0, 0], [1, COLS])
  u = pl::mul(t, pl::lit::<T>(0.5))
  v = pl::cast::<T>(u)
  y = pl::store(v, [0, COLS], y)
}
===
pl 1
InCore fn kernel<T: f16, const ROWS: usize = 4, generic const COLS: usize = 8>(x: In tensor<f16, [ROWS, COLS]>, y: Out tensor<f16, [1, 16]>) {
  t = pl::load(x, [0, 0], [1, COLS])
  u = pl::mul(t, 0.5f16)
  v = pl::cast::<f16>(u)
  y = pl::store(v, [0, COLS], y)
}
