//! What kernels cost when they are built: `cargo check` of a crate of 100 kernels like example 14's hand kernel, and of crates with more of them, alternately;
//! and `cargo check` of the facade, from clean, as a crate finds it that depends on nothing else.
//!
//! ```text
//! cargo bench --bench build_time
//! ```

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use std::{env, fs, io};

/// Kernels of the smaller crate, and how many more the other one has.
const KERNELS: usize = 100;
const MORE: usize = 10;
/// How often both are checked.
const TIMES: usize = 9;
/// What one kernel more may cost, and the facade.
const GOAL: (Duration, Duration) = (Duration::from_millis(6), Duration::from_secs(20));

/// The kernel that is repeated: the first one of the example.
fn kernel(root: &Path) -> io::Result<String> {
    let example = fs::read_to_string(root.join("examples/14_reduce_scatter.rs"))?;
    let from = example.find("#[pl::function").ok_or_else(|| io::Error::other("the example has no kernel"))?;
    let to = example[from..].find("\n}\n").ok_or_else(|| io::Error::other("its kernel does not end"))?;
    Ok(example[from..from + to + 3].to_owned())
}

/// A crate with so many kernels, in a folder of its own.
fn generate(root: &Path, folder: &Path, kernel: &str, count: usize) -> io::Result<PathBuf> {
    let at = folder.join(format!("kernels{count}"));
    fs::create_dir_all(at.join("src"))?;
    let root_text = root.display();
    let manifest = format!(
        "[package]\nname = \"kernels{count}\"\nedition = \"2024\"\n\n[dependencies]\npl = {{ path = {:?} }}\n\n[workspace]\n",
        root_text.to_string()
    );
    fs::write(at.join("Cargo.toml"), manifest)?;
    // The versions that the facade is tested with, and no look at a registry.
    fs::copy(root.join("Cargo.lock"), at.join("Cargo.lock"))?;
    let mut source = String::new();
    if count > 0 {
        source.push_str("use pl::distributed as pld;\n");
    }
    for number in 0..count {
        let named = kernel.replace("hand_step", &format!("hand_step_{number}"));
        let _ = write!(source, "\n{named}");
    }
    fs::write(at.join("src/lib.rs"), source)?;
    Ok(at)
}

/// Checks a crate whose source is new; what it needs is built before, or not.
fn check(at: &Path, target: &Path) -> io::Result<Duration> {
    fs::File::options().append(true).open(at.join("src/lib.rs"))?.set_modified(std::time::SystemTime::now())?;
    let start = Instant::now();
    let ended = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["check", "--quiet", "--offline"])
        .current_dir(at)
        .env("CARGO_TARGET_DIR", target)
        // Each time all of the crate is checked.
        .env("CARGO_INCREMENTAL", "0")
        .status()?;
    if ended.success() { Ok(start.elapsed()) } else { Err(io::Error::other(format!("cargo check: {ended}"))) }
}

fn main() -> io::Result<()> {
    if !env::args().any(|arg| arg == "--bench") {
        // `cargo test` runs benchmarks, too.
        return Ok(());
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("build_time");
    let target = folder.join("target");
    if target.exists() {
        fs::remove_dir_all(&target)?;
    }
    let kernel = kernel(root)?;
    let facade = check(&generate(root, &folder, &kernel, 0)?, &target)?;
    println!("build/facade: cargo check from clean {facade:.2?} (at most {:?})", GOAL.1);

    let few = generate(root, &folder, &kernel, KERNELS)?;
    let many = generate(root, &folder, &kernel, KERNELS + MORE)?;
    let mut least = [Duration::MAX; 2];
    for round in 0..=TIMES {
        for (kernels, least) in [&few, &many].into_iter().zip(&mut least) {
            let time = check(kernels, &target)?;
            // The first round only warms up.
            if round > 0 {
                *least = time.min(*least);
            }
        }
    }
    let [few, many] = least;
    let one = many.saturating_sub(few) / MORE as u32;
    println!(
        "build/kernel: {KERNELS} kernels {few:.2?}, {MORE} more {many:.2?}: {one:.2?} each (at most {:?})",
        GOAL.0
    );
    Ok(())
}
