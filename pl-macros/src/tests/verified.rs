//! What the verifier finds, at the user's tokens.

use super::{body, check};
use expect_test::expect;

#[test]
fn several_at_once() {
    body(
        "let a = pl::load(x, [0], [1, SIZE]);\nlet b = pl::load(x, [0, 0], [1, NR]);\nlet c = pl::add(pl::load(x, [0, 0], [1, SIZE]), b);\npl::store(c, [0, 0], x);\nlet d = undefined;",
        expect![[r#"
        2:21 `[0]`: argument `offsets` of `pl::load` has 1 entry, expected 2: `x` has 2 axes
            help: give one entry per axis
        4:49 `b`: `pl::add` of tiles of different shapes: `tile<f32, [1, SIZE]>` and `tile<f32, [1, NR]>`
            note: `load(…)` is `tile<f32, [1, SIZE]>`, at line 4
            note: `b` is `tile<f32, [1, NR]>`, at line 4
            help: both tiles have the same shape
        5:22 `x`: `pl::store` writes `x`, which is an `In` parameter
            note: `x` is declared here, at line 1
            help: declare it `x: pl::Out<pl::Tensor<…>>`, or `pl::InOut<…>` if it is read too
        6:9 `undefined`: cannot find `undefined` in this kernel
            help: declare it with `let`, or make it a parameter; constants are written in capitals
    "#]],
    );
    body(
        "let a = pl::load(x, [0, alpha], [1, SIZE]);\nif n { }\nlet b = pl::load(x, [0, -1], [1, SIZE]);\nlet c = n / 0;",
        expect![[r#"
        2:25 `alpha`: entry 1 of argument `offsets` of `pl::load` is `f32`, expected `usize`
            help: convert it: `… as usize`
        3:4 `n`: the condition of `if` is `usize`, expected `bool`
            help: compare with `==`, `!=`, `<`, …
        4:25 `-1`: literal -1 is out of range for `usize`
            help: it cannot be negative
        5:13 `0`: division by `0`, which is zero
            help: divide by something that is not zero
    "#]],
    );
    body(
        "pld::system::notify(data, 0, [0, 0], 1, pld::NotifyOp::Set);\npld::tile::remote_load(x, n, [0, 0], [1, 1]);\npld::tensor::barrier(y);",
        expect![[r#"
        2:21 `data`: `signal` of `pld::system::notify` has element type `f32`, expected i32
            help: a signal is a window of i32 cells: `pld::DistributedTensor<i32, …>`
        3:24 `x`: argument `target` of `pld::tile::remote_load`: `x` is `tensor<f32, [NR, SIZE]>`, expected a window (`pld::DistributedTensor`)
            note: `x` is declared here, at line 1
            help: pass a parameter of type `pld::DistributedTensor<…>`
        4:22 `y`: argument `signal` of `pld::tensor::barrier`: `y` is `tensor<f32, [NR, SIZE]>`, expected a window (`pld::DistributedTensor`)
            note: `y` is declared here, at line 1
            help: pass a parameter of type `pld::DistributedTensor<…>`
    "#]],
    );
}

#[test]
fn out_parameters() {
    check(
        "#[pl::function(InCore)] fn k(y: pl::Out<pl::Tensor<f32, { [4] }>>) {}",
        expect![[r#"
        1:30 `y`: `y` is an `Out` parameter and nothing is stored to it
            help: store to it (`pl::store(tile, offsets, y)`), or declare it without `pl::Out`
    "#]],
    );
    check(
        "#[pl::function(InCore)] fn k(y: pl::Out<pl::Tensor<f32, { [4] }>>) {\nlet a = pl::load(y, [0], [4]);\npl::store(a, [0], y);\n}",
        expect![[r#"
        2:18 `y`: `pl::load` reads `y`, which is an `Out` parameter that no path has stored to before
            note: `y` is declared here, at line 1
            help: store to `y` first, or declare it `pl::InOut<…>` if it comes with data
    "#]],
    );
    check(
        "#[pl::function(InCore)] fn k(y: pl::Out<pl::Tensor<f32, { [4] }>>) {\npl::store(undefined, [0], y);\n}",
        expect![[r#"
        2:11 `undefined`: cannot find `undefined` in this kernel
            help: declare it with `let`, or make it a parameter; constants are written in capitals
    "#]],
    );
}
