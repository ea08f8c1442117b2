//! Faults that a launch asks for: each gives the right result or a report, and afterwards the windows can be used again.

use crate::protocols::{CREDITS, credits};
use crate::random::{COLUMNS, protocol};
use crate::runs::{HAND, hand_args};
use crate::support::{Arg, Ran, Random, World, id, input, output};
use pl_core::dtype::DType;
use pl_core::explore::Explore;
use pl_core::fault::{Fault, RankState};
use pl_core::runtime::{Engine, EngineError, Injection, Scheduler};

/// Each kind of fault, by rank and number.
const KINDS: [fn(usize, u64) -> Injection; 4] = [
    |rank, op| Injection::Stop { rank, op },
    |rank, op| Injection::Delay { rank, op },
    |rank, notify| Injection::Lose { rank, notify },
    |rank, notify| Injection::Double { rank, notify },
];

/// Makes the windows of a launch, and the arguments of each rank.
type Args<'a> = dyn Fn(&World) -> Box<dyn Fn(usize) -> Vec<Arg>> + 'a;

/// Runs a protocol with every fault of every rank, until a number is not reached. `check` knows what is right.
fn sweep(kernel: &str, ranks: usize, args: &Args<'_>, check: &dyn Fn(&Ran)) {
    for scheduler in [Scheduler::Parallel, Scheduler::Seeded(0), Scheduler::Seeded(1)] {
        let mut world = World::new(ranks);
        world.options.scheduler = scheduler;
        let program = world.program(kernel, &args(&world)(0));
        let run = |world: &World, args: &dyn Fn(usize) -> Vec<Arg>| {
            world.launch((0..ranks).map(|rank| (program.clone(), args(rank))).collect())
        };
        for (kind, rank) in KINDS.iter().flat_map(|kind| (0..ranks).map(move |rank| (kind, rank))) {
            for number in 1.. {
                let injection = kind(rank, number);
                let what = format!("{injection}, {scheduler:?}");
                let args = args(&world);
                world.options.inject = vec![injection];
                let result = run(&world, &args);
                world.options.inject.clear();
                let fault = match result {
                    Ok(ran) => {
                        check(&ran);
                        if !ran.report.not_injected.is_empty() {
                            break;
                        }
                        assert!(!matches!(injection, Injection::Stop { .. }), "{what}: it did not stop");
                        continue;
                    }
                    Err(EngineError::Fault(fault)) => fault.to_string(),
                    Err(other) => panic!("{what}: {other}"),
                };
                assert!(!matches!(injection, Injection::Delay { .. }), "{what}: {fault}");
                assert!(fault.contains("help: "), "{what}: {fault}");
                if let Injection::Stop { .. } = injection {
                    let expected = format!("rank {rank} was stopped by an injected fault before op {number}, `");
                    assert!(fault.contains(&expected), "{what}: {fault}");
                }
                assert!(matches!(run(&world, &args), Err(EngineError::Poisoned(_))), "{what}");
                for (shape, window) in args(0).iter().filter_map(|arg| match arg {
                    Arg::Window(shape, window) => Some((shape, window)),
                    _ => None,
                }) {
                    world.sim.reset(*window).expect("a reset");
                    let zeros = vec![0; shape.iter().product::<usize>() * 4];
                    (0..ranks).for_each(|rank| world.sim.write(*window, rank, &zeros).expect("a write"));
                }
                check(&run(&world, &args).unwrap_or_else(|e| panic!("{what}, then {e}")));
            }
        }
    }
}

#[test]
fn a_reduction_by_hand() {
    for ranks in [2, 3] {
        sweep(HAND, ranks, &|world| Box::new(hand_args(world, ranks, 3)), &|ran| {
            for rank in 0..ranks {
                let expected: Vec<f32> =
                    (0..3).map(|i| (0..ranks).map(|k| (k * 1000 + rank * 3 + i) as f32).sum()).collect();
                assert_eq!(ran.out::<f32>(rank, 0), expected);
            }
        });
    }
}

/// Barriers back to back with credits that are taken back. The results of two ranks: both add up the same two numbers in each round.
#[test]
fn barriers_with_credits() {
    sweep(CREDITS, 2, &|world| Box::new(credits(world, 2)), &|ran| {
        for rank in 0..2 {
            let doubled = |i: usize| (0..4).fold(i as f32 * 0.1 + (8 + i) as f32 * 0.1, |sum, _| sum + sum);
            assert_eq!(ran.out::<f32>(rank, 0), (0..8).map(doubled).collect::<Vec<_>>());
        }
    });
}

#[test]
fn random_protocols() {
    let mut random = Random(5);
    for ranks in [2, 3, 3] {
        let (kernel, model) = protocol(&mut random, ranks);
        let args = |world: &World| -> Box<dyn Fn(usize) -> Vec<Arg>> {
            let data = world.zeros(DType::I32, &[ranks, COLUMNS]);
            let signal = world.window(DType::I32, &[ranks, 1]);
            let x = model.x.clone();
            Box::new(move |rank| {
                let x = input(&[ranks, COLUMNS], &x[rank]);
                vec![x, data.clone(), signal.clone(), output(DType::I32, &[ranks, COLUMNS])]
            })
        };
        sweep(&kernel, ranks, &args, &|ran| {
            (0..ranks).for_each(|rank| assert_eq!(ran.out::<i32>(rank, 0), model.y[rank], "{kernel}"));
        });
    }
}

const RELAY: &str = "
InCore fn relay(signal: InOut window<i32, [1]>) {
  ctx = pld::get_comm_ctx(signal)
  me = pld::rank(ctx)
  n = pld::nranks(ctx)
  if me > 0 {
    pld::system::wait(signal, [0], 1, cmp = Ge)
  }
  if me + 1 < n {
    pld::system::notify(signal, me + 1, [0], 1, op = AtomicAdd)
  }
}";

fn relay(ranks: usize, inject: &[Injection]) -> Result<Ran, EngineError> {
    let mut world = World::new(ranks);
    world.options.inject = inject.to_vec();
    let signal = world.window(DType::I32, &[1]);
    world.run(RELAY, |_| vec![signal.clone()])
}

fn relay_fault(ranks: usize, inject: &[Injection]) -> Fault {
    match relay(ranks, inject) {
        Err(EngineError::Fault(fault)) => *fault,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("no check stopped it"),
    }
}

#[test]
fn a_stopped_rank_is_named_with_who_waits_for_it() {
    let fault = relay_fault(3, &[Injection::Stop { rank: 1, op: 4 }]);
    assert_eq!(fault.kind(), "stopped");
    let Fault::Stopped(stopped) = &fault else { panic!("{fault}") };
    assert_eq!((stopped.stopped.len(), stopped.blocked.len(), stopped.finished), (1, 1, 1));
    assert_eq!((stopped.stopped[0].site.rank, stopped.stopped[0].op), (1, 4));
    let sender = &stopped.blocked[0].senders[0];
    assert!(matches!(&sender.state, RankState::Stopped(site) if site.rank == 1), "{sender:?}");
    expect_test::expect![[r#"
        error: rank 1 was stopped by an injected fault before op 4, `pld::system::wait`
          = then no rank could run: 1 blocked, 0 re-reading unchanged cells, 1 finished
          --> text:8:5 (rank 1, kernel `relay`)
          --> text:8:5 (rank 2, kernel `relay`)
          = rank 2 waits for `signal[0]` of rank 2 >= 1; it is 0
          = rank 1 notifies it at text:11:5: it sent nothing so far, and is stopped by an injected fault before `pld::system::wait` at text:8:5
          = help: the launch asked for it: without the fault in `inject` the rank goes on"#]]
    .assert_eq(&fault.to_string());
}

/// Also when the others finish, and when several ranks stop.
#[test]
fn a_stopped_rank_is_always_reported() {
    for op in 1..=4 {
        let Fault::Stopped(stopped) = relay_fault(3, &[Injection::Stop { rank: 2, op }]) else { panic!("stopped") };
        assert_eq!((stopped.stopped[0].site.rank, stopped.finished), (2, 2));
    }
    let both = [Injection::Stop { rank: 2, op: 1 }, Injection::Stop { rank: 0, op: 3 }];
    let Fault::Stopped(stopped) = relay_fault(3, &both) else { panic!("stopped") };
    assert_eq!(stopped.stopped.iter().map(|s| (s.site.rank, s.op)).collect::<Vec<_>>(), [(0, 3), (2, 1)]);
    assert_eq!((stopped.blocked.len(), stopped.finished), (1, 0));
}

/// What is delayed goes on when nobody else can, the rank first that was delayed first.
#[test]
fn all_ranks_delayed() {
    let delays: Vec<_> = (1..=4).flat_map(|op| (0..3).map(move |rank| Injection::Delay { rank, op })).collect();
    let ran = relay(3, &delays).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(ran.report.not_injected, []);
    // A delay and a stop of one op: first what was asked for first.
    let fault = relay_fault(3, &[Injection::Delay { rank: 0, op: 4 }, Injection::Stop { rank: 0, op: 4 }]);
    assert_eq!(fault.kind(), "stopped");
}

/// Under any schedule, too.
#[test]
fn faults_under_exploration() {
    for (rank, number) in (0..3).flat_map(|rank| (1..=5).map(move |number| (rank, number))) {
        for kind in &KINDS[..2] {
            let injection = kind(rank, number);
            for how in [Explore::random(4), Explore::pct(4), Explore::exhaustive()] {
                let mut world = World::new(3);
                world.options.inject = vec![injection];
                let args = hand_args(&world, 3, 2);
                let program = world.program(HAND, &args(0));
                let calls = || (0..3).map(|rank| (program.clone(), args(rank))).collect();
                world.explored(&how, calls, |result| match (injection, result) {
                    (Injection::Delay { .. }, Ok(ran)) => {
                        assert_eq!(ran.report.not_injected, []);
                        let sum = |i: usize| (0..3).map(|k| (k * 1000 + i) as f32).sum::<f32>();
                        (0..3).for_each(|rank| assert_eq!(ran.out::<f32>(rank, 0), [sum(rank * 2), sum(rank * 2 + 1)]));
                    }
                    (Injection::Stop { .. }, Err(EngineError::Fault(fault))) => assert_eq!(fault.kind(), "stopped"),
                    (_, Err(error)) => panic!("{injection}: {error}"),
                    (_, Ok(_)) => panic!("{injection}: it did not stop"),
                });
            }
        }
    }
}

#[test]
fn a_lost_notify_is_not_sent() {
    let Fault::Deadlock(deadlock) = relay_fault(2, &[Injection::Lose { rank: 0, notify: 1 }]) else {
        panic!("a deadlock")
    };
    assert_eq!((deadlock.blocked[0].value, deadlock.blocked[0].senders[0].sent), (0, 0));
    // A doubled one is there twice.
    let mut world = World::new(2);
    world.options.inject = vec![Injection::Double { rank: 0, notify: 1 }];
    let signal = world.window(DType::I32, &[1]);
    world.ok(RELAY, |_| vec![signal.clone()]);
    let mut cell = [0; 4];
    world.sim.read(id(&signal), 1, &mut cell).expect("a window");
    assert_eq!(i32::from_le_bytes(cell), 2);
}

#[test]
fn what_did_not_happen_is_told() {
    let far = [Injection::Stop { rank: 0, op: 50 }, Injection::Double { rank: 1, notify: 1 }];
    let ran = relay(2, &far).unwrap_or_else(|e| panic!("{e}"));
    let told: Vec<String> = ran.report.not_injected.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "`stop:0@50` did not happen: the kernel of rank 0 ended after 4 ops",
            "`double:1@1` did not happen: the kernel of rank 1 ended after 0 notifies"
        ]
    );
}

#[test]
fn faults_of_nobody_are_refused() {
    let refused = |injection| match relay(2, &[injection]) {
        Err(error @ EngineError::Usage { .. }) => error.to_string(),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it ran"),
    };
    assert_eq!(
        refused(Injection::Stop { rank: 2, op: 1 }),
        "error: the fault `stop:2@1` names rank 2, which has no call in the launch\n  = help: the ranks of the launch are [0, 1]"
    );
    assert_eq!(
        refused(Injection::Lose { rank: 0, notify: 0 }),
        "error: the fault `lose:0@0` names number 0\n  = help: the ops and notifies of a rank count from 1"
    );
}

#[test]
fn faults_as_text() {
    for kind in KINDS {
        let injection = kind(3, 17);
        assert_eq!(injection.to_string().parse(), Ok(injection));
    }
    for text in ["", "stop", "stop:1", "stop:1@", "stop:1@x", "stop:-1@2", "halt:1@2", "stop:1@2@3"] {
        let error = text.parse::<Injection>().expect_err("no fault");
        assert!(error.starts_with(&format!("`{text}` is no fault to inject, expected `stop:RANK@OP`")), "{error}");
    }
}
