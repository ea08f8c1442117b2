; moment: source
; What a condition on names guards is left to later moments; what is wrong with all values is wrong.
InCore fn literal<const CH>(x: In tensor<f32, [8]>, y: Out tensor<f32, [8]>) {
  t = pl::load(x, [0], [8])
  y = pl::store(t, [0], y)
  if CH > 4 {
    u = pl::load(x, [4], [8])      ; error: ends at 12, past extent `8`
  }
}
---
InCore fn fact<const CH, const SIZE>(x: In tensor<f32, [SIZE]>, y: Out tensor<f32, [SIZE]>, k: usize) {
  t = pl::load(x, [0], [CH])       ; fact: box with offset `0` and extent `CH` does not fit
  y = pl::store(t, [0], y)         ; fact: box with offset `0` and extent `CH` does not fit
  if CH <= SIZE {
    u = pl::load(x, [0], [CH])
  }
  n = SIZE / 2
  off = 0
  while off + CH <= n {
    v = pl::load(x, [0], [CH])
    off = off + CH
  }
  for i in 0..SIZE / CH {          ; fact: division by `CH`
    w = pl::load(x, [i * CH], [CH])
  }
  if k > 0 {
    z = pl::load(x, [1], [CH])
  }
  q = CH != 0 && SIZE / CH > 2
}
