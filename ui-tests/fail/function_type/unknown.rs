#[pl::function(Kernel)]
fn kernel() {}

fn main() {}
