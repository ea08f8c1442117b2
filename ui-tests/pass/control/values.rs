// `if` and blocks as values; a variable declared first and assigned later; shadowing; tuples of results.
#![deny(warnings)]

#[pl::function(Inline)]
fn ends(x: pl::Tensor<f32, { [8] }>) -> (f32, f32) {
    let first = pl::read(x, [0]);
    (first, pl::read(x, [7]))
}

#[pl::function(InCore)]
fn kernel(flag: bool, n: usize, x: pl::Tensor<f32, { [8] }>, y: pl::Out<pl::Tensor<f32, { [8] }>>) {
    let at = if flag { n } else { 0 };
    let tile = if n == 0 {
        pl::load(x, [0], [8])
    } else if n == 1 {
        let t = pl::load(x, [0], [8]);
        t + 1.0
    } else {
        -pl::load(x, [0], [8])
    };
    let late;
    if flag {
        late = 1.0;
    } else {
        late = pl::read(x, [0]);
    }
    let block = {
        let inner = late * 2.0;
        inner + 1.0
    };
    let tile = tile * block;
    let tile = if flag { tile } else { tile + tile };
    pl::store(tile, [0], y);
    let at = at + if flag { 1 } else { 2 };
    let (first, last): (f32, f32) = ends(x);
    let (_, again) = ends(x);
    let mut sum = first;
    let mut rest = last + sum;
    pl::write(y, [2], sum + rest);
    (sum, rest) = ends(x);
    pl::write(y, [3], sum + rest);
    (_, sum) = ends(x);
    pl::write(y, [at], first + last);
    pl::write(y, [0], sum + rest);
    pl::write(y, [1], again);
    let _ = pl::read(y, [0]);
    _ = pl::read(y, [1]);
    {
        let at = 5;
        pl::write(y, [at], 1.0);
    }
    ();
}

fn main() -> Result<(), pl::BindError> {
    kernel::ir().text()?;
    Ok(())
}
