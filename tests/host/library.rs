//! The collectives library as text, for the tests of pl-core's passes, which know no macro.

use pl::Kernel;
use pl::collectives::*;
use std::path::Path;

#[test]
fn the_text_of_the_library_is_current() {
    let kernels: [Kernel; 16] = [
        barrier::ir(),
        barrier_flat::ir(),
        meet::ir(),
        settle::ir(),
        meet_flat::ir(),
        settle_flat::ir(),
        meet_in_round::ir(),
        settle_round::ir(),
        combine::ir::<f32, 0>(),
        broadcast::ir::<f32, 1>(),
        allgather::ir::<f32, 1>(),
        reduce_scatter::ir::<f32, 1>(),
        allreduce_mesh::ir::<f32, 1, 0>(),
        allreduce_ring::ir::<f32, 1, 0>(),
        all_to_all::ir::<f32, 1>(),
        all_to_all_v::ir::<f32, 1>(),
    ];
    let texts: Vec<String> = kernels.iter().map(|kernel| kernel.source().unwrap()).collect();
    let text = texts.join("---\n");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("pl-core/filetests/library.txt");
    if std::env::var_os("PL_BLESS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert_eq!(committed, text, "`PL_BLESS=1 cargo test -p pl --test host library` writes it anew");
}
