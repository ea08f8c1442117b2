//! MPI, where it is installed: a small program in C, built by `mpicc` and run by `mpirun`.

use crate::support::cases::Mpi;
use crate::support::measure::Sample;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The program, built.
pub struct Program {
    path: PathBuf,
    /// What the installation says that it is.
    pub version: String,
}

impl Program {
    /// Builds it beside this program.
    pub fn build() -> Result<Program, String> {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/bench_compare/mpi.c");
        let this = std::env::current_exe().map_err(|error| error.to_string())?;
        let path = this.with_file_name(format!("bench_compare_mpi{}", std::env::consts::EXE_SUFFIX));
        output(Command::new("mpicc").arg("-O2").arg("-o").arg(&path).arg(source))?;
        let version = output(Command::new("mpirun").arg("--version"))?;
        Ok(Program { path, version: version.lines().next().unwrap_or("MPI").to_owned() })
    }

    /// What the operation took, in seconds: the median of the quickest of the ways in which a user may call it. Vectors are reduced and scattered by two
    /// functions, and much memory is quicker when the allocator does not give it back to the system after each call.
    pub fn measure(&self, what: Mpi, seconds: f64) -> Result<f64, String> {
        let functions: &[&str] = match what.operation {
            "reduce_scatter" => &["reduce_scatter", "reduce_scatter_block"],
            operation => &[operation],
        };
        let mut least = f64::INFINITY;
        for function in functions {
            for keeps_heap in [false, true] {
                if !keeps_heap || what.bytes >= 1 << 20 {
                    least = least.min(self.run(function, what, keeps_heap, seconds)?.median());
                }
            }
        }
        Ok(least)
    }

    fn run(&self, function: &str, what: Mpi, keeps_heap: bool, seconds: f64) -> Result<Sample, String> {
        let mut command = Command::new("mpirun");
        command.arg("-np").arg(what.ranks.to_string()).arg(&self.path);
        command.arg(function).arg(what.bytes.to_string()).arg(seconds.to_string());
        // Open MPI wants to be asked for more processes than cores, and by root.
        for name in ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe"] {
            command.env(name, "1");
        }
        command.env("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe");
        if keeps_heap {
            command.env("MALLOC_MMAP_MAX_", "0").env("MALLOC_TRIM_THRESHOLD_", "8000000000");
        }
        let text = output(&mut command)?;
        let mut sample = Sample::default();
        for line in text.lines() {
            sample.push(line.parse().map_err(|_| format!("`mpirun` printed `{line}`"))?);
        }
        if sample.is_empty() { Err("`mpirun` printed nothing".into()) } else { Ok(sample) }
    }
}

/// What the command prints.
fn output(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let Output { status, stdout, stderr } = command.output().map_err(|error| format!("`{name}`: {error}"))?;
    if !status.success() {
        return Err(format!("`{name}` ended with {status}: {}", String::from_utf8_lossy(&stderr).trim()));
    }
    Ok(String::from_utf8_lossy(&stdout).into_owned())
}
