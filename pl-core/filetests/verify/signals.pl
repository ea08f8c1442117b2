; Contexts, notify and wait.

InCore fn contexts(x: In tensor<f32, [4]>, data: In window<f32, [4]>) {
  a = pld::get_comm_ctx(x) ; error: argument `window` of `pld::get_comm_ctx`: `x` is `tensor<f32, [4]>`, expected a window
  ctx = pld::get_comm_ctx(data)
  me = pld::rank(ctx)
  n = pld::nranks(data) ; error: argument `ctx` of `pld::nranks`: `data` is `window<f32, [4]>`, expected a communication context
  b = me + ctx ; error: `ctx` is `context`, expected a scalar
}
---
InCore fn notify(data: InOut window<f32, [4, 1]>, signal: InOut window<i32, [4, 1]>, plain: InOut tensor<i32, [4, 1]>, peer: usize, x: f32) {
  pld::system::notify(signal, peer, [0, 0], 1, op = AtomicAdd)
  pld::system::notify(signal, peer, [0, 0], -1, op = Set)
  pld::system::notify(data, peer, [0, 0], 1, op = Set) ; error: `signal` of `pld::system::notify` has element type `f32`, expected i32
  pld::system::notify(plain, peer, [0, 0], 1, op = Set) ; error: argument `signal` of `pld::system::notify`: `plain` is `tensor<i32, [4, 1]>`, expected a window
  pld::system::notify(signal, peer, [0], 1, op = Set) ; error: argument `offsets` of `pld::system::notify` has 1 entry, expected 2
  pld::system::notify(signal, peer, [4, 0], 1, op = Set) ; error: past extent `4` of axis 0 of `signal`
  pld::system::notify(signal, peer, [0, 0], x, op = Set) ; error: argument `value` of `pld::system::notify` is `f32`, expected `i32`
  pld::system::notify(signal, peer, [0, 0], 0.5, op = Set) ; error: float literal 0.5 where `i32` is expected
  pld::system::notify(signal, peer, [0, 0], peer, op = Set) ; error: argument `value` of `pld::system::notify` is `usize`, expected `i32`
  pld::system::notify(signal, peer, [0, 0], 4000000000, op = Set) ; error: literal 4000000000 is out of range for `i32`
  a = pld::system::notify(signal, peer, [0, 0], 1, op = Set) ; error: `pld::system::notify` gives no value
}
---
InCore fn wait(signal: In window<i32, [4, 1]>, peer: usize) {
  pld::system::wait(signal, [peer, 0], 1, cmp = Ge)
  pld::system::wait(signal, [peer, 1], 1, cmp = Eq) ; error: past extent `1` of axis 1 of `signal`
}
---
; A notify changes the signal.
InCore fn notify_in(signal: In window<i32, [4, 1]>, peer: usize) {
  pld::system::notify(signal, peer, [0, 0], 1, op = Set) ; error: `pld::system::notify` writes `signal`, which is an `In` parameter
}
