//! What every program of `examples/` does, whatever it shows. The list is the directory, and what a program takes is read from its `--help`:
//! a new one needs no line here.

use crate::cli::{Output, run_of};
use crate::cli_files::Scratch;
use pl::ndarray::{Array2, ArrayD, IxDyn};
use pl_examples_cli::{Number, npy};
use std::path::Path;

/// The numbers of ranks that one source serves.
const RANKS: [&str; 4] = ["0,1", "0-2", "4,9,2,3", "0-7"];

/// A program, and what its help says that it takes.
struct Program {
    name: String,
    help: String,
    modes: Vec<&'static str>,
    /// The flags of its own, with their values: `--op=max`.
    choices: Vec<Vec<String>>,
}

/// An array that a program reads or writes.
#[derive(Debug)]
struct Data {
    dtype: String,
    axes: Vec<String>,
}

impl Program {
    fn all() -> Vec<Program> {
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
        let files = std::fs::read_dir(examples).unwrap().map(|entry| entry.unwrap().path());
        let mut names: Vec<String> = files
            .filter(|file| file.extension().is_some_and(|extension| extension == "rs"))
            .map(|file| file.file_stem().unwrap().to_string_lossy().into_owned())
            .collect();
        names.sort();
        assert!(names.contains(&"14_reduce_scatter".to_owned()), "{names:?}");
        names.into_iter().map(Program::new).collect()
    }

    fn new(name: String) -> Program {
        let output = run_of(&name, &["--help"], &[]);
        assert_eq!((output.status, &*output.stderr), (Some(0), ""), "{name}");
        let help = output.stdout;
        let modes = if help.contains("--mode <MODE>") { vec!["--mode=hand", "--mode=builtin"] } else { vec![] };
        let mut choices = vec![];
        let mut lines = help.lines().map(str::trim);
        while let Some(line) = lines.next() {
            let Some(flag) = line.strip_suffix(" <CHOICE>") else { continue };
            let values = lines.by_ref().take_while(|line| !line.starts_with("[default: "));
            let value = |line: &str| Some(format!("{flag}={}", line.strip_prefix("- ")?.split_once(':')?.0));
            choices.push(values.filter_map(value).collect());
        }
        Program { name, help, modes, choices }
    }

    fn run(&self, args: &[&str]) -> Output {
        run_of(&self.name, args, &[])
    }

    /// Runs the program in each of its modes.
    fn in_each_mode(&self, args: &[&str], check: impl Fn(&[&str], Output)) {
        let modes = self.modes.iter().map(std::slice::from_ref);
        for mode in if self.modes.is_empty() { vec![&[][..]] } else { modes.collect() } {
            let args = [args, mode].concat();
            let output = self.run(&args);
            check(&[&[&*self.name], &*args].concat(), output);
        }
    }

    /// The array of the line of the help that begins with `The input is` or `The result is`.
    fn data(&self, what: &str) -> Option<Data> {
        let line = self.help.lines().find(|line| line.starts_with(&format!("The {what} is ")))?;
        let (shape, rest) = line.split_once('[')?.1.split_once(']')?;
        let dtype = |line: &str| ["f32", "i32"].into_iter().find(|dtype| line.contains(&format!(", {dtype}")));
        // The result is of the input's type, unless it is said.
        let dtype =
            dtype(rest).map(str::to_owned).or_else(|| Some(self.data("input").filter(|_| what == "result")?.dtype));
        Some(Data { dtype: dtype.unwrap(), axes: shape.split(", ").map(str::to_owned).collect() })
    }
}

impl Data {
    /// The extents for this many ranks, with `size` for every size that the file chooses.
    fn shape(&self, ranks: usize, size: usize) -> Vec<usize> {
        let factor = |factor: &str| match factor {
            "P" => ranks,
            number => number.parse().unwrap_or(size),
        };
        self.axes.iter().map(|axis| axis.split(" * ").map(factor).product()).collect()
    }

    fn is(&self, dtype: &str) -> bool {
        self.dtype == dtype
    }

    fn write(&self, path: &Path, shape: &[usize]) {
        let len = shape.iter().product();
        let numbers = (0..len).map(|i| (i * 7 % 23) as i32 - 4);
        let shape = IxDyn(shape);
        match &*self.dtype {
            "f32" => npy::write(
                path,
                ArrayD::from_shape_vec(shape, numbers.map(|n| n as f32 / 4.0).collect()).unwrap().view(),
            ),
            _ => npy::write(path, ArrayD::from_shape_vec(shape, numbers.map(i32::abs).collect()).unwrap().view()),
        }
        .unwrap();
    }

    /// The shape of the array in this file, and its elements as text.
    fn read(&self, path: &Path) -> (Vec<usize>, Vec<String>) {
        fn read<T: Number>(path: &Path, axes: usize) -> (Vec<usize>, Vec<String>) {
            let shape = ["[A]", "[A, B]", "[A, B, C]", "[A, B, C, D]"][axes - 1];
            let array = npy::read::<T>(path, shape).unwrap();
            (array.shape().to_vec(), array.iter().map(|x| format!("{x:?}")).collect())
        }
        if self.is("f32") { read::<f32>(path, self.axes.len()) } else { read::<i32>(path, self.axes.len()) }
    }
}

#[track_caller]
fn check_ok(args: &[&str], output: &Output) {
    let Output { status, stdout, stderr } = output;
    assert!(*status == Some(0) && stdout.ends_with("OK\n"), "{args:?}: {status:?}\n{stdout}{stderr}");
    assert!(stderr.lines().all(|line| line.starts_with("note: right within rounding")), "{args:?}: {stderr}");
}

#[track_caller]
fn check_refused(args: &[&str], output: &Output, report: &str) {
    let Output { status, stdout, stderr } = output;
    assert!(*status == Some(2) && !stdout.ends_with("OK\n"), "{args:?}: {status:?}\n{stdout}{stderr}");
    assert!(stderr.contains(report), "{args:?}: {stderr}");
}

#[test]
fn one_source_for_every_number_of_ranks() {
    for program in Program::all() {
        for devices in RANKS {
            program.in_each_mode(&["-d", devices], |args, output| check_ok(args, &output));
        }
        for platform in ["sim", "a5sim"] {
            program.in_each_mode(&["-p", platform, "--color=always"], |args, output| check_ok(args, &output));
        }
        for seed in ["0", "1", "2", "3"] {
            program.in_each_mode(&["-d", "0-2", "--seed", seed], |args, output| check_ok(args, &output));
        }
    }
}

#[test]
fn in_every_way() {
    let mut flags = 0;
    for program in Program::all() {
        // All combinations of the values of its own flags.
        let mut ways = vec![vec![]];
        for values in &program.choices {
            assert!(values.len() > 1, "{}: {values:?}", program.name);
            ways = ways.iter().flat_map(|way| values.iter().map(|v| [&way[..], &[v.as_str()]].concat())).collect();
            flags += 1;
        }
        for way in ways.iter().filter(|way| !way.is_empty()) {
            for devices in RANKS {
                let args = [&["-d", devices], &way[..]].concat();
                program.in_each_mode(&args, |args, output| check_ok(args, &output));
            }
        }
    }
    assert!(flags >= 2, "11_allreduce_reveal has two");
}

#[test]
fn the_same_is_printed_every_time() {
    for program in Program::all() {
        program.in_each_mode(&["-d", "0-3"], |args, first| {
            for seed in ["--seed=1", "--seed=2"] {
                let again = program.run(&[&args[1..], &[seed]].concat());
                assert_eq!((&again.stdout, &again.stderr), (&first.stdout, &first.stderr), "{args:?} {seed}");
            }
        });
    }
}

#[test]
fn one_device_is_enough_or_refused() {
    for program in Program::all() {
        program.in_each_mode(&["-d", "3"], |args, output| match output.status {
            Some(0) => check_ok(args, &output),
            _ => {
                let needs = format!("error: {} needs at least 2 ranks, and `--devices` names 1 device\n", program.name);
                check_refused(args, &output, &needs);
            }
        });
    }
}

#[test]
fn stages_are_printed_and_nothing_runs() {
    for program in Program::all() {
        let mut stages = vec!["ir", "lowered", "plan", "cost"];
        stages.extend((!program.modes.is_empty()).then_some("diff"));
        stages.extend(program.help.contains("- compare:").then_some("compare"));
        for stage in stages {
            program.in_each_mode(&["-d", "0-3", "--emit", stage], |args, output| {
                let Output { status, stdout, stderr } = &output;
                assert_eq!((*status, &**stderr), (Some(0), ""), "{args:?}");
                assert!(stdout.lines().count() > 2 && !stdout.ends_with("OK\n"), "{args:?}: {stdout}");
                assert!(!stdout.contains('\u{1b}'), "piped output is plain");
                // A program with several kernels prints one after the other.
                let is_ir = ["ir", "lowered"].contains(&stage);
                for text in stdout.split("pl 1\n").skip(1).filter(|_| is_ir) {
                    assert!(pl::text::parse(&format!("pl 1\n{text}")).is_ok(), "{args:?}: {text}");
                }
                assert_eq!(stdout.starts_with("pl 1\n"), is_ir, "{args:?}: {stdout}");
            });
        }
    }
}

#[test]
fn the_help_is_complete() {
    for program in Program::all() {
        let number = &program.name[..2];
        assert!(number.parse::<u8>().is_ok_and(|n| (1..=16).contains(&n)), "{}", program.name);
        for part in ["--platform <PLATFORM>", "--devices <IDS>", "--seed <N>", "--color <WHEN>", "--emit <STAGE>"] {
            assert!(program.help.contains(part), "{}: {part}", program.name);
        }
        // The examples of the help are right.
        let scratch = Scratch::new("help");
        let start = format!("cargo run --release --example {} -- ", program.name);
        let examples: Vec<&str> = program.help.lines().filter_map(|line| line.trim().strip_prefix(&*start)).collect();
        assert!(examples.len() >= 2, "{}", program.help);
        for example in examples {
            let input = scratch.path("x.npy");
            if let Some(data) = program.data("input") {
                data.write(&input, &data.shape(7, 3));
            }
            let files = [("x.npy", input.clone()), ("y.npy", scratch.path("y.npy"))];
            let example =
                files.iter().fold(example.to_owned(), |e, (name, path)| e.replace(name, path.to_str().unwrap()));
            let args: Vec<&str> = example.split_whitespace().collect();
            let output = program.run(&args);
            assert_eq!(output.status, Some(0), "{args:?}: {}", output.stderr);
        }
    }
}

#[test]
fn mistakes_on_the_command_line() {
    for program in Program::all() {
        for (args, report) in [
            (&["--frobnicate"][..], "unexpected argument '--frobnicate' found"),
            (&["-d", "0,0"], "device 0 stands in the device list more than once"),
            (&["-d", ""], "the list is empty"),
            (&["-p", "a3sim"], "unknown platform `a3sim`"),
            (&["--emit", "asm"], "invalid value 'asm' for '--emit <STAGE>'"),
            (&["--seed", "one"], "invalid value 'one' for '--seed <N>'"),
        ] {
            check_refused(args, &program.run(args), report);
        }
        let (mode, report) = match program.modes.is_empty() {
            true => ("--mode=hand", "unexpected argument '--mode' found"),
            false => ("--mode=auto", "invalid value 'auto' for '--mode <MODE>'"),
        };
        check_refused(&[mode], &program.run(&[mode]), report);
    }
}

#[test]
fn arrays_go_in_and_out() {
    let scratch = Scratch::new("arrays");
    for program in Program::all() {
        let (input, result) = (program.data("input"), program.data("result"));
        for (ranks, devices, size) in [(2, "0,1", 5), (3, "5,3,1", 64), (4, "0-3", 1), (8, "0-7", 7)] {
            let (x, y) = (scratch.path("x.npy"), scratch.path("y.npy"));
            let mut args = vec!["-d", devices];
            if let Some(data) = &input {
                data.write(&x, &data.shape(ranks, size));
                args.extend(["--input", x.to_str().unwrap()]);
            }
            let Some(result) = &result else {
                program.in_each_mode(&args, |args, output| check_ok(args, &output));
                continue;
            };
            args.extend(["--output", y.to_str().unwrap()]);
            program.in_each_mode(&args, |args, output| {
                check_ok(args, &output);
                let (shape, elements) = result.read(&y);
                if input.is_some() {
                    assert_eq!(shape, result.shape(ranks, size), "{args:?}");
                }
                // The same input gives the same bits, whatever the interleaving.
                for seed in ["--seed=1", "--seed=7"] {
                    check_ok(args, &program.run(&[&args[1..], &[seed]].concat()));
                    assert_eq!(result.read(&y).1, elements, "{args:?} {seed}");
                }
            });
        }
    }
}

#[test]
fn files_that_do_not_fit() {
    let scratch = Scratch::new("misfits");
    for program in Program::all() {
        if program.data("result").is_some() {
            let args = ["--output", "/nowhere/y.npy"];
            check_refused(&args, &program.run(&args), "cannot write `/nowhere/y.npy`: ");
        } else {
            check_refused(&["--output"], &program.run(&["--output=y.npy"]), "unexpected argument '--output' found");
        }
        let Some(data) = program.data("input") else {
            check_refused(&["--input"], &program.run(&["--input=x.npy"]), "unexpected argument '--input' found");
            continue;
        };
        let x = scratch.path("x.npy");
        let check = |report: &str| {
            let args = ["--input", x.to_str().unwrap()];
            check_refused(&args, &program.run(&args), report);
        };
        let shape = data.shape(2, 4);
        // An axis more, no elements, another number of ranks, another type.
        data.write(&x, &[&[1][..], &shape].concat());
        check(&format!(", and not {} ax", shape.len()));
        if data.axes.iter().any(|axis| axis == "P" || axis.starts_with("P *")) {
            data.write(&x, &data.shape(3, 5));
            check("which does not fit 2 ranks");
        }
        data.write(&x, &data.shape(2, 0));
        check("is 0, expected at least 1");
        match data.is("f32") {
            true => npy::write(&x, Array2::<i32>::zeros((2, 2)).view()).unwrap(),
            false => npy::write(&x, Array2::<f32>::zeros((2, 2)).view()).unwrap(),
        }
        check(&format!(", and not {}", if data.is("f32") { "float32" } else { "int32" }));
        let args = ["--input", "missing.npy"];
        check_refused(&args, &program.run(&args), "cannot open `missing.npy`: ");
    }
}
