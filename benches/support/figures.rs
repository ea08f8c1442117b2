//! What was measured of a case.

use super::cases::{Case, Contest, Goal};
use super::measure::{Comparison, Sample, quantity};
use std::fmt;
use std::time::Duration;

/// What part of the bandwidth of a copy a reference has to reach: a comparison with less says nothing. In the caches, where a copy is not what bounds a
/// sum of what other cores wrote, it is told and not asked for.
pub const REFERENCE_REACHES: f64 = 0.85;

/// How often a case is measured at most, each time in other memory, when its reference falls short: what the machine gives differs from minute to minute.
pub const ATTEMPTS: usize = 3;

/// What both sides took for one of some unit, round by round.
#[derive(Clone, Debug)]
pub struct Figures {
    /// What was measured.
    pub name: String,
    /// For one of these.
    pub unit: &'static str,
    /// What the other side is.
    pub reference: &'static str,
    /// What is to be reached.
    pub goal: Goal,
    /// The reference's part is empty where there is none.
    pub sides: Comparison,
    /// The reference's bandwidth divided by that of the copy; empty where there is no copy.
    pub bandwidth: Sample,
    /// Which attempt this is, from 1.
    pub attempt: usize,
    /// Whether what is moved exceeds the caches.
    exceeds_caches: bool,
}

impl Figures {
    /// Nothing yet.
    pub fn new(name: String, unit: &'static str, reference: &'static str, goal: Goal) -> Figures {
        Figures {
            name,
            unit,
            reference,
            goal,
            sides: Comparison::default(),
            bandwidth: Sample::default(),
            attempt: 1,
            exceeds_caches: false,
        }
    }

    /// Nothing yet of this case.
    pub fn of(case: &Case) -> Figures {
        let figures = Figures::new(case.name.clone(), case.unit.1, case.reference, case.goal);
        Figures { exceeds_caches: case.heavy, ..figures }
    }

    /// Nothing yet of the next attempt, when the reference of this one fell short and there may be one.
    pub fn next(&self, case: &Case) -> Option<Figures> {
        let next = Figures { attempt: self.attempt + 1, ..Figures::of(case) };
        Some(next).filter(|next| !self.is_fair() && next.attempt <= ATTEMPTS)
    }

    /// One more round: both sides, and the copy. Who begins changes from round to round, so that neither always finds the other's caches. Says
    /// what our side took for a run.
    pub fn round(&mut self, case: &Case, contest: &mut dyn Contest) -> Duration {
        let early = if self.sides.ours.len() % 2 == 1 { contest.reference(case.laps) } else { None };
        let ours = contest.ours(case.laps);
        let unit = |run: Duration| run.as_secs_f64() / case.unit.0;
        match early.or_else(|| contest.reference(case.laps)) {
            Some(reference) => {
                self.sides.push(unit(ours), unit(reference));
                if let Some((bytes, copied, copy)) = contest.copy(case.laps) {
                    let per_second = |bytes: usize, time: Duration| bytes as f64 / time.as_secs_f64();
                    self.bandwidth.push(per_second(bytes, reference) / per_second(copied, copy));
                }
            }
            None => self.sides.ours.push(unit(ours)),
        }
        ours
    }

    /// Whether the goal is reached.
    pub fn reached(&self) -> bool {
        match self.goal {
            Goal::Ratio(ratio) => self.sides.ratio.median() <= ratio,
            Goal::Seconds(goal) => self.sides.ours.median() <= goal,
        }
    }

    /// Whether the reference is good enough to be one.
    pub fn is_fair(&self) -> bool {
        self.bandwidth.is_empty() || !self.exceeds_caches || self.bandwidth.median() >= REFERENCE_REACHES
    }

    /// What our side took, with the quartiles.
    pub fn ours(&self) -> String {
        let (low, high) = self.sides.ours.spread();
        let show = |value| quantity(value, self.unit);
        format!("{} ({} to {})", show(self.sides.ours.median()), show(low), show(high))
    }

    /// The ratio, with the quartiles.
    pub fn ratio(&self) -> String {
        let (low, high) = self.sides.ratio.spread();
        format!("{:.2} ({low:.2} to {high:.2})", self.sides.ratio.median())
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} a {}", self.name, self.ours(), self.unit)?;
        if !self.sides.reference.is_empty() {
            let reference = quantity(self.sides.reference.median(), self.unit);
            write!(f, "; {reference} {}; ratio {}", self.reference, self.ratio())?;
        }
        write!(f, "; goal {}, {}", self.goal, if self.reached() { "reached" } else { "missed" })?;
        if !self.bandwidth.is_empty() {
            write!(f, "; the reference has {:.0} % of the bandwidth of a copy", 100.0 * self.bandwidth.median())?;
        }
        if self.attempt > 1 {
            write!(f, "; attempt {}: it fell short before", self.attempt)?;
        }
        Ok(())
    }
}
