; Windows of two domains: `data` and `signal` of one of 4 ranks, `pair` and `bell` of one of 2, `alone` of one of its own.
; bind: NR=4, SIZE=64, world=4, pair+bell.world=2, alone.world=1

InCore fn each_of_its_domain(data: InOut window<f32, [NR, SIZE]>, signal: InOut window<i32, [NR, 1]>, pair: InOut window<f32, [2, SIZE]>, bell: InOut window<i32, [2, 1]>) dynamic(NR, SIZE) {
  pair = pld::tensor::reduce_scatter(pair, bell, op = Sum)
  data = pld::tensor::reduce_scatter(data, signal, op = Sum)
  pld::system::notify(bell, 1, [0, 0], 1, op = AtomicAdd)
  t = pld::tile::remote_load(data, 3, [0, 0], [1, SIZE])
}
---
InCore fn mixed(data: InOut window<f32, [NR, SIZE]>, bell: InOut window<i32, [2, 1]>) dynamic(NR, SIZE) {
  data = pld::tensor::reduce_scatter(data, bell, op = Sum) ; error: `data` and `bell` of `pld::tensor::reduce_scatter` are windows of two domains, of 4 and of 2 ranks ; error: `signal` of `pld::tensor::reduce_scatter` has shape
}
---
InCore fn of_another_shape(signal: InOut window<i32, [NR, 1]>, pair: InOut window<f32, [4, 8]>, bell: InOut window<i32, [2, 1]>) dynamic(NR) {
  pld::tensor::barrier(signal)
  pair = pld::tensor::reduce_scatter(pair, bell, op = Sum) ; error: `target` of `pld::tensor::reduce_scatter` has shape `[4, 8]`, expected `[P, S]` with P = 2
}
---
InCore fn alone(alone: InOut window<i32, [1]>) {
  pld::tensor::barrier(alone) ; error: `pld::tensor::barrier` needs at least 2 ranks, the domain of `alone` has 1
}
---
InCore fn peers(data: InOut window<f32, [NR, SIZE]>, pair: InOut window<f32, [2, SIZE]>, bell: InOut window<i32, [2, 1]>) dynamic(NR, SIZE) {
  a = pld::tile::remote_load(data, 3, [0, 0], [1, SIZE])
  b = pld::tile::remote_load(pair, 2, [0, 0], [1, SIZE]) ; error: peer 2 is not a rank of the domain of `pair`, which has 2
  pld::system::notify(bell, NR - 1, [0, 0], 1, op = AtomicAdd) ; error: peer 3 is not a rank of the domain of `bell`, which has 2
  ctx = pld::get_comm_ctx(pair)
  nranks = pld::nranks(ctx)
  all = pld::nranks(pld_ctx) ; error: not assigned
  c = pld::tile::remote_load(pair, nranks, [0, 0], [1, SIZE]) ; error: peer 2 is not a rank of the domain of `pair`, which has 2
  for peer in 0..nranks {
    if peer > 5 {
      d = pld::tile::remote_load(pair, 7, [0, 0], [1, SIZE])
    }
  }
}
---
InCore fn contexts(data: InOut window<f32, [NR, SIZE]>, signal: InOut window<i32, [NR, 1]>, pair: InOut window<f32, [2, SIZE]>) dynamic(NR, SIZE) {
  ctx = pld::get_comm_ctx(data)
  ctx = pld::get_comm_ctx(signal)
  here = pld::get_comm_ctx(pair)
  here = ctx ; error: `here` is the context of `pair` and is assigned that of `data`, a window of another domain
  nranks = pld::nranks(here)
  if nranks == 2 {
    ctx = pld::get_comm_ctx(pair) ; error: `ctx` is the context of `data` and is assigned that of `pair`, a window of another domain
  }
}
