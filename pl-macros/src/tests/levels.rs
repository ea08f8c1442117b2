//! Orchestration and Host functions, transfers and collectives.

use super::{body, check};
use expect_test::{Expect, expect};

/// Checks what is said of the body of a Host function, whose first line is line 2.
fn host(body: &str, expected: Expect) {
    let header = "#[pl::function(Host, dynamic(NR, S))] fn host(x: pl::Tensor<f32, { [NR, 1, S] }>, \
                  y: pl::InOut<pl::Tensor<f32, { [NR, 1, S] }>>, n: usize, i: i32) {";
    check(&format!("{header}\n{body}\n}}"), expected);
}

/// The same of an Orchestration function.
fn orchestration(body: &str, expected: Expect) {
    let header = "#[pl::function(Orchestration, dynamic(NR, S))] fn steps(x: pl::Tensor<f32, { [1, S] }>, \
                  mut y: pl::InOut<pl::Tensor<f32, { [1, S] }>>, data: pl::InOut<pld::DistributedTensor<f32, { [NR, S] }>>, n: usize) {";
    check(&format!("{header}\n{body}\n}}"), expected);
}

#[test]
fn dispatches() {
    host(
        "for r in 0..pld::world_size() {\nstep(x[r], y[r], device = r);\nstep(x[r], y[r]);\nstep(x[r], device = r, y[r]);\nstep(x[r], q = y[r], device = r);\n}",
        expect![[r#"
            4:1 `step(x[r], y[r])`: `step` is called without a device
                help: say which device runs it: `step(…, device = r)`
            5:24 `y[r]`: an argument after `device = …`
                help: the device stands last
            6:12 `q = y[r]`: a named argument in a call of `step`
                help: write `step(y[r])`: the calls of your own functions are positional, but for `device`
        "#]],
    );
    host(
        "for r in 0..pld::world_size() { let z = step(x[r], y[r], device = r); }\nfor r in 0..pld::world_size() { step(x[r], y[r], device = x); }\nfor r in 0..pld::world_size() { step(x[q], y[r], device = r); }",
        expect![[r#"
            2:41 `step(x[r], y[r], device = r)`: a call that is dispatched to a device gives no value
                help: write it as a statement of its own: its `Out` and `InOut` arguments hold what it writes
            3:59 `x`: the device is a tensor or window, expected an index (`usize`)
                help: ranks are counted: `for r in 0..pld::world_size()`
            4:40 `q`: cannot find `q` in this function
                help: declare it with `let`, or make it a parameter; constants are written in capitals
        "#]],
    );
    host(
        "for r in 0..pld::world_size() {\nstep(x[i], y[r], device = r);\nstep(n[r], y[r], device = r);\nstep(x[[r, 0]], y[r], device = r);\ny[r] = x[r];\n}",
        expect![[r#"
            3:8 `i`: argument `index` of `pl::part` is `i32`, expected `usize`
                help: convert it: `… as usize`
            4:6 `n`: `n` is a scalar
                help: a tensor with an axis of ranks has parts: `x[r]`
            5:8 `[r, 0]`: `[r, 0]` is not an index
                help: it takes one index of the outermost axis: `x[r]`
            6:1 `y[r]`: `y[r]` cannot be assigned to
                help: a part is written by the function that it is passed to: `step(y[r], device = …)`
        "#]],
    );
}

#[test]
fn ops_of_other_levels() {
    host(
        "let t = pl::load(x, [0, 0, 0], [1, 1, S]);\npl::store(t + 1.0, [0, 0, 0], y);\nlet me = pld::rank(pld::get_comm_ctx(pld::window::<f32>(pld::alloc_window_buffer(4), [1])));",
        expect![[r#"
            2:9 `pl::load(x, [0, 0, 0], [1, 1, S])`: `pl::load` in a Host function, it belongs to InCore and Inline functions
                help: put it into an InCore function, and dispatch that with `device = r`
            4:20 `pld::get_comm_ctx(pld::window::<f32>(pld::alloc_window_buffer(4), [1]))`: `pld::get_comm_ctx` in a Host function, it belongs to InCore, Inline and Orchestration functions
                help: ranks are counted with `pld::world_size()` here; an InCore function asks for its own
        "#]],
    );
    orchestration(
        "let t = pl::load(x, [0, 0], [1, S]);\npl::store(t + 1.0, [0, 0], y);\nlet z = x[0];\nstep(x, y, device = n);\nlet p = pld::world_size();\nlet f = || 1;",
        expect![[r#"
            2:9 `pl::load(x, [0, 0], [1, S])`: `pl::load` in an Orchestration function, it belongs to InCore and Inline functions
                help: put it into an InCore function, and call that
            4:9 `x[0]`: an Orchestration function does not index
                help: read one element: `pl::read(x, [0])`
            5:12 `device = n`: `device = …` in an Orchestration function
                help: an Orchestration function runs on one device: a `Host` function dispatches to others
            6:9 `pld::world_size()`: `pld::world_size` in an Orchestration function, it belongs to Host functions
                help: write `pld::nranks(pld::get_comm_ctx(window))`, the ranks of a window's domain
            7:9 `|| 1`: an Orchestration function has no closures
                help: write the code where it is used, or in an InCore function
        "#]],
    );
    orchestration(
        "y = step(x, y, data);\nlet z = step(x, y, pl::read(data, [n, 0]));\n(y, _) = split(x, z);",
        expect![""],
    );
}

#[test]
fn transfers() {
    body(
        "pld::tensor::put(data, 1, y, [0, 0], atomic = pld::NotifyOp::Set);\npld::tensor::put(data, pld::AtomicType::Add, y, [0, 0], [0, 0], [1, 8]);\npld::tensor::put(data, n, y, chunk_rows = n, chunk_cols = 64);\npld::tensor::get(y, n, data, chunk_cols = 64, pipeline = flag);",
        expect![[r#"
            2:47 `pld::NotifyOp::Set`: argument `atomic` of `pld::tensor::put` is a `pld::NotifyOp`, expected a `pld::AtomicType`
                help: it is one of `pld::AtomicType::None` or `pld::AtomicType::Add`
            3:24 `pld::AtomicType::Add`: argument `peer` of `pld::tensor::put` is `pld::AtomicType::Add`, expected a rank (`usize`)
                help: name it: `atomic = pld::AtomicType::Add`
            4:43 `n`: argument `chunk_rows` of `pld::tensor::put` must be a constant
                help: it bounds the tile memory that the transfer needs: write a literal or the name of a `const`
            5:24 `data`: extent 0 of `pld::tensor::get` is no constant (`NR`), and `chunk_rows` is not given
                help: bound the tile memory of the transfer: `chunk_rows = 64`
            5:58 `flag`: argument `pipeline` of `pld::tensor::get` must be a constant
                help: write `true`, `false`, or the name of a `const`
        "#]],
    );
    body(
        "pld::system::quiet();\nlet a = pld::tensor::put(data, 1, y, chunk_rows = 1, chunk_cols = 64);",
        expect![[r#"
        2:1 `pld::system::quiet`: there is no op `pld::system::quiet`
            help: none is needed: `pld::system::notify` orders everything that its rank did before
        3:9 `pld::tensor::put(data, 1, y, chunk_rows = 1, chunk_cols = 64)`: `pld::tensor::put` gives no value
            help: write it as a statement of its own
    "#]],
    );
}

#[test]
fn modes() {
    body(
        "pld::tensor::allreduce(data, signal, mode = \"rnig\");\npld::tensor::allreduce(data, signal, mode = Mesh);\npld::tensor::allreduce(data, signal, mode = ring);\npld::tensor::allreduce(data, signal, mode = (pld::ReduceOp::Sum));\npld::tensor::allreduce(data, signal, mode = true);\npld::tensor::allreduce(data, signal, mode = if flag { \"mesh\" } else { \"ring\" });",
        expect![[r#"
            2:45 `"rnig"`: argument `mode` of `pld::tensor::allreduce` cannot be `"rnig"`
                help: did you mean `"ring"`? it is `"mesh"` or `"ring"`
            4:45 `ring`: argument `mode` of `pld::tensor::allreduce` is a string
                help: write `"ring"`
            5:46 `pld::ReduceOp::Sum`: argument `mode` of `pld::tensor::allreduce` must be a constant expression
                help: it is `"mesh"` or `"ring"`, or the name of a `const`
            6:45 `true`: argument `mode` of `pld::tensor::allreduce` is `true`, expected a string
                help: it is `"mesh"` or `"ring"`
            7:45 `if flag { "mesh" } else { "ring" }`: argument `mode` of `pld::tensor::allreduce` must be a constant expression
                help: it is `"mesh"` or `"ring"`, or the name of a `const`
        "#]],
    );
}
