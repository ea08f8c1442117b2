//! Every kind of report as JSON.

use super::*;
use crate::host::{Explored, Failed, Found, Run, Strategy};
use pl_core::dtype::DType;
use pl_core::fault::*;
use pl_core::ir::Place;
use std::collections::BTreeSet;

fn site(rank: usize) -> Site {
    let call = Place::new("src/step.rs".into(), 9, 5);
    let place = Place::new("src/help.rs".into(), 3, 7).inlined_at(&call);
    Site { rank, kernel: "step".into(), place: Some(place), op: "pl::store" }
}

fn region() -> Region {
    Region { memory: "data".into(), owner: Some(1), domain_rank: Some(0), offsets: vec![0, 2], extents: vec![1, 4] }
}

fn stale() -> StaleWait {
    StaleWait { site: site(0), cell: region(), value: 3, expected: 1, compare: Compare::Ge }
}

fn blocked(rank: usize) -> Blocked {
    let sender = Sender {
        site: site(1),
        still: false,
        sent: 0,
        elsewhere: Some((2, region())),
        state: RankState::Blocked(site(1)),
    };
    Blocked {
        site: site(rank),
        cell: region(),
        value: 0,
        expected: 1,
        compare: Compare::Eq,
        senders: vec![sender],
        more_senders: 3,
        history: history(),
    }
}

fn history() -> CellHistory {
    let event = |change, value| CellEvent { site: site(1), change, value };
    let events = vec![event(CellChange::Add(1), 1), event(CellChange::Set(7), 7), event(CellChange::Store, 0)];
    CellHistory { initial: 2, earlier: 1, events }
}

/// A fault of each kind.
fn faults() -> Vec<Fault> {
    let reached = || Reached { number: 2, inside: true, site: site(0) };
    let side = |rank, access| RaceSide { site: site(rank), access, region: region(), reached: Some(reached()) };
    let spinning = || vec![Spinning { site: site(0), cell: region(), value: "0".into() }];
    vec![
        Fault::Race(Box::new(Race {
            first: side(0, AccessKind::Write),
            second: side(1, AccessKind::Read),
            overlap: region(),
            first_notifies: 2,
            acquired: 1,
            notify: Some(site(0)),
            learnt: Some(Learnt { wait: site(1), notify: Some(site(0)), through: Some(2) }),
            polled: Some(site(1)),
            idle: None,
            stale: Some(stale()),
        })),
        Fault::Uninitialised(Box::new(Uninitialised {
            site: site(0),
            region: region(),
            first: vec![0, 3],
            missing: 1,
            writers: vec![Writer { site: site(1), still: true, state: RankState::Finished }],
            discarded: Some(Box::new(site(0))),
            learnt: Some(Box::new(Passed { wait: site(0), notify: site(2) })),
            idle: Some(Box::new(site(0))),
            stale: Some(Box::new(stale())),
        })),
        Fault::OutOfBounds(OutOfBounds {
            site: site(0),
            memory: "data".into(),
            extents: vec![2, 4],
            offsets: vec![u64::MAX, 0],
            shape: vec![1, 4],
            axis: 0,
        }),
        Fault::Arithmetic(Arithmetic {
            site: site(0),
            problem: ArithmeticProblem::Underflow,
            operation: "0 - 1".into(),
            ty: "usize",
        }),
        Fault::ElementDivision(ElementDivision { site: site(0), dtype: DType::I32, element: Some(vec![0, 2]) }),
        Fault::Peer(PeerOutOfRange { site: site(0), window: "data".into(), peer: 2, ranks: 2 }),
        Fault::Extents(ExtentMismatch { site: site(0), lhs: ("a".into(), vec![1, 4]), rhs: ("b".into(), vec![1, 3]) }),
        Fault::Declared(DeclaredType {
            site: site(0),
            local: "row".into(),
            declared: vec![None, Some(4)],
            found: vec![1, 3],
            axis: 1,
        }),
        Fault::TileMemory(TileMemory {
            site: site(0),
            needed: 400,
            limit: Some(300),
            platform: "a2a3sim",
            tiles: vec![("row".into(), 400)],
        }),
        Fault::CellOverflow(CellOverflow { site: site(0), cell: region(), value: i32::MAX, add: 1 }),
        Fault::Count(CountOutOfRange { site: site(0), peer: 1, count: -1, limit: 2 }),
        Fault::Root(RootOutOfRange { site: site(0), root: 2, ranks: 2 }),
        Fault::Collective(Box::new(CollectiveMismatch {
            first: site(0),
            second: site(1),
            before: 1,
            differences: vec![Difference { argument: "root", first: "0".into(), second: "1".into() }],
        })),
        Fault::Credits(Box::new(Credits {
            site: site(0),
            when: CreditsFound::Before,
            cell: region(),
            value: 2,
            credit: 0,
            history: history(),
        })),
        Fault::Deadlock(Deadlock {
            among: vec![0, 1],
            not_entered: vec![NotEntered { first: site(0), entered: 1, absent: vec![(1, RankState::Finished)] }],
            ring: vec![0, 1],
            blocked: vec![blocked(0)],
            finished: 1,
        }),
        Fault::Livelock(Livelock {
            among: vec![],
            not_entered: vec![],
            spinning: spinning(),
            blocked: vec![blocked(1)],
            finished: 0,
        }),
        Fault::Stopped(Stopped {
            among: vec![],
            stopped: vec![StoppedRank { site: site(0), op: 5 }],
            spinning: spinning(),
            blocked: vec![],
            finished: 1,
        }),
        Fault::OpBudget(OpBudget { site: site(0), budget: 1000 }),
        Fault::Differs(Differs { rank: 0, region: region() }),
        Fault::Interrupted(Interrupted {
            ranks: vec![(0, RankState::Running(site(0))), (1, RankState::NoCall), (2, RankState::Queued)],
        }),
    ]
}

fn found(fault: Fault) -> Error {
    Error::Fault(Box::new(Failed { fault, run: Run::Seeded(7), injected: vec![] }))
}

/// A document is JSON, and has what `docs/report-schema.md` says.
#[track_caller]
fn check(document: &Json, result: &str) {
    for text in [document.to_string(), format!("{document:#}")] {
        let parsed: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(parsed["schema"], 1);
        assert_eq!(parsed["result"], result);
    }
    let names = |value: &Json| match value {
        Json::Object(fields) => fields.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
        other => panic!("{other} is no object"),
    };
    assert_eq!(names(document), ["schema", "result", "problems", "launches", "notes"]);
    for problem in document["problems"].items() {
        assert_eq!(names(problem), ["severity", "kind", "title", "sites", "notes", "help", "run", "data"]);
        for site in problem["sites"].items() {
            let expected = ["rank", "kernel", "op", "file", "line", "column", "called_from", "lines"];
            assert_eq!(names(site), expected);
        }
    }
}

#[test]
fn every_fault() {
    let faults = faults();
    let kinds: BTreeSet<&str> = faults.iter().map(Fault::kind).collect();
    assert_eq!(kinds, Fault::KINDS.iter().copied().collect());
    for fault in faults {
        let explanation = found(fault.clone()).explain().remove(0);
        let document = json(&found(fault.clone()));
        check(&document, "failed");
        let problem = &document["problems"][0];
        assert_eq!(problem["kind"].as_str(), Some(fault.kind()));
        assert_eq!(problem["run"].to_string(), r#"{"kind":"seeded","seed":7}"#);
        assert_eq!(problem["title"].as_str(), Some(&*explanation.title));
        assert_eq!(problem["help"].as_str(), explanation.help.as_deref());
        assert_eq!(problem["sites"].items().len(), explanation.parts.len());
        if let Some(site) = fault.site().filter(|_| !explanation.parts.is_empty()) {
            let found = &problem["sites"][0];
            assert_eq!(found["rank"].as_integer(), i128::try_from(site.rank).ok());
            assert_eq!((found["file"].as_str(), found["line"].as_integer()), (Some("src/help.rs"), Some(3)));
            assert_eq!(found["called_from"][0]["line"].as_integer(), Some(9));
        }
        // The text tells all that the sites and notes do.
        let text = explanation.to_string();
        let sites = problem["sites"].items().iter().flat_map(|site| site["lines"].items());
        for line in sites.chain(problem["notes"].items()) {
            assert!(text.contains(line.as_str().unwrap()), "{line} in {text}");
        }
    }
}

#[test]
fn data_has_the_fields_of_the_kind() {
    let document = |kind: &str| {
        let fault = faults().into_iter().find(|fault| fault.kind() == kind).unwrap();
        json(&found(fault))["problems"][0]["data"].clone()
    };
    let race = document("race");
    assert_eq!(
        (race["first"]["access"].as_str(), race["second"]["site"]["rank"].as_integer()),
        (Some("write"), Some(1))
    );
    assert_eq!(race["overlap"]["offsets"][1].as_integer(), Some(2));
    assert_eq!(race["stale"]["compare"].as_str(), Some(">="));
    assert_eq!(race["learnt"]["through"].as_integer(), Some(2));
    let credits = document("credits");
    assert_eq!((credits["when"].as_str(), credits["history"]["events"].items().len()), (Some("before"), 3));
    assert_eq!(credits["history"]["events"][1]["change"].to_string(), r#"{"kind":"set","value":7}"#);
    let deadlock = document("deadlock");
    assert_eq!(deadlock["ring"].to_string(), "[0,1]");
    let wait = &deadlock["blocked"][0];
    assert_eq!((wait["value"].as_integer(), wait["expected"].as_integer()), (Some(0), Some(1)));
    assert_eq!(wait["senders"][0]["elsewhere"]["count"].as_integer(), Some(2));
    assert_eq!(wait["senders"][0]["state"]["state"].as_str(), Some("blocked"));
    assert_eq!(deadlock["not_entered"][0]["absent"][0]["rank"].as_integer(), Some(1));
    assert_eq!(document("out-of-bounds")["offsets"][0].as_integer(), Some(u64::MAX.into()));
    assert_eq!(document("declared-type")["declared"].to_string(), "[null,4]");
    assert_eq!(document("tile-memory")["tiles"].to_string(), r#"[{"name":"row","bytes":400}]"#);
    assert_eq!(document("interrupted")["ranks"][1]["state"]["state"].as_str(), Some("no-call"));
}

#[test]
fn what_is_no_fault() {
    use pl_core::diag::{Diagnostic, Located};
    use pl_core::ir::{FunctionKind, Loc};
    let problem = |message: &str| BindProblem {
        located: Located {
            kernel: "step".into(),
            level: FunctionKind::InCore,
            place: None,
            diagnostic: Diagnostic::new(Loc::NONE, message, "mend it"),
            related: vec![],
        },
        ranks: vec![1],
        calls: 2,
    };
    let bind = Error::Bind { problems: vec![problem("one"), problem("two")] };
    let host = Error::Host(Box::new(problem("three").located));
    let message = || ("a".to_owned(), "b".to_owned());
    let ((poisoned, help), (in_use, why)) = (message(), message());
    let explored = Explored {
        strategy: Strategy::Random,
        seed: 1,
        schedules: 9,
        redundant: 0,
        complete: false,
        found: Some(Found { token: "t".into(), switches: 2, switches_before: 5, repeatable: true }),
    };
    let explored = Error::Explored { message: "another result".into(), run: Box::new(Run::Explored(explored)) };
    assert_eq!(json(&explored)["problems"][0]["run"]["explored"]["found"]["token"].as_str(), Some("t"));
    let launch = Error::Launch { by: "`steps`".into(), error: Box::new(bind.clone()) };
    for (error, kind, problems) in [
        (Error::usage("a", "b"), "usage", 1),
        (bind, "bind", 2),
        (Error::Poisoned { message: poisoned, help }, "poisoned", 1),
        (Error::InUse { message: in_use, help: why }, "in-use", 1),
        (host, "host", 1),
        (explored, "explored", 1),
        (launch, "bind", 2),
    ] {
        let document = json(&error);
        check(&document, "failed");
        assert_eq!(document["problems"].items().len(), problems);
        for problem in document["problems"].items() {
            assert_eq!(problem["kind"].as_str(), Some(kind));
            assert_eq!(problem["data"]["ranks"][0].as_integer(), (kind == "bind").then_some(1));
            let launched = problem["notes"].items().iter().any(|note| note.as_str() == Some("launched by `steps`"));
            assert_eq!(launched, matches!(error, Error::Launch { .. }));
        }
    }
}

#[test]
fn launches() {
    let cell = region;
    let lint = |data| Lint { site: site(0), ranks: vec![0, 2], data };
    let lints = [
        LintData::SetOverwrote { cell: cell(), lost: CellChange::Add(1), notify: site(1) },
        LintData::SetAddMixed { cell: cell(), notify: site(1) },
        LintData::StaleWait { cell: cell(), initial: 3, notify: site(1) },
        LintData::OutUnwritten { memory: "y".into(), param: 1, missing: 2, elements: 8 },
        LintData::OrderDependent,
    ];
    let lints: Vec<Lint> = lints.map(lint).into();
    assert!(lints.iter().map(Lint::kind).eq(LintKind::ALL.iter().copied()));
    let mut document = Document::default();
    document.launch(&Report { threads: 2, lints, ..Report::default() });
    for (kind, problem) in LintKind::ALL.iter().zip(document.value()["problems"].items()) {
        assert_eq!((problem["kind"].as_str(), problem["severity"].as_str()), (Some(kind.name()), Some("warning")));
        assert_eq!(problem["data"]["ranks"].to_string(), "[0,2]");
    }
    assert_eq!(document.value()["problems"][3]["data"]["missing"].as_integer(), Some(2));
    let mut document = Document::default();
    document.launch(&Report { threads: 2, ..Report::default() });
    document.note("of its own");
    check(&document.value(), "passed");
    let launch = &document.value()["launches"][0];
    assert_eq!((launch["threads"].as_integer(), launch["scheduler"]["kind"].as_str()), (Some(2), Some("parallel")));
    document.failure("golden", &Explanation::error("the result is wrong").help("look"));
    let value = document.value();
    check(&value, "failed");
    assert_eq!((value["problems"][0]["kind"].as_str(), value["launches"].items().len()), (Some("golden"), 1));
}
