//! Measuring two things beside each other.
//!
//! How fast a core is, where two of them are placed and what the memory gives differs from minute to minute, by two and more. So no figure stands
//! alone: both sides run alternately, in rounds, each of which gives a ratio; what counts is the ratios' median.

use std::fmt;
use std::time::{Duration, Instant};

/// Values of one kind, such as the seconds that something took, round by round.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    values: Vec<f64>,
}

impl Sample {
    /// One more.
    pub fn push(&mut self, value: f64) {
        self.values.push(value);
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// The one in the middle; 0 when there is none.
    pub fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// The quartiles: half of all values lie between them.
    pub fn spread(&self) -> (f64, f64) {
        (self.quantile(0.25), self.quantile(0.75))
    }

    /// The least one: what single-threaded work takes when nothing disturbs it.
    pub fn least(&self) -> f64 {
        self.quantile(0.0)
    }

    fn quantile(&self, part: f64) -> f64 {
        let mut sorted = self.values.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        // Between two values, as far as it lies between them.
        let at = sorted.len().saturating_sub(1) as f64 * part;
        let value = |index: f64| sorted.get(index as usize).copied().unwrap_or_default();
        value(at.floor()) + (value(at.ceil()) - value(at.floor())) * at.fract()
    }
}

impl FromIterator<Duration> for Sample {
    fn from_iter<I: IntoIterator<Item = Duration>>(times: I) -> Sample {
        Sample { values: times.into_iter().map(|time| time.as_secs_f64()).collect() }
    }
}

/// What two sides took, in seconds, and ours divided by the other's, round by round.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    pub ours: Sample,
    pub reference: Sample,
    pub ratio: Sample,
}

impl Comparison {
    /// The seconds of one more round.
    pub fn push(&mut self, ours: f64, reference: f64) {
        self.ours.push(ours);
        self.reference.push(reference);
        self.ratio.push(ours / reference);
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (low, high) = self.ratio.spread();
        let (ours, reference) = (seconds(self.ours.median()), seconds(self.reference.median()));
        write!(f, "{ours} against {reference}: ratio {:.2} ({low:.2} to {high:.2})", self.ratio.median())
    }
}

/// Both sides in turn, `rounds` times. Who begins changes from round to round, so that neither always finds the other's caches.
pub fn alternate(
    rounds: usize,
    mut ours: impl FnMut() -> Duration,
    mut reference: impl FnMut() -> Duration,
) -> Comparison {
    let mut comparison = Comparison::default();
    for round in 0..rounds {
        let early = (round % 2 == 1).then(&mut reference);
        let mine = ours();
        comparison.push(mine.as_secs_f64(), early.unwrap_or_else(&mut reference).as_secs_f64());
    }
    comparison
}

/// What one of `laps` runs in a row takes: their median. When there are several, one more goes before, to get warm. A run tells by itself how long it
/// took, to leave its preparation out.
pub fn lap(laps: usize, run: impl FnMut() -> Duration) -> Duration {
    let warm = usize::from(laps > 1);
    median(std::iter::repeat_with(run).take(warm + laps).skip(warm))
}

/// The one in the middle.
pub fn median(times: impl IntoIterator<Item = Duration>) -> Duration {
    Duration::from_secs_f64(times.into_iter().collect::<Sample>().median())
}

/// How long this takes.
pub fn time(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

/// So many seconds with a unit that suits, and three digits.
pub fn seconds(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s >= 1.0 => (s, "s"),
        s if s >= 1e-3 => (s * 1e3, "ms"),
        s if s >= 1e-6 => (s * 1e6, "us"),
        s => (s * 1e9, "ns"),
    };
    let digits = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    format!("{value:.digits$} {unit}")
}

/// What one of `unit` took: seconds, or bytes for a `process`.
pub fn quantity(value: f64, unit: &str) -> String {
    if unit == "process" { format!("{:.0} MiB", value / f64::from(1 << 20)) } else { seconds(value) }
}
