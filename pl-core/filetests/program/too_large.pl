; pass: program
; bind: SIZE=23553, world=2, platform=a2a3sim
; One element more.
InCore fn kernel(x: In tensor<f32, [1, SIZE]>, y: Out tensor<f32, [1, SIZE]>) dynamic(SIZE) {
  a = pl::load(x, [0, 0], [1, SIZE])
  b = pl::load(x, [0, 0], [1, SIZE])
  c = pl::add(a, b)
  y = pl::store(c, [0, 0], y)
}
===
error: `pl::load` needs 188424 bytes of tile memory (2 live tiles), platform `a2a3sim` has 188416
  --> text:6:3 (in kernel `kernel`)
  = help: work on smaller tiles in a loop of chunks, or keep fewer tiles live

error: `pl::add` needs 188424 bytes of tile memory (2 live tiles), platform `a2a3sim` has 188416
  --> text:7:3 (in kernel `kernel`)
  = help: work on smaller tiles in a loop of chunks, or keep fewer tiles live
