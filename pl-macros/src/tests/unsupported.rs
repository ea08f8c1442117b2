//! Rust that the language does not have.

use super::body;
use expect_test::expect;

#[test]
fn expressions() {
    body(
        "let a = match n { 0 => 1, _ => 2 };\nlet b = |v| v + 1;\nlet c = &n;\nlet d = f(n)?;\nlet e = async { 1 };\nlet f = unsafe { 1 };",
        expect![[r#"
        2:9 `match`: a kernel has no `match`
            help: write `if … { … } else if … { … } else { … }`
        3:9 `|v| v + 1`: a kernel has no closures
            help: write the code where it is used, or in an Inline function
        4:9 `&n`: a kernel has no references
            help: write `n`: every value is passed as it is
        5:13 `?`: a kernel has no `?`
            help: remove it: no op returns a `Result`
        6:9 `async`: a kernel has no `async`
            help: a `pld::system::wait` blocks only its own rank
        7:9 `unsafe`: a kernel has no `unsafe`
            help: remove the block
    "#]],
    );
    body(
        "let a = [1, 2];\nlet b = [0; 4];\nlet c = (1, 2);\nlet d = x[0];\nlet e = y.0;\nlet f = y.shape;\nlet g = Point { x: 1 };\nlet h = 0..n;",
        expect![[r#"
        2:9 `[1, 2]`: an array stands only as offsets, indices or a shape of an op
            help: write it where it is used: `pl::load(x, [0, 0], [1, SIZE])`
        3:9 `[0; 4]`: a kernel has no repeated arrays
            help: write the list out: `[0, 0]`
        4:9 `(1, 2)`: a tuple stands only as the values that a function returns
            help: use one variable for each value
        5:9 `x[0]`: a kernel does not index
            help: read one element: `pl::read(x, [0])`
        6:11 `0`: a kernel has no fields, found `.0`
            help: take a tuple apart where it is returned: `let (a, b) = …`
        7:11 `shape`: a kernel has no fields, found `.shape`
            help: a kernel's values have no fields; extents are names declared in `dynamic(…)`
        8:9 `Point`: a kernel has no struct literals
            help: use one variable for each field
        9:9 `0..n`: a range stands only in the head of a `for`
            help: write `for i in a..b { … }`
    "#]],
    );
    body(
        "let a = n.min(3);\nlet b = x.clone();\nlet c = x.add(x);\nlet d = n.frob(1, 2);\nlet e = n.into();",
        expect![[r#"
        2:11 `min`: a kernel has no method `min`
            help: write `pl::min(n, 3)`
        3:11 `clone`: a kernel has no method `clone`
            help: write `x`: values are copied as they are
        4:11 `add`: a kernel has no method `add`
            help: ops are functions: `pl::add(x, x)`
        5:11 `frob`: a kernel has no method `frob`
            help: ops are functions: `pl::add(a, b)`
        6:11 `into`: a kernel has no method `into`
            help: scalars are cast with `as`, tiles with `pl::cast::<f32>(tile)`
    "#]],
    );
    body(
        "println!(\"{}\", n);\nlet a = vec![1];\nassert!(flag);",
        expect![[r#"
        2:1 `println!`: a kernel has no macros, found `println!`
            help: a device does not print: store what you want to see into a tensor
        3:9 `vec!`: a kernel has no macros, found `vec!`
            help: write out what the macro stands for
        4:1 `assert!`: a kernel has no macros, found `assert!`
            help: a kernel does not panic: check values on the host
    "#]],
    );
    body(
        "if flag { return; }\nlet a = loop { };\nlet b = const { 1 };\nlet c = n.await;\nlet d = _;",
        expect![[r#"
        2:11 `return`: `return` in the middle of a kernel
            help: put the rest into `else`, and the value at the end
        3:9 `loop`: a kernel has no `loop`
            help: write `while condition { … }`, or `for i in 0..n { … }`
        4:9 `const { 1 }`: a kernel has no `const` block
            help: declare a `const` beside the kernel and name it
        5:11 `await`: a kernel has no `.await`
            help: wait for a signal with `pld::system::wait`
        6:9 `_`: `_` is not a value
            help: write the value
    "#]],
    );
}

#[test]
fn items() {
    body(
        "const A: usize = 1;\nfn f() {}\nuse pl::load;\nstruct S;",
        expect![[r#"
        2:1 `const A: usize = 1;`: a kernel has no items in its body
            help: write it beside the kernel
        3:1 `fn f() {}`: a kernel has no items in its body
            help: write an Inline function beside the kernel
        4:1 `use pl::load;`: a kernel has no items in its body
            help: write it beside the kernel
        5:1 `struct S;`: a kernel has no items in its body
            help: write it beside the kernel
    "#]],
    );
    body(
        "#[cfg(feature)]\nlet a = 1;\n#[allow(unused_variables)]\nlet b = 2;",
        expect![[r#"
        2:1 `#[cfg(feature)]`: the attribute `cfg` in a kernel
            help: only `allow`, `expect`, `warn` and `deny` may stand there; `cfg` goes on whole functions
    "#]],
    );
}
