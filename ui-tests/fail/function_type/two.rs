#[pl::function(InCore, Inline)]
fn kernel() {}

fn main() {}
