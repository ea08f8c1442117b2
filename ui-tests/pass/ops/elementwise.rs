// Every element-wise op, on two tiles and on a tile and a scalar; the operators are the ops.
#![deny(warnings)]

#[pl::function(InCore)]
fn kernel(s: f32, x: pl::Tensor<f32, { [8] }>, y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    let a = pl::load(x, [0], [8]);
    let b = pl::load(y, [0], [8]);
    let c = pl::add(a, b);
    let d = pl::sub(c, 1.0);
    let e = pl::mul(d, s);
    let f = pl::div(e, a);
    let g = pl::maximum(f, b);
    let h = pl::minimum(g, pl::read(x, [3]));
    let i = pl::neg(h);
    let mut j = i + a - b * 2.0 / (c + 1);
    j += a;
    j -= 0.5;
    j *= s;
    j /= b;
    pl::store(-j + -a, [0], y);
}

fn main() -> Result<(), pl::BindError> {
    let text = kernel::ir().text()?;
    for op in ["add", "sub", "mul", "div", "maximum", "minimum", "neg"] {
        assert!(text.contains(&format!("pl::{op}(")), "{op}\n{text}");
    }
    Ok(())
}
