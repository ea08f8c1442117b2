#[pl::function(Incore)]
fn kernel() {}

fn main() {}
