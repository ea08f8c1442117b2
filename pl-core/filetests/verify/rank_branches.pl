; Every rank calls the same collectives.

InCore fn one_side(signal: InOut window<i32, [NR, 1]>) dynamic(NR) {
  ctx = pld::get_comm_ctx(signal)
  me = pld::rank(ctx)
  if me == 0 { ; error: a branch on the rank whose two sides call different collectives: `pld::tensor::barrier` and none
    pld::tensor::barrier(signal)
  }
}
---
InCore fn another_window_of_the_domain(data: In window<f32, [4]>, signal: InOut window<i32, [NR, 1]>) dynamic(NR) {
  ctx = pld::get_comm_ctx(data)
  first = pld::rank(ctx) 
  is_first = first == 0
  if is_first { ; error: two sides call different collectives: none and `pld::tensor::barrier`
  } else {
    pld::tensor::barrier(signal)
  }
}
---
InCore fn other_arguments(data: InOut window<f32, [NR, SIZE]>, signal: InOut window<i32, [NR, 1]>) dynamic(NR, SIZE) {
  ctx = pld::get_comm_ctx(data)
  me = pld::rank(ctx)
  root = me % 2
  if root == 0 { ; error: two sides call `pld::tensor::broadcast` with different arguments
    data = pld::tensor::broadcast(data, signal, 0)
  } else {
    data = pld::tensor::broadcast(data, signal, 1)
  }
  if root == 0 { ; error: different collectives: `pld::tensor::broadcast` and `pld::tensor::barrier`
    data = pld::tensor::broadcast(data, signal, 0)
  } else {
    pld::tensor::barrier(signal)
  }
  if root == 0 { ; error: two sides call `pld::tensor::allreduce` with different arguments
    data = pld::tensor::allreduce(data, signal, op = Sum, mode = Mesh)
  } else {
    data = pld::tensor::allreduce(data, signal, op = Max, mode = Mesh)
  }
}
---
InCore fn the_same(data: InOut window<f32, [NR, SIZE]>, signal: InOut window<i32, [NR, 1]>) dynamic(NR, SIZE) {
  ctx = pld::get_comm_ctx(data)
  me = pld::rank(ctx)
  n = pld::nranks(ctx)
  if me == 0 {
    data = pld::tensor::broadcast(data, signal, n - 1)
    for i in 0..n {
      pld::tensor::barrier(signal)
    }
  } else {
    data = pld::tensor::broadcast(data, signal, n - 1)
    for j in 0..n {
      pld::tensor::barrier(signal)
    }
  }
  if n == 2 {
    pld::tensor::barrier(signal)
  }
}
---
InCore fn loops(signal: InOut window<i32, [NR, 1]>) dynamic(NR) {
  ctx = pld::get_comm_ctx(signal)
  me = pld::rank(ctx)
  for i in 0..me { ; error: a loop that runs as often as the rank says calls `pld::tensor::barrier`
    pld::tensor::barrier(signal)
  }
  k = me
  while k > 0 { ; error: a loop that runs as often as the rank says calls `pld::tensor::barrier`
    pld::tensor::barrier(signal)
    k = k - 1
  }
}
---
; A loop whose count is known is written out.
InCore fn counted_loops(signal: InOut window<i32, [NR, 1]>) dynamic(NR) {
  ctx = pld::get_comm_ctx(signal)
  me = pld::rank(ctx)
  n = pld::nranks(ctx)
  if me == 0 { ; error: two sides call different collectives: `pld::tensor::barrier` and none
    for i in 0..4 {
      pld::tensor::barrier(signal)
    }
  } else {
    pld::tensor::barrier(signal)
  }
  if me == 0 { ; error: two sides call different collectives: `pld::tensor::barrier` and none
    for i in 0..n {
      pld::tensor::barrier(signal)
    }
  }
  if me == 0 {
    for i in 0..2 {
      pld::tensor::barrier(signal)
    }
  } else {
    pld::tensor::barrier(signal)
    pld::tensor::barrier(signal)
  }
}
---
; A variable that a branch on the rank decides says as much as the rank.
InCore fn decided_by_a_branch(signal: InOut window<i32, [NR, 1]>, n: usize) dynamic(NR) {
  ctx = pld::get_comm_ctx(signal)
  me = pld::rank(ctx)
  if me == 0 {
    first = 1
  } else {
    first = 0
  }
  if first == 1 { ; error: two sides call different collectives: `pld::tensor::barrier` and none
    pld::tensor::barrier(signal)
  }
  if me == 0 {
    same = 1
  } else {
    same = 1
  }
  if same == 1 {
    pld::tensor::barrier(signal)
  }
  k = me
  while k > 0 {
    k = k - 1
  }
  k = n
  if k == 3 {
    pld::tensor::barrier(signal)
  }
}
---
; Not to be seen before the run.
InCore fn left_to_the_run(signal: InOut window<i32, [NR, 1]>, flags: In tensor<i32, [4]>) dynamic(NR) {
  ctx = pld::get_comm_ctx(signal)
  me = pld::rank(ctx)
  flag = pl::read(flags, [0])
  if flag == 1 {
    pld::tensor::barrier(signal)
  }
  if me == 0 {
    for i in 0..flag as usize {
      pld::tensor::barrier(signal)
    }
  } else {
    pld::tensor::barrier(signal)
  }
}
---
; Two domains: the rank in one says nothing of the other.
InCore fn two_domains(rows: InOut window<i32, [R, 1]>, columns: InOut window<i32, [C, 1]>) dynamic(R, C) {
  row = pld::get_comm_ctx(rows)
  column = pld::get_comm_ctx(columns)
  me = pld::rank(row)
  n = pld::nranks(column)
  if me == 0 {
    pld::tensor::barrier(columns)
  }
}
---
; Leaders of a grid: the columns' collective is of another domain than the rank, which the rows' collectives show.
InCore fn leaders(row: InOut window<f32, [4]>, rows: InOut window<i32, [R, 1]>, column: InOut window<f32, [4]>, columns: InOut window<i32, [C, 1]>) dynamic(R, C) {
  row = pld::tensor::allreduce(row, rows, op = Sum, mode = Mesh)
  ctx = pld::get_comm_ctx(row)
  me = pld::rank(ctx)
  if me == 0 {
    column = pld::tensor::allreduce(column, columns, op = Sum, mode = Mesh)
  }
}
