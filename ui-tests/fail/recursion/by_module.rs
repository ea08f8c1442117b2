#[pl::function(Inline)]
fn factorial(n: usize) -> usize {
    n * self::factorial(n - 1)
}

fn main() {}
