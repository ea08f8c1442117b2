//! Operators, literals, names.

use super::body;
use expect_test::expect;

#[test]
fn operators() {
    body(
        "let a = pl::load(x, [0, 0], [1, SIZE]);\nlet b = 2.0 - a;\nlet c = a % 2.0;\nlet d = a == a;\nlet e = !a;\nlet f = a as f32;\nlet g = a && flag;",
        expect![[r#"
        3:13 `-`: `-` with a scalar on the left and a tile on the right
            help: write `-tile + scalar`
        4:11 `%`: `%` on a tile
            help: tiles have `+`, `-`, `*`, `/`, and the ops `pl::maximum`, `pl::minimum`, `pl::neg`, `pl::cast`
        5:11 `==`: tiles cannot be compared with `==`
            help: compare scalars: read one element with `pl::read`; `pl::maximum` and `pl::minimum` compare element by element
        6:9 `!a`: `!` on a tile
            help: tiles have `+`, `-`, `*`, `/`, and the ops `pl::maximum`, `pl::minimum`, `pl::neg`, `pl::cast`
        7:9 `a as f32`: `as` on a tile
            help: write `pl::cast::<f32>(a)`
        8:9 `a`: `&&` on a tile
            help: both sides are `bool`s: compare scalars
    "#]],
    );
    body(
        "let a = x + 1.0;\nlet b = -x;\nlet c = pld::get_comm_ctx(data) + 1;\nlet d = x as f32;",
        expect![[r#"
        2:11 `+`: `+` on a tensor or window
            help: load a tile from it first: `pl::load(…)`
        3:9 `-x`: `-` on a tensor or window
            help: load a tile from it first: `pl::load(…)`
        4:33 `+`: `+` on a communication context
            help: operators are for scalars and tiles
        5:9 `x as f32`: `as` on a tensor or window
            help: load a tile from it first: `pl::load(…)`
    "#]],
    );
    body(
        "let a = 2.0 / pl::load(x, [0, 0], [1, SIZE]);\nlet b = alpha * pl::load(x, [0, 0], [1, SIZE]);",
        expect![[r#"
        2:13 `/`: `/` with a scalar on the left and a tile on the right
            help: make a tile of the scalar first: `pl::full::<f32>([1, SIZE], scalar)`
        3:15 `*`: `*` with a scalar on the left and a tile on the right
            help: write the tile first: `tile * scalar`
    "#]],
    );
    body(
        "let a = n & 1;\nlet b = n << 1;\nlet c = *n;\nlet d = &n;",
        expect![[r#"
        2:11 `&`: a kernel has no operator `&`
            help: write `&&` between `bool`s; numbers have no bit operators
        3:11 `<<`: a kernel has no operator `<<`
            help: multiply by a power of two
        4:9 `*n`: a kernel has no `*` before a value
            help: write `n`: a kernel has no references
        5:9 `&n`: a kernel has no references
            help: write `n`: every value is passed as it is
    "#]],
    );
    body(
        "if pl::load(x, [0, 0], [1, 1]) { }\nwhile x { }",
        expect![[r#"
        2:4 `pl::load(x, [0, 0], [1, 1])`: the condition is a tile, expected `bool`
            help: compare scalars: read one element with `pl::read` and compare it
        3:7 `x`: the condition is a tensor or window, expected `bool`
            help: compare scalars: read one element with `pl::read` and compare it
    "#]],
    );
}

#[test]
fn literals() {
    body(
        "let a = \"text\";\nlet b = 'c';\nlet c = 1u64;\nlet d = 1.0f64;\nlet e = 1e999;\nlet f = 999999999999999999999999999999999999999999;",
        expect![[r#"
        2:9 `"text"`: a kernel has no strings
            help: its values are numbers, `bool`s, tiles, tensors and windows
        3:9 `'c'`: a kernel has no characters
            help: its values are numbers, `bool`s, tiles, tensors and windows
        4:9 `1u64`: a literal of type `u64`
            help: the suffixes are those of the element types, and `usize`
        5:9 `1.0f64`: a literal of type `f64`
            help: the suffixes are those of the element types, and `usize`
        6:9 `1e999`: the literal `1e999` is too large
            help: write `f32::INFINITY` for infinity
        7:9 `999999999999999999999999999999999999999999`: the literal `999999999999999999999999999999999999999999` is too large
            help: no element type holds it
    "#]],
    );
}

#[test]
fn names() {
    body(
        "let chunk = 1;\nlet a = chnk + 1;\nlet b = undefined;\nundefined = 3;\nlet c = load;",
        expect![[r#"
        3:9 `chnk`: cannot find `chnk` in this kernel
            help: did you mean `chunk`?
        4:9 `undefined`: cannot find `undefined` in this kernel
            help: declare it with `let`, or make it a parameter; constants are written in capitals
        5:1 `undefined`: cannot find `undefined` in this kernel
            help: declare it with `let`, or make it a parameter; constants are written in capitals
        6:9 `load`: cannot find `load` in this kernel
            help: the op is called by its path: `pl::load(…)`
    "#]],
    );
    body(
        "let a = T::TWO;\nlet b = consts::size;\nlet c = <f32 as X>::Y;\nlet d = Foo::<3>::BAR;",
        expect![[r#"
        2:9 `T::TWO`: `T` has no constant `TWO`
            help: write `T::ZERO`, `T::ONE`, or `pl::lit::<T>(1.5)`
        3:9 `consts::size`: `consts::size` is not a value of a kernel
            help: constants are written in capitals: `consts::SIZE`
        4:9 `<f32 as X>::Y`: a kernel has no path `<f32 as X>::Y`
            help: declare a `const` beside the kernel and name it
        5:9 `Foo::<3>::BAR`: a kernel has no path `Foo::<3>::BAR`
            help: declare a `const` beside the kernel and name it
    "#]],
    );
    body(
        "SIZE = 3;\nlet NR = 3;\nlet N = 1;",
        expect![[r#"
        2:1 `SIZE`: `SIZE` is a constant and cannot be assigned to
            help: declare a variable: `let mut name = …`
        3:5 `NR`: `NR` is a dim or constant of this function
            help: give the variable a name in lower case: `nr`
        4:5 `N`: `N` is a dim or constant of this function
            help: give the variable a name in lower case: `n`
    "#]],
    );
    body(
        "let a = bad1;\nlet b = a + 1;\nlet c = pl::add(b, a);\npl::store(c, [a, 0], y);\nif a > b { y = x; }",
        expect![[r#"
        2:9 `bad1`: cannot find `bad1` in this kernel
            help: declare it with `let`, or make it a parameter; constants are written in capitals
        6:12 `y`: `y` names the memory of `y` and is assigned that of `x`
            note: `y` is declared here, at line 1
            help: a name stays with one parameter's memory: use a new name with `let`
    "#]],
    );
}
