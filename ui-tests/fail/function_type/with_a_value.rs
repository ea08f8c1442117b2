#[pl::function(type = InCore)]
fn kernel() {}

fn main() {}
