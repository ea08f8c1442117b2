; pass: link
; Constants and types have their values; a mismatch that they show is an error now.
InCore fn kernel<T: f16, const ROWS: usize = 4, generic const COLS: usize = 12>(x: In tensor<T, [ROWS, COLS]>, y: Out tensor<T, [1, 16]>) {
  t = pl::load(x, [0, 0], [1, COLS])
  u = pl::mul(t, pl::lit::<T>(0.5))
  v = pl::cast::<T>(u)
  y = pl::store(v, [0, COLS], y)
}
===
error: box with offset `COLS` = 12 and extent `COLS` = 12 ends at 24, past extent `16` of axis 1 of `y`
  --> text:7:3 (in kernel `kernel`)
  = help: offset plus extent must not exceed the extent of the memory on each axis
