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
                help: write `#[pl::function(InCore, dynamic(NR, SIZE), allow(stale_wait))]`: names in capitals in `dynamic(…)`, lints in `allow(…)`
        "#]],
    );
    check(
        "#[pl::function(InCore, dims(N))] fn k() {}",
        expect![[r#"
            1:24 `dims`: unknown argument `dims` of `pl::function`
                help: the arguments are a function type, `dynamic(…)` and `allow(…)`
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

/// Lints, in every function type; what is wrong in them.
#[test]
fn allow() {
    for kind in ["InCore", "Inline", "Orchestration", "Host"] {
        check(&format!("#[pl::function({kind}, allow(stale_wait, set_overwrote,))] fn k() {{}}"), expect![""]);
    }
    check("#[pl::function(allow(), InCore)] fn k() {}", expect![""]);
    check(
        "#[pl::function(InCore, allow)] fn k() {}",
        expect![[r#"
        1:24 `allow`: `allow` has no lints
            help: list them: `allow(stale_wait)`; the lints are set_overwrote, set_add_mixed, stale_wait, out_unwritten, order_dependent
    "#]],
    );
    check(
        "#[pl::function(InCore, allow(stalewait))] fn k() {}",
        expect![[r#"
        1:30 `stalewait`: unknown lint `stalewait`
            help: the lints are set_overwrote, set_add_mixed, stale_wait, out_unwritten, order_dependent; did you mean `stale_wait`?
    "#]],
    );
    check(
        "#[pl::function(InCore, allow(unused_variables, dead_code))] fn k() {}",
        expect![[r#"
        1:30 `unused_variables`: unknown lint `unused_variables`
            help: the lints are set_overwrote, set_add_mixed, stale_wait, out_unwritten, order_dependent; one of rustc has an attribute of its own, `#[allow(unused_variables)]`
        1:48 `dead_code`: unknown lint `dead_code`
            help: the lints are set_overwrote, set_add_mixed, stale_wait, out_unwritten, order_dependent; one of rustc has an attribute of its own, `#[allow(dead_code)]`
    "#]],
    );
    check(
        "#[pl::function(InCore, allow(stale_wait, out_unwritten, stale_wait))] fn k() {}",
        expect![[r#"
        1:57 `stale_wait`: `stale_wait` is allowed twice
            help: remove one of them
    "#]],
    );
    check(
        "#[pl::function(InCore, allow(stale_wait), allow(set_add_mixed))] fn k() {}",
        expect![[r#"
        1:43 `allow`: `allow` is given twice
            help: list all lints in one `allow(…)`
    "#]],
    );
    check(
        "#[pl::function(InCore, allow(set-overwrote, order-dependent))] fn k() {}",
        expect![[r#"
        1:30 `set-overwrote`: the lint `set-overwrote` is written with `_` here
            help: write `set_overwrote`
        1:45 `order-dependent`: the lint `order-dependent` is written with `_` here
            help: write `order_dependent`
    "#]],
    );
    check(
        "#[pl::function(InCore, stale_wait)] fn k() {}",
        expect![[r#"
        1:24 `stale_wait`: the lint `stale_wait` stands alone
            help: write `allow(stale_wait)`
    "#]],
    );
    check(
        "#[pl::function(InCore, dynamic(stale_wait))] fn k() {}",
        expect![[r#"
        1:32 `stale_wait`: the lint `stale_wait` stands in `dynamic(…)`
            help: write `allow(stale_wait)`; `dynamic(…)` lists the names of extents
    "#]],
    );
    check(
        "#[pl::function(InCore, dynamic(N-M))] fn k() {}",
        expect![[r#"
        1:32 `N-M`: `N-M` is not a name
            help: list them: `dynamic(NR, SIZE)`
    "#]],
    );
    check(
        "#[pl::function(InCore, allow(\"stale_wait\"))] fn k() {}",
        expect![[r#"
        1:30 `"stale_wait"`: expected identifier
            help: write `#[pl::function(InCore, dynamic(NR, SIZE), allow(stale_wait))]`: names in capitals in `dynamic(…)`, lints in `allow(…)`
    "#]],
    );
    check(
        "#[pl::function(InCore, allows(stale_wait))] fn k() {}",
        expect![[r#"
        1:24 `allows`: unknown argument `allows` of `pl::function`
            help: the arguments are a function type, `dynamic(…)` and `allow(…)`
    "#]],
    );
    check(
        "#[pl::function(InCore)] #[allow(dead_code, set_overwrote)] fn k() {}",
        expect![[r#"
        1:44 `set_overwrote`: `set_overwrote` is a lint of pl, not one of rustc
            help: write `#[pl::function(InCore, allow(set_overwrote))]`
    "#]],
    );
}
