//! What the examples take on their command line.

use crate::devices::Devices;
use crate::explore::ExploreArgs;
use crate::shape::Shape;
use clap::builder::styling::{AnsiColor, Styles};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser as _};
use clap::{Arg, Args as _, Command, FromArgMatches as _, ValueEnum, value_parser};
use pl::fault::LintKind;
use pl::{DType, Injection};
use std::path::PathBuf;

/// What an example says of itself: a name, one line, and which flags it has beside those that all have.
///
/// ```
/// use pl::DType;
/// use pl_examples_cli::Program;
///
/// const PROGRAM: Program = Program::new("09_example", "What it shows, in one line")
///     .modes()
///     .input("x", DType::F32, "[P, 1, P * SIZE]", "SIZE is 64 and x[r] counts up from 100 r")
///     .output("y", DType::F32, "[P, 1, SIZE]");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Program {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) min_ranks: usize,
    pub(crate) modes: bool,
    pub(crate) compares: bool,
    /// In the order in which they were declared.
    pub(crate) choices: [Option<Choice>; 2],
    pub(crate) input: Option<Data>,
    /// What the input is without `--input`.
    without: &'static str,
    pub(crate) output: Option<Data>,
}

/// An array that a program reads or writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Data {
    pub(crate) name: &'static str,
    pub(crate) dtype: DType,
    shape: &'static str,
}

impl Data {
    pub(crate) fn shape(&self) -> Shape {
        Shape::new(self.shape)
    }
}

/// A flag of the program's own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    flag: &'static str,
    help: &'static str,
    values: &'static [(&'static str, &'static str)],
}

impl Program {
    /// A program by its name, as `cargo run --example` takes it, and one line that says what it shows. It needs two ranks.
    pub const fn new(name: &'static str, about: &'static str) -> Program {
        let (min_ranks, modes, compares, choices) = (2, false, false, [None, None]);
        Program { name, about, min_ranks, modes, compares, choices, input: None, without: "", output: None }
    }

    /// The fewest ranks that make sense, when that is not two.
    pub const fn min_ranks(self, min_ranks: usize) -> Program {
        Program { min_ranks, ..self }
    }

    /// It has a hand-rolled and a builtin variant: `--mode`, and `--emit diff`.
    pub const fn modes(self) -> Program {
        Program { modes: true, ..self }
    }

    /// It prints what variants of it cost, side by side: `--emit compare`. See [`comparison`](crate::comparison).
    pub const fn compares(self) -> Program {
        Program { compares: true, ..self }
    }

    /// A flag of its own, `--flag VALUE`, with values and what they mean; the first is the default. A program may have two. See
    /// [`Session::choice`](crate::Session::choice).
    pub const fn choice(
        self,
        flag: &'static str,
        help: &'static str,
        values: &'static [(&'static str, &'static str)],
    ) -> Program {
        let choice = Some(Choice { flag, help, values });
        let choices = if self.choices[0].is_none() { [choice, None] } else { [self.choices[0], choice] };
        Program { choices, ..self }
    }

    /// It takes an array: `--input`. An axis of `shape` is a product of `P`, numbers, and names of sizes that the file chooses:
    /// `[P, 1, P * SIZE]`. `without` says what the array is when no file is given.
    pub const fn input(self, name: &'static str, dtype: DType, shape: &'static str, without: &'static str) -> Program {
        Program { input: Some(Data { name, dtype, shape }), without, ..self }
    }

    /// It gives an array: `--output`.
    pub const fn output(self, name: &'static str, dtype: DType, shape: &'static str) -> Program {
        Program { output: Some(Data { name, dtype, shape }), ..self }
    }

    /// All combinations of its modes and of its own flags, as arguments.
    #[doc(hidden)]
    pub fn ways(&self) -> Vec<Vec<String>> {
        let choices = self.choices.iter().flatten().map(|choice| {
            let values = choice.values.iter().map(|(value, _)| format!("--{}={value}", choice.flag));
            values.collect::<Vec<_>>()
        });
        let modes = self.modes.then(|| vec!["--mode=hand".to_owned(), "--mode=builtin".to_owned()]);
        let with = |way: &Vec<String>, value: &String| way.iter().chain([value]).cloned().collect();
        choices.chain(modes).fold(vec![vec![]], |ways, values| {
            ways.iter().flat_map(|way| values.iter().map(move |value| with(way, value))).collect()
        })
    }

    /// The arguments of `argv`, its first being the program's name; clap's answer to `--help` and to mistakes otherwise.
    pub(crate) fn parse(&self, argv: impl IntoIterator<Item = std::ffi::OsString>) -> Result<Args, clap::Error> {
        let mut matches = self.command().try_get_matches_from(argv)?;
        // Flags that the program lacks are not defined, and have no value.
        let mut path = |flag| matches.try_remove_one::<PathBuf>(flag).ok().flatten();
        let (input, output) = (path("input"), path("output"));
        let chosen = |choice: &Choice| Some((choice.flag, matches.remove_one(choice.flag)?));
        let choices = self.choices.iter().flatten().filter_map(chosen).collect();
        Ok(Args {
            mode: matches.try_remove_one("mode").ok().flatten().unwrap_or_default(),
            emit: matches.remove_one("emit"),
            choices,
            input,
            output,
            world: WorldArgs::from_arg_matches(&matches)?,
        })
    }

    fn command(&self) -> Command {
        let styles = Styles::styled().header(AnsiColor::Yellow.on_default()).literal(AnsiColor::Green.on_default());
        let command = Command::new(self.name).about(self.about).styles(styles).after_help(self.examples());
        let mut command = WorldArgs::augment_args(command);
        let flag = |name: &'static str, value: &'static str, help: &'static str| {
            Arg::new(name).long(name).value_name(value).help(help)
        };
        for Choice { flag: name, help, values } in self.choices.into_iter().flatten() {
            let possible = values.iter().map(|(name, help)| PossibleValue::new(*name).help(*help));
            let default = values.first().map_or("", |(name, _)| name);
            let parser = PossibleValuesParser::new(possible);
            command = command.arg(flag(name, "CHOICE", help).value_parser(parser).default_value(default));
        }
        if self.modes {
            let help = "Which kernel runs: the hand-rolled one, or the one that calls the builtin";
            command = command.arg(flag("mode", "MODE", help).value_parser(value_parser!(Mode)).default_value("hand"));
        }
        let stages = Emit::value_variants().iter().filter(|stage| match stage {
            Emit::Diff => self.modes,
            Emit::Compare => self.compares,
            _ => true,
        });
        let parser = PossibleValuesParser::new(stages.filter_map(ValueEnum::to_possible_value));
        let parser = parser.try_map(|stage| Emit::from_str(&stage, false));
        let help = "Prints a stage of the kernel and ends without running it";
        command = command.arg(flag("emit", "STAGE", help).value_parser(parser));
        if self.input.is_some() {
            let arg = flag("input", "FILE", "Reads the input from this .npy file");
            command = command.arg(arg.value_parser(value_parser!(PathBuf)));
        }
        if self.output.is_some() {
            let arg = flag("output", "FILE", "Writes the result into this .npy file").conflicts_with("emit");
            command = command.arg(arg.value_parser(value_parser!(PathBuf)));
        }
        command
    }

    fn examples(&self) -> String {
        let mut lines = vec!["Examples:".to_owned()];
        let mut example = |flags: &str| lines.push(format!("  cargo run --release --example {} -- {flags}", self.name));
        example("-p a2a3sim -d 0,1");
        example(if self.modes { "-d 0-3 --mode builtin" } else { "-d 0-3 --emit cost" });
        example("-d 0-2 --explore random --schedules 1000");
        if self.modes {
            example("--emit diff");
        }
        if self.compares {
            example("-d 0-3 --emit compare");
        }
        match (&self.input, &self.output) {
            (Some(_), Some(_)) => example("-p sim -d 0-6 --input x.npy --output y.npy"),
            (Some(_), None) => example("-p sim -d 0-6 --input x.npy"),
            (None, Some(_)) => example("-p sim -d 0-6 --output y.npy"),
            (None, None) => {}
        }
        lines.push(String::new());
        if let Some(Data { name, dtype, shape }) = self.input {
            let without = self.without;
            let text = format!(
                "The input is {name} of shape {shape}, {dtype} in C order, from `np.save`; without it {without}."
            );
            lines.push(text);
        }
        if let Some(Data { name, dtype, shape }) = self.output {
            // Of one type with the input, unless it is said.
            let dtype = self.input.is_none_or(|input| input.dtype != dtype).then(|| format!(", {dtype}"));
            lines.push(format!("The result is {name} of shape {shape}{}.", dtype.unwrap_or_default()));
        }
        lines.push(
            "Exit status: 0 right, 1 the result differs from the golden, 2 usage or input, 3 deadlock or another check, 130 Ctrl-C."
                .into(),
        );
        lines.join("\n")
    }
}

/// What the user asked for.
#[derive(Debug)]
pub(crate) struct Args {
    pub(crate) world: WorldArgs,
    pub(crate) mode: Mode,
    pub(crate) emit: Option<Emit>,
    pub(crate) choices: Vec<(&'static str, String)>,
    pub(crate) input: Option<PathBuf>,
    pub(crate) output: Option<PathBuf>,
}

#[derive(clap::Args, Debug)]
pub(crate) struct WorldArgs {
    /// The platform whose devices run the kernel: `sim` (no on-chip limit), `a2a3sim` or `a5sim`.
    #[arg(short, long, value_name = "PLATFORM", default_value = "a2a3sim")]
    pub(crate) platform: String,
    /// The ids of the devices, one per rank: `0,1`, `0-6`, `4,9`.
    #[arg(short, long, value_name = "IDS", default_value = "0,1", allow_hyphen_values = true)]
    pub(crate) devices: Devices,
    /// Runs the ranks on one thread, interleaved by this number; the same number gives the same run. Without it they run in parallel. Of `--explore`, where
    /// its random numbers start.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Lets something go wrong, to see that it does not go unseen: `stop:RANK@OP`, `delay:RANK@OP`, `lose:RANK@NOTIFY` or `double:RANK@NOTIFY`, counted
    /// from 1. May be given several times.
    #[arg(long, value_name = "FAULT")]
    pub(crate) inject: Vec<Injection>,
    /// Runs without checks of accesses, on one thread: races, uninitialised reads and leftover credits go unseen.
    #[arg(long)]
    pub(crate) no_check: bool,
    /// Does not warn of this: `set-overwrote`, `set-add-mixed`, `stale-wait`, `out-unwritten`, `order-dependent`. May be given again.
    #[arg(long, value_name = "LINT", value_parser = lint)]
    pub(crate) allow: Vec<LintKind>,
    #[command(flatten)]
    pub(crate) explore: ExploreArgs,
    /// How failures, warnings and notes are told on stderr; `json` gives one document for the run.
    #[arg(long, value_name = "FORM", default_value = "text", value_enum)]
    pub(crate) report: Form,
    /// When to colour the output; `auto` colours a terminal's, unless `NO_COLOR` is set.
    #[arg(long, value_name = "WHEN", default_value = "auto", value_enum)]
    pub(crate) color: Color,
}

/// The lint of this name.
fn lint(name: &str) -> Result<LintKind, String> {
    let names = || LintKind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ");
    LintKind::from_name(name).ok_or_else(|| format!("lints are {}", names()))
}

/// Which variant of an example runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    /// The hand-rolled kernel.
    #[default]
    Hand,
    /// The kernel that calls the builtin.
    Builtin,
}

/// Which stage of a kernel `--emit` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Emit {
    /// The kernel as it was written, as IR.
    Ir,
    /// The IR after collectives were lowered, bound to the arguments' shapes.
    Lowered,
    /// Hand-rolled against builtin, after lowering.
    Diff,
    /// What a rank executes.
    Plan,
    /// What one rank sends, receives and waits for.
    Cost,
    /// What the ways to do it cost, side by side.
    Compare,
}

/// How the end of a run is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// For people, with the source lines.
    Text,
    /// For programs: docs/report-schema.md describes it.
    Json,
}

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

impl Color {
    pub(crate) fn choice(self) -> anstream::ColorChoice {
        match self {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BARE: Program = Program::new("bare", "One kernel").min_ranks(1);
    const FULL: Program = Program::new("full", "Two")
        .modes()
        .compares()
        .choice("way", "Which way round", &[("left", "To the left"), ("right", "To the right")])
        .choice("pace", "How", &[("slow", "Step by step"), ("fast", "At once")])
        .input("x", DType::F32, "[P, SIZE]", "it is random")
        .output("y", DType::I32, "[P]");

    fn parse(program: &Program, args: &str) -> Result<Args, String> {
        let argv = std::iter::once(program.name).chain(args.split_whitespace()).map(Into::into);
        program.parse(argv).map_err(|e| e.to_string())
    }

    #[test]
    fn defaults() {
        let args = parse(&FULL, "").unwrap();
        assert_eq!((&*args.world.platform, args.world.devices.0), ("a2a3sim", vec![0, 1]));
        assert_eq!((args.world.seed, args.world.color, args.world.report), (None, Color::Auto, Form::Text));
        assert_eq!((args.mode, args.emit, args.input), (Mode::Hand, None, None));
        assert_eq!(args.choices, [("way", "left".to_owned()), ("pace", "slow".to_owned())]);
        assert_eq!(parse(&BARE, "").unwrap().choices, []);
    }

    #[test]
    fn everything() {
        let flags = "-p sim -d 4,9 --seed 7 --color never --mode builtin --way right --input a.npy --output b.npy";
        let args = parse(&FULL, flags).unwrap();
        assert_eq!((args.world.seed, args.world.color), (Some(7), Color::Never));
        assert_eq!((args.mode, args.emit), (Mode::Builtin, None));
        assert_eq!(args.choices, [("way", "right".to_owned()), ("pace", "slow".to_owned())]);
        assert_eq!((args.input, args.output), (Some("a.npy".into()), Some("b.npy".into())));
        assert_eq!(parse(&FULL, "--emit compare").unwrap().emit, Some(Emit::Compare));
    }

    #[test]
    fn all_ways() {
        let ways = FULL.ways();
        assert_eq!((ways.len(), ways[5].join(" ")), (8, "--way=right --pace=slow --mode=builtin".to_owned()));
        assert_eq!(BARE.ways(), [Vec::<String>::new()]);
    }

    #[test]
    fn faults_to_inject() {
        let args = parse(&BARE, "--inject stop:1@5 --inject lose:0@2").unwrap();
        let faults = [Injection::Stop { rank: 1, op: 5 }, Injection::Lose { rank: 0, notify: 2 }];
        assert_eq!(args.world.inject, faults);
        let error = parse(&BARE, "--inject stop:1").unwrap_err();
        assert!(error.contains("`stop:1` is no fault to inject, expected `stop:RANK@OP`"), "{error}");
    }

    #[test]
    fn a_stage_is_no_result() {
        assert_eq!(parse(&FULL, "--emit cost --input a.npy").unwrap().emit, Some(Emit::Cost));
        let error = parse(&FULL, "--emit cost --output b.npy").unwrap_err();
        assert!(error.contains("cannot be used with"), "{error}");
    }

    #[test]
    fn flags_belong_to_the_examples_that_have_them() {
        assert!(parse(&BARE, "--emit plan -d 0-3").is_ok());
        for flags in ["--mode hand", "--way left", "--input x.npy", "--output x.npy", "--emit diff", "--emit compare"] {
            assert!(parse(&BARE, flags).is_err(), "{flags}");
        }
        assert!(parse(&FULL, "--way up").is_err());
    }

    #[test]
    fn the_help_tells_the_arrays() {
        assert!(FULL.examples().contains(
            "The input is x of shape [P, SIZE], f32 in C order, from `np.save`; without it it is random.\n\
             The result is y of shape [P], i32.\n"
        ));
    }
}
