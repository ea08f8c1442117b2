; Host functions: dispatch loops.

Host fn steps(x: In tensor<f32, [NR, 1, SIZE]>, y: Out tensor<f32, [NR, 1, SIZE]>) -> tensor<f32, [NR, 1, SIZE]> dynamic(NR, SIZE) calls(stage, fetch) {
  buffer = pld::alloc_window_buffer(SIZE * 4)
  data = pld::window::<f32>(buffer, [1, SIZE])
  world = pld::world_size()
  for r in 0..world {
    mine = pl::part(x, r)
    call stage(mine, data, device = r)
  }
  data = pld::tensor::allreduce(data, _, op = Max, mode = Mesh)
  for r in 0..world {
    theirs = pl::part(y, r)
    if r == 0 {
      call fetch(theirs, data, 1, device = r)
    } else {
      call stage(theirs, data, device = r)
    }
  }
  return y
}
---
; Ranges and devices that only a run can judge.
Host fn left_to_the_run(n: usize, flag: bool) calls(k, l) {
  world = pld::world_size()
  for r in 0..3 {
    call k(device = r)
  }
  for r in 0..n {
    call k(device = r)
  }
  for r in n..world {
    call k(device = r)
  }
  for r in 1..world + 1 {
    call k(device = r - 1)
  }
  for r in 0..world / 2 {
    call k(device = 2 * r)
    call k(device = 2 * r + 1)
  }
  for r in 0..world {
    if flag {
      call k(device = r)
    }
    if !flag {
      call l(device = r)
    }
  }
  last = world - 1
  for r in 0..world {
    call k(device = last - r)
  }
  for round in 0..n {
    for r in 0..world {
      call k(device = r)
    }
  }
}
---
Host fn outside(n: usize) calls(k) {
  call k(device = 0) ; error: `k` is dispatched outside of a loop over the ranks
  if n > 1 {
    call k(device = n) ; error: `k` is dispatched outside of a loop over the ranks
  }
  while n > 1 {
    call k(device = n) ; error: `k` is dispatched outside of a loop over the ranks
  }
}
---
Host fn ranges(n: usize) calls(k) {
  world = pld::world_size()
  for r in 1..world { ; error: the loop over the ranks begins at 1, and leaves out rank 0
    call k(device = r)
  }
  for r in 2..world { ; error: the loop over the ranks begins at 2, and leaves out ranks 0 to 1
    call k(device = r)
  }
  for r in 0..world - 1 { ; error: the loop over the ranks ends before `world - 1`, and leaves out the last ones
    call k(device = r)
  }
  for r in 0..world + 1 { ; error: the loop over the ranks goes on to `world + 1`, past the last rank
    call k(device = r)
  }
  for r in 0..world step 2 { ; error: the loop over the ranks goes in steps of 2, and leaves out ranks
    call k(device = r)
  }
  for r in 0..0 { ; error: the loop over the ranks has no iteration
    call k(device = r)
  }
}
---
Host fn devices(n: usize, flag: bool, x: f32) calls(k) {
  world = pld::world_size()
  for r in 0..world {
    call k(device = 0) ; error: every iteration dispatches to device `0`
  }
  for r in 0..world {
    call k(device = n) ; error: every iteration dispatches to device `n`
  }
  for r in 0..world {
    for i in 0..2 {
      call k(device = r) ; error: every iteration dispatches to device `r`, which a loop around it counts
    }
  }
  for r in 0..world {
    call k(x) ; error: `k` is called without a device
  }
  for r in 0..world {
    call k(device = x) ; error: the device is `f32`, expected `usize`
  }
}
---
Host fn twice(flag: bool) calls(k, l) {
  world = pld::world_size()
  for r in 0..world {
    call k(device = r)
    call l(device = r) ; error: an iteration dispatches twice to `device = r`
  }
  for r in 0..world {
    call k(device = r)
    if flag {
      call l(device = r) ; error: an iteration dispatches twice to `device = r`
    }
  }
  for r in 0..world {
    if flag {
      call k(device = r)
    } else {
      call l(device = r)
    }
    call l(device = r) ; error: an iteration dispatches twice to `device = r`
  }
}
---
Host fn paths(flag: bool, n: usize) calls(k, l) {
  world = pld::world_size()
  for r in 0..world {
    if r == 0 { ; error: an iteration of the loop over the ranks may end without a dispatch
      call k(device = r)
    }
  }
  for r in 0..world {
    if flag {
      if r > 2 { ; error: an iteration of the loop over the ranks may end without a dispatch
        call k(device = r)
      }
    } else {
      call l(device = r)
    }
  }
  for r in 0..world {
    if true {
      call k(device = r)
    }
  }
  for r in 0..world {
    while n > 0 {
      call k(device = r) ; error: `k` is dispatched in a `while` inside of a `for`
    }
  }
  for r in 0..world {
    call k(device = r)
    while n > 0 {
      for s in 0..world { ; error: a loop that dispatches stands in another one
        call k(device = s)
      }
    }
  }
  for r in 0..world {
    call k(device = r)
    for s in 0..world { ; error: a loop that dispatches stands in another one
      call k(device = s)
    }
  }
}
---
Host fn among_dispatches(n: usize) calls(k) {
  world = pld::world_size()
  outer = pld::alloc_window_buffer(64)
  data = pld::window::<f32>(outer, [16])
  for r in 0..world {
    data = pld::tensor::allreduce(data, _, op = Sum, mode = Mesh) ; error: `pld::tensor::allreduce` in a loop that dispatches
    inner = pld::alloc_window_buffer(64) ; error: `pld::alloc_window_buffer` in a loop that dispatches
    same = pld::window::<f32>(outer, [16])
    other = pld::window::<f32>(inner, [16])
    call k(data, same, other, device = r)
  }
}
---
; What stands in kernels does not stand here; what needs a signal takes one.
Host fn ops(x: In tensor<f32, [4, 16]>, y: InOut tensor<f32, [4, 16]>, data: InOut window<f32, [4, 16]>, signal: InOut window<i32, [4, 1]>) {
  t = pl::load(x, [0, 0], [1, 16]) ; error: `pl::load` in a Host function
  ctx = pld::get_comm_ctx(data) ; error: `pld::get_comm_ctx` in a Host function
  n = pl::read(x, [0, 0]) ; error: `pl::read` in a Host function
  data = pld::tensor::reduce_scatter(data, signal, op = Sum)
  data = pld::tensor::reduce_scatter(data, _, op = Sum) ; error: `pld::tensor::reduce_scatter` lacks the argument `signal`
  data = pld::tensor::all_to_all(x, data, signal) ; error: `input` of `pld::tensor::all_to_all` is the tensor `x`, a `Host` function passes windows
  mine = pl::part(data, 0) ; error: `data` is `window<f32, [4, 16]>`, which has no parts
  row = pl::part(x, 4) ; error: box with offset `4` and extent `1` ends at 5, past extent `4` of axis 0 of `x`
}
---
; Only `Host` functions have these.
InCore fn host_ops(x: In tensor<f32, [4, 16]>, n: usize) calls(k) {
  world = pld::world_size() ; error: `pld::world_size` in an InCore function
  buffer = pld::alloc_window_buffer(64) ; error: `pld::alloc_window_buffer` in an InCore function
  data = pld::window::<f32>(buffer, [16])
  mine = pl::part(x, 1) ; error: `pl::part` in an InCore function
  call k(device = n) ; error: `k` is called with a device in an InCore function
}
