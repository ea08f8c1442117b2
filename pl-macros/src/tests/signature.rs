//! Parameters, returns, generics.

use super::check;
use expect_test::expect;

#[test]
fn types() {
    check(
        "#[pl::function(InCore)] fn k(x: Tensor<f32, { [1] }>) {}",
        expect![[r#"
        1:33 `Tensor<f32, { [1] }>`: `Tensor` is not written by its path
            help: write `pl::Tensor<…>`
    "#]],
    );
    check(
        "#[pl::function(InCore)] fn k(x: pl::DistributedTensor<f32, { [1] }>) {}",
        expect![[r#"
        1:33 `pl::DistributedTensor<f32, { [1] }>`: `pl::DistributedTensor` is not written by its path
            help: write `pld::DistributedTensor<…>`
    "#]],
    );
    check(
        "#[pl::function(InCore)] fn k(x: pl::Tensr<f32, { [1] }>) {}",
        expect![[r#"
        1:33 `pl::Tensr<f32, { [1] }>`: a kernel has no type `pl::Tensr`
            help: did you mean `pl::Tensor`?
    "#]],
    );
    check(
        "#[pl::function(InCore)] fn k(x: pl::Tensor<f32>) {}",
        expect![[r#"
        1:33 `pl::Tensor<f32>`: `pl::Tensor` has no shape
            help: write `pl::Tensor<f32, { [1, SIZE] }>`
    "#]],
    );
    check(
        "#[pl::function(InCore)] fn k(x: pl::Tensor<f32, 4>) {}",
        expect![[r#"
        1:49 `4`: this is not a shape
            help: write `pl::Tensor<f32, { [1, SIZE] }>`
    "#]],
    );
    check(
        "#[pl::function(InCore)] fn k(x: pl::Tensor<f64, { [4] }>) {}",
        expect![[r#"
        1:44 `f64`: `f64` is not an element type
            help: the element types are f32, f16, bf16, i8, i16, i32, i64, u8, u32, or a type parameter bounded by `pl::Element`; an index is a `usize`
    "#]],
    );
    check(
        "#[pl::function(InCore)] fn k(x: pl::Tensor<f32, { [] }>) {}",
        expect![[r#"
        1:51 `[]`: a shape of 0 axes
            help: a shape has 1 to 6 extents
    "#]],
    );
    check(
        "#[pl::function(InCore)] fn k(x: pl::Tensor<f32, { [1, 1, 1, 1, 1, 1, 1] }>) {}",
        expect![[r#"
        1:51 `[1, 1, 1, 1, 1, 1, 1]`: a shape of 7 axes
            help: a shape has 1 to 6 extents
    "#]],
    );
    check(
        "#[pl::function(InCore)] fn k(x: pl::Tensor<f32, { [4, 999999999999999999999999999999999999999999] }>) {}",
        expect![[r#"
        1:55 `999999999999999999999999999999999999999999`: the extent `999999999999999999999999999999999999999999` is too large
            help: an extent is at most 9223372036854775807
    "#]],
    );
    check(
        "#[pl::function(InCore)] fn k(x: &pl::Tensor<f32, { [1] }>, y: &[f32], z: Vec<f32>) {}",
        expect![[r#"
            1:33 `&pl::Tensor<f32, { [1] }>`: a kernel has no type `&pl::Tensor<f32, { [1] }>`
                help: write `pl::Tensor<f32, { [1] }>`: arguments are lent by the host without `&`
            1:63 `&[f32]`: a kernel has no type `&[f32]`
                help: write `pl::Tensor<f32, { [SIZE] }>`: arguments are lent by the host without `&`
            1:74 `Vec<f32>`: a kernel has no type `Vec`
                help: the types are `pl::Tensor<f32, { [1, SIZE] }>`, `pl::Out<…>`, `pl::InOut<…>`, `pld::DistributedTensor<…>`, `pl::Tile<…>` (in Inline functions), and scalars: an element type, `usize`, `bool`; the macro cannot see through an alias
        "#]],
    );
    check(
        "#[pl::function(InCore)] fn k(x: pl::Out<f32>, y: pl::Out<pl::InOut<pl::Tensor<f32, { [1] }>>>) {}",
        expect![[r#"
        1:33 `pl::Out<f32>`: `pl::Out` of something that is not memory
            help: only tensors and windows are written: drop the wrapper
        1:58 `pl::InOut<pl::Tensor<f32, { [1] }>>`: `pl::Out` of `pl::InOut`
            help: keep one of them
    "#]],
    );
    check(
        "#[pl::function(InCore)] fn k(n: u64, m: f64) {}",
        expect![[r#"
        1:33 `u64`: a kernel has no type `u64`
            help: the element types are f32, f16, bf16, i8, i16, i32, i64, u8, u32, or a type parameter bounded by `pl::Element`; an index is a `usize`
        1:41 `f64`: a kernel has no type `f64`
            help: the element types are f32, f16, bf16, i8, i16, i32, i64, u8, u32, or a type parameter bounded by `pl::Element`; an index is a `usize`
    "#]],
    );
    check(
        "#[pl::function(InCore)] fn k(t: pl::Tile<f32, { [1, 8] }>) {}",
        expect![[r#"
        1:30 `t`: parameter `t` of a kernel is `tile<f32, [1, 8]>`, expected a tensor, a window or a scalar
            help: only `Inline` functions take tiles; pass a `pl::Tensor` and `pl::load` from it
    "#]],
    );
    check(
        "#[pl::function(InCore)] fn k(x: impl Copy) {}",
        expect![[r#"
        1:33 `impl Copy`: a kernel has no type `impl Copy`
            help: the types are `pl::Tensor<f32, { [1, SIZE] }>`, `pl::Out<…>`, `pl::InOut<…>`, `pld::DistributedTensor<…>`, `pl::Tile<…>` (in Inline functions), and scalars: an element type, `usize`, `bool`
    "#]],
    );
}

#[test]
fn shapes() {
    check(
        "#[pl::function(InCore)] fn k(x: pl::Tensor<f32, { [n] }>) {}",
        expect![[r#"
        1:52 `n`: `n` is not a name that a shape may have
            help: a shape is made of literals, constants and dims, which are in capitals: use a `const`, a const generic, or declare `dynamic(N)`
    "#]],
    );
    check(
        "#[pl::function(InCore)] fn k(x: pl::Tensor<f32, { [-1] }>) {}",
        expect![[r#"
        1:52 `-1`: a negative extent
            help: an extent is 0 or more
    "#]],
    );
    check(
        "#[pl::function(InCore)] fn k(x: pl::Tensor<f32, { [f(1)] }>) {}",
        expect![[r#"
        1:52 `f(1)`: `f(1)` is not an extent
            help: an extent is made of literals, names in capitals, and + - * / %
    "#]],
    );
    check(
        "#[pl::function(InCore)] fn k(x: pl::Tensor<f32, { [1 << 2] }>) {}",
        expect![[r#"
        1:54 `<<`: `<<` in a shape
            help: extents are computed with + - * / %
    "#]],
    );
    check(
        "#[pl::function(InCore, dynamic(N))] fn k(x: pl::Tensor<f32, { [N % 2] }>) {}",
        expect![[r#"
        1:32 `N`: no argument can bind dim `N`
            help: use `N` as an extent of a parameter, alone or in a product whose other names are bound
    "#]],
    );
    check(
        "#[pl::function(InCore)] fn k(x: pl::Tensor<f32, { [_] }>) {}",
        expect![[r#"
        1:52 `_`: `_` is not an extent
            help: an extent is made of literals, names in capitals, and + - * / %
    "#]],
    );
}

#[test]
fn parameters() {
    check(
        "#[pl::function(InCore)] fn k(self, n: usize) {}",
        expect![[r#"
        1:30 `self`: a kernel is a free function, it has no `self`
            help: move it out of the `impl`, and pass what it needs
    "#]],
    );
    check(
        "#[pl::function(InCore)] fn k(#[allow(unused)] n: usize) {}",
        expect![[r#"
        1:30 `#[allow(unused)]`: an attribute on a parameter
            help: remove it
    "#]],
    );
    check(
        "#[pl::function(InCore)] fn k((a, b): usize, _: usize) {}",
        expect![[r#"
        1:30 `(a, b)`: a parameter is a name, found the pattern `(a, b)`
            help: give it a name, `_unused` if need be
        1:45 `_`: a parameter is a name, found the pattern `_`
            help: give it a name, `_unused` if need be
    "#]],
    );
    check(
        "#[pl::function(InCore)] fn k(n: usize, n: usize) {}",
        expect![[r#"
        1:40 `n`: two parameters are named `n`
            help: rename one of them
    "#]],
    );
}

#[test]
fn generics() {
    check(
        "#[pl::function(InCore)] fn k<'a, T, U: Copy, const N: f32>(n: usize) where T: Copy {}",
        expect![[r#"
        1:30 `'a`: a kernel has no lifetimes
            help: remove it: arguments are lent by the host for the launch
        1:37 `U: Copy`: the type parameter `U` is not bounded by `pl::Element` alone
            help: write `U: pl::Element`: a type parameter stands for an element type
        1:55 `f32`: a const generic of type `f32`
            help: a const generic is a `usize`, a `bool` or an integer element type; give an enum as an integer and use `pld::ReduceOp::from_int(N)`
        1:70 `where T: Copy`: a kernel has no `where` clause
            help: write the bound at the type parameter: `T: pl::Element`
    "#]],
    );
    check(
        "#[pl::function(InCore, dynamic(N))] fn k<const N: usize>(x: pl::Tensor<f32, { [N] }>) {}",
        expect![[r#"
        1:48 `N`: `N` is a generic parameter and declared `dynamic`
            help: a dim is bound at launch, a generic argument where it is written: keep one
    "#]],
    );
    check(
        "#[pl::function(InCore)] async unsafe fn k() {}",
        expect![[r#"
        1:25 `async`: a kernel is not `async`
            help: remove `async`: a `pld::system::wait` blocks only its own rank
        1:31 `unsafe`: a kernel is not `unsafe`
            help: remove it
    "#]],
    );
    check(
        "#[pl::function(InCore)] const extern \"C\" fn k() {}",
        expect![[r#"
        1:25 `const`: a kernel is not a `const fn`
            help: remove `const`
        1:31 `extern "C"`: a kernel has no ABI
            help: remove `extern`
    "#]],
    );
}

#[test]
fn returns() {
    check(
        "#[pl::function(InCore)] fn k() -> f32 { 1.0 }",
        expect![[r#"
        1:35 `f32`: a kernel returns `f32`, expected a tensor or window that it rebinds
            help: store the value into a `pl::Out` parameter and return that
    "#]],
    );
    check(
        "#[pl::function(InCore)] fn k(y: pl::Out<pl::Tensor<f32, { [1] }>>) -> pl::Out<pl::Tensor<f32, { [1] }>> { y }",
        expect![[r#"
        1:30 `y`: `y` is an `Out` parameter and nothing is stored to it
            help: store to it (`pl::store(tile, offsets, y)`), or declare it without `pl::Out`
        1:71 `pl::Out<pl::Tensor<f32, { [1] }>>`: `pl::Out` in a return type
            help: `pl::Out` and `pl::InOut` mark parameters: write the type inside
    "#]],
    );
    check(
        "#[pl::function(InCore)] fn k(y: pl::InOut<pl::Tensor<f32, { [1] }>>) -> pl::Tensor<f32, { [1] }> { }",
        expect![[r#"
        1:73 `pl::Tensor<f32, { [1] }>`: the function declares a return value and returns none
            help: end the body with the value, without a semicolon
    "#]],
    );
    check(
        "#[pl::function(InCore)] fn k(y: pl::InOut<pl::Tensor<f32, { [1] }>>) -> pl::Tensor<f32, { [2] }> { y }",
        expect![[r#"
        1:100 `y`: `tensor<f32, [1]>` is returned, declared is `tensor<f32, [2]>`
            note: declared here, at line 1
            help: return a value of the declared type, or change the declaration
    "#]],
    );
    check(
        "#[pl::function(InCore)] fn k(y: pl::InOut<pl::Tensor<f32, { [1] }>>) -> pl::Tensor<f32, { [1] }> { return y; }",
        expect![[r#""#]],
    );
}
