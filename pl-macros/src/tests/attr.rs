//! The attribute's arguments.

use super::check;
use expect_test::expect;

#[test]
fn function_type() {
    check(
        "#[pl::function] fn k() {}",
        expect![[r#"
        1:1 ``: the function type is missing
            help: write `#[pl::function(InCore)]`: the function types are InCore (a kernel of one device), Inline (inlined where it is called), Orchestration (a sequence of kernels on one device) and Host (allocates windows, dispatches to all devices)
    "#]],
    );
    check(
        "#[pl::function()] fn k() {}",
        expect![[r#"
        1:1 ``: the function type is missing
            help: write `#[pl::function(InCore)]`: the function types are InCore (a kernel of one device), Inline (inlined where it is called), Orchestration (a sequence of kernels on one device) and Host (allocates windows, dispatches to all devices)
    "#]],
    );
    check(
        "#[pl::function(Incore)] fn k() {}",
        expect![[r#"
        1:16 `Incore`: unknown function type `Incore`
            help: did you mean `InCore`? the function types are InCore (a kernel of one device), Inline (inlined where it is called), Orchestration (a sequence of kernels on one device) and Host (allocates windows, dispatches to all devices)
    "#]],
    );
    check(
        "#[pl::function(Kernel)] fn k() {}",
        expect![[r#"
        1:16 `Kernel`: unknown function type `Kernel`
            help: the function types are InCore (a kernel of one device), Inline (inlined where it is called), Orchestration (a sequence of kernels on one device) and Host (allocates windows, dispatches to all devices)
    "#]],
    );
    check("#[pl::function(Host)] fn k() {}", expect![""]);
    check("#[pl::function(Orchestration)] fn k() {}", expect![""]);
    check(
        "#[pl::function(InCore, Inline)] fn k() {}",
        expect![[r#"
        1:24 `Inline`: a second function type
            help: a function has one type
    "#]],
    );
    check(
        "#[pl::function(InCore)] struct K;",
        expect![[r#"
        1:25 `struct K;`: `pl::function` goes on a function
            help: write `#[pl::function(InCore)] fn kernel(…) { … }`, outside of any `impl` or `trait`
    "#]],
    );
}

#[test]
fn dynamic() {
    check(
        "#[pl::function(InCore, dynamic)] fn k() {}",
        expect![[r#"
        1:24 `dynamic`: `dynamic` has no names
            help: list them: `dynamic(NR, SIZE)`
    "#]],
    );
    check(
        "#[pl::function(InCore, dynamic(N, N))] fn k(x: pl::InOut<pl::Tensor<f32, { [N] }>>) {}",
        expect![[r#"
        1:35 `N`: `N` is declared twice
            help: remove one of them
    "#]],
    );
    check(
        "#[pl::function(InCore, dynamic(n))] fn k(x: pl::InOut<pl::Tensor<f32, { [n] }>>) {}",
        expect![[r#"
        1:32 `n`: the dynamic name `n` is not in capitals
            help: write `N`
    "#]],
    );
    check(
        "#[pl::function(InCore, static(N))] fn k() {}",
        expect![[r#"
        1:24 `static`: expected identifier, found keyword `static`
            help: write `#[pl::function(InCore, dynamic(NR, SIZE))]`
    "#]],
    );
    check(
        "#[pl::function(InCore, dims(N))] fn k() {}",
        expect![[r#"
        1:24 `dims`: unknown argument `dims` of `pl::function`
            help: the arguments are a function type and `dynamic(…)`
    "#]],
    );
    check(
        "#[pl::function(InCore, dynamic(N, M))] fn k(x: pl::Tensor<f32, { [N] }>) {}",
        expect![[r#"
        1:35 `M`: dim `M` is declared in `dynamic(…)` and never used
            help: use it in a parameter's shape, or remove it
    "#]],
    );
}
