//! The example's program as a user runs it: flags, files, streams and exit statuses.

use expect_test::{Expect, expect};
use pl_examples_cli::npy;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The program that cargo built beside this test.
fn program() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let directory = test.ancestors().nth(2).unwrap();
    let program = directory.join("examples").join(format!("14_reduce_scatter{}", std::env::consts::EXE_SUFFIX));
    assert!(program.exists(), "{} is not built: `cargo test` without `--test` builds the examples too", program.display());
    program
}

/// A fixture that NumPy wrote.
fn fixture(name: &str) -> String {
    format!("{}/examples/cli/tests/npy/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// What a run gave.
struct Output {
    status: Option<i32>,
    stdout: String,
    stderr: String,
}

fn run_with(args: &[&str], environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new(program());
    command.args(args).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").envs(environment.iter().copied());
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace(env!("CARGO_MANIFEST_DIR"), "");
    Output { status: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

fn run(args: &[&str]) -> Output {
    run_with(args, &[])
}

#[track_caller]
fn check_ok(args: &[&str]) {
    let output = run(args);
    assert_eq!((output.status, &*output.stdout), (Some(0), "OK\n"), "{args:?}: {}", output.stderr);
}

/// A run that fails: nothing on stdout, the report on stderr.
#[track_caller]
fn check_failure(args: &[&str], status: i32, expected: Expect) {
    let output = run(args);
    assert_eq!((output.status, &*output.stdout), (Some(status), ""), "{args:?}: {}", output.stderr);
    expected.assert_eq(&output.stderr);
}

#[test]
fn prints_ok() {
    check_ok(&[]);
    check_ok(&["-p", "a2a3sim", "-d", "0,1"]);
    check_ok(&["-p", "a2a3sim", "-d", "0,1,2,3", "--mode", "builtin"]);
    check_ok(&["-p", "sim", "-d", "0-6", "--mode", "builtin"]);
    check_ok(&["-p", "a5sim", "-d", "4,9", "--seed", "7"]);
    check_ok(&["-d", "0-3,8", "--mode=hand", "--color=always"]);
}

#[test]
fn stderr_is_silent_when_all_is_well() {
    assert_eq!(run(&["--mode", "builtin"]).stderr, "");
}

/// A directory of its own, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("pl-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    fn path(&self, name: &str) -> PathBuf {
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
    for (name, devices) in [("p4_size8.npy", "0-3"), ("version2.npy", "0-3"), ("p3_random.npy", "1,2,3"), ("p2_nan_inf.npy", "0,1")] {
        let mut bits = vec![];
        for flags in [&["--mode=hand"][..], &["--mode=builtin"], &["--mode=builtin", "--seed=3"]] {
            let out = scratch.path("y.npy");
            let (input, out_text) = (fixture(name), out.to_str().unwrap().to_owned());
            let mut args = vec!["-d", devices, "--input", &input, "--output", &out_text];
            args.extend(flags);
            check_ok(&args);
            let (x, y) = (npy::read(Path::new(&input)).unwrap(), npy::read(&out).unwrap());
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
    assert_eq!(header.trim_end(), "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1, 64), }");
    // x[r] counts up from 100 r: y[r][i] is 100 + 2 (64 r + i).
    assert_eq!(&bytes[128..136], [100f32.to_le_bytes(), 102f32.to_le_bytes()].concat());
    assert_eq!(bytes.len(), 128 + 2 * 64 * 4);
}

#[test]
fn files_that_do_not_fit() {
    let input = |name: &str, devices: &str, expected: Expect| {
        check_failure(&["-d", devices, "--input", &fixture(name)], 2, expected);
    };
    input("f64.npy", "0-3", expect![[""]]);
    input("big_endian.npy", "0-3", expect![[""]]);
    input("fortran.npy", "0-3", expect![[""]]);
    input("two_axes.npy", "0-3", expect![[""]]);
    input("structured.npy", "0-3", expect![[""]]);
    input("truncated.npy", "0-3", expect![[""]]);
    input("not_npy.txt", "0-3", expect![[""]]);
    input("missing.npy", "0-3", expect![[""]]);
    input("two_rows.npy", "0-3", expect![[""]]);
    input("does_not_divide.npy", "0-3", expect![[""]]);
    input("p4_size8.npy", "0,1", expect![[""]]);
    check_failure(&["--output", "/nowhere/y.npy"], 2, expect![[""]]);
}

#[test]
fn mistakes_on_the_command_line() {
    check_failure(&["-d", ""], 2, expect![[""]]);
    check_failure(&["-d", "0,0"], 2, expect![[""]]);
    check_failure(&["-d", "0-x"], 2, expect![[""]]);
    check_failure(&["-d", "5-2"], 2, expect![[""]]);
    check_failure(&["-d", "3"], 2, expect![[""]]);
    check_failure(&["-p", "a3sim"], 2, expect![[""]]);
    check_failure(&["--mode", "auto"], 2, expect![[""]]);
    check_failure(&["--emit", "asm"], 2, expect![[""]]);
    check_failure(&["--frobnicate"], 2, expect![[""]]);
}

#[test]
fn help() {
    let output = run(&["--help"]);
    assert_eq!((output.status, &*output.stderr), (Some(0), ""));
    expect![[""]].assert_eq(&output.stdout);
}

#[test]
fn emit_prints_and_does_not_run() {
    for mode in ["hand", "builtin"] {
        for stage in ["ir", "lowered", "plan", "cost", "diff"] {
            let output = run(&["--mode", mode, "--emit", stage, "-d", "0-2"]);
            assert_eq!((output.status, &*output.stderr), (Some(0), ""), "{stage}");
            assert!(output.stdout.len() > 100 && !output.stdout.contains("OK\n"), "{stage}: {}", output.stdout);
            assert!(!output.stdout.contains('\u{1b}'), "piped output is plain");
        }
    }
    let ir = run(&["--emit", "ir", "--mode", "builtin"]).stdout;
    assert!(ir.contains("pld::tensor::reduce_scatter("), "{ir}");
    assert!(pl::text::parse(&ir).is_ok());
    let lowered = run(&["--emit", "lowered", "--mode", "builtin"]).stdout;
    assert!(!lowered.contains("pld::tensor::reduce_scatter("), "{lowered}");
    assert!(pl::text::parse(&lowered).is_ok());
}

#[test]
fn diff() {
    expect![[""]].assert_eq(&run(&["--emit", "diff"]).stdout);
    let coloured = run(&["--emit", "diff", "--color", "always"]).stdout;
    assert!(coloured.contains("\u{1b}[32m+"), "{coloured:?}");
    assert_eq!(without_colours(&coloured), run(&["--emit", "diff"]).stdout);
}

fn without_colours(text: &str) -> String {
    let mut pieces = text.split('\u{1b}');
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |text, piece| text + piece.split_once('m').unwrap().1)
}

#[test]
fn cost() {
    expect![[""]].assert_eq(&run(&["--emit", "cost", "--mode", "builtin", "-d", "0-3"]).stdout);
    expect![[""]].assert_eq(&run(&["--emit", "cost", "-d", "0-3"]).stdout);
}

#[test]
fn colours() {
    let coloured = |args: &[&str], environment: &[(&str, &str)]| run_with(args, environment).stderr.contains('\u{1b}');
    let bad = ["-d", "0,0"];
    assert!(!coloured(&bad, &[]), "a pipe is not coloured");
    assert!(coloured(&["-d", "0,0", "--color", "always"], &[]));
    assert!(coloured(&["-d", "0,0", "--color", "always"], &[("NO_COLOR", "1")]), "the flag is the last word");
    assert!(!coloured(&["-d", "0,0", "--color", "never"], &[("CLICOLOR_FORCE", "1")]));
    assert!(coloured(&bad, &[("CLICOLOR_FORCE", "1")]));
    assert!(!coloured(&bad, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let mut child = Command::new(program())
        .args(["--emit", "plan", "-d", "0-3"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
}

#[test]
fn long_rows() {
    let scratch = Scratch::new("long");
    let (input, size) = (scratch.path("x.npy"), 1_000_000);
    npy::write(&input, crate::support::scattered(2, size).view()).unwrap();
    let input = input.to_str().unwrap();
    let output = run(&["--input", input]);
    assert_eq!((output.status, &*output.stdout), (Some(3), ""));
    expect![[""]].assert_eq(&output.stderr);
    check_ok(&["--input", input, "--mode", "builtin"]);
    check_ok(&["--input", input, "-p", "sim"]);
}

#[test]
fn many_ranks() {
    check_ok(&["-d", "0-255", "--mode", "builtin"]);
    check_ok(&["-d", "0-255"]);
}
