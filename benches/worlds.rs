//! Launches in large worlds: time, and peak memory of the process beside windows and tensors. Not by criterion, which would run them too often.

mod support;

use std::process::ExitCode;
use support::worlds;

fn main() -> ExitCode {
    if let Some(status) = worlds::child() {
        return status;
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let quick = arguments.iter().any(|argument| argument == "--test" || argument == "--quick");
    let named = |name: &str| arguments.iter().all(|argument| argument.starts_with('-') || name.contains(argument));
    for world in worlds::ALL.iter().filter(|world| named(&world.name())) {
        match world.measure(if quick { 1 } else { world.times }) {
            Ok(figures) => figures.iter().for_each(|figures| println!("{figures}")),
            Err(error) => {
                eprintln!("error: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}
