#[pl::function(Inline)]
fn next(n: usize) -> usize {
    n + 1
}

fn main() {
    let _ = next(1);
}
