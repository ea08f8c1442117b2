//! No false alarms: what is right runs under every schedule without a report, and without a lint.

use crate::full;
use crate::harness::in_parallel;
use crate::programs::Subject;
use std::sync::Arc;

/// Two random ways to choose schedules, each with as many of them as the test runs.
#[test]
fn right_programs_are_not_accused() {
    let schedules = if full() { 1000 } else { 100 };
    let subjects = Subject::all();
    let mut runs = vec![];
    for subject in &subjects {
        for ranks in 2..=5 {
            for how in ["random", "pct"] {
                runs.push((subject, ranks, vec![format!("--explore={how}"), format!("--schedules={schedules}")]));
            }
        }
    }
    let alarms = in_parallel(&runs, |(subject, ranks, args)| {
        let rehearsal = subject.run(*ranks, args, Arc::new(|_, kernel| kernel));
        let name = subject.name();
        let mut alarms = rehearsal.said;
        // Of each launch, how many schedules ran, and that they are no proof.
        let explored = format!("note: explored {schedules} ");
        assert!(alarms.iter().any(|said| said.starts_with(&explored)), "{name}: {alarms:?}");
        alarms.retain(|said| !said.starts_with(&explored));
        alarms.extend(rehearsal.result.err().map(|failure| failure.to_string()));
        alarms
            .into_iter()
            .map(|alarm| format!("{name} {} --devices=0-{}\n{alarm}", args.join(" "), ranks - 1))
            .collect::<Vec<_>>()
    });
    let alarms: Vec<String> = alarms.into_iter().flatten().collect();
    assert!(alarms.is_empty(), "{}\n{} alarms", alarms.join("\n\n"), alarms.len());
}
