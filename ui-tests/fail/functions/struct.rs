#[pl::function(InCore)]
struct Kernel {
    y: usize,
}

fn main() {}
