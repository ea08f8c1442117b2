; Remote stores and bulk transfers.

InCore fn right(x: In tensor<f32, [NR, SIZE]>, data: InOut window<f32, [NR, SIZE]>, y: Out tensor<f32, [1, SIZE]>, signal: InOut window<i32, [NR, 1]>) dynamic(NR, SIZE) {
  t = pl::load(x, [0, 0], [1, SIZE])
  pld::tile::remote_store(t, data, 1, [0, 0], atomic = None)
  pld::tile::remote_store(t, data, 1, [0, 0], atomic = Add)
  pld::tensor::put(data, 1, x, _, _, _, atomic = None, 4, 16, true)
  pld::tensor::put(data, 1, x, [0, 0], [1, 0], [1, SIZE], atomic = Add, 0, 64, false)
  y = pld::tensor::get(y, 1, data, [0, 0], [1, 0], [1, SIZE], 0, 64, false)
  data = pld::tensor::get(data, 1, data, _, _, _, 1, 64, false)
  pld::tensor::put_with_signal(data, 1, x, signal, [0, 0], -1, op = Set, [0, 0], [1, 0], [1, SIZE], atomic = None, 0, 64, false)
}
---
InCore fn boxes(x: In tensor<f32, [4, 64]>, data: InOut window<f32, [4, 64]>, flat: InOut window<f32, [256]>) {
  pld::tensor::put(data, 1, x, [0, 0], _, [1, 64], atomic = None, 0, 0, false) ; error: `pld::tensor::put` has `dst_offsets` and `shape` and lacks `src_offsets`
  pld::tensor::put(data, 1, x, [0, 0], [3, 0], [2, 64], atomic = None, 0, 0, false) ; error: box with offset `3` and extent `2` ends at 5, past extent `4` of axis 0 of `x`
  pld::tensor::put(data, 1, x, [3, 1], [0, 0], [1, 64], atomic = None, 0, 0, false) ; error: ends at 65, past extent `64` of axis 1 of `data`
  pld::tensor::put(flat, 1, x, _, _, _, atomic = None, 0, 0, false) ; error: `pld::tensor::put` between `flat` of rank 1 and `x` of rank 2
  view = pl::reshape(flat, [4, 64])
  pld::tensor::put(view, 1, x, _, _, _, atomic = None, 0, 0, false)
  pld::tensor::put(data, 1, x, [0], [0, 0], [1, 64], atomic = None, 0, 0, false) ; error: argument `dst_offsets` of `pld::tensor::put` has 1 entry, expected 2
}
---
InCore fn shapes(x: In tensor<f32, [4, 32]>, data: InOut window<f32, [4, 64]>) {
  pld::tensor::put(data, 1, x, _, _, _, atomic = None, 0, 0, false) ; error: `dst` and `src` of `pld::tensor::put` have different shapes: `[4, 64]` and `[4, 32]`
}
---
InCore fn types(x: In tensor<i32, [4, 64]>, b: In tensor<u8, [4, 64]>, data: InOut window<f32, [4, 64]>, bytes: InOut window<u8, [4, 64]>) {
  pld::tensor::put(data, 1, x, _, _, _, atomic = None, 0, 0, false) ; error: `dst` of `pld::tensor::put` has element type `f32` and `src` has `i32`
  pld::tensor::put(bytes, 1, b, _, _, _, atomic = Add, 0, 0, false) ; error: `atomic` of `pld::tensor::put` adds to `bytes` of `u8`, expected f32, f16, bf16, i32, i16, i8
  t = pl::load(b, [0, 0], [1, 64])
  pld::tile::remote_store(t, bytes, 1, [0, 0], atomic = Add) ; error: `atomic` of `pld::tile::remote_store` adds to `bytes` of `u8`
  pld::tile::remote_store(t, data, 1, [0, 0], atomic = None) ; error: `pld::tile::remote_store` of a tile of `u8` into `data` of `f32`
  pld::tensor::put(x, 1, data, _, _, _, atomic = None, 0, 0, false) ; error: argument `dst` of `pld::tensor::put`: `x` is `tensor<i32, [4, 64]>`, expected a window
}
---
InCore fn chunks(x: In tensor<f32, [NR, SIZE]>, data: InOut window<f32, [NR, SIZE]>, n: usize, flag: bool) dynamic(NR, SIZE) {
  pld::tensor::put(data, 1, x, [0, 0], [0, 0], [1, SIZE], atomic = None, 0, 0, false) ; error: extent 1 of `pld::tensor::put` is no constant (`SIZE`), and `chunk_cols` is not given
  pld::tensor::put(data, 1, x, [0, 0], [0, 0], [n, 8], atomic = None, 0, 8, false) ; error: extent 0 of `pld::tensor::put` is no constant (only the run knows it), and `chunk_rows` is not given
  pld::tensor::put(data, 1, x, _, _, _, atomic = None, 0, 64, false) ; error: extent 0 of `pld::tensor::put` is no constant (`NR`), and `chunk_rows` is not given
  pld::tensor::put(data, 1, x, [0, 0], [0, 0], [1, 8], atomic = None, 0, 8, true) ; error: `pipeline = true` of `pld::tensor::put` needs both chunks, it lacks `chunk_rows`
  pld::tensor::put(data, 1, x, [0, 0], [0, 0], [1, 8], atomic = None, 0, n, false) ; error: argument `chunk_cols` of `pld::tensor::put` must be a constant
  pld::tensor::put(data, 1, x, [0, 0], [0, 0], [1, 8], atomic = None, 1, 8, flag) ; error: argument `pipeline` of `pld::tensor::put` must be a constant
}
---
InCore fn views(data: InOut window<f32, [NR, SIZE]>, n: usize) dynamic(NR, SIZE) {
  flat = pl::reshape(data, [NR * SIZE])
  t = pl::load(flat, [0], [8])
  flat = pl::store(t, [8], flat)
}
---
InCore fn no_views(data: InOut window<f32, [4, 64]>, n: usize) {
  a = pl::reshape(data, [255]) ; error: `pl::reshape` of `[4, 64]` to `[255]`: the number of elements differs
  b = pl::reshape(data, [n]) ; error: the shape of `pl::reshape` is not known when the kernel is bound
  t = pl::full::<f32>([8], 0.0)
  c = pl::reshape(data, [256])
  c = pl::store(t, [250], c) ; error: box with offset `250` and extent `8` ends at 258, past extent `256` of axis 0 of `c`
  data = c ; error: `data` is `window<f32, [4, 64]>` and is assigned `window<f32, [256]>`
}
---
Orchestration fn levels(data: InOut window<f32, [4, 64]>, y: InOut tensor<f32, [4]>) {
  t = pl::load(data, [0, 0], [1, 64]) ; error: `pl::load` in an Orchestration function, it belongs to InCore and Inline functions
}
---
; An empty box is nowhere.
InCore fn empty(x: In tensor<f32, [4, 1]>, data: InOut window<f32, [4, 1]>) {
  pld::tensor::put(data, 1, x, [0, 1], [0, 1], [4, 0], atomic = None, 0, 0, false)
  data = pld::tensor::get(data, 1, data, [4, 0], [0, 1], [0, 1], 0, 0, false)
}
---
; bind: NR=3, SIZE=0, world=3
InCore fn empty_rows(x: In tensor<f32, [NR, SIZE]>, data: InOut window<f32, [NR, SIZE]>) dynamic(NR, SIZE) {
  pld::tensor::put(data, 1, x, [0, 0], [0, 0], [1, SIZE], atomic = None, 0, 64, false)
}
---
InCore fn views_by_ranks(data: InOut window<f32, [SIZE, NR]>) dynamic(NR, SIZE) {
  ctx = pld::get_comm_ctx(data)
  n = pld::nranks(ctx)
  a = pl::reshape(data, [n, SIZE])
  b = pl::reshape(data, [n * SIZE])
}
---
; bind: NR=3, SIZE=8, world=3
InCore fn views_by_bound_ranks(data: InOut window<f32, [SIZE, NR]>) dynamic(NR, SIZE) {
  ctx = pld::get_comm_ctx(data)
  n = pld::nranks(ctx)
  a = pl::reshape(data, [n, SIZE])
  b = pl::reshape(data, [n, 9]) ; error: `pl::reshape` of `[SIZE, NR]` = [8, 3] to `[3, 9]`: the number of elements differs
}
