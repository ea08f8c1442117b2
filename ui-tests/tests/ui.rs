//! What compiles and what does not.
//!
//! `fail/<topic>/<case>.rs` holds one mistake (in `fail/several/`, several), and beside it stands what the compiler says. `pass/<topic>/<case>.rs`
//! shows a feature of the language, without a warning. `TRYBUILD=overwrite cargo test -p ui-tests --test ui` writes the `.stderr` files anew: read
//! them as one who made the mistake would.

#[test]
fn ui() {
    // In one set: with a case in it that passes, all are built, not only checked, and what depends on generic arguments shows.
    let cases = trybuild::TestCases::new();
    cases.pass("pass/*/*.rs");
    cases.compile_fail("fail/*/*.rs");
}
