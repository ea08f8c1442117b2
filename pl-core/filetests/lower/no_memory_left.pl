; pass: lower
; library: library.txt
; bind: NR=4, SIZE=47104, world=4, platform=a2a3sim
; No byte is left beside the tile that is live across the call.
InCore fn kernel(data: InOut window<f32, [NR, SIZE]>, signal: InOut window<i32, [NR, 1]>) dynamic(NR, SIZE) {
  kept = pl::load(data, [0, 0], [1, SIZE])
  data = pld::tensor::reduce_scatter(data, signal, op = Sum)
  data = pl::store(kept, [0, 0], data)
}
===
error: `pld::tensor::reduce_scatter` needs 2 tiles of at least one element, 0 bytes of tile memory are free here on `a2a3sim`
  --> text:7:3 (in kernel `kernel`)
  = help: keep fewer or smaller tiles live across the call
