//! An example's program as a user runs it: flags, files, streams and exit statuses. What all of them do alike is tested in [`crate::programs`].

use expect_test::{Expect, expect};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The program that cargo built beside this test.
pub fn program_of(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let directory = test.ancestors().nth(2).unwrap();
    let program = directory.join("examples").join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(
        program.exists(),
        "{} is not built: `cargo test` without `--test` builds the examples too",
        program.display()
    );
    program
}

fn program() -> PathBuf {
    program_of("14_reduce_scatter")
}

/// What a run gave.
pub struct Output {
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// Runs a program.
pub fn run_of(name: &str, args: &[&str], environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new(program_of(name));
    command.args(args).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").envs(environment.iter().copied());
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace(env!("CARGO_MANIFEST_DIR"), "");
    Output { status: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

fn run_with(args: &[&str], environment: &[(&str, &str)]) -> Output {
    run_of("14_reduce_scatter", args, environment)
}

pub fn run(args: &[&str]) -> Output {
    run_with(args, &[])
}

#[track_caller]
pub fn check_ok(args: &[&str]) {
    let output = run(args);
    assert_eq!((output.status, &*output.stdout), (Some(0), "OK\n"), "{args:?}: {}", output.stderr);
}

/// A run that fails: nothing on stdout, the report on stderr.
#[track_caller]
pub fn check_failure(args: &[&str], status: i32, expected: Expect) {
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

#[test]
fn mistakes_on_the_command_line() {
    check_failure(
        &["-d", ""],
        2,
        expect![[r#"
        error: invalid value '' for '--devices <IDS>': the list is empty; give ids and ranges, such as `0,1` or `0-3`

        For more information, try '--help'.
    "#]],
    );
    check_failure(
        &["-d", "0,0"],
        2,
        expect![[r#"
        error: device 0 stands in the device list more than once
          = help: each rank runs on a device of its own; name every device once
    "#]],
    );
    check_failure(
        &["-d", "0-x"],
        2,
        expect![[r#"
        error: invalid value '0-x' for '--devices <IDS>': `0-x` is neither a device id nor a range of them, such as `2` or `0-3`

        For more information, try '--help'.
    "#]],
    );
    check_failure(
        &["-d", "5-2"],
        2,
        expect![[r#"
        error: invalid value '5-2' for '--devices <IDS>': the range `5-2` runs backwards; write `2-5`

        For more information, try '--help'.
    "#]],
    );
    check_failure(
        &["-d", "3"],
        2,
        expect![[r#"
        error: 14_reduce_scatter needs at least 2 ranks, and `--devices` names 1 device
          = help: name more: `-d 0,1`
    "#]],
    );
    check_failure(
        &["-p", "a3sim"],
        2,
        expect![[r#"
        error: unknown platform `a3sim`
          = help: platforms are `sim`, `a2a3sim`, `a5sim`; did you mean `a5sim`?
    "#]],
    );
    check_failure(
        &["--mode", "auto"],
        2,
        expect![[r#"
        error: invalid value 'auto' for '--mode <MODE>'
          [possible values: hand, builtin]

        For more information, try '--help'.
    "#]],
    );
    check_failure(
        &["--emit", "asm"],
        2,
        expect![[r#"
        error: invalid value 'asm' for '--emit <STAGE>'
          [possible values: ir, lowered, diff, plan, cost]

        For more information, try '--help'.
    "#]],
    );
    check_failure(
        &["-d", "0-65535"],
        2,
        expect![[r#"
        error: invalid value '0-65535' for '--devices <IDS>': the list names more than 4096 devices, the most that an example runs on

        For more information, try '--help'.
    "#]],
    );
    check_failure(
        &["--emit", "ir", "--output", "y.npy"],
        2,
        expect![[r#"
        error: the argument '--emit <STAGE>' cannot be used with '--output <FILE>'

        Usage: 14_reduce_scatter --emit <STAGE>

        For more information, try '--help'.
    "#]],
    );
    check_failure(
        &["--frobnicate"],
        2,
        expect![[r#"
        error: unexpected argument '--frobnicate' found

        Usage: 14_reduce_scatter [OPTIONS]

        For more information, try '--help'.
    "#]],
    );
}

#[test]
fn help() {
    let output = run(&["--help"]);
    assert_eq!((output.status, &*output.stderr), (Some(0), ""));
    // clap leaves blanks at the ends of lines.
    let text: Vec<&str> = output.stdout.lines().map(str::trim_end).collect();
    expect![[r#"
        ReduceScatter: every rank brings P chunks, rank r leaves with the sum of everyone's chunk r

        Usage: 14_reduce_scatter [OPTIONS]

        Options:
          -p, --platform <PLATFORM>
                  The platform whose devices run the kernel: `sim` (no on-chip limit), `a2a3sim` or `a5sim`

                  [default: a2a3sim]

          -d, --devices <IDS>
                  The ids of the devices, one per rank: `0,1`, `0-6`, `4,9`

                  [default: 0,1]

              --seed <N>
                  Runs the ranks on one thread, interleaved by this number; the same number gives the same run. Without it they run in parallel. Of `--explore`, where its random numbers start

              --inject <FAULT>
                  Lets something go wrong, to see that it does not go unseen: `stop:RANK@OP`, `delay:RANK@OP`, `lose:RANK@NOTIFY` or `double:RANK@NOTIFY`, counted from 1. May be given several times

              --no-check
                  Runs without checks of accesses, on one thread: races, uninitialised reads and leftover credits go unseen

              --allow <LINT>
                  Does not warn of this: `set-overwrote`, `set-add-mixed`, `stale-wait`, `out-unwritten`, `order-dependent`. May be given again

              --explore <STRATEGY>
                  Runs each launch under many schedules, and stops at the first that fails

                  Possible values:
                  - random:     At random: evidence
                  - pct:        By random priorities (probabilistic concurrency testing): evidence, also for what needs a rare order
                  - exhaustive: All that can differ: a proof for this program, number of ranks and input

              --schedules <N>
                  The most schedules of each launch [default: 1000; exhaustive: 1000000]

              --replay <TOKEN>
                  Runs the schedule of this token, which the report of a failure gave

              --report <FORM>
                  How failures, warnings and notes are told on stderr; `json` gives one document for the run

                  Possible values:
                  - text: For people, with the source lines
                  - json: For programs: docs/report-schema.md describes it

                  [default: text]

              --color <WHEN>
                  When to colour the output; `auto` colours a terminal's, unless `NO_COLOR` is set

                  [default: auto]
                  [possible values: auto, always, never]

              --mode <MODE>
                  Which kernel runs: the hand-rolled one, or the one that calls the builtin

                  Possible values:
                  - hand:    The hand-rolled kernel
                  - builtin: The kernel that calls the builtin

                  [default: hand]

              --emit <STAGE>
                  Prints a stage of the kernel and ends without running it

                  Possible values:
                  - ir:      The kernel as it was written, as IR
                  - lowered: The IR after collectives were lowered, bound to the arguments' shapes
                  - diff:    Hand-rolled against builtin, after lowering
                  - plan:    What a rank executes
                  - cost:    What one rank sends, receives and waits for

              --input <FILE>
                  Reads the input from this .npy file

              --output <FILE>
                  Writes the result into this .npy file

          -h, --help
                  Print help (see a summary with '-h')

        Examples:
          cargo run --release --example 14_reduce_scatter -- -p a2a3sim -d 0,1
          cargo run --release --example 14_reduce_scatter -- -d 0-3 --mode builtin
          cargo run --release --example 14_reduce_scatter -- -d 0-2 --explore random --schedules 1000
          cargo run --release --example 14_reduce_scatter -- --emit diff
          cargo run --release --example 14_reduce_scatter -- -p sim -d 0-6 --input x.npy --output y.npy

        The input is x of shape [P, 1, P * SIZE], f32 in C order, from `np.save`; without it SIZE is 64 and x[r] counts up from 100 r.
        The result is y of shape [P, 1, SIZE].
        Exit status: 0 right, 1 the result differs from the golden, 2 usage or input, 3 deadlock or another check, 130 Ctrl-C."#]]
    .assert_eq(&text.join("\n"));
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
    expect![[r#"
        --- hand_step (lowered)
        +++ builtin_step (lowered)
        @@ -1,5 +1,5 @@
         pl 1
        -InCore fn hand_step(x: In tensor<f32, [1, NR * SIZE]>, y: Out tensor<f32, [1, SIZE]>, data: InOut window<f32, [NR, SIZE]>, signal: InOut window<i32, [NR, 1]>) -> tensor<f32, [1, SIZE]> dynamic(NR, SIZE) {
        +InCore fn builtin_step(x: In tensor<f32, [1, NR * SIZE]>, y: Out tensor<f32, [1, SIZE]>, data: InOut window<f32, [NR, SIZE]>, signal: InOut window<i32, [NR, 1]>) -> tensor<f32, [1, SIZE]> dynamic(NR, SIZE) {
           ctx = pld::get_comm_ctx(data)
           my_rank = pld::rank(ctx)
           nranks = pld::nranks(ctx)
        @@ -7,6 +7,7 @@
             chunk = pl::load(x, [0, c * SIZE], [1, SIZE])
             data = pl::store(chunk, [c, 0], data)
           }
        +  pld::system::enter(signal, data, collective = ReduceScatter, op = Sum, _, _)
           for peer in 0..nranks {
             if peer != my_rank {
               pld::system::notify(signal, peer, [my_rank, 0], 1, op = AtomicAdd)
        @@ -24,6 +25,24 @@
               acc = pl::add(acc, recv)
             }
           }
        -  y = pl::store(acc, [0, 0], y)
        +  for peer.2 in 0..nranks {
        +    if peer.2 != my_rank {
        +      pld::system::notify(signal, peer.2, [my_rank, 0], 1, op = AtomicAdd)
        +    }
        +  }
        +  for src.1 in 0..nranks {
        +    if src.1 != my_rank {
        +      pld::system::wait(signal, [src.1, 0], 2, cmp = Ge)
        +    }
        +  }
        +  data = pl::store(acc, [my_rank, 0], data)
        +  for src.2 in 0..nranks {
        +    if src.2 != my_rank {
        +      pld::system::notify(signal, my_rank, [src.2, 0], -2, op = AtomicAdd)
        +    }
        +  }
        +  pld::system::leave(signal)
        +  acc.1 = pl::load(data, [my_rank, 0], [1, SIZE])
        +  y = pl::store(acc.1, [0, 0], y)
           return y
         }
    "#]].assert_eq(&run(&["--emit", "diff"]).stdout);
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
    expect![[r#"
        cost card of builtin_step, P = 4, NR = 4, SIZE = 64
        each rank
          bytes received   768
          bytes sent       768
          remote loads       3
          remote stores      0
          peer notifies      6
          self notifies      3
          waits              6
          barriers           2
          credits            2
          result elements   64
    "#]]
    .assert_eq(&run(&["--emit", "cost", "--mode", "builtin", "-d", "0-3"]).stdout);
    expect![[r#"
        cost card of hand_step, P = 4, NR = 4, SIZE = 64
        each rank
          bytes received   768
          bytes sent       768
          remote loads       3
          remote stores      0
          peer notifies      3
          self notifies      0
          waits              3
          barriers           1
          credits            1
          result elements   64
    "#]]
    .assert_eq(&run(&["--emit", "cost", "-d", "0-3"]).stdout);
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

/// Output that is lost is an error: whoever reads the file later must not take it for complete.
#[cfg(target_os = "linux")]
#[test]
fn a_full_stdout_is_an_error() {
    for args in [&["--emit", "ir"][..], &["--mode", "builtin"], &["--help"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = Command::new(program()).args(args).stdout(full).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        assert!(stderr.starts_with("error: cannot write to stdout: ") && stderr.lines().count() == 1, "{stderr}");
    }
}

/// An allocation that the system refuses is reported, and does not end the process.
#[cfg(target_os = "linux")]
#[test]
fn no_memory_for_the_arrays() {
    let limited = format!("ulimit -v 2000000 && exec '{}' -d 0-4095", program().display());
    let output = Command::new("sh").args(["-c", &limited]).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    expect![[r#"
        error: no memory for an array of f32 [4096, 1, 262144]
          = help: fewer devices need less: `-d`
    "#]]
    .assert_eq(&stderr);
}

#[test]
fn many_ranks() {
    check_ok(&["-d", "0-255", "--mode", "builtin"]);
    check_ok(&["-d", "0-255"]);
    check_ok(&["-d", "0-1023", "--mode", "builtin"]);
}

/// One document on stderr, in one line; stdout and the exit status are as ever.
#[test]
fn reports_as_json() {
    #[track_caller]
    fn check(args: &[&str], status: i32, stdout: &str, parts: &[&str]) {
        let args: Vec<&str> = args.iter().copied().chain(["--report", "json"]).collect();
        let output = run(&args);
        assert_eq!((output.status, &*output.stdout), (Some(status), stdout), "{args:?}: {}", output.stderr);
        assert_eq!(output.stderr.lines().count(), 1, "{}", output.stderr);
        for part in parts {
            assert!(output.stderr.contains(part), "{part} in {}", output.stderr);
        }
    }
    let passed = [r#"{"schema":1,"result":"passed","problems":[],"launches":[{"#, r#""kind":"seeded","seed":3"#];
    check(&["--seed=3"], 0, "OK\n", &passed);
    let usage = [r#"{"schema":1,"result":"failed","problems":[{"severity":"error","kind":"usage","title":"device 0"#];
    check(&["-d", "0,0", "--color", "always"], 2, "", &usage);
    let stopped =
        [r#""kind":"stopped""#, r#""file":"examples/14_reduce_scatter.rs""#, r#""stopped":[{"site":{"rank":1"#];
    check(&["--inject", "stop:1@5"], 3, "", &stopped);
    let emitted = run(&["--emit", "cost", "--report", "json"]);
    assert_eq!((emitted.status, &*emitted.stderr), (Some(0), ""));
}
