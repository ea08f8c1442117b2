#[pl::function]
fn kernel() {}

fn main() {}
