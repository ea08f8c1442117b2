//! Large worlds: example 14 in a process of its own, whose peak memory tells what a rank costs beside its data.

use super::cases::Goal;
use super::figures::Figures;
use super::kernels::example_14;
use super::measure::time;
use pl::World;
use pl::ndarray::{Array3, Axis};
use std::process::{Command, ExitCode};

/// A world, and what a launch in it is to reach.
#[derive(Clone, Copy, Debug)]
pub struct Large {
    /// Whether the builtin adds up, or the kernel by hand.
    pub builtin: bool,
    pub ranks: usize,
    /// Elements of a row, of which each rank brings one for each rank.
    pub size: usize,
    /// At most so many seconds.
    pub seconds: f64,
    /// At most so many times the bytes of windows and tensors.
    pub memory: f64,
    /// How often it is measured.
    pub times: usize,
}

const MANY: Large = Large { builtin: false, ranks: 1024, size: 64, seconds: 1.0, memory: 1.5, times: 5 };
const MOST: Large = Large { builtin: false, ranks: 4096, size: 16, seconds: 20.0, memory: 2.0, times: 1 };

pub const ALL: [Large; 4] = [MANY, Large { builtin: true, ..MANY }, MOST, Large { builtin: true, ..MOST }];

/// Begins the command line of a process that is one launch.
const CHILD: &str = "--launch-in-a-large-world";

/// The modes of example 14.
const HAND: &str = "hand";
const BUILTIN: &str = "builtin";

/// The whole of a process that [`Large::measure`] started: its exit status; `None` in every other process.
pub fn child() -> Option<ExitCode> {
    let mut args = std::env::args().skip(1).skip_while(|arg| arg != CHILD).skip(1);
    let (mode, ranks, size) = (args.next()?, args.next()?.parse().ok()?, args.next()?.parse().ok()?);
    let seconds = launch(mode == BUILTIN, ranks, size);
    let Some(peak) = peak() else {
        eprintln!("error: this system does not tell the peak memory of a process");
        return Some(ExitCode::FAILURE);
    };
    println!("{seconds} {peak}");
    Some(ExitCode::SUCCESS)
}

/// The seconds of one launch.
fn launch(builtin: bool, ranks: usize, size: usize) -> f64 {
    let devices: Vec<u32> = (0..ranks as u32).collect();
    let world = World::open("sim", &devices).expect("a world");
    let x = Array3::from_shape_fn((ranks, 1, ranks * size), |(r, _, i)| ((r + i) % 1000) as f32);
    let mut y = Array3::zeros((ranks, 1, size));
    let data = world.window::<f32>([ranks, size]).expect("a window");
    let signal = world.window::<i32>([ranks, 1]).expect("a window");
    let took = time(|| {
        let calls = x.outer_iter().zip(y.outer_iter_mut()).map(|(x, y)| match builtin {
            true => example_14::builtin_step(x, y, &data, &signal),
            false => example_14::hand_step(x, y, &data, &signal),
        });
        world.launch(calls).expect("a right kernel");
    });
    // Whole numbers, whose sums are exact.
    let last = ranks - 1;
    let sum: f32 = x.axis_iter(Axis(0)).map(|x| x[[0, last * size]]).sum();
    assert_eq!(y[[last, 0, 0]], sum);
    took.as_secs_f64()
}

/// The most memory that this process has had, in bytes, where the system tells.
fn peak() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse::<usize>().ok().map(|kib| kib << 10)
}

impl Large {
    const fn mode(&self) -> &'static str {
        if self.builtin { BUILTIN } else { HAND }
    }

    pub fn name(&self) -> String {
        format!("large world/{}/P={}/SIZE={}", self.mode(), self.ranks, self.size)
    }

    /// The bytes of the windows and tensors: the data window and what the ranks bring, the signal, the results.
    pub fn data(&self) -> f64 {
        (4 * self.ranks * (2 * self.ranks * self.size + self.ranks + self.size)) as f64
    }

    /// The time of a launch, and the memory of its process, so many times.
    pub fn measure(&self, times: usize) -> Result<[Figures; 2], String> {
        let mut time = Figures::new(self.name(), "launch", "", Goal::Seconds(self.seconds));
        let name = format!("{}/memory", self.name());
        let mut memory = Figures::new(name, "process", "windows and tensors", Goal::Ratio(self.memory));
        for _ in 0..times {
            let (seconds, peak) = self.process().map_err(|error| format!("{}: {error}", self.name()))?;
            time.sides.ours.push(seconds);
            memory.sides.push(peak, self.data());
        }
        Ok([time, memory])
    }

    /// A launch in a process of its own: seconds, and the most bytes that the process had.
    fn process(&self) -> Result<(f64, f64), String> {
        let this = std::env::current_exe().map_err(|error| error.to_string())?;
        let arguments = [CHILD, self.mode(), &self.ranks.to_string(), &self.size.to_string()];
        let output = Command::new(this).args(arguments).output().map_err(|error| error.to_string())?;
        if !output.status.success() {
            return Err(format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr)));
        }
        let text = String::from_utf8_lossy(&output.stdout);
        match text.split_whitespace().map(str::parse).collect::<Result<Vec<f64>, _>>().as_deref() {
            Ok(&[seconds, peak]) => Ok((seconds, peak)),
            _ => Err(format!("it printed `{text}`")),
        }
    }
}
