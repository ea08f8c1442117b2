//! What the examples take on their command line.

use crate::devices::Devices;
use clap::builder::styling::{AnsiColor, Styles};
use clap::error::ErrorKind;
use clap::{Args as _, Command, FromArgMatches as _, ValueEnum};
use std::path::PathBuf;

/// What an example says of itself.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// Its name, as `cargo run --example` takes it.
    pub name: &'static str,
    /// One line: what it shows.
    pub about: &'static str,
    /// The fewest ranks that make sense.
    pub min_ranks: usize,
    /// Whether it has a hand-rolled and a builtin variant: `--mode`.
    pub modes: bool,
    /// Whether it reads and writes arrays: `--input` and `--output`. The text says of which shape they are.
    pub files: Option<&'static str>,
}

/// What the user asked for.
#[derive(Debug)]
pub(crate) struct Args {
    pub(crate) world: WorldArgs,
    pub(crate) mode: Mode,
    pub(crate) emit: Option<Emit>,
    pub(crate) files: FileArgs,
}

#[derive(clap::Args, Debug)]
pub(crate) struct WorldArgs {
    /// The platform whose devices run the kernel: `sim` (no on-chip limit), `a2a3sim` or `a5sim`.
    #[arg(short, long, value_name = "PLATFORM", default_value = "a2a3sim")]
    pub(crate) platform: String,
    /// The ids of the devices, one per rank: `0,1`, `0-6`, `4,9`.
    #[arg(short, long, value_name = "IDS", default_value = "0,1", allow_hyphen_values = true)]
    pub(crate) devices: Devices,
    /// Runs the ranks on one thread, interleaved by this number; the same number gives the same run. Without it they run in parallel.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// When to colour the output; `auto` colours a terminal's, unless `NO_COLOR` is set.
    #[arg(long, value_name = "WHEN", default_value = "auto", value_enum)]
    pub(crate) color: Color,
}

#[derive(clap::Args, Debug)]
struct ModeArgs {
    /// Which kernel runs: the hand-rolled one, or the one that calls the builtin.
    #[arg(long, default_value = "hand", value_enum)]
    mode: Mode,
    /// Prints a stage of the kernel and ends without running it.
    #[arg(long, value_name = "STAGE", value_enum)]
    emit: Option<Emit>,
}

#[derive(clap::Args, Debug)]
struct EmitArgs {
    /// Prints a stage of the kernel and ends without running it.
    #[arg(long, value_name = "STAGE", value_parser = clap::value_parser!(Emit))]
    emit: Option<Emit>,
}

#[derive(clap::Args, Debug, Default)]
pub(crate) struct FileArgs {
    /// Reads the input from this .npy file.
    #[arg(long, value_name = "FILE")]
    pub(crate) input: Option<PathBuf>,
    /// Writes the result into this .npy file.
    #[arg(long, value_name = "FILE", conflicts_with = "emit")]
    pub(crate) output: Option<PathBuf>,
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

impl Program {
    /// The arguments of `argv`, its first being the program's name; clap's answer to `--help` and to mistakes otherwise.
    pub(crate) fn parse(&self, argv: impl IntoIterator<Item = std::ffi::OsString>) -> Result<Args, clap::Error> {
        let matches = self.command().try_get_matches_from(argv)?;
        let (mode, emit) = if self.modes {
            let args = ModeArgs::from_arg_matches(&matches)?;
            (args.mode, args.emit)
        } else {
            (Mode::default(), EmitArgs::from_arg_matches(&matches)?.emit)
        };
        if emit == Some(Emit::Diff) && !self.modes {
            let message = format!("{} has one kernel: there is nothing to compare it with", self.name);
            return Err(self.command().error(ErrorKind::InvalidValue, message));
        }
        let files = self.files.map(|_| FileArgs::from_arg_matches(&matches)).transpose()?.unwrap_or_default();
        Ok(Args { world: WorldArgs::from_arg_matches(&matches)?, mode, emit, files })
    }

    fn command(&self) -> Command {
        let styles = Styles::styled().header(AnsiColor::Yellow.on_default()).literal(AnsiColor::Green.on_default());
        let command = Command::new(self.name).about(self.about).styles(styles).after_help(self.examples());
        let command = WorldArgs::augment_args(command);
        let command = if self.modes { ModeArgs::augment_args(command) } else { EmitArgs::augment_args(command) };
        if self.files.is_some() { FileArgs::augment_args(command) } else { command }
    }

    fn examples(&self) -> String {
        let mut lines = vec!["Examples:".to_owned()];
        let mut example = |flags: &str| lines.push(format!("  cargo run --release --example {} -- {flags}", self.name));
        example("-p a2a3sim -d 0,1");
        if self.modes {
            example("-d 0-3 --mode builtin");
            example("--emit diff");
        }
        if self.files.is_some() {
            example("-p sim -d 0-6 --input x.npy --output y.npy");
        }
        lines.push(String::new());
        if let Some(files) = self.files {
            lines.push(files.to_owned());
        }
        lines.push(
            "Exit status: 0 right, 1 the result differs from the golden, 2 usage or input, 3 deadlock or another check, 130 Ctrl-C."
                .into(),
        );
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BARE: Program = Program { name: "bare", about: "One kernel", min_ranks: 1, modes: false, files: None };
    const FULL: Program = Program { name: "full", about: "Two", min_ranks: 2, modes: true, files: Some("An array.") };

    fn parse(program: &Program, args: &str) -> Result<Args, String> {
        let argv = std::iter::once(program.name).chain(args.split_whitespace()).map(Into::into);
        program.parse(argv).map_err(|e| e.to_string())
    }

    #[test]
    fn defaults() {
        let args = parse(&FULL, "").unwrap();
        assert_eq!((&*args.world.platform, args.world.devices.0), ("a2a3sim", vec![0, 1]));
        assert_eq!((args.world.seed, args.world.color), (None, Color::Auto));
        assert_eq!((args.mode, args.emit, args.files.input), (Mode::Hand, None, None));
    }

    #[test]
    fn everything() {
        let args = parse(&FULL, "-p sim -d 4,9 --seed 7 --color never --mode builtin --input a.npy --output b.npy");
        let args = args.unwrap();
        assert_eq!((args.world.seed, args.world.color), (Some(7), Color::Never));
        assert_eq!((args.mode, args.emit), (Mode::Builtin, None));
        assert_eq!((args.files.input, args.files.output), (Some("a.npy".into()), Some("b.npy".into())));
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
        for flags in ["--mode hand", "--input x.npy", "--emit diff"] {
            assert!(parse(&BARE, flags).is_err(), "{flags}");
        }
    }
}
