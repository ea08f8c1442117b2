//! One run of an example.

use crate::args::{Args, Emit, Form, Mode, Program};
use crate::failure::Failure;
use crate::golden::{Right, Wrong};
use crate::number::Number;
use crate::shape::Misfit;
use crate::{card, diff, npy};
use anstyle::{AnsiColor, Style};
use ndarray_npy::WritableElement;
use pl::__private::Rewrite;
use pl::ndarray::{Array, ArrayView, Dimension};
use pl::report::{Document, Renderer};
use pl::{Call, Error, HostCall, HostReport, LaunchOptions, Report, Scheduler, Stage, World, text};
use std::ffi::OsString;
use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// One run of an example: what the user asked for, and where the answers go.
pub struct Session {
    program: Program,
    args: Args,
    rehearsal: Option<Rehearsing>,
    interrupt: Arc<AtomicBool>,
    /// Whether no launch is under way or to come, which could end with a report.
    launched: Arc<AtomicBool>,
    /// Whether a launch ran under schedules of an exploration.
    explored: AtomicBool,
    /// Of `--report json`, what there is to report so far.
    document: Option<Mutex<Document>>,
}

/// A run within a test.
struct Rehearsing {
    rewrite: Rewrite,
    /// What would have gone to stderr.
    said: Mutex<Vec<String>>,
}

/// What came of a run within a test.
#[doc(hidden)]
#[derive(Debug)]
pub struct Rehearsal {
    /// How it ended.
    pub result: Result<Done, Failure>,
    /// Notes and warnings, in the order in which they would have been written.
    pub said: Vec<String>,
}

/// How an example ends well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Done {
    /// It ran, and its result is right.
    Checked,
    /// `--emit`: a stage was printed, nothing ran.
    Emitted,
}

/// Runs an example with the command line of the process. The last line is `OK` when the example ran and its result is right.
pub fn main(program: Program, body: impl FnOnce(&Session) -> Result<Done, Failure>) -> ExitCode {
    ExitCode::from(run(program, std::env::args_os(), body))
}

/// The same with these arguments, the first being the name of the program. Gives the exit status.
pub fn run(
    program: Program,
    argv: impl IntoIterator<Item = OsString>,
    body: impl FnOnce(&Session) -> Result<Done, Failure>,
) -> u8 {
    let args = match program.parse(argv) {
        Ok(args) => args,
        Err(error) => {
            // `--help` goes to stdout with status 0, a mistake to stderr with status 2.
            let printed = error.print();
            return match written(printed) {
                _ if error.use_stderr() => 2,
                Ok(()) => 0,
                Err(failure) => failed(&failure),
            };
        }
    };
    args.world.color.choice().write_global();
    let session = Session::new(program, args, None);
    session.watch_interrupts();
    let result = body(&session).and_then(|done| match done {
        Done::Checked => session.check_replayed().and_then(|()| session.print("OK\n")).map(|()| done),
        Done::Emitted => Ok(done),
    });
    session.end(&result);
    result.map_or_else(|failure| failure.status(), |_| 0)
}

/// Runs an example within a test: its kernels are rewritten once they are lowered, nothing is printed, and Ctrl-C is the test's.
#[doc(hidden)]
pub fn rehearse(
    program: Program,
    argv: impl IntoIterator<Item = OsString>,
    rewrite: Rewrite,
    body: impl FnOnce(&Session) -> Result<Done, Failure>,
) -> Rehearsal {
    let args = match program.parse(argv) {
        Ok(args) => args,
        Err(error) => return Rehearsal { result: Err(Failure::usage(error.to_string(), "")), said: vec![] },
    };
    let session = Session::new(program, args, Some(Rehearsing { rewrite, said: Mutex::default() }));
    let result = body(&session);
    let said = session.rehearsal.map(|rehearsing| rehearsing.said.into_inner().unwrap_or_else(PoisonError::into_inner));
    Rehearsal { result, said: said.unwrap_or_default() }
}

/// Reports a failure. Gives its exit status.
fn failed(failure: &Failure) -> u8 {
    tell(&renderer().explanations(&failure.explain()));
    failure.status()
}

/// Wherever the program runs, its source is where it was built.
fn renderer() -> Renderer {
    Renderer::styled().directory(env!("CARGO_MANIFEST_DIR"))
}

/// Writes a line to stderr, in colour where that is wanted. When stderr fails there is nowhere left to say so.
fn tell(text: &str) {
    let _ = anstream::stderr().write_all(format!("{text}\n").as_bytes());
}

/// What became of a write to stdout. A reader that left is no error.
fn written(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::usage(format!("cannot write to stdout: {e}"), ""))
        }
        _ => Ok(()),
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("program", &self.program).field("args", &self.args).finish_non_exhaustive()
    }
}

impl Session {
    fn new(program: Program, args: Args, rehearsal: Option<Rehearsing>) -> Session {
        let document = (args.world.report == Form::Json).then(Mutex::default);
        Session {
            program,
            args,
            rehearsal,
            interrupt: Arc::default(),
            launched: Arc::default(),
            explored: AtomicBool::default(),
            document,
        }
    }

    /// The world that the user asked for.
    pub fn world(&self) -> Result<World, Failure> {
        let world = World::open(&self.args.world.platform, &self.args.world.devices.0)?;
        let (found, least) = (world.size(), self.program.min_ranks);
        if found < least {
            let plural = if found == 1 { "device" } else { "devices" };
            let name = self.program.name;
            return Err(Failure::usage(
                format!("{name} needs at least {least} ranks, and `--devices` names {found} {plural}"),
                "name more: `-d 0,1`",
            ));
        }
        if let Some(rehearsing) = &self.rehearsal {
            world.__rewrite(rehearsing.rewrite.clone());
        }
        Ok(match self.args.world.explore.how(self.args.world.seed, self.args.world.report == Form::Text) {
            Some(how) => world.exploring(how),
            None => world,
        })
    }

    /// Which variant the user asked for.
    pub fn mode(&self) -> Mode {
        self.args.mode
    }

    /// What the user chose with a flag of the program's own ([`Program::choice`]); of a flag that it has not, nothing.
    pub fn choice(&self, flag: &str) -> &str {
        self.args.choices.iter().find(|(name, _)| *name == flag).map_or("", |(_, value)| value)
    }

    /// The array of `--input`, when there is one, of the element type and shape that the program promises.
    pub fn input<T: Number, D: Dimension>(&self, ranks: usize) -> Result<Option<Array<T, D>>, Failure> {
        let (Some(path), Some(data)) = (&self.args.input, self.program.input) else { return Ok(None) };
        let shape = data.shape();
        let x = npy::read_shape::<T>(path, &shape).map_err(|e| Failure::usage(e, ""))?;
        let found = format!("`{}` has shape {:?}", path.display(), x.shape());
        let expected = format!("{} has shape {}", data.name, shape.with_ranks(ranks));
        match shape.check(ranks, x.shape()) {
            Ok(()) => {}
            Err(Misfit::Zero(size)) => {
                return Err(Failure::usage(format!("{found}: {size} is 0, expected at least 1"), expected));
            }
            Err(Misfit::Extents) => {
                let devices = if shape.is_per_rank() { ", or choose as many devices as it has rows: `-d`" } else { "" };
                let message = format!("{found}, which does not fit {ranks} ranks");
                return Err(Failure::usage(message, expected + devices));
            }
        }
        x.into_dimensionality().map(Some).map_err(|e| Failure::usage(format!("{found}: {e}"), ""))
    }

    /// Writes the result to `--output`, when that is given.
    pub fn output<T: WritableElement + Clone, D: Dimension>(&self, y: ArrayView<'_, T, D>) -> Result<(), Failure> {
        self.args.output.as_deref().map_or(Ok(()), |path| npy::write(path, y)).map_err(|e| Failure::usage(e, ""))
    }

    /// Ends the run with what a golden says of its result.
    pub fn judge(&self, verdict: Result<Right, Box<Wrong>>) -> Result<Done, Failure> {
        match verdict {
            Ok(Right::Exact) => {}
            Ok(Right::OtherOrder) => self.note("right within rounding; the order of summation differs from rank order"),
            Err(wrong) => return Err(Failure::Golden(Box::new(wrong.explain()))),
        }
        Ok(Done::Checked)
    }

    /// Launches the calls with the scheduler that the user asked for. Ctrl-C ends the run with a report of where each rank is.
    pub fn launch<'a>(&self, world: &World, calls: impl IntoIterator<Item = Call<'a>>) -> Result<Report, Failure> {
        self.launch_by(|options| world.launch_with(options, calls))
    }

    /// The same for whatever takes launch options and gives a report: several worlds at once, a collective from the host.
    pub fn launch_by(&self, launch: impl FnOnce(LaunchOptions) -> Result<Report, Error>) -> Result<Report, Failure> {
        self.launched.store(false, Ordering::SeqCst);
        let report = launch(self.options());
        self.launched.store(true, Ordering::SeqCst);
        let report = report?;
        self.passed(&report);
        Ok(report)
    }

    /// Runs a `Host` function in the same way.
    pub fn run(&self, world: &World, call: HostCall<'_>) -> Result<HostReport, Failure> {
        self.launched.store(false, Ordering::SeqCst);
        let report = world.run_with(self.options(), call);
        self.launched.store(true, Ordering::SeqCst);
        let report = report?;
        report.launches.iter().for_each(|launch| self.passed(&launch.report));
        Ok(report)
    }

    fn options(&self) -> LaunchOptions {
        let scheduler = self.args.world.seed.map_or(Scheduler::Parallel, Scheduler::Seeded);
        let (interrupt, inject) = (Some(self.interrupt.clone()), self.args.world.inject.clone());
        let (checks, allow) = (!self.args.world.no_check, self.args.world.allow.iter().copied().collect());
        LaunchOptions { scheduler, interrupt, inject, checks, allow, ..LaunchOptions::default() }
    }

    /// Reports what is to be known of a launch that went well.
    fn passed(&self, report: &Report) {
        self.explored.fetch_or(report.explored.is_some(), Ordering::SeqCst);
        if let Some(mut document) = self.document() {
            document.launch(report);
            return;
        }
        if let Some(explored) = &report.explored {
            self.note(&explored.to_string());
        }
        report.not_injected.iter().for_each(|fault| self.note(&fault.to_string()));
        for lint in &report.lints {
            self.say(|| renderer().explanation(&lint.explain()), &lint.to_string());
        }
    }

    /// A token may be of a launch that the program did not come to.
    fn check_replayed(&self) -> Result<(), Failure> {
        match &self.args.world.explore.replay {
            Some(token) if !self.explored.load(Ordering::SeqCst) => Err(Failure::usage(
                format!("`{token}` is of a launch that this program did not make"),
                "give the program the flags with which the token was made",
            )),
            _ => Ok(()),
        }
    }

    /// The stage that `--emit` asks for.
    pub fn emit(&self) -> Option<Emit> {
        self.args.emit
    }

    /// Prints a stage. `compile` gives the stages of a variant, rank by rank.
    pub fn print_stage(
        &self,
        emit: Emit,
        mut compile: impl FnMut(Mode) -> Result<Vec<Stage>, Error>,
    ) -> Result<Done, Failure> {
        let stages = compile(self.mode())?;
        let text = match emit {
            Emit::Diff => {
                let (hand, builtin) = (compile(Mode::Hand)?, compile(Mode::Builtin)?);
                let (Some(hand), Some(builtin)) = (hand.first(), builtin.first()) else { return Ok(Done::Emitted) };
                let name = |stage: &Stage| format!("{} (lowered)", stage.lowered().name);
                let text = |stage: &Stage| text::print(stage.lowered());
                diff::unified(&name(hand), &text(hand), &name(builtin), &text(builtin))
            }
            _ => self.show(emit, &stages)?,
        };
        self.print(&text)?;
        Ok(Done::Emitted)
    }

    /// A stage of one launch as text; a program of several launches prints several.
    pub fn show(&self, emit: Emit, stages: &[Stage]) -> Result<String, Error> {
        self.launched.store(true, Ordering::SeqCst);
        let Some(first) = stages.first() else { return Ok(String::new()) };
        let text = match emit {
            Emit::Ir => text::print(first.ir()),
            Emit::Lowered | Emit::Diff => text::print(first.lowered()),
            Emit::Plan => first.plan()?,
            Emit::Cost => card::show(stages),
            Emit::Compare => card::comparison(&[(&first.lowered().name, stages)]),
        };
        Ok(text.trim_end().to_owned() + "\n")
    }

    /// Writes to stdout. Colours go where they are wanted; a reader that left is no error.
    pub fn print(&self, text: &str) -> Result<(), Failure> {
        if self.rehearsal.is_some() {
            return Ok(());
        }
        let mut stdout = anstream::stdout();
        written(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()))
    }

    /// Writes a note to stderr.
    pub fn note(&self, text: &str) {
        if let Some(mut document) = self.document() {
            document.note(text);
            return;
        }
        let style = Style::new().bold().fg_color(Some(AnsiColor::Cyan.into()));
        self.say(|| format!("{style}note{style:#}: {text}"), &format!("note: {text}"));
    }

    /// Writes to stderr; of a rehearsal, keeps the plain text.
    fn say(&self, styled: impl FnOnce() -> String, plain: &str) {
        match &self.rehearsal {
            None => tell(&styled()),
            Some(rehearsing) => {
                rehearsing.said.lock().unwrap_or_else(PoisonError::into_inner).push(plain.to_owned());
            }
        }
    }

    fn document(&self) -> Option<MutexGuard<'_, Document>> {
        Some(self.document.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reports how the run ended.
    fn end(&self, result: &Result<Done, Failure>) {
        let Some(mut document) = self.document() else {
            if let Err(failure) = result {
                failed(failure);
            }
            return;
        };
        match result {
            Ok(Done::Emitted) => return,
            Ok(Done::Checked) => {}
            Err(Failure::Run(error)) => document.error(error),
            Err(Failure::Golden(explanation)) => document.failure("golden", explanation),
            Err(Failure::Usage(explanation)) => document.failure("usage", explanation),
        }
        tell(&document.value().to_string());
    }

    /// Ctrl-C ends the launch that is under way or comes next, with a report; where there is none, or at the second time, the process.
    fn watch_interrupts(&self) {
        let (interrupt, launched) = (self.interrupt.clone(), self.launched.clone());
        let handler = move || {
            let again = interrupt.swap(true, Ordering::SeqCst);
            if again || launched.load(Ordering::SeqCst) {
                std::process::exit(130);
            }
        };
        if let Err(error) = ctrlc::set_handler(handler) {
            self.note(&format!("Ctrl-C ends the program without a report: {error}"));
        }
    }
}
