//! `let`, assignments, loops.

use super::body;
use expect_test::expect;

#[test]
fn patterns() {
    body(
        "let (a, (b, c)) = f(x);\nlet [d] = n;\nlet ref e = n;\nlet Foo { f } = n;\nlet g @ 1 = n;\nlet 3 = n else { };",
        expect![[r#"
        2:9 `(b, c)`: a kernel has no pattern `(b, c)`
            help: a `let` declares a name, `(a, b)` for the results of a call, or `_`
        3:5 `[d]`: a kernel has no pattern `[d]`
            help: a `let` declares a name, `(a, b)` for the results of a call, or `_`
        4:5 `ref e`: a kernel has no pattern `ref e`
            help: a `let` declares a name, `(a, b)` for the results of a call, or `_`
        5:5 `Foo { f }`: a kernel has no pattern `Foo { f }`
            help: a `let` declares a name, `(a, b)` for the results of a call, or `_`
        6:5 `g @ 1`: a kernel has no pattern `g @ 1`
            help: a `let` declares a name, `(a, b)` for the results of a call, or `_`
        7:5 `3`: a kernel has no pattern `3`
            help: a `let` declares a name, `(a, b)` for the results of a call, or `_`
    "#]],
    );
}

#[test]
fn assignments() {
    body(
        "x[0] = 1.0;\ny.z = 1;\nn + 1 = 2;\nlet a = (n = 3);\ny += 1.0;",
        expect![[r#"
        2:1 `x[0]`: a kernel does not index
            help: write one element: `pl::write(x, [0], value)`
        3:1 `y.z`: `y.z` cannot be assigned to
            help: assign to a variable
        4:1 `n + 1`: `n + 1` cannot be assigned to
            help: assign to a variable
        5:10 `n = 3`: an assignment gives no value
            help: write it as a statement of its own
        6:3 `+=`: `+=` on a tensor or window
            help: load a tile from it first: `pl::load(…)`
    "#]],
    );
}

#[test]
fn loops() {
    body(
        "for a in 0..=n { }\nfor b in 0.. { }\nfor c in (0..n).rev() { }\nfor d in x { }\nfor mut e in 0..n { }\nfor (f, g) in 0..n { }\n'l: for h in 0..n { }",
        expect![[r#"
        2:11 `..=`: a range with `..=`
            help: write the end itself: `a..b + 1`
        3:10 `0..`: a range without start or end
            help: write `a..b`
        4:17 `rev`: a kernel has no method `rev`
            help: ranges count up: compute the index, `n - 1 - i`
        5:10 `x`: a loop runs over a range
            help: write `for i in 0..n`, or `for i in pl::range(start, end, step)`
        6:5 `mut e`: a loop variable does not change
            help: copy it: `let mut j = i;`
        7:5 `(f, g)`: a loop variable is a name, found `(f, g)`
            help: write `for i in 0..n`
        8:1 `'l:`: a kernel has no labels
            help: remove it
    "#]],
    );
    body(
        "for a in pl::range() { }\nfor b in pl::range(0, n, 1, 1) { }\nfor c in (0..n).step_by(2) { }",
        expect![[r#"
        2:10 `pl::range()`: `pl::range` has 0 arguments, expected 1 to 3
            help: write `pl::range(end)`, `pl::range(start, end)` or `pl::range(start, end, step)`
        3:10 `pl::range(0, n, 1, 1)`: `pl::range` has 4 arguments, expected 1 to 3
            help: write `pl::range(end)`, `pl::range(start, end)` or `pl::range(start, end, step)`
        4:17 `step_by`: a kernel has no method `step_by`
            help: write `pl::range(start, end, step)`
    "#]],
    );
    body(
        "loop { break; }\nwhile flag { continue; }\nwhile let Some(a) = n { }\nif let 1 = n { }",
        expect![[r#"
        2:1 `loop`: a kernel has no `loop`
            help: write `while condition { … }`, or `for i in 0..n { … }`
        3:14 `continue`: a kernel has no `continue`
            help: put the rest of the loop's body into `if`
        4:7 `let Some(a) = n`: a kernel has no `let` in conditions
            help: compare the values: `if a == b { … }`
        5:4 `let 1 = n`: a kernel has no `let` in conditions
            help: compare the values: `if a == b { … }`
    "#]],
    );
}

#[test]
fn values() {
    body(
        "let a = if flag { 1 };\nlet b = { n + 1; };\nlet c = pld::system::wait(signal, [0, 0], 1, pld::WaitCmp::Ge);\nlet d = if flag { 1 } else { n; };",
        expect![[r#"
        2:9 `if flag`: this `if` gives no value where its condition is false
            help: add an `else` with a value
        3:9 `{ n + 1; }`: this block gives no value
            help: end it with the value, without a semicolon
        4:9 `pld::system::wait(signal, [0, 0], 1, pld::WaitCmp::Ge)`: `pld::system::wait` gives no value
            help: write it as a statement of its own
        5:28 `{ n; }`: this block gives no value
            help: end it with the value, without a semicolon
    "#]],
    );
    body(
        "return;\nlet a = 1;",
        expect![[r#"
        2:1 `return`: `return` in the middle of a kernel
            help: put the rest into `else`, and the value at the end
    "#]],
    );
}
