//! The form of what `examples/bench_compare` prints. How long things take is not tested.

use crate::cli::{Output, run_of};
use std::collections::BTreeMap;

/// The lines of values by their first column, each with its values by the names of the columns.
fn rows(stdout: &str) -> BTreeMap<&str, BTreeMap<&str, &str>> {
    let mut lines = stdout.lines().skip_while(|line| line.starts_with('#'));
    let columns: Vec<&str> = lines.next().unwrap().split('\t').collect();
    let rows = lines.map(|line| {
        let values: Vec<&str> = line.split('\t').collect();
        assert_eq!(values.len(), columns.len(), "{line}");
        (values[0], columns.iter().copied().zip(values).collect())
    });
    rows.collect()
}

/// The number in this column.
#[track_caller]
fn number(row: &BTreeMap<&str, &str>, column: &str) -> f64 {
    row[column].parse().unwrap_or_else(|_| panic!("{column}: {row:?}"))
}

#[test]
fn every_case_has_its_figures() {
    let Output { status, stdout, stderr } = run_of("bench_compare", &["--quick", "--rounds=1"], &[]);
    assert_eq!(status, Some(0), "{stderr}");
    let rows = rows(&stdout);
    for group in ["reduce_scatter/hand", "reduce_scatter/builtin", "allgather", "allreduce, mesh", "allreduce, ring"] {
        let row = &rows[&*format!("{group}/P=4/1MiB")];
        assert_eq!((row["unit"], row["rounds"], row["beside"]), ("run", "1", "loop nest"));
        let ratio = number(row, "ours") / number(row, "reference");
        assert!((number(row, "ratio") / ratio - 1.0).abs() < 1e-3, "{row:?}");
        assert_eq!(row["reached"], if ratio <= number(row, "goal") { "yes" } else { "no" });
        assert!(number(row, "reference_of_copy") > 0.0);
    }
    for how in ["checked", "unchecked"] {
        let row = &rows[&*format!("barrier/{how}/P=8")];
        assert!(number(row, "ours") > 0.0);
        assert_eq!((row["unit"], row["reference"], row["mpi"]), ("pair", "", ""));
        assert!(rows.contains_key(&*format!("launch/hand/{how}/P=4/4KiB")));
    }
    assert!(rows.contains_key("checks/64B boxes"));
    // The table has a line for each, and two for its head.
    let table = stderr.lines().filter(|line| line.starts_with('|'));
    assert_eq!(table.count(), rows.len() + 2, "{stderr}");
}

#[test]
fn names_choose_cases() {
    let output = run_of("bench_compare", &["--quick", "barrier", "64B"], &[]);
    let rows = rows(&output.stdout);
    let names: Vec<&str> = rows.into_keys().collect();
    let barriers =
        ["checked/P=4", "checked/P=8", "unchecked/P=4", "unchecked/P=8"].map(|name| format!("barrier/{name}"));
    assert_eq!(
        (names, output.status),
        ([&barriers.each_ref().map(|name| &**name)[..], &["checks/64B boxes"]].concat(), Some(0))
    );

    let output = run_of("bench_compare", &["no such case"], &[]);
    assert_eq!((output.status, &*output.stdout), (Some(2), ""));
    assert_eq!(output.stderr, "error: no case has this name\n");
}

#[test]
fn without_mpi_its_column_is_empty() {
    let output = run_of("bench_compare", &["--quick", "--mpi", "barrier/checked/P=4"], &[("PATH", "/nowhere")]);
    let rows = rows(&output.stdout);
    assert_eq!(rows["barrier/checked/P=4"]["mpi"], "");
    assert!(output.stderr.contains("error: `mpicc`: "), "{}", output.stderr);
    assert_eq!(output.status, Some(1), "it was asked for");
}
