// `for` over ranges, with and without a step; `while`; the loop variable may be unused.
#![deny(warnings)]

#[pl::function(InCore, dynamic(N))]
fn kernel(n: usize, x: pl::InOut<pl::Tensor<f32, { [N] }>>) {
    for i in 0..N {
        pl::write(x, [i], 0.0);
    }
    for i in n..n + 2 {
        for j in i..N {
            pl::write(x, [j], 1.0);
        }
    }
    for _ in 0..3 {
        pl::write(x, [0], 2.0);
    }
    for i in pl::range(N) {
        pl::write(x, [i], 3.0);
    }
    for i in pl::range(1, N) {
        pl::write(x, [i - 1], 4.0);
    }
    for at in pl::range(0, N, 4) {
        let len = pl::min(4, N - at);
        pl::store(pl::load(x, [at], [len]), [at], x);
    }
    let mut i = 0;
    while i < n {
        i += 1;
    }
    while pl::read(x, [0]) > 0.0 && i > 0 {
        pl::write(x, [0], pl::read(x, [0]) - 1.0);
        i -= 1;
    }
}

fn main() -> Result<(), pl::BindError> {
    kernel::ir().text()?;
    Ok(())
}
