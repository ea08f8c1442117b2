//! Calls of ops and of the user's functions.

use super::{body, check};
use expect_test::expect;

#[test]
fn unknown_ops() {
    body(
        "let a = pl::laod(x, [0, 0], [1, SIZE]);\nlet b = pl::frobnicate(a);\npl::store(a, [0, 0], y);",
        expect![[r#"
        2:9 `pl::laod`: there is no op `pl::laod`
            help: did you mean `pl::load`?
        3:9 `pl::frobnicate`: there is no op `pl::frobnicate`
            help: the ops are listed in the documentation of `pl`
    "#]],
    );
    body(
        "pld::wait(signal, [0, 0], 1, pld::WaitCmp::Ge);\npl::system::notify(signal, 0, [0, 0], 1, pld::NotifyOp::Set);",
        expect![[r#"
        2:1 `pld::wait`: there is no op `pld::wait`
            help: did you mean `pld::system::wait`?
        3:1 `pl::system::notify`: there is no op `pl::system::notify`
            help: did you mean `pld::system::notify`?
    "#]],
    );
    body(
        "let a = load(x, [0, 0], [1, SIZE]);\nlet b = ops::load(x, [0, 0], [1, 8]);\nlet c = ::pl::load(x, [0, 0], [1, 8]);",
        expect![[r#"
        2:9 `load`: `load` is not the path of an op
            help: write `pl::load`; a function of your own needs a name that no op has
        3:9 `ops::load`: `ops::load` is not the path of an op
            help: write `pl::load`: ops are called by a path that begins with `pl::` or `pld::`
        4:9 `::pl::load`: `::pl::load` is not the path of an op
            help: write `pl::load`: ops are called by a path that begins with `pl::` or `pld::`
    "#]],
    );
    body(
        "let a = pl::distributed::nranks(0);",
        expect![[r#"
        2:9 `pl::distributed::nranks`: there is no op `pl::distributed::nranks`
            help: did you mean `pld::nranks`?
    "#]],
    );
}

#[test]
fn arguments() {
    body(
        "let a = pl::load(x, [0, 0]);",
        expect![[r#"
        2:9 `pl::load(x, [0, 0])`: `pl::load` has 2 arguments, expected 3
            help: its arguments are src, offsets, shape; for example `let chunk = pl::load(x, [0, c * SIZE], [1, SIZE]);`
    "#]],
    );
    body(
        "let a = pl::load(x, [0, 0], [1, SIZE], 3);",
        expect![[r#"
        2:9 `pl::load(x, [0, 0], [1, SIZE], 3)`: `pl::load` has 4 arguments, expected 3
            help: its arguments are src, offsets, shape; for example `let chunk = pl::load(x, [0, c * SIZE], [1, SIZE]);`
    "#]],
    );
    body(
        "let a = pl::load(x, [0, 0], shap = [1, SIZE]);",
        expect![[r#"
        2:29 `shap`: `pl::load` has no argument `shap`
            help: did you mean `shape`? its arguments are src, offsets, shape
    "#]],
    );
    body(
        "let a = pl::load(x, offsets = [0, 0], offsets = [1, SIZE]);",
        expect![[r#"
        2:39 `offsets`: the argument `offsets` of `pl::load` is given twice
            help: remove one of them
    "#]],
    );
    body(
        "let a = pl::load(x, offsets = [0, 0], [1, SIZE]);",
        expect![[r#"
        2:39 `[1, SIZE]`: a positional argument after a named one
            help: name it too; its arguments are src, offsets, shape
    "#]],
    );
    body(
        "let a = pl::load(x, shape = [1, SIZE]);",
        expect![[r#"
        2:9 `pl::load(x, shape = [1, SIZE])`: `pl::load` lacks the argument `offsets`
            help: its arguments are src, offsets, shape; for example `let chunk = pl::load(x, [0, c * SIZE], [1, SIZE]);`
    "#]],
    );
    body(
        "pld::system::notify(signal, value = 1);",
        expect![[r#"
        2:1 `pld::system::notify(signal, value = 1)`: `pld::system::notify` lacks the arguments `peer`, `offsets`, `op`
            help: its arguments are signal, peer, offsets, value, op; for example `pld::system::notify(signal, peer = peer, offsets = [my_rank, 0], value = 1, op = pld::NotifyOp::AtomicAdd);`
    "#]],
    );
    body(
        "let a = pl::load(x, n, [1, SIZE]);\nlet b = pl::load([0, 0], [0, 0], [1, SIZE]);\nlet c = pl::load(x, [0; 2], [1, 1]);",
        expect![[r#"
        2:21 `n`: argument `offsets` of `pl::load` is not a list
            help: write it in brackets, one entry per axis: `[0, 0]`
        3:18 `[0, 0]`: argument `src` of `pl::load` is a list, expected a tensor or window
            help: write the value without brackets
        4:21 `[0; 2]`: argument `offsets` of `pl::load` is not a list
            help: write the list out: `[0, 0]`
    "#]],
    );
    body(
        "let a = pl::load(x, [0, pl::load(x, [0, 0], [1, 1])], [1, SIZE]);",
        expect![[r#"
        2:25 `pl::load(x, [0, 0], [1, 1])`: an entry of argument `offsets` of `pl::load` is a tile, expected an index (`usize`)
            help: read one element first: `pl::read(…)`
    "#]],
    );
}

#[test]
fn type_arguments() {
    body(
        "let a = pl::load::<f32>(x, [0, 0], [1, SIZE]);\nlet b = pl::full([1, 8], 0.0);\nlet c = pl::cast::<f64>(pl::load(x, [0, 0], [1, 8]));",
        expect![[r#"
        2:17 `::<f32>`: `pl::load` takes no type argument
            help: remove it
        3:9 `pl::full`: `pl::full` needs its element type
            help: write `pl::full::<f32>(…)`
        4:20 `f64`: `f64` is not an element type
            help: the element types are f32, f16, bf16, i8, i16, i32, i64, u8, u32, or a type parameter bounded by `pl::Element`; an index is a `usize`
    "#]],
    );
    body(
        "let a = pl::full::<f32, 2>([1, 8], 0.0);",
        expect![[r#"
        2:17 `::<f32, 2>`: `pl::full` takes one element type
            help: write `pl::full::<f32>(…)`
    "#]],
    );
    body(
        "let a = pl::lit(1.5);\nlet b = pl::lit::<T>(n);\nlet c = pl::lit::<f32>(1.0, 2.0);",
        expect![[r#"
        2:9 `pl::lit(1.5)`: `pl::lit` needs its element type
            help: write `pl::lit::<T>(1.5)`: an element type and a literal
        3:22 `n`: the argument of `pl::lit` is not a plain literal
            help: write `pl::lit::<T>(1.5)`: an element type and a literal
        4:9 `pl::lit::<f32>(1.0, 2.0)`: `pl::lit` has 2 arguments, expected 1
            help: write `pl::lit::<T>(1.5)`: an element type and a literal
    "#]],
    );
}

#[test]
fn enums() {
    body(
        "pld::tensor::reduce_scatter(data, signal, op = pld::ReduceOp::Max);",
        expect![[r#"
        2:48 `pld::ReduceOp::Max`: pld::tensor::reduce_scatter op must be ReduceOp::Sum (got int 1); Max / Min / Prod lowerings are not yet implemented
            help: use `pld::ReduceOp::Sum`, or `pld::tensor::allreduce`, which takes Sum, Max, Min and Prod
    "#]],
    );
    body(
        "pld::tensor::reduce_scatter(data, signal, op = pld::ReduceOp::Sun);",
        expect![[r#"
        2:48 `pld::ReduceOp::Sun`: `pld::ReduceOp` has no variant `Sun`
            help: did you mean `Sum`? it is one of `pld::ReduceOp::Sum`, `pld::ReduceOp::Max`, `pld::ReduceOp::Min` or `pld::ReduceOp::Prod`
    "#]],
    );
    body(
        "pld::tensor::reduce_scatter(data, signal, op = pld::WaitCmp::Ge);",
        expect![[r#"
        2:48 `pld::WaitCmp::Ge`: argument `op` of `pld::tensor::reduce_scatter` is a `pld::WaitCmp`, expected a `pld::ReduceOp`
            help: it is one of `pld::ReduceOp::Sum`, `pld::ReduceOp::Max`, `pld::ReduceOp::Min` or `pld::ReduceOp::Prod`
    "#]],
    );
    body(
        "pld::tensor::reduce_scatter(data, signal, op = i);\npld::tensor::reduce_scatter(data, signal, op = 0);",
        expect![[r#"
        2:48 `i`: argument `op` of `pld::tensor::reduce_scatter` must be a constant expression
            help: write one of `pld::ReduceOp::Sum`, `pld::ReduceOp::Max`, `pld::ReduceOp::Min` or `pld::ReduceOp::Prod`, or the name of a `const`
        3:48 `0`: argument `op` of `pld::tensor::reduce_scatter` is `0`, expected a `pld::ReduceOp`
            help: it is one of `pld::ReduceOp::Sum`, `pld::ReduceOp::Max`, `pld::ReduceOp::Min` or `pld::ReduceOp::Prod`
    "#]],
    );
    body(
        "pld::tensor::reduce_scatter(data, signal, op = pld::ReduceOp::from_int(i));\nlet z = pld::ReduceOp::Sum;",
        expect![[r#"
        2:48 `pld::ReduceOp::from_int(i)`: argument `op` of `pld::tensor::reduce_scatter` must be a constant expression
            help: write one of `pld::ReduceOp::Sum`, `pld::ReduceOp::Max`, `pld::ReduceOp::Min` or `pld::ReduceOp::Prod`
        3:9 `pld::ReduceOp::Sum`: `pld::ReduceOp::Sum` outside of the arguments of an op
            help: give it to the op that takes it: `op = …`
    "#]],
    );
    body(
        "pld::tensor::reduce_scatter(data, signal, op = if flag { A } else { B });\npld::tensor::reduce_scatter(data, signal, op = sum);",
        expect![[r#"
        2:48 `if flag { A } else { B }`: argument `op` of `pld::tensor::reduce_scatter` must be a constant expression
            help: write one of `pld::ReduceOp::Sum`, `pld::ReduceOp::Max`, `pld::ReduceOp::Min` or `pld::ReduceOp::Prod`, or the name of a `const`
        3:48 `sum`: cannot find `sum` in this kernel
            help: declare it with `let`, or make it a parameter; constants are written in capitals
    "#]],
    );
    body(
        "pld::tensor::reduce_scatter(data, signal, op = MINE);\npld::tensor::reduce_scatter(data, signal, op = Sum);",
        expect![[r#""#]],
    );
}

#[test]
fn functions() {
    body(
        "kernel(x);\nself::kernel(x);",
        expect![[r#"
        2:1 `kernel`: `kernel` calls itself
            help: a device has no call stack: write a loop
        3:1 `self::kernel`: `kernel` calls itself
            help: a device has no call stack: write a loop
    "#]],
    );
    body(
        "helper(x, n = 3);\nhelper(device = 0);",
        expect![[r#"
        2:11 `n = 3`: a named argument in a call of `helper`
            help: write `helper(3)`: the calls of your own functions are positional
        3:8 `device = 0`: `device = …` in a kernel
            help: a kernel runs on one device: a `Host` function dispatches to others
    "#]],
    );
    body(
        "n(3);\nSome(n);\nf32::sqrt(alpha);\ncore::mem::swap(n, i);\n(n)(1);",
        expect![[r#"
        2:1 `n`: `n` is a variable, not a function
            help: remove the parentheses
        3:1 `Some`: `Some` is not a function of a kernel
            help: a kernel has no structs and no enum values with fields
        4:1 `f32::sqrt`: a kernel cannot call `f32::sqrt`
            help: it calls ops (`pl::…`, `pld::…`) and your Inline functions; scalars have `+ - * / %`, `pl::min`, `pl::max`
        5:1 `core::mem::swap`: a kernel cannot call `core::mem::swap`
            help: it calls ops (`pl::…`, `pld::…`) and your Inline functions; scalars have `+ - * / %`, `pl::min`, `pl::max`
        6:1 `(n)`: this is not a function
            help: functions are called by their name
    "#]],
    );
    body(
        "let a = helper(x);\nlet b = a + 1;\nlet c = -a;",
        expect![[r#"
        3:11 `+`: `+` on the result of a call, whose type is not known here
            help: annotate it: `let t: pl::Tile<f32, { [1, SIZE] }> = …`, or `let n: usize = …`
        4:9 `-a`: `-` on the result of a call, whose type is not known here
            help: annotate it: `let t: pl::Tile<f32, { [1, SIZE] }> = …`, or `let n: usize = …`
    "#]],
    );
    body(
        "let (a, b) = helper(x);\nlet (c, d) = n;\nlet (e, f) = pl::load(x, [0, 0], [1, 1]);",
        expect![[r#"
        3:14 `n`: this is not a call of a function
            help: a tuple is only what a function returns: assign the values one by one
        4:14 `pl::load(x, [0, 0], [1, 1])`: `pl::load` gives one value, not 2
            help: only calls of your own functions return tuples
    "#]],
    );
    body(
        "let z = pl::range(3);\nlet a = pl::min(1);\nlet b = pl::max(pl::load(x, [0, 0], [1, 1]), 1.0);",
        expect![[r#"
        2:9 `pl::range(3)`: `pl::range` stands only in the head of a `for`
            help: write `for i in pl::range(n)`
        3:9 `pl::min(1)`: `pl::min` has 1 argument, expected 2
            help: write `pl::min(a, b)`
        4:9 `pl::max(pl::load(x, [0, 0], [1, 1]), 1.0)`: `pl::max` on a tile
            help: `pl::max` is for scalars; on tiles write `pl::maximum(a, b)`
    "#]],
    );
    check(
        "#[pl::function(Inline)] fn f(n: usize) -> usize { f(n) }",
        expect![[r#"
        1:51 `f`: `f` calls itself
            help: a device has no call stack: write a loop
    "#]],
    );
}
