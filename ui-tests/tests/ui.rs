//! placeholder
#[test]
fn ui() {
    let cases = trybuild::TestCases::new();
    cases.pass("pass/**/*.rs");
    cases.compile_fail("fail/**/*.rs");
}
