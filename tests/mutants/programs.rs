//! What is mutated: the examples as they are, in all their ways, and the builtins.

use crate::builtins;
use pl::__private::Rewrite;
use pl_examples_cli::{Done, Failure, Program, Rehearsal, Session, rehearse};
use reveal::allreduce;

macro_rules! examples {
    ($($module:ident = $file:literal;)*) => {$(
        #[expect(dead_code, reason = "the example's own command line")]
        #[path = $file]
        mod $module;
    )*};
}

examples! {
    hello = "../../examples/01_hello_rank.rs";
    model = "../../examples/02_programming_model.rs";
    windows = "../../examples/03_window_buffer.rs";
    barrier = "../../examples/04_barrier.rs";
    remote = "../../examples/05_remote_load_store.rs";
    bulk = "../../examples/06_put_get.rs";
    ranks = "../../examples/07_dynamic_rank_count.rs";
    reveal = "../../examples/11_allreduce_reveal.rs";
    broadcast = "../../examples/12_broadcast.rs";
    allgather = "../../examples/13_allgather.rs";
    reduce_scatter = "../../examples/14_reduce_scatter.rs";
    all_to_all = "../../examples/15_all_to_all.rs";
    together = "../../examples/16_putting_it_together.rs";
}

/// What a program does.
pub type Run = fn(&Session) -> Result<Done, Failure>;

/// The examples by the names of their files. Those of 08 to 10 are nothing but a way of `examples/allreduce`.
const EXAMPLES: [(&str, Program, Run); 16] = [
    ("01_hello_rank", hello::PROGRAM, hello::run),
    ("02_programming_model", model::PROGRAM, model::run),
    ("03_window_buffer", windows::PROGRAM, windows::run),
    ("04_barrier", barrier::PROGRAM, barrier::run),
    ("05_remote_load_store", remote::PROGRAM, remote::run),
    ("06_put_get", bulk::PROGRAM, bulk::run),
    ("07_dynamic_rank_count", ranks::PROGRAM, ranks::run),
    ("08_allreduce_mesh", allreduce::program("mesh", ""), |session| allreduce::run(session, &allreduce::MESH)),
    ("09_allreduce_two_phase", allreduce::program("two", ""), |session| allreduce::run(session, &allreduce::TWO_PHASE)),
    ("10_allreduce_ring", allreduce::program("ring", ""), |session| allreduce::run(session, &allreduce::RING)),
    ("11_allreduce_reveal", reveal::PROGRAM, reveal::run),
    ("12_broadcast", broadcast::PROGRAM, broadcast::run),
    ("13_allgather", allgather::PROGRAM, allgather::run),
    ("14_reduce_scatter", reduce_scatter::PROGRAM, reduce_scatter::run),
    ("15_all_to_all", all_to_all::PROGRAM, all_to_all::run),
    ("16_putting_it_together", together::PROGRAM, together::run),
];

/// A program in one of its ways.
pub struct Subject {
    /// The program's name.
    pub program: &'static str,
    /// The arguments that choose the way.
    pub way: Vec<String>,
    line: Program,
    run: Run,
}

impl Subject {
    /// Every example and every builtin, in every way.
    pub fn all() -> Vec<Subject> {
        let builtins = builtins::PROGRAMS.iter().map(|(name, run)| (*name, builtins::program(name), *run));
        let programs = EXAMPLES.into_iter().chain(builtins);
        programs
            .flat_map(|(program, line, run)| {
                line.ways().into_iter().map(move |way| Subject { program, way, line, run })
            })
            .collect()
    }

    /// Runs it on this many ranks, its kernels rewritten.
    pub fn run(&self, ranks: usize, args: &[String], rewrite: Rewrite) -> Rehearsal {
        let devices = format!("--devices=0-{}", ranks - 1);
        let argv = [self.program.to_owned(), devices].into_iter().chain(self.way.iter().chain(args).cloned());
        rehearse(self.line, argv.map(Into::into), rewrite, self.run)
    }

    /// The program and the way.
    pub fn name(&self) -> String {
        [self.program].into_iter().chain(self.way.iter().map(String::as_str)).collect::<Vec<_>>().join(" ")
    }
}

#[test]
fn all_examples_are_here() {
    let examples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut files: Vec<String> =
        std::fs::read_dir(examples).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    files.retain(|file| file.ends_with(".rs"));
    files.sort();
    assert_eq!(files, EXAMPLES.map(|(name, ..)| format!("{name}.rs")));
}
