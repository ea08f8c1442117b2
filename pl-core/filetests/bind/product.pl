; pass: bind
; bind: world=4
; args: [1, 256], [1, 64], window 0 [4, 64], window 1 [4, 1], scalar
InCore fn kernel(x: In tensor<f32, [1, NR * SIZE]>, y: Out tensor<f32, [1, SIZE]>, data: InOut window<f32, [NR, SIZE]>, signal: InOut window<i32, [NR, 1]>, n: i32) dynamic(NR, SIZE) {
  t = pl::load(x, [0, 0], [1, SIZE])
  y = pl::store(t, [0, 0], y)
}
===
NR = 4
SIZE = 64
