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
    let (lo, hi) = (pl::min(n, 3), 1usize);
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
        format!("{HEADER}{EVERYTHING}}}"),
        format!("{HEADER} let a = undefined; }}"),
        "#[pl::function] pub fn k(x: Nonsense<3>) -> Vec<u8> { 1 }".into(),
        "#[pl::function(Inline)] pub fn k(x: pl::Tensor<f32>) -> &str { match x {} }".into(),
    ] {
        assert_ne!(report(&source), "", "{source}");
        let file: syn::File = syn::parse2(expand(&source)).unwrap();
        assert!(file.items.len() > 3, "{source}");
    }
}
