//! What was measured of a case.

use super::cases::{Case, Contest, Goal};
use super::measure::{Comparison, Sample, seconds};
use std::fmt;
use std::time::Duration;

/// What part of the bandwidth of a copy a reference has to reach: a comparison with less says nothing.
pub const REFERENCE_REACHES: f64 = 0.85;

/// The times of both sides for a unit of the case, round by round.
#[derive(Clone, Debug)]
pub struct Figures {
    /// The reference's part is empty where there is none.
    pub sides: Comparison,
    /// The reference's bandwidth divided by that of the copy; empty where there is no copy.
    pub bandwidth: Sample,
    goal: Goal,
    units: f64,
}

impl Figures {
    /// Nothing yet.
    pub fn of(case: &Case) -> Figures {
        Figures { sides: Comparison::default(), bandwidth: Sample::default(), goal: case.goal, units: case.unit.0 }
    }

    /// One more round: both sides, and the copy. Who begins changes from round to round, so that neither always finds the other's caches. Says
    /// what our side took for a run.
    pub fn round(&mut self, contest: &mut dyn Contest, laps: usize) -> Duration {
        let early = if self.sides.ours.len() % 2 == 1 { contest.reference(laps) } else { None };
        let ours = contest.ours(laps);
        let unit = |run: Duration| run.as_secs_f64() / self.units;
        match early.or_else(|| contest.reference(laps)) {
            Some(reference) => {
                self.sides.push(unit(ours), unit(reference));
                if let Some((bytes, copied, copy)) = contest.copy(laps) {
                    let per_second = |bytes: usize, time: Duration| bytes as f64 / time.as_secs_f64();
                    self.bandwidth.push(per_second(bytes, reference) / per_second(copied, copy));
                }
            }
            None => self.sides.ours.push(unit(ours)),
        }
        ours
    }

    /// Whether the case reaches its goal.
    pub fn reached(&self) -> bool {
        match self.goal {
            Goal::Ratio(ratio) => self.sides.ratio.median() <= ratio,
            Goal::Seconds(goal) => self.sides.ours.median() <= goal,
        }
    }

    /// Whether the reference is good enough to be one.
    pub fn is_fair(&self) -> bool {
        self.bandwidth.is_empty() || self.bandwidth.median() >= REFERENCE_REACHES
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.sides.reference.is_empty() {
            let (low, high) = self.sides.ours.spread();
            write!(f, "{} ({} to {})", seconds(self.sides.ours.median()), seconds(low), seconds(high))?;
        } else {
            write!(f, "{}", self.sides)?;
        }
        write!(f, "; goal {}, {}", self.goal, if self.reached() { "reached" } else { "missed" })?;
        if !self.bandwidth.is_empty() {
            write!(f, "; the reference has {:.0} % of the bandwidth of a copy", 100.0 * self.bandwidth.median())?;
        }
        Ok(())
    }
}
