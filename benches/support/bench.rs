//! Cases as benchmarks of criterion.

use crate::support::cases::Case;
use crate::support::figures::{Figures, REFERENCE_REACHES};
use criterion::{Criterion, SamplingMode};
use std::process::ExitCode;
use std::time::Duration;

/// What fewer rounds say of a reference counts for nothing.
const LEAST_ROUNDS: usize = 5;

/// Runs these cases: criterion times our side, the other ones run between. Each ends with a line that compares them. The exit status tells whether all
/// references were good enough; what a single run (`--test`) says of that counts for nothing.
pub fn main(cases: Vec<Case>) -> ExitCode {
    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2))
        .configure_from_args();
    let mut unfair = vec![];
    for case in cases {
        if let Some(figures) = run(&mut criterion, &case) {
            println!("{figures}\n");
            if !figures.is_fair() && figures.sides.ratio.len() >= LEAST_ROUNDS {
                unfair.push(case.name);
            }
        }
    }
    criterion.final_summary();
    if unfair.is_empty() {
        return ExitCode::SUCCESS;
    }
    let least = 100.0 * REFERENCE_REACHES;
    eprintln!("error: references below {least} % of the bandwidth of a copy: {}", unfair.join(", "));
    ExitCode::FAILURE
}

/// What was measured; nothing of a case that the command line leaves out.
fn run(criterion: &mut Criterion, case: &Case) -> Option<Figures> {
    let (group, name) = case.name.split_once('/').unwrap_or(("", &case.name));
    let mut group = criterion.benchmark_group(group);
    group.sampling_mode(SamplingMode::Flat);
    let mut contest = None;
    let mut figures = Figures::of(case);
    group.bench_function(name, |bencher| {
        let contest = contest.get_or_insert_with(|| case.open());
        bencher.iter_custom(|times| (0..times).map(|_| figures.round(case, &mut **contest)).sum());
    });
    group.finish();
    contest?;
    let rounds = figures.sides.ours.len();
    while rounds >= LEAST_ROUNDS
        && let Some(mut next) = figures.next(case)
    {
        let mut contest = case.open();
        (0..rounds).for_each(|_| _ = next.round(case, &mut *contest));
        figures = next;
    }
    Some(figures)
}
