; pass: program
; bind: SIZE=15702, world=2, platform=a2a3sim
; Outside of the loop the sum takes the place of `b`; in it three tiles of 62808 bytes are live.
InCore fn kernel(x: In tensor<f32, [1, SIZE]>, y: Out tensor<f32, [1, SIZE]>, n: usize) dynamic(SIZE) {
  a = pl::load(x, [0, 0], [1, SIZE])
  b = pl::load(x, [0, 0], [1, SIZE])
  c = pl::add(a, b)
  for i in 0..n {
    d = pl::mul(c, a)
    c = pl::add(c, d)
  }
  y = pl::store(c, [0, 0], y)
}
===
error: `pl::mul` needs 188424 bytes of tile memory (3 live tiles), platform `a2a3sim` has 188416
  --> text:9:5 (in kernel `kernel`)
  = help: work on smaller tiles in a loop of chunks, or keep fewer tiles live

error: `pl::add` needs 188424 bytes of tile memory (3 live tiles), platform `a2a3sim` has 188416
  --> text:10:5 (in kernel `kernel`)
  = help: work on smaller tiles in a loop of chunks, or keep fewer tiles live
