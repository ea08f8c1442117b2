#[pl::function(InCore)]
const KERNEL: usize = 1;

fn main() {}
