//! What a report about a read of what nothing wrote says of the ranks that could have written it, and of who discarded it.

use crate::support::{Arg, World, index};
use expect_test::{Expect, expect};
use pl_core::dtype::DType;
use pl_core::fault::{Fault, Uninitialised};
use pl_core::runtime::Scheduler;

/// The fault of a kernel on three ranks, with a window `data` of f32 [4, 8], a `signal` of i32 [4, 1] and a number that is 2. Rank 0 runs as far as it can
/// before rank 1 begins, and so on.
fn fault(body: &str) -> Uninitialised {
    let kernel = format!(
        "InCore fn k(data: InOut window<f32, [4, 8]>, signal: InOut window<i32, [4, 1]>, two: usize) {{
  ctx = pld::get_comm_ctx(data)
  me = pld::rank(ctx)
  nranks = pld::nranks(ctx)
  row = pl::full::<f32>([1, 8], 1.0)
{body}
}}"
    );
    let mut world = World::new(3);
    world.options.scheduler = Scheduler::Seeded(3);
    let (data, signal) = (world.window(DType::F32, &[4, 8]), world.window(DType::I32, &[4, 1]));
    match world.fault(&kernel, |_| -> Vec<Arg> { vec![data.clone(), signal.clone(), index(2)] }) {
        Fault::Uninitialised(fault) => *fault,
        other => panic!("{other}"),
    }
}

/// The writers: rank, line, and whether it is certain.
fn writers(body: &str) -> Vec<(usize, usize, bool)> {
    let line = |place: &Option<pl_core::ir::Place>| place.as_ref().map_or(0, |place| place.line as usize);
    fault(body).writers.iter().map(|w| (w.site.rank, line(&w.site.place), w.still)).collect()
}

#[track_caller]
fn check(body: &str, expected: Expect) {
    expected.assert_eq(&format!("{}\n", Fault::Uninitialised(Box::new(fault(body)))));
}

/// All meet, behind what comes before.
const MEET: &str = "
  for peer in 0..3 {
    if peer != me {
      pld::system::notify(signal, peer, [me, 0], 1, op = AtomicAdd)
    }
  }
  for src in 0..3 {
    if src != me {
      pld::system::wait(signal, [src, 0], 1, cmp = Ge)
    }
  }
";

/// Each rank stores into rows of its own memory, and rank 0 reads row 2 of rank 1 after a barrier.
fn staged(stores: &str) -> String {
    format!(
        "{stores}{MEET}  if me == 0 {{
    u = pld::tile::remote_load(data, 1, [2, 0], [1, 8])
  }}"
    )
}

#[test]
fn a_store_elsewhere_is_no_writer() {
    for stores in [
        // Another row.
        "  data = pl::store(row, [1, 0], data)",
        // Rows in a loop, which has ended.
        "  for r in 0..two {\n    data = pl::store(row, [r, 0], data)\n  }",
        // Not on this rank, and not with this number.
        "  if me == 2 {\n    data = pl::store(row, [2, 0], data)\n  }",
        "  if two > 2 {\n    data = pl::store(row, [2, 0], data)\n  }",
        // In the memory of another rank.
        "  if me == 1 {\n    pld::tile::remote_store(row, data, 2, [2, 0], atomic = None)\n  }",
    ] {
        let body = staged(stores);
        assert_eq!(writers(&body), [], "{body}");
    }
    // What comes behind the barrier, and does not write that row.
    for behind in [
        "  if me == 1 {\n    for r in 3..4 {\n      data = pl::store(row, [r, 0], data)\n    }\n  }",
        "  if nranks > 5 {\n    data = pl::store(row, [2, 0], data)\n  }",
        "  if me == 1 {\n    data = pl::store(row, [1, 0], data)\n  }",
    ] {
        let body = format!("{}\n{behind}", staged(""));
        assert_eq!(writers(&body), [], "{body}");
    }
}

#[test]
fn a_store_that_is_still_to_come_is_told() {
    let behind = "
  if me == 1 {
    pld::system::wait(signal, [3, 0], 9, cmp = Ge)
    for r in 0..4 {
      if r > two - 1 {
        some = pl::full::<f32>([two - 1, 8], 1.0)
        more = pl::neg(some)
        data = pl::store(more, [r, 0], data)
      }
    }
  }";
    check(
        &format!("{}{behind}", staged("")),
        expect![[r#"
            error: read of elements that nothing wrote: 8 of 8 in `data[2, 0..8]` of rank 1
              --> text:19:5 (rank 0, kernel `k`)
              = `pld::tile::remote_load`: the first of them is [2, 0]
              = rank 1 writes it by `pl::store` at text:27:9, and has not come to that: it is running, at text:10:7
              = rank 0 waited last at text:15:7
              = that wait passed because of the notify of rank 2 at text:10:7
              = help: let rank 1 notify after its `pl::store`, and rank 0 wait for that notify before its `pld::tile::remote_load`; or make the window's zeros data with `world.zeros`
        "#]],
    );
}

#[test]
fn a_store_that_depends_on_data_may_come() {
    let decided = "
  if me == 1 {
    pld::system::wait(signal, [3, 0], 9, cmp = Ge)
    x = pl::read(signal, [3, 0])
    if x > 3 {
      data = pl::store(row, [2, 0], data)
    }
  }";
    let placed = "
  if me == 1 {
    pld::system::wait(signal, [3, 0], 9, cmp = Ge)
    x = pl::read(signal, [3, 0])
    data = pl::store(row, [x as usize, 0], data)
  }";
    let texts = [decided, placed].map(|behind| {
        let fault = fault(&format!("{}{behind}", staged("")));
        assert!(fault.writers.iter().all(|writer| !writer.still));
        format!("{}\n", Fault::Uninitialised(Box::new(fault)))
    });
    expect![[r#"
        error: read of elements that nothing wrote: 8 of 8 in `data[2, 0..8]` of rank 1
          --> text:19:5 (rank 0, kernel `k`)
          = `pld::tile::remote_load`: the first of them is [2, 0]
          = rank 1 may write it by `pl::store` at text:25:7, if the data says so: it is running, at text:10:7
          = rank 0 waited last at text:15:7
          = that wait passed because of the notify of rank 2 at text:10:7
          = help: let rank 1 notify after its `pl::store`, and rank 0 wait for that notify before its `pld::tile::remote_load`; or make the window's zeros data with `world.zeros`

        error: read of elements that nothing wrote: 8 of 8 in `data[2, 0..8]` of rank 1
          --> text:19:5 (rank 0, kernel `k`)
          = `pld::tile::remote_load`: the first of them is [2, 0]
          = rank 1 may write it by `pl::store` at text:24:5, if the data says so: it is running, at text:10:7
          = rank 0 waited last at text:15:7
          = that wait passed because of the notify of rank 2 at text:10:7
          = help: let rank 1 notify after its `pl::store`, and rank 0 wait for that notify before its `pld::tile::remote_load`; or make the window's zeros data with `world.zeros`
    "#]].assert_eq(&texts.join("\n"));
}

#[test]
fn what_was_discarded_is_told() {
    // In a loop, and then elsewhere.
    check(
        &staged(
            "  for r in 0..4 {
    data = pl::store(row, [r, 0], data)
  }
  for r in 0..3 {
    pl::discard(data, [r, 0], [1, 4])
  }
  pl::discard(data, [3, 0], [1, 8])",
        ),
        expect![[r#"
            error: read of elements that nothing wrote: 4 of 8 in `data[2, 0..8]` of rank 1
              --> text:25:5 (rank 0, kernel `k`)
              = `pld::tile::remote_load`: the first of them is [2, 0]
              = rank 1 discarded it by `pl::discard` at text:11:5, and nothing wrote it since
              = rank 0 waited last at text:21:7
              = that wait passed because of the notify of rank 2 at text:16:7
              = help: rank 1 must store this and notify, and rank 0 wait for that, before the `pld::tile::remote_load`; or do not discard it
        "#]],
    );
    // Of another row, of another rank's memory, in a branch that did not run, and one that is still to come.
    for stores in [
        "  pl::discard(data, [3, 0], [1, 8])",
        "  if me == 0 {\n    pl::discard(data, [2, 0], [1, 8])\n  }",
        "  if two < 2 {\n    pl::discard(data, [2, 0], [1, 8])\n  }",
    ] {
        let fault = fault(&staged(stores));
        assert_eq!(fault.discarded, None, "{stores}");
    }
    let later = fault(&format!("{}\n  pl::discard(data, [2, 0], [1, 8])", staged("")));
    assert_eq!(later.discarded.map(|site| site.rank), None);
}
