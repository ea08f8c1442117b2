//! Mutants: what happens to every example and every builtin when one thing in it is wrong. A mutant must be rejected by the verifier, stopped by a
//! check, or give a wrong result; one that survives must do what the program does, with the reason in `equivalent.txt`.
//!
//! `PL_TEST=full` runs all of them and compares the table in `docs/checks.md`, which `PL_BLESS=1` writes; otherwise a part of them runs.

#![expect(clippy::unwrap_used, reason = "a test that fails may panic")]

mod alarms;
mod builtins;
mod equivalent;
mod harness;
mod operators;
mod page;
mod programs;
mod site;

use equivalent::fits;
use harness::{Fate, Mutant};
use page::Results;
use programs::Subject;

/// Of how many mutants one is run when not all are.
const SHARE: u64 = 4;

fn full() -> bool {
    std::env::var_os("PL_TEST").is_some_and(|value| value == "full")
}

/// Whether a mutant is of the part that always runs. It depends on its name alone.
fn chosen(name: &str) -> bool {
    let hash = name
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    (hash >> 32) % SHARE == 0
}

#[test]
fn every_mutant_is_seen() {
    let subjects = Subject::all();
    let mut mutants = harness::all(&subjects);
    mutants.retain(|mutant| full() || chosen(&mutant.name));
    let fates = harness::in_parallel(&mutants, Mutant::fate);

    let mut problems = vec![];
    let mut reasons = vec![];
    let mut explained = vec![];
    for reason in equivalent::reasons() {
        let before = explained.len();
        for pattern in &reason.patterns {
            let fitting: Vec<_> =
                mutants.iter().zip(&fates).filter(|(mutant, _)| fits(pattern, &mutant.name)).collect();
            if full() && fitting.is_empty() {
                problems.push(format!("no mutant is called\n    {pattern}"));
            }
            for (mutant, fate) in fitting {
                match fate {
                    Fate::Survived if explained.contains(&&mutant.name) => {
                        problems.push(format!("there are two reasons for\n    {}", mutant.name));
                    }
                    Fate::Survived => explained.push(&mutant.name),
                    fate => problems.push(format!("{fate:?} saw what is said to be equivalent:\n    {}", mutant.name)),
                }
            }
        }
        let count = explained.len() - before;
        reasons.push((reason, count));
    }
    let survivors = mutants.iter().zip(&fates).filter(|(_, fate)| **fate == Fate::Survived);
    let unexplained: Vec<&str> =
        survivors.filter(|(mutant, _)| !explained.contains(&&mutant.name)).map(|(mutant, _)| &*mutant.name).collect();
    problems.extend(unexplained.iter().map(|name| format!("nothing saw\n    {name}")));
    assert!(problems.is_empty(), "{}\n{} problems", problems.join("\n"), problems.len());

    if full() {
        let fates = mutants.iter().zip(&fates).map(|(mutant, fate)| (mutant.subject.program, mutant.operator, *fate));
        let text = Results { fates: fates.collect(), reasons, unexplained: unexplained.len() }.text();
        if std::env::var_os("PL_BLESS").is_some() {
            page::bless(&text);
        }
        assert_eq!(page::found(), text, "PL_TEST=full PL_BLESS=1 cargo test --test mutants writes docs/checks.md anew");
    }
    assert!(page::found().contains("\nunexplained survivors: 0\n"), "{}", page::found());
}

#[test]
fn every_operator_applies() {
    let subjects = Subject::all();
    let mutants = harness::all(&subjects);
    for operator in &operators::OPERATORS {
        let applied = mutants.iter().filter(|mutant| mutant.operator == operator.name);
        let programs: std::collections::BTreeSet<&str> = applied.map(|mutant| mutant.subject.program).collect();
        assert!(programs.len() > 5, "{}: {programs:?}", operator.name);
    }
    for subject in &subjects {
        // The first program has no signal, and its kernel only writes two numbers.
        let count = mutants.iter().filter(|mutant| mutant.subject.name() == subject.name()).count();
        assert!(count > 2, "{}: {count} mutants", subject.name());
    }
}
