; pass: link
Orchestration fn steps(signal: InOut window<i32, [NR, 1]>) dynamic(NR) calls(meet) {
  ctx = pld::get_comm_ctx(signal)
  me = pld::rank(ctx)
  if me == 0 {
    call meet(signal)
  }
}
---
InCore fn meet(signal: InOut window<i32, [NR, 1]>) dynamic(NR) {
  pld::tensor::barrier(signal)
}
===
error: a branch on the rank whose two sides call different collectives: `pld::tensor::barrier` and none
  --> text:5:3 (in Orchestration function `steps`)
  = `pld::tensor::barrier` is called here at text:11:3 (called from text:6:5)
  = help: every rank of a domain calls the same collectives in the same order: call them outside of the branch; if rank and collective are of different domains, take `pld::get_comm_ctx` of a window of each
