#[pl::function(Inline)]
fn factorial(n: usize) -> usize {
    n * factorial(n - 1)
}

fn main() {}
