//! What only shows when functions are put together, before anything runs.

use expect_test::{Expect, expect};
use pl::Kernel;

// The functions come first: reports name their lines.

#[pl::function(Inline)]
fn even(n: usize) -> usize {
    let half: usize = odd(n / 2);
    half + 1
}

#[pl::function(Inline)]
fn odd(n: usize) -> usize {
    even(n)
}

#[pl::function(InCore)]
fn mutual(n: usize, y: pl::Out<pl::Tensor<f32, { [8] }>>) {
    pl::write(y, [even(n)], 1.0);
}

#[pl::function(Inline, dynamic(N))]
fn summed(a: pl::Tile<f32, { [1, N] }>, b: pl::Tile<f32, { [1, N] }>) -> pl::Tile<f32, { [1, N] }> {
    a + b
}

#[pl::function(InCore, dynamic(R, C))]
fn symbolic(x: pl::Tensor<f32, { [R, C] }>, y: pl::Out<pl::Tensor<f32, { [1, C] }>>) {
    let row = pl::load(x, [0, 0], [1, C]);
    let column = pl::load(x, [0, 0], [1, R]);
    pl::store(summed(row, column), [0, 0], y);
}

#[pl::function(InCore)]
fn annotated(x: pl::Tensor<f32, { [1, 8] }>, y: pl::Out<pl::Tensor<f32, { [1, 8] }>>) {
    let row = pl::load(x, [0, 0], [1, 8]);
    let sum: pl::Tile<f32, { [1, 4] }> = summed(row, row);
    pl::store(sum, [0, 0], y);
}

#[pl::function(Inline, dynamic(N))]
fn first(x: pl::Tensor<f32, { [N, 1] }>) -> f32 {
    pl::read(x, [0, 0])
}

#[pl::function(InCore, dynamic(R, C))]
fn columns(x: pl::Tensor<f32, { [R, C] }>, y: pl::Out<pl::Tensor<f32, { [1, 1] }>>) {
    pl::write(y, [0, 0], first(x));
}

#[pl::function(Inline)]
fn nth<const N: usize>(x: pl::Tensor<f32, { [8] }>) -> f32 {
    pl::read(x, [N])
}

#[pl::function(InCore)]
fn seventh<const N: usize>(x: pl::Tensor<f32, { [8] }>, y: pl::Out<pl::Tensor<f32, { [8] }>>) {
    pl::write(y, [0], nth::<N>(x));
}

#[pl::function(Inline)]
fn negated<T: pl::Element>(t: pl::Tile<T, { [8] }>) -> pl::Tile<T, { [8] }> {
    -t
}

#[pl::function(InCore)]
fn negative<T: pl::Element>(y: pl::InOut<pl::Tensor<T, { [8] }>>) {
    pl::store(negated::<T>(pl::load(y, [0], [8])), [0], y);
}

fn check(kernel: Kernel, expected: Expect) {
    let report = match kernel.function() {
        Ok(function) => pl::text::print(&function),
        Err(error) => error.to_string(),
    };
    expected.assert_eq(&report);
}

#[test]
fn mutual_recursion() {
    check(
        mutual::ir(),
        expect![[r#"
            error: recursion: `link::mutual` calls `link::even` calls `link::odd` calls `link::even`
              --> ui-tests/tests/link.rs:9:4 (in kernel `even`)
              = called by `odd` at ui-tests/tests/link.rs:16:5
              = called by `even` at ui-tests/tests/link.rs:10:23
              = called by `mutual` at ui-tests/tests/link.rs:21:19
              = help: an `Inline` function is put where it is called: write a loop instead"#]],
    );
}

#[test]
fn symbolic_extents() {
    check(
        symbolic::ir(),
        expect![[r#"
        error: `column` is `tile<f32, [1, R]>`, declared as `tile<f32, [1, C]>`
          --> ui-tests/tests/link.rs:33:15 (in kernel `symbolic`)
          = help: declare the type that the value has, or convert the value"#]],
    );
}

#[test]
fn annotation_of_a_result() {
    check(
        annotated::ir(),
        expect![[r#"
        error: `sum` is `tile<f32, [1, 8]>`, declared as `tile<f32, [1, 4]>`
          --> ui-tests/tests/link.rs:39:14 (in kernel `annotated`)
          = help: declare the type that the value has, or convert the value"#]],
    );
}

#[test]
fn extents_that_a_launch_decides() {
    // One column may be what the tensor has: that is known at launch.
    check(
        columns::ir(),
        expect![[r#"
        pl 1
        InCore fn columns(x: In tensor<f32, [R, C]>, y: Out tensor<f32, [1, 1]>) dynamic(R, C) {
          check x: tensor<f32, [R, 1]>
          read = pl::read(x, [0, 0])
          first = read
          pl::write(y, [0, 0], first)
        }
    "#]],
    );
}

#[test]
fn generic_arguments_that_fit() {
    check(
        seventh::ir::<7>(),
        expect![[r#"
        pl 1
        InCore fn seventh<generic const N: usize = 7>(x: In tensor<f32, [8]>, y: Out tensor<f32, [8]>) {
          read = pl::read(x, [7])
          nth = read
          pl::write(y, [0], nth)
        }
    "#]],
    );
}

#[test]
fn element_types_that_an_op_lacks() {
    check(
        negative::ir::<u8>(),
        expect![[r#"
            error: `tile` of `pl::neg` has element type `u8`, expected f32, f16, bf16, i8, i16, i32, i64
              --> ui-tests/tests/link.rs:65:5 (in kernel `negated`)
              = called by `negative` at ui-tests/tests/link.rs:70:15
              = help: `pl::neg` takes f32, f16, bf16, i8, i16, i32, i64"#]],
    );
}
