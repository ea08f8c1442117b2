//! Runs mutants, and says what became of each.

use crate::operators::mutants;
use crate::programs::Subject;
use pl::Error;
use pl::ir::Function;
use pl_examples_cli::{Failure, Rehearsal};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// The numbers of ranks: with two a wrong peer may be the right one.
pub const RANKS: [usize; 2] = [2, 3];

/// What became of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// It does not bind.
    Verifier,
    /// A check of this kind stopped it.
    Check(&'static str),
    /// Its result is wrong.
    Golden,
    /// Nothing was seen.
    Survived,
}

/// One change of one kernel of a program.
pub struct Mutant<'a> {
    /// The program, in one of its ways.
    pub subject: &'a Subject,
    /// `program way: kernel: operator: place`
    pub name: String,
    /// The operator.
    pub operator: &'static str,
    /// For each number of ranks for which the kernel is changed: the kernel, and what it becomes.
    changes: Vec<(usize, Function, Function)>,
}

/// All mutants of these programs.
pub fn all(subjects: &[Subject]) -> Vec<Mutant<'_>> {
    in_parallel(subjects, of_subject).into_iter().flatten().collect()
}

fn of_subject(subject: &Subject) -> Vec<Mutant<'_>> {
    let mut found: BTreeMap<String, Mutant<'_>> = BTreeMap::new();
    let mut names = vec![];
    for ranks in RANKS {
        for kernel in kernels(subject, ranks) {
            for mutant in mutants(&kernel, ranks) {
                let name = format!("{}: {}: {}: {}", subject.name(), kernel.name, mutant.operator, mutant.place);
                let change = (ranks, kernel.clone(), mutant.function);
                let operator = mutant.operator;
                let entry = found.entry(name.clone()).or_insert_with(|| {
                    names.push(name.clone());
                    Mutant { subject, name, operator, changes: vec![] }
                });
                entry.changes.push(change);
            }
        }
    }
    names.iter().filter_map(|name| found.remove(name)).collect()
}

/// The lowered kernels of a program, each once. Unchanged, it is right.
fn kernels(subject: &Subject, ranks: usize) -> Vec<Function> {
    let kernels = Arc::new(Mutex::new(vec![]));
    let seen = kernels.clone();
    let Rehearsal { result, .. } = subject.run(
        ranks,
        &["--seed=0".into()],
        Arc::new(move |_, kernel| {
            let mut seen = seen.lock().unwrap();
            if !seen.contains(&kernel) {
                seen.push(kernel.clone());
            }
            kernel
        }),
    );
    assert!(result.is_ok(), "{} on {ranks} ranks: {}", subject.name(), result.unwrap_err());
    let kernels = kernels.lock().unwrap();
    kernels.clone()
}

impl Mutant<'_> {
    /// Runs it until something is seen.
    pub fn fate(&self) -> Fate {
        for (ranks, kernel, changed) in &self.changes {
            for look in looks(*ranks) {
                let (kernel, changed) = (kernel.clone(), changed.clone());
                let applied = Arc::new(AtomicBool::new(false));
                let apply = applied.clone();
                let rewrite = Arc::new(move |_: &str, f: Function| {
                    if f != kernel {
                        return f;
                    }
                    apply.store(true, Ordering::Relaxed);
                    changed.clone()
                });
                let result = self.subject.run(*ranks, &look, rewrite).result;
                assert!(applied.load(Ordering::Relaxed), "{}: the kernel did not run on {ranks} ranks", self.name);
                if let Err(failure) = result {
                    return self.fate_of(&failure);
                }
            }
        }
        Fate::Survived
    }

    fn fate_of(&self, failure: &Failure) -> Fate {
        let error = match failure {
            Failure::Golden(_) => return Fate::Golden,
            Failure::Usage(message) => panic!("{}: {message}", self.name),
            Failure::Run(error) => error,
        };
        match (error.fault(), is_bind(error)) {
            (Some(fault), _) => Fate::Check(KINDS.into_iter().find(|kind| *kind == fault.kind()).unwrap_or("other")),
            (None, true) => Fate::Verifier,
            (None, false) => panic!("{}: {error}", self.name),
        }
    }
}

/// Whether the calls of a launch could not be bound, also one that a `Host` function or a collective made.
fn is_bind(error: &Error) -> bool {
    match error {
        Error::Bind { .. } => true,
        Error::Launch { error, .. } | Error::Called { error, .. } => is_bind(error),
        _ => false,
    }
}

/// The schedules under which a mutant runs, as arguments of the program: a few that find what is wrong under any, then those that look for the rest.
fn looks(ranks: usize) -> Vec<Vec<String>> {
    let look = |args: &str| args.split(' ').map(str::to_owned).collect();
    let mut looks: Vec<Vec<String>> = vec![look("--seed=0"), look("--seed=1")];
    looks.extend(["random", "pct"].map(|how| look(&format!("--explore={how} --schedules={SCHEDULES} --seed=1"))));
    if ranks == 2 {
        looks.push(look(&format!("--explore=exhaustive --schedules={SCHEDULES}")));
    }
    looks
}

/// How many schedules are chosen in each way.
pub const SCHEDULES: usize = 500;

/// The kinds of check, in the order of the table.
pub const KINDS: [&str; 10] = [
    "race",
    "uninitialised",
    "out-of-bounds",
    "arithmetic",
    "collective",
    "credits",
    "deadlock",
    "livelock",
    "differs",
    "other",
];

/// What `f` makes of each, computed on all cores, in their order.
pub fn in_parallel<'a, T: Sync, R: Send>(items: &'a [T], f: impl Fn(&'a T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(vec![]);
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some((at, item)) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, items.get(at)?)))
                {
                    let result = f(item);
                    results.lock().unwrap().push((at, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap();
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}
