//! What was measured, as values separated by tabs and as a table.

use crate::support::cases::Goal;
use crate::support::figures::Figures;
use crate::support::measure::{Sample, quantity};
use std::fmt;

/// Names the columns: of `unit`, in seconds or bytes, with quartiles.
const COLUMNS: [&str; 16] = [
    "case",
    "unit",
    "rounds",
    "ours",
    "ours_low",
    "ours_high",
    "beside",
    "reference",
    "ratio",
    "ratio_low",
    "ratio_high",
    "goal",
    "reached",
    "reference_of_copy",
    "mpi",
    "ours_of_mpi",
];

/// Says what is measured, where and how often, as lines that begin with `#`, and names the columns.
pub fn head(rounds: usize, mpi: Option<&str>) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!("# pl {}, {}, {cores} cores", env!("CARGO_PKG_VERSION"), cpu());
    println!("# medians and quartiles of {rounds} rounds, in each of which all sides ran");
    if let Some(version) = mpi {
        println!("# mpi: {version}");
    }
    println!("{}", COLUMNS.join("\t"));
}

/// What the system calls the CPU.
fn cpu() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find_map(|line| Some(line.strip_prefix("model name")?.split_once(':')?.1.trim()));
    model.unwrap_or(std::env::consts::ARCH).to_owned()
}

/// The table: a line for what was measured, which is printed as values as soon as it is there.
#[derive(Default)]
pub struct Table {
    rows: Vec<[String; 8]>,
}

impl Table {
    /// One more line, with what MPI took for a unit.
    pub fn push(&mut self, figures: &Figures, mpi: &Sample) {
        println!("{}", values(figures, mpi).join("\t"));
        let sides = &figures.sides;
        let show = |sample: &Sample| quantity(sample.median(), figures.unit);
        let or_none = |sample: &Sample, text: String| if sample.is_empty() { String::new() } else { text };
        self.rows.push([
            figures.name.clone(),
            format!("{} a {}", figures.ours(), figures.unit),
            or_none(&sides.reference, format!("{}, {}", show(&sides.reference), figures.reference)),
            or_none(&figures.bandwidth, format!("{:.0} %", 100.0 * figures.bandwidth.median())),
            or_none(&sides.ratio, figures.ratio()),
            format!("{}{}", figures.goal, if figures.reached() { "" } else { ", missed" }),
            or_none(mpi, show(mpi)),
            or_none(mpi, format!("{:.2}", sides.ours.median() / mpi.median())),
        ]);
    }
}

/// The values of a line, as [`COLUMNS`] names them.
fn values(figures: &Figures, mpi: &Sample) -> [String; COLUMNS.len()] {
    let sides = &figures.sides;
    let ((low, high), (ratio_low, ratio_high)) = (sides.ours.spread(), sides.ratio.spread());
    let number = |of: &Sample, value: f64| if of.is_empty() { String::new() } else { format!("{value:.4e}") };
    let median = |of: &Sample| number(of, of.median());
    let goal = match figures.goal {
        Goal::Ratio(goal) | Goal::Seconds(goal) => goal,
    };
    [
        figures.name.clone(),
        figures.unit.to_owned(),
        sides.ours.len().to_string(),
        median(&sides.ours),
        number(&sides.ours, low),
        number(&sides.ours, high),
        figures.reference.to_owned(),
        median(&sides.reference),
        median(&sides.ratio),
        number(&sides.ratio, ratio_low),
        number(&sides.ratio, ratio_high),
        format!("{goal:e}"),
        if figures.reached() { "yes" } else { "no" }.to_owned(),
        median(&figures.bandwidth),
        median(mpi),
        number(mpi, sides.ours.median() / mpi.median()),
    ]
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const HEAD: [&str; 8] =
            ["what", "ours", "beside it", "its part of a copy", "ratio", "goal", "MPI", "ours / MPI"];
        let head = HEAD.map(str::to_owned);
        let width = |column: usize| {
            let cells = self.rows.iter().chain([&head]).map(|row| row[column].chars().count());
            cells.max().unwrap_or_default()
        };
        let widths: [usize; HEAD.len()] = std::array::from_fn(width);
        let line = |cells: &[String; HEAD.len()]| {
            let cells = cells.iter().zip(widths).map(|(cell, width)| format!(" {cell:width$} |"));
            format!("|{}", cells.collect::<String>())
        };
        writeln!(f, "{}", line(&head))?;
        writeln!(f, "|{}", widths.map(|width| format!("-{}-|", "-".repeat(width))).concat())?;
        self.rows.iter().try_for_each(|row| writeln!(f, "{}", line(row)))
    }
}
