//! Our figures beside those of references and of MPI, measured in one run.
//!
//! ```text
//! cargo run --release --example bench_compare
//! cargo run --release --example bench_compare -- --mpi
//! cargo run --release --example bench_compare -- --quick reduce_scatter
//! ```
//! What is measured, and how, is told in `docs/performance.md`.

mod mpi;
mod table;

#[path = "../../benches/support/mod.rs"]
mod support;

use clap::Parser;
use std::process::ExitCode;
use support::cases::{self, Case};
use support::figures::{Figures, REFERENCE_REACHES};
use support::measure::Sample;
use support::worlds;
use table::Table;

/// Our figures beside those of references and of MPI, measured in one run.
///
/// Values go to stdout, separated by tabs; the same goes to stderr as a table. All sides run alternately, and what is told is the median of the
/// rounds with the quartiles.
#[derive(Parser)]
#[command(
    name = "bench_compare",
    after_help = "\
Exit status:
  0  all was measured
  1  something that was asked for could not be measured, or a reference was no good
  2  no case has this name"
)]
struct Args {
    /// Only the cases in whose names one of these occurs
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Measure the same with MPI: needs `mpicc` and `mpirun`
    #[arg(long)]
    mpi: bool,
    /// Only what is small, and a few rounds: shows that it works, not how fast
    #[arg(long)]
    quick: bool,
    /// How many rounds
    #[arg(long, value_name = "N")]
    rounds: Option<usize>,
}

fn main() -> ExitCode {
    if let Some(status) = worlds::child() {
        return status;
    }
    let args = Args::parse();
    let chosen = |name: &str| args.names.is_empty() || args.names.iter().any(|part| name.contains(part));
    let mut cases = cases::all();
    cases.retain(|case| chosen(&case.name) && !(args.quick && case.heavy));
    let worlds: Vec<_> = worlds::ALL.iter().filter(|world| chosen(&world.name()) && !args.quick).collect();
    if cases.is_empty() && worlds.is_empty() {
        eprintln!("error: no case has this name");
        return ExitCode::from(2);
    }

    let mut failures = vec![];
    let program = if args.mpi { mpi::Program::build().map_err(|error| failures.push(error)).ok() } else { None };
    let rounds = args.rounds.unwrap_or(if args.quick { 3 } else { 15 });
    table::head(rounds, program.as_ref().map(|program| &*program.version));
    let mut table = Table::default();
    for case in &cases {
        let (figures, beside) = measure(case, rounds, args.quick, program.as_ref(), &mut failures);
        if !args.quick && !figures.is_fair() {
            let (has, least) = (100.0 * figures.bandwidth.median(), 100.0 * REFERENCE_REACHES);
            let name = &case.name;
            failures
                .push(format!("{name}: the reference has {has:.0} % of the bandwidth of a copy, and not {least:.0} %"));
        }
        table.push(&figures, &beside);
    }
    for world in worlds {
        match world.measure(world.times) {
            Ok(both) => both.iter().for_each(|figures| table.push(figures, &Sample::default())),
            Err(error) => failures.push(error),
        }
    }
    eprint!("{table}");
    for failure in &failures {
        eprintln!("error: {failure}");
    }
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The rounds of a case, and what MPI took for a unit in each of a few that are spread over them; once more when the reference fell short.
fn measure(
    case: &Case,
    rounds: usize,
    quick: bool,
    program: Option<&mpi::Program>,
    failures: &mut Vec<String>,
) -> (Figures, Sample) {
    let mut found = attempt(case, Figures::of(case), rounds, quick, program, failures);
    while !quick && let Some(next) = found.0.next(case) {
        eprintln!("measured again: {}", found.0);
        found = attempt(case, next, rounds, quick, program, failures);
    }
    found
}

fn attempt(
    case: &Case,
    mut figures: Figures,
    rounds: usize,
    quick: bool,
    program: Option<&mpi::Program>,
    failures: &mut Vec<String>,
) -> (Figures, Sample) {
    let mut contest = case.open();
    let mut beside = Sample::default();
    let (turns, seconds) = if quick { (1, 0.02) } else { (3, 0.3) };
    for turn in 0..turns {
        for _ in turn * rounds / turns..(turn + 1) * rounds / turns {
            figures.round(case, &mut *contest);
        }
        if let (Some(program), Some(what)) = (program, case.mpi) {
            match program.measure(what, seconds) {
                Ok(took) => beside.push(took * what.times / case.unit.0),
                Err(error) => failures.push(format!("{}: {error}", case.name)),
            }
        }
    }
    (figures, beside)
}
