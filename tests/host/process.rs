//! Programs that end badly, as processes: the exit status, and the report on stderr. Each runs this test's own binary again.

use expect_test::{Expect, expect};
use pl::distributed as pld;
use pl::report::Explanation;
use pl_examples_cli::{Done, Failure, Program, Session};
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

/// Tells the process which program it is.
const CHILD: &str = "PL_TEST_PROGRAM";

const PROGRAM: Program = Program::new("child", "A program of the tests").min_ranks(1);

/// Waits for a notify that nobody sends.
#[pl::function(InCore, dynamic(NR))]
fn forgotten(signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>) {
    let my_rank = pld::rank(pld::get_comm_ctx(signal));
    if my_rank == 0 {
        pld::system::wait(signal, offsets = [1, 0], expected = 1, cmp = pld::WaitCmp::Ge);
    }
}

/// Never ends.
#[pl::function(InCore, dynamic(NR))]
fn endless(signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>) {
    let my_rank = pld::rank(pld::get_comm_ctx(signal));
    if my_rank == 1 {
        pld::system::wait(signal, offsets = [0, 0], expected = 1, cmp = pld::WaitCmp::Ge);
    }
    let mut n = 1;
    while n > 0 {
        n = 1;
    }
}

fn deadlock(session: &Session) -> Result<Done, Failure> {
    let world = session.world()?;
    let signal = world.window::<i32>([world.size(), 1])?;
    session.launch(&world, (0..world.size()).map(|_| forgotten(&signal)))?;
    Ok(Done::Checked)
}

fn interrupted(session: &Session) -> Result<Done, Failure> {
    let world = session.world()?;
    let signal = world.window::<i32>([world.size(), 1])?;
    session.print("ready\n")?;
    session.launch(&world, (0..world.size()).map(|_| endless(&signal)))?;
    Ok(Done::Checked)
}

fn golden(_: &Session) -> Result<Done, Failure> {
    Err(Failure::Golden(Explanation::error("the result is wrong").into()))
}

/// The program, when this process is one: a test only in that it stands in the tests' binary.
#[test]
fn child() {
    let Ok(program) = std::env::var(CHILD) else { return };
    let body = match &*program {
        "deadlock" => deadlock,
        "interrupted" => interrupted,
        _ => golden,
    };
    let status = pl_examples_cli::run(PROGRAM, ["child".into(), "--seed=1".into()], body);
    std::process::exit(status.into());
}

fn spawn(program: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["process::child", "--exact", "--nocapture"])
        .env(CHILD, program)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[track_caller]
fn check(mut child: Child, status: i32, expected: Expect) {
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(status), "{stderr}");
    expected.assert_eq(&stderr);
}

#[test]
fn golden_is_1() {
    check(
        spawn("golden"),
        1,
        expect![[r#"
        error: the result is wrong
    "#]],
    );
}

#[test]
fn deadlock_is_3() {
    check(
        spawn("deadlock"),
        3,
        expect![[r#"
            error: deadlock: 1 rank of 2 blocked, 1 finished
              --> tests/host/process.rs:20:9
               |
            20 |         pld::system::wait(signal, offsets = [1, 0], expected = 1, cmp = pld::WaitCmp::Ge);
               |         ^^^^^^^^^^^^^^^^^
               |         |
               |         rank 0 waits for `signal[1, 0]` of rank 0 >= 1; it is 0
               |           no kernel of this launch can notify that cell
               |
               = note: found in the schedule of seed 1, which repeats it
               = help: a wait needs a notify of the same cell: compare peer and offsets of the notify with the offsets of the wait
        "#]],
    );
}

#[cfg(unix)]
#[test]
fn ctrl_c_is_130() {
    let mut child = spawn("interrupted");
    let stdout = BufReader::new(child.stdout.take().unwrap());
    assert!(stdout.lines().any(|line| line.unwrap().contains("ready")));
    let interrupt = Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status().unwrap();
    assert!(interrupt.success());
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{stderr}");
    // Where exactly the ranks were is not the same every time, and before either has begun it is the same place.
    let are_told = stderr.contains("rank 0") && stderr.contains("rank 1") || stderr.contains("ranks 0-1");
    assert!(are_told && stderr.contains("process.rs:"), "{stderr}");
}
