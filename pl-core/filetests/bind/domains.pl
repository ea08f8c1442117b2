; pass: bind
; bind: world=4, pair.world=2
; args: window 0 [4, 8], window 1 [2, 8], window 2 [8]
; Windows of two domains share a dim.
InCore fn kernel(data: InOut window<f32, [4, SIZE]>, pair: InOut window<f32, [2, SIZE]>, other: InOut window<f32, [SIZE]>) dynamic(SIZE) {
}
===
SIZE = 8
