//! The programs whose output the pages show, beside the examples: what the page explains, and above all what goes wrong. Each page has a
//! module; a program of it has a name, which no other page uses.
//!
//! What depends on timing is launched with a seed that shows it.

pub mod all_to_all;
pub mod allgather;
mod allreduce;
mod allreduce_mesh;
mod allreduce_reveal;
mod allreduce_ring;
mod allreduce_two_phase;
pub mod barrier;
pub mod broadcast;
mod checks;
pub mod dynamic_rank_count;
pub mod hello_rank;
mod programming_model;
pub mod put_get;
pub mod readme;
pub mod reduce_scatter;
pub mod remote;
pub mod together;
pub mod window_buffer;

use pl::report::Renderer;
use pl::{Error, LaunchOptions, Report, Scheduler};
use pl_examples_cli::golden::{Right, Wrong};

#[expect(dead_code, reason = "the example's own command line")]
#[path = "../../../examples/14_reduce_scatter.rs"]
mod example;

/// What the pages' modules have in common: the program of this name, if it is one of the page's.
type Run = fn(&str) -> Option<Result<String, Error>>;

const PAGES: &[Run] = &[
    readme::run,
    hello_rank::run,
    programming_model::run,
    window_buffer::run,
    barrier::run,
    remote::run,
    put_get::run,
    dynamic_rank_count::run,
    allreduce_mesh::run,
    allreduce_two_phase::run,
    allreduce_ring::run,
    allreduce_reveal::run,
    broadcast::run,
    allgather::run,
    reduce_scatter::run,
    all_to_all::run,
    together::run,
    checks::run,
];

/// Runs a program. Gives what it would print; an error as the examples print it.
pub fn run(name: &str) -> Result<String, String> {
    let result = PAGES.iter().find_map(|page| page(name)).ok_or_else(|| format!("there is no program {name:?}"))?;
    let text = result.unwrap_or_else(|error| Renderer::plain().error(&error) + "\n");
    Ok(text.replace("tests/docs/programs/../../../", ""))
}

/// One interleaving.
fn seeded(seed: u64) -> LaunchOptions {
    LaunchOptions { scheduler: Scheduler::Seeded(seed), ..LaunchOptions::default() }
}

/// A program under the first seed that shows this symptom; where none does, what the first gives.
fn until(symptom: &str, program: impl Fn(u64) -> Result<String, Error>) -> Result<String, Error> {
    let shows = |result: &Result<String, Error>| result.as_ref().is_err_and(|e| e.to_string().contains(symptom));
    (0..256).map(&program).find(shows).unwrap_or_else(|| program(0))
}

/// What an example prints of what a launch found odd.
fn warnings(report: &Report) -> String {
    report.lints.iter().map(|lint| Renderer::plain().explanation(&lint.explain()) + "\n").collect()
}

/// What an example prints of its result.
fn checked(verdict: Result<Right, Box<Wrong>>) -> String {
    verdict.map_or_else(|wrong| format!("error: {wrong}\n"), |_| "OK\n".into())
}
