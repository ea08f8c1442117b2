//! `docs/ops.md` is what the op table says.

use std::path::Path;

#[test]
fn the_page_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/ops.md");
    let page = pl_core::op::reference();
    if std::env::var_os("PL_BLESS").is_some() {
        std::fs::write(&path, &page).expect("docs/ops.md can be written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert!(found == page, "docs/ops.md is not what the table says: PL_BLESS=1 cargo test -p pl-core --test reference");
}

#[test]
fn every_op_is_on_the_page() {
    let page = pl_core::op::reference();
    for op in pl_core::op::OpCode::ALL {
        let info = op.info();
        // What no kernel can write is on no page for people.
        assert_eq!(page.contains(&format!("### `{}`", info.path)), !info.internal, "{}", info.path);
        assert!(!info.doc.is_empty() && !info.example.is_empty(), "{} has no documentation", info.path);
        assert!(info.example.contains(info.path), "the example of {} does not use it", info.path);
    }
}
