// Arithmetic, comparisons, logic; ops anywhere in an expression, evaluated in order and only where Rust does.
#![deny(warnings)]

const LIMIT: usize = 4;
const RATE: f32 = 0.25;

#[pl::function(InCore, dynamic(N))]
fn kernel(n: usize, i: i32, a: f32, flag: bool, x: pl::InOut<pl::Tensor<f32, { [N] }>>) {
    let b = (n + 3) * 2 - n / 2 % LIMIT;
    let c = -a * RATE + 1.5 - f32::ONE;
    let d = pl::min(b, N - 1) + pl::max(n, 2);
    let e = i - -3;
    let low = a < c && n <= b || !flag;
    let high = a > 2.0 && pl::read(x, [0]) >= a;
    let either = flag || n > 0 && pl::read(x, [n - 1]) != 0.0;
    let same = (i == e) == flag;
    if low && high || (either && same) {
        pl::write(x, [d % N], c);
    }
    if !(n == 0) && n < N && pl::read(x, [n]) < 1.0 {
        pl::write(x, [n], pl::read(x, [0]) + pl::read(x, [n]));
    }
    let mut k = 0;
    k += n;
    k -= 1;
    k *= 2;
    k /= 3;
    k %= N;
    pl::write(x, [k], (k as i32 * i) as f32);
}

fn main() -> Result<(), pl::BindError> {
    kernel::ir().text()?;
    Ok(())
}
