//! Smaller schedules: with fewer switches between ranks, and the same failure.

use super::guide::Follow;
use super::schedule::Schedule;
use super::{Chooser, Explorer, Ran};
use pl_core::explore::{Found, Outcome, Step};
use pl_core::runtime::EngineError;
use std::ops::Range;

/// The most runs that make one failure smaller, and the most steps that they take together.
const RUNS: u64 = 500;
const STEPS: u64 = 10_000_000;
/// Fewer segments are made smaller one by one.
const CALM: usize = 16;

impl Explorer<'_> {
    fn follow(&mut self, schedule: Schedule) -> Result<Ran, EngineError> {
        self.run(Chooser::Follow(Follow::loose(schedule)))
    }

    /// Makes a schedule that fails smaller. What the body ran last is the result.
    pub(super) fn smaller(&mut self, first: Schedule, failed: &Outcome) -> Result<Found, EngineError> {
        let switches_before = first.switches();
        let again = self.follow(first.clone())?;
        if again.outcome != *failed {
            let token = first.token();
            // Where it was interrupted nothing is known.
            let repeatable = again.outcome == Outcome::Ends;
            return Ok(Found { token, switches: switches_before, switches_before, repeatable });
        }
        let mut best = again.schedule;
        let mut runs = 0;
        let all = 0..best.segments();
        self.calm(&mut best, all, failed, &mut runs)?;
        // Larger parts first: most switches of a schedule have nothing to do with the failure.
        let mut size = best.segments().max(1);
        while size > 0 && runs < RUNS {
            let mut at = 0;
            let before = best.switches();
            while at < best.segments() && runs < RUNS {
                let smaller = self.try_without(&best, at, size, failed, &mut runs)?;
                match smaller {
                    Some(smaller) => best = smaller,
                    None => at += size,
                }
            }
            size = if size > 1 || best.switches() == before { size / 2 } else { 1 };
        }
        let switches = best.switches();
        // The run that is reported is the one that the token replays.
        let last = self.follow(best.clone())?;
        let repeatable = last.outcome == *failed || last.outcome == Outcome::Ends;
        Ok(Found { token: best.token(), switches, switches_before, repeatable })
    }

    /// Lets ranks run for as long as they can, in as much of a schedule as need not be as it is: these segments, or else each half of them.
    fn calm(
        &mut self,
        best: &mut Schedule,
        segments: Range<usize>,
        failed: &Outcome,
        runs: &mut u64,
    ) -> Result<(), EngineError> {
        if segments.len() < CALM || *runs >= RUNS {
            return Ok(());
        }
        let candidate = Follow::calm(best.clone(), segments.clone());
        if let Some(smaller) = self.try_one(candidate, best, failed, runs)? {
            *best = smaller;
            return Ok(());
        }
        let half = segments.start + segments.len() / 2;
        // The later half first: what stands before it stays in its place.
        self.calm(best, half..segments.end, failed, runs)?;
        self.calm(best, segments.start..half, failed, runs)
    }

    /// A schedule with fewer switches that fails alike: without some segments, or with the one before them running on.
    fn try_without(
        &mut self,
        best: &Schedule,
        at: usize,
        size: usize,
        failed: &Outcome,
        runs: &mut u64,
    ) -> Result<Option<Schedule>, EngineError> {
        for candidate in [best.without(at, size), best.running_on(at, size)] {
            let smaller = self.try_one(Follow::loose(candidate), best, failed, runs)?;
            if smaller.is_some() || *runs >= RUNS {
                return Ok(smaller);
            }
        }
        Ok(None)
    }

    /// What one candidate runs, when that has fewer switches and fails alike.
    fn try_one(
        &mut self,
        candidate: Follow,
        best: &Schedule,
        failed: &Outcome,
        runs: &mut u64,
    ) -> Result<Option<Schedule>, EngineError> {
        // A long schedule has fewer tries.
        *runs += 1 + best.steps() * RUNS / STEPS;
        let ran = self.run(Chooser::Follow(candidate))?;
        self.report(Step::Shrinking);
        if ran.outcome == Outcome::Ends {
            *runs = RUNS;
            return Ok(None);
        }
        Ok((ran.outcome == *failed && ran.schedule.switches() < best.switches()).then_some(ran.schedule))
    }
}

impl Schedule {
    /// How many segments there are, of all launches.
    fn segments(&self) -> usize {
        self.launches.iter().map(|launch| launch.segments.len()).sum()
    }

    /// How often it changes from one rank to another.
    pub(super) fn switches(&self) -> usize {
        self.launches.iter().map(|launch| launch.segments.len().saturating_sub(1)).sum()
    }

    /// Changes each segment; `f` gets its number.
    fn map(&self, mut f: impl FnMut(usize, (u32, u64)) -> Option<(u32, u64)>) -> Schedule {
        let mut number = 0;
        let mut changed = self.clone();
        for launch in &mut changed.launches {
            launch.segments = launch
                .segments
                .iter()
                .filter_map(|segment| {
                    number += 1;
                    f(number - 1, *segment)
                })
                .collect();
        }
        changed
    }

    fn without(&self, at: usize, size: usize) -> Schedule {
        self.map(|number, segment| (!(at..at + size).contains(&number)).then_some(segment))
    }

    /// The first of some segments goes on for as long as it can.
    fn running_on(&self, at: usize, size: usize) -> Schedule {
        self.map(|number, (call, count)| match number {
            _ if number == at => Some((call, u64::MAX)),
            _ if (at..at + size).contains(&number) => None,
            _ => Some((call, count)),
        })
    }
}
