//! The files that an example's program reads and writes: arrays as NumPy has them.

use crate::cli::{check_failure, check_ok, run};
use expect_test::{Expect, expect};
use pl::ndarray::{Array3, Ix3};
use pl_examples_cli::npy;
use std::path::{Path, PathBuf};

/// A fixture that NumPy wrote.
fn fixture(name: &str) -> String {
    format!("{}/examples/cli/tests/npy/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// A directory of its own, removed at the end.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("pl-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn files_of_numpy() {
    let scratch = Scratch::new("npy");
    for (name, devices) in
        [("p4_size8.npy", "0-3"), ("version2.npy", "0-3"), ("p3_random.npy", "1,2,3"), ("p2_nan_inf.npy", "0,1")]
    {
        let mut bits = vec![];
        for flags in [&["--mode=hand"][..], &["--mode=builtin"], &["--mode=builtin", "--seed=3"]] {
            let out = scratch.path("y.npy");
            let (input, out_text) = (fixture(name), out.to_str().unwrap().to_owned());
            let mut args = vec!["-d", devices, "--input", &input, "--output", &out_text];
            args.extend(flags);
            let output = run(&args);
            assert_eq!((output.status, &*output.stdout), (Some(0), "OK\n"), "{args:?}: {}", output.stderr);
            let note = "note: right within rounding; the order of summation differs from rank order\n";
            assert_eq!(output.stderr, if name == "p3_random.npy" { note } else { "" });
            let read = |path: &Path| npy::read::<f32>(path, "[P, 1, N]").unwrap().into_dimensionality::<Ix3>().unwrap();
            let (x, y) = (read(Path::new(&input)), read(&out));
            crate::support::check_golden(&x, y.view());
            bits.push(y.mapv(f32::to_bits));
        }
        assert!(bits.iter().all(|b| *b == bits[0]), "{name}: hand and builtin add in the same order");
    }
}

#[test]
fn the_output_is_what_numpy_writes() {
    let scratch = Scratch::new("header");
    let out = scratch.path("y.npy");
    check_ok(&["--output", out.to_str().unwrap()]);
    let bytes = std::fs::read(&out).unwrap();
    assert!(bytes.starts_with(b"\x93NUMPY\x01\x00"));
    let header = String::from_utf8_lossy(&bytes[10..128]);
    assert_eq!(header.trim_end(), "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1, 64)}");
    // x[r] counts up from 100 r: y[r][i] is 100 + 2 (64 r + i).
    assert_eq!(&bytes[128..136], [100f32.to_le_bytes(), 102f32.to_le_bytes()].concat());
    assert_eq!(bytes.len(), 128 + 2 * 64 * 4);
}

#[test]
fn files_that_do_not_fit() {
    let input = |name: &str, devices: &str, expected: Expect| {
        check_failure(&["-d", devices, "--input", &fixture(name)], 2, expected);
    };
    input(
        "f64.npy",
        "0-3",
        expect![[r#"
        error: `/examples/cli/tests/npy/f64.npy` holds float64 (`<f8`), and not float32 (`<f4`); use `x.astype('<f4')`
    "#]],
    );
    input(
        "big_endian.npy",
        "0-3",
        expect![[r#"
        error: `/examples/cli/tests/npy/big_endian.npy` holds big-endian float32 (`>f4`), and not little-endian; use `x.astype('<f4')`
    "#]],
    );
    input(
        "fortran.npy",
        "0-3",
        expect![[r#"
        error: `/examples/cli/tests/npy/fortran.npy` is in Fortran order, and not in C order; use `np.ascontiguousarray(x)` before `np.save`
    "#]],
    );
    input(
        "two_axes.npy",
        "0-3",
        expect![[r#"
        error: `/examples/cli/tests/npy/two_axes.npy` has shape [4, 32], and not 3 axes [P, 1, P * SIZE]; use `x.reshape(P, 1, -1)`
    "#]],
    );
    input(
        "structured.npy",
        "0-3",
        expect![[r#"
        error: `/examples/cli/tests/npy/structured.npy` holds another type (`[('re', '<f4'), ('im', '<f4')]`), and not float32 (`<f4`); use `x.astype('<f4')`
    "#]],
    );
    input(
        "truncated.npy",
        "0-3",
        expect![[r#"
        error: `/examples/cli/tests/npy/truncated.npy` is damaged: its header promises f32 of shape [4, 1, 32], and 384 bytes of data follow
    "#]],
    );
    input(
        "not_npy.txt",
        "0-3",
        expect![[r#"
        error: `/examples/cli/tests/npy/not_npy.txt` is not a .npy file: error parsing header: start does not match magic string
    "#]],
    );
    input(
        "two_rows.npy",
        "0-3",
        expect![[r#"
        error: `/examples/cli/tests/npy/two_rows.npy` has shape [4, 2, 16], which does not fit 4 ranks
          = help: x has shape [4, 1, 4 * SIZE], or choose as many devices as it has rows: `-d`
    "#]],
    );
    input(
        "does_not_divide.npy",
        "0-3",
        expect![[r#"
        error: `/examples/cli/tests/npy/does_not_divide.npy` has shape [4, 1, 30], which does not fit 4 ranks
          = help: x has shape [4, 1, 4 * SIZE], or choose as many devices as it has rows: `-d`
    "#]],
    );
    input(
        "p4_size8.npy",
        "0,1",
        expect![[r#"
        error: `/examples/cli/tests/npy/p4_size8.npy` has shape [4, 1, 32], which does not fit 2 ranks
          = help: x has shape [2, 1, 2 * SIZE], or choose as many devices as it has rows: `-d`
    "#]],
    );
    let scratch = Scratch::new("empty");
    let empty = scratch.path("x.npy");
    npy::write(&empty, Array3::<f32>::zeros((2, 1, 0)).view()).unwrap();
    let stderr = run(&["--input", empty.to_str().unwrap()]).stderr.replace(scratch.0.to_str().unwrap(), "");
    expect![[r#"
        error: `/x.npy` has shape [2, 1, 0]: SIZE is 0, expected at least 1
          = help: x has shape [2, 1, 2 * SIZE]
    "#]]
    .assert_eq(&stderr);
    // The system's own words follow.
    let fails = |args: &[&str], start: &str| {
        let output = run(args);
        assert_eq!((output.status, &*output.stdout), (Some(2), ""));
        assert!(output.stderr.starts_with(start), "{}", output.stderr);
    };
    fails(&["--input", "missing.npy"], "error: cannot open `missing.npy`: ");
    fails(&["--output", "/nowhere/y.npy"], "error: cannot write `/nowhere/y.npy`: ");
}

#[test]
fn long_rows() {
    let scratch = Scratch::new("long");
    let (input, size) = (scratch.path("x.npy"), 1_000_000);
    npy::write(&input, crate::support::scattered(2, size).view()).unwrap();
    let input = input.to_str().unwrap();
    let output = run(&["--input", input]);
    assert_eq!((output.status, &*output.stdout), (Some(3), ""));
    expect![[r#"
        error: `pl::load` needs 4000000 bytes of tile memory (1 live tile), platform `a2a3sim` has 188416
          --> examples/14_reduce_scatter.rs:31:21
           |
        31 |         let chunk = pl::load(x, [0, c * SIZE], [1, SIZE]);
           |                     ^^^^^^^^ in kernel `hand_step`
           |
           = help: work on smaller tiles in a loop of chunks, or keep fewer tiles live

        error: `pl::store` needs 4000000 bytes of tile memory (1 live tile), platform `a2a3sim` has 188416
          --> examples/14_reduce_scatter.rs:32:16
           |
        32 |         data = pl::store(chunk, [c, 0], data);
           |                ^^^^^^^^^ in kernel `hand_step`
           |
           = help: work on smaller tiles in a loop of chunks, or keep fewer tiles live

        error: `pl::load` needs 4000000 bytes of tile memory (1 live tile), platform `a2a3sim` has 188416
          --> examples/14_reduce_scatter.rs:48:19
           |
        48 |     let mut acc = pl::load(data, [my_rank, 0], [1, SIZE]);
           |                   ^^^^^^^^ in kernel `hand_step`
           |
           = help: work on smaller tiles in a loop of chunks, or keep fewer tiles live

        error: `pld::tile::remote_load` needs 8000000 bytes of tile memory (2 live tiles), platform `a2a3sim` has 188416
          --> examples/14_reduce_scatter.rs:51:24
           |
        51 |             let recv = pld::tile::remote_load(data, peer = peer, offsets = [my_rank, 0], shape = [1, SIZE]);
           |                        ^^^^^^^^^^^^^^^^^^^^^^ in kernel `hand_step`
           |
           = help: work on smaller tiles in a loop of chunks, or keep fewer tiles live

        error: `pl::add` needs 8000000 bytes of tile memory (2 live tiles), platform `a2a3sim` has 188416
          --> examples/14_reduce_scatter.rs:52:19
           |
        52 |             acc = pl::add(acc, recv);
           |                   ^^^^^^^ in kernel `hand_step`
           |
           = help: work on smaller tiles in a loop of chunks, or keep fewer tiles live

        error: `pl::store` needs 4000000 bytes of tile memory (1 live tile), platform `a2a3sim` has 188416
          --> examples/14_reduce_scatter.rs:55:5
           |
        55 |     pl::store(acc, [0, 0], y)
           |     ^^^^^^^^^ in kernel `hand_step`
           |
           = help: work on smaller tiles in a loop of chunks, or keep fewer tiles live
    "#]]
    .assert_eq(&output.stderr);
    check_ok(&["--input", input, "--mode", "builtin"]);
    check_ok(&["--input", input, "-p", "sim"]);
}
