//! `--explore` and `--replay`: each launch of a program under many schedules, or under the one of a token.

use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use pl::{Explore, Progress, Step};

#[derive(clap::Args, Debug)]
pub(crate) struct ExploreArgs {
    /// Runs each launch under many schedules, and stops at the first that fails.
    #[arg(long, value_name = "STRATEGY", value_enum)]
    pub(crate) explore: Option<Strategy>,
    /// The most schedules of each launch [default: 1000; exhaustive: 1000000].
    #[arg(long, value_name = "N", requires = "explore", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) schedules: Option<u64>,
    /// Runs the schedule of this token, which the report of a failure gave.
    #[arg(long, value_name = "TOKEN", conflicts_with_all = ["explore", "seed"])]
    pub(crate) replay: Option<String>,
}

/// How schedules are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Strategy {
    /// At random: evidence.
    Random,
    /// By random priorities (probabilistic concurrency testing): evidence, also for what needs a rare order.
    Pct,
    /// All that can differ: a proof for this program, number of ranks and input.
    Exhaustive,
}

impl ExploreArgs {
    /// What to explore; `None` without `--explore` and `--replay`. `draws` tells whether a bar may be drawn.
    pub(crate) fn how(&self, seed: Option<u64>, draws: bool) -> Option<Explore> {
        const SCHEDULES: u64 = 1000;
        if let Some(token) = &self.replay {
            return Some(Explore::replay(token));
        }
        let how = match self.explore? {
            Strategy::Random => Explore::random(SCHEDULES),
            Strategy::Pct => Explore::pct(SCHEDULES),
            Strategy::Exhaustive => Explore::exhaustive(),
        };
        let schedules = self.schedules.unwrap_or(how.schedules);
        let how = how.seed(seed.unwrap_or(0)).schedules(schedules);
        Some(if draws { how.progress(bar()) } else { how })
    }
}

/// Draws a bar on stderr, when that is a terminal.
fn bar() -> impl Fn(Progress) + Send + Sync + 'static {
    let bar = ProgressBar::no_length();
    let style =
        |template: &str| ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    move |progress: Progress| {
        if progress.schedules == 1 && progress.step == Step::Running {
            // Another launch may have used it before.
            bar.reset();
            bar.set_style(match progress.of {
                Some(_) => style("{wide_bar} {human_pos}/{human_len} schedules, {per_sec}, {eta} left"),
                None => style("{spinner} {human_pos} schedules, {per_sec}"),
            });
        }
        match progress.step {
            Step::Running => {
                progress.of.into_iter().for_each(|of| bar.set_length(of));
                bar.set_position(progress.schedules);
            }
            Step::Shrinking => {
                bar.set_style(style("{spinner} making the failure smaller"));
                bar.tick();
            }
            Step::Ended => bar.finish_and_clear(),
        }
    }
}
