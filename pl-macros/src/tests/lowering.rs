//! The IR of right bodies.

use super::{HEADER, expand, report};
use expect_test::{Expect, expect};
use proc_macro2::{TokenStream, TokenTree};

/// Checks the IR of a body, as text without its first lines.
fn ir(body: &str, expected: Expect) {
    let source = format!("{HEADER}\n{body}\n}}");
    assert_eq!(report(&source), "");
    let text = text(expand(&source)).unwrap();
    let function = pl_core::text::parse_embedded(&text, "kernel.rs").unwrap();
    let text = pl_core::text::print(&function);
    let body = text.lines().skip_while(|l| !l.contains(" fn ")).skip(1).filter_map(|l| l.strip_prefix("  "));
    expected.assert_eq(&body.fold(String::new(), |all, line| all + line + "\n"));
}

/// The text in the macro's output.
fn text(tokens: TokenStream) -> Option<String> {
    let mut after_name = false;
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => after_name = ident == "text",
            TokenTree::Literal(literal) if after_name => {
                return syn::parse2::<syn::LitStr>(TokenTree::from(literal).into()).ok().map(|l| l.value());
            }
            TokenTree::Group(group) => {
                if let Some(found) = text(group.stream()) {
                    return Some(found);
                }
            }
            _ => {}
        }
    }
    None
}

#[test]
fn nested_ops_run_in_the_order_of_the_source() {
    ir(
        "pl::write(signal, [n, 0], value = pl::read(signal, [1, 0]) + pl::read(signal, [2, 0]));",
        expect![[r#"
        read.0 = pl::read(signal, [1, 0])
        read.1 = pl::read(signal, [2, 0])
        pl::write(signal, [n, 0], read.0 + read.1)
    "#]],
    );
    ir(
        "pld::system::notify(signal, op = pld::NotifyOp::Set, value = pl::read(signal, [1, 0]), offsets = [pl::read(signal, [0, 0]) as usize, 0], peer = n);",
        expect![[r#"
        read.0 = pl::read(signal, [1, 0])
        read.1 = pl::read(signal, [0, 0])
        pld::system::notify(signal, n, [read.1 as usize, 0], read.0, op = Set)
    "#]],
    );
    ir(
        "let mut k = 1;\nlet a = k + { k = k * 2; k };\nlet b = pl::load(x, [k, { k += 1; 0 }], [1, SIZE]);\npl::store(b, [a, 0], y);",
        expect![[r#"
        k = 1
        before.0 = k
        k = k * 2
        value.0 = k
        a = before.0 + value.0
        before.1 = k
        k = k + 1
        value.1 = 0
        b = pl::load(x, [before.1, value.1], [1, SIZE])
        pl::store(b, [a, 0], y)
    "#]],
    );
}

#[test]
fn tiles_and_scalars() {
    ir(
        "let a = pl::load(x, [0, 0], [1, SIZE]);\nlet mut b = -a * 2.0 + a / alpha - 1;\nb += a;\nb *= 3.0 / 2.0;\npl::store(b, [0, 0], y);",
        expect![[r#"
        a = pl::load(x, [0, 0], [1, SIZE])
        neg.0 = pl::neg(a)
        mul.0 = pl::mul(neg.0, 2.0)
        div.0 = pl::div(a, alpha)
        add.0 = pl::add(mul.0, div.0)
        b = pl::sub(add.0, 1)
        b = pl::add(b, a)
        b = pl::mul(b, 3.0 / 2.0)
        pl::store(b, [0, 0], y)
    "#]],
    );
    ir(
        "let mut k = n + 1;\nk -= 1;\nlet f = k as f32 * alpha;\nlet g: f32 = -1.0;\nlet h = pl::max(f, g) < 2.0 || !flag;\npl::write(y, [k % 2, 0], f);\nif h { }",
        expect![[r#"
        k = n + 1
        k = k - 1
        f = k as f32 * alpha
        g = -1.0f32
        check g: f32
        h = pl::max(f, g) < 2.0 || !flag
        pl::write(y, [k % 2, 0], f)
        if h {
        }
    "#]],
    );
    ir(
        "let z = pl::full::<T>([1, 8], T::ZERO);\nlet o = z + T::ONE * pl::lit::<T>(2);\npl::store(o, [N, 0], t);",
        expect![[r#"
        z = pl::full::<T>([1, 8], pl::lit::<T>(0))
        o = pl::add(z, pl::lit::<T>(1) * pl::lit::<T>(2))
        pl::store(o, [N, 0], t)
    "#]],
    );
}

#[test]
fn conditions() {
    ir(
        "if n > 0 && pl::read(signal, [n, 0]) == i || flag { pld::tensor::barrier(signal); }",
        expect![[r#"
        and.0 = n > 0
        if and.0 {
          read.0 = pl::read(signal, [n, 0])
          and.0 = read.0 == i
        }
        if and.0 || flag {
          pld::tensor::barrier(signal)
        }
    "#]],
    );
    ir(
        "let mut k = 0;\nwhile k < n || pl::read(signal, [k, 0]) < 1 { k += 1; }",
        expect![[r#"
        k = 0
        while {
          or.0 = k < n
          if !or.0 {
            read.0 = pl::read(signal, [k, 0])
            or.0 = read.0 < 1
          }
        } or.0 {
          k = k + 1
        }
    "#]],
    );
    ir(
        "let a = if flag { n } else if n > 1 { let b = 2; n * b } else { 0 };\npl::write(signal, [a, 0], if flag { 1 } else { i });",
        expect![[r#"
        if flag {
          a = n
        } else if n > 1 {
          b = 2
          a = n * b
        } else {
          a = 0
        }
        if flag {
          value.0 = 1
        } else {
          value.0 = i
        }
        pl::write(signal, [a, 0], value.0)
    "#]],
    );
}

#[test]
fn names() {
    ir(
        "let a = 1;\nlet a = a + n;\nfor a in 0..a { let n = a; pl::write(signal, [n, 0], 1); }\npl::write(signal, [a, 0], 1);",
        expect![[r#"
        a = 1
        a.1 = a + n
        for a.2 in 0..a.1 {
          n.1 = a.2
          pl::write(signal, [n.1, 0], 1)
        }
        pl::write(signal, [a.1, 0], 1)
    "#]],
    );
    ir(
        "for k in pl::range(n) { }\nfor k in pl::range(1, n) { }\nfor _ in pl::range(1, n, consts::STEP) { }",
        expect![[r#"
        for k in 0..n {
        }
        for k.1 in 1..n {
        }
        for i.0 in 1..n step consts::STEP {
        }
    "#]],
    );
    ir(
        "let a = SIZE * consts::K + N;\nlet b: pl::Tile<f32, { [1, a] }> = f(x);\nlet c: pl::Tile<f32, { [_, a] }> = f::<f32, 3>(x);\ny = pl::store(b + c, [0, 0], y);",
        expect![[r#"
        a = SIZE * consts::K + N
        b = call f(x)
        check b: tile<f32, [1, a]>
        c = call f#1(x)
        check c: tile<f32, [?, a]>
        add.0 = pl::add(b, c)
        y = pl::store(add.0, [0, 0], y)
    "#]],
    );
    ir(
        "let (a, _) = helpers::two(y, n);\n(y, _) = helpers::two(y, n);\nlet k: usize = a;\nlet deferred;\nif flag { deferred = k; } else { deferred = 1; }\npl::write(signal, [deferred, 0], 1);",
        expect![[r#"
        a, unused.0 = call helpers::two(y, n)
        y, unused.1 = call helpers::two(y, n)
        k = a
        check k: usize
        if flag {
          deferred = k
        } else {
          deferred = 1
        }
        pl::write(signal, [deferred, 0], 1)
    "#]],
    );
}

#[test]
fn enums() {
    ir(
        "pld::tensor::reduce_scatter(data, signal);\npld::tensor::reduce_scatter(data, signal, OP);\npld::tensor::reduce_scatter(data, signal, op = pld::ReduceOp::from_int(N as i32));",
        expect![[r#"
        pld::tensor::reduce_scatter(data, signal, op = Sum)
        pld::tensor::reduce_scatter(data, signal, op = const OP)
        pld::tensor::reduce_scatter(data, signal, op = const `pld::ReduceOp::from_int(N as i32)`)
    "#]],
    );
}
