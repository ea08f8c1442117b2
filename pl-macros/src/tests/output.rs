//! What the macro makes of right functions.

use super::{HEADER, expand, report};

/// A body of everything that the surface has.
const EVERYTHING: &str = r"
    let ctx = pld::get_comm_ctx(data);
    let me = pld::rank(ctx);
    let a = pl::load(x, [me, 0], shape = [1, SIZE]);
    let mut b = a * 2.0 + a;
    b += 1.0;
    let c: pl::Tile<f32, { [1, SIZE] }> = if flag && pld::nranks(ctx) > 1 { -b } else { b };
    let typed: f32 = 1.0;
    let lo = pl::min(n, 3);
    let hi = 1usize;
    for j in pl::range(lo, NR) { y = pl::store(c, [j, 0], y); }
    while pl::read(signal, [hi, 0]) < 3 { pld::system::wait(signal, [0, 0], i, cmp = pld::WaitCmp::Eq); }
    pl::store(pl::full::<T>([1, 8], T::ZERO) + pl::lit::<T>(1.5), [0, 0], t);
    let _ = typed;
";

#[test]
fn a_right_function_is_valid_rust() {
    let source = format!(
        "{HEADER}{}}}",
        EVERYTHING.replace("let (lo, hi) = (pl::min(n, 3), 1usize);", "let lo = pl::min(n, 3); let hi = 1usize;")
    );
    assert_eq!(report(&source), "");
    let output = expand(&source);
    let file: syn::File = syn::parse2(output).unwrap();
    assert_eq!(file.items.len(), 3);
}

#[test]
fn after_errors_the_output_is_valid_rust() {
    for source in [
        format!("{HEADER}{EVERYTHING} let (a, b) = (1, 2); }}"),
        format!("{HEADER} let a = undefined; }}"),
        "#[pl::function] pub fn k(x: Nonsense<3>) -> Vec<u8> { 1 }".into(),
        "#[pl::function(Inline)] pub fn k(x: pl::Tensor<f32>) -> &str { match x {} }".into(),
    ] {
        assert_ne!(report(&source), "", "{source}");
        let file: syn::File = syn::parse2(expand(&source)).unwrap();
        assert!(file.items.len() > 3, "{source}");
    }
}

/// Takes tokens out, doubles them and puts others in their place: whatever still parses must be expanded without a panic, into valid Rust.
#[test]
fn no_source_makes_the_macro_panic() {
    const OTHERS: &[&str] = &[
        "x",
        "t",
        "n",
        "data",
        "undefined",
        "SIZE",
        "T",
        "N",
        "0",
        "-1",
        "1.5",
        "=",
        "+",
        "&&",
        "==",
        "as",
        "[0, 0]",
        "(n, n)",
        "{ n }",
        "if flag { 1 }",
        "pl::load",
        "pld::rank",
        "pld::ReduceOp::Max",
        "f::<3>",
        "offsets = [0, 0]",
        "return",
        "let",
        "while",
        "mut",
        "?",
        "&",
        "..",
        "_",
        "f32",
        "impl Copy",
    ];
    let source = format!("{HEADER}{EVERYTHING}}}");
    let words: Vec<&str> = source.split_inclusive([' ', ',', '(', ')', ';']).collect();
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut expanded = 0;
    for _ in 0..1500 {
        let mut changed: Vec<&str> = words.clone();
        for _ in 0..=random(2) {
            let at = random(changed.len());
            match random(4) {
                0 => drop(changed.remove(at)),
                1 => changed.insert(at, changed[random(changed.len())]),
                2 => changed[at] = OTHERS[random(OTHERS.len())],
                _ => changed.insert(at, OTHERS[random(OTHERS.len())]),
            }
        }
        let changed = changed.concat();
        let starts = changed.starts_with("#[pl::function(");
        if !starts || changed.parse::<proc_macro2::TokenStream>().is_err() {
            continue;
        }
        let Ok(item) = syn::parse_str::<syn::ItemFn>(&changed) else { continue };
        if item.attrs.len() != 1 {
            continue;
        }
        let output = expand(&changed);
        assert!(syn::parse2::<syn::File>(output).is_ok(), "{changed}");
        expanded += 1;
    }
    assert!(expanded > 300, "{expanded}");
}
