; pass: link
InCore fn kernel(n: usize) calls(ping) {
  m = call ping(n)
}
---
Inline fn ping(n: usize) -> usize calls(pong) {
  m = call pong(n)
  return m
}
---
Inline fn pong(n: usize) -> usize calls(ping) {
  m = call ping(n)
  return m
}
===
error: recursion: `kernel` calls `ping` calls `pong` calls `ping`
  --> text:6:11 (in kernel `ping`)
  = called by `pong` at text:12:3
  = called by `ping` at text:7:3
  = called by `kernel` at text:3:3
  = help: an `Inline` function is put where it is called: write a loop instead
