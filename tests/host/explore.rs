//! Exploration from the host: what a body may do, what comes of it, and the command line.

use crate::cli::run_of;
use pl::distributed as pld;
use pl::ndarray::{Array2, array};
use pl::{Error, Explore, LaunchOptions, Run, Scheduler, World};

/// Rank 1 reads what rank 0 has written; `late` rank 0 writes once more after its signal.
#[pl::function(InCore)]
fn hand_over(
    late: bool,
    y: pl::Out<pl::Tensor<f32, { [1, 2] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, 2] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [2] }>>,
) {
    let me = pld::rank(pld::get_comm_ctx(data));
    let one = pl::full::<f32>([1, 2], 1.0);
    if me == 0 {
        data = pl::store(one, [0, 0], data);
        pld::system::notify(signal, peer = 1, offsets = [0], value = 1, op = pld::NotifyOp::AtomicAdd);
        if late {
            data = pl::store(one, [0, 0], data);
        }
        pl::store(one, [0, 0], y);
    } else {
        pld::system::wait(signal, offsets = [0], expected = 1, cmp = pld::WaitCmp::Ge);
        let got = pld::tile::remote_load(data, peer = 0, offsets = [0, 0], shape = [1, 2]);
        pl::store(got, [0, 0], y);
        pld::system::notify(signal, peer = 1, offsets = [0], value = -1, op = pld::NotifyOp::AtomicAdd);
    }
}

/// Who comes first wins: right or wrong by chance, and no race.
#[pl::function(InCore)]
fn first_come(y: pl::Out<pl::Tensor<i32, { [1, 1] }>>, signal: pl::InOut<pld::DistributedTensor<i32, { [2] }>>) {
    let me = pld::rank(pld::get_comm_ctx(signal));
    if me == 1 {
        pld::system::notify(signal, peer = 0, offsets = [0], value = 1, op = pld::NotifyOp::Set);
        pl::write(y, [0, 0], 1);
    } else {
        let seen = pl::read(signal, [0]);
        pl::write(y, [0, 0], seen);
    }
}

fn found(error: &Error) -> pl::Found {
    match error.run() {
        Some(Run::Explored(explored)) => explored.found.clone().unwrap_or_else(|| panic!("{error}")),
        _ => panic!("{error}"),
    }
}

#[test]
fn a_body_may_launch_often_and_check_each_time() {
    let world = World::open("sim", &[0, 1]).unwrap();
    let (data, signal) = (world.window::<f32>([1, 2]).unwrap(), world.window::<i32>([2]).unwrap());
    for how in [Explore::random(50), Explore::pct(50), Explore::exhaustive()] {
        let sum = world.window_from(&array![[[1.0_f32], [2.0]], [[3.0], [4.0]]]).unwrap();
        let mut runs = 0;
        let explored = world.explore(&how, |world| {
            let mut y = [Array2::zeros((1, 2)), Array2::zeros((1, 2))];
            for _ in 0..2 {
                world.launch(y.iter_mut().map(|y| hand_over(false, y.view_mut(), &data, &signal)))?;
            }
            // A collective of the host, and a launch on a subset, are part of the schedule.
            world.reduce_scatter(&sum, pld::ReduceOp::Sum)?;
            world.subset(&[1])?.launch([hand_over_alone(&signal)]).map(|_| ())?;
            runs += 1;
            if y.iter().all(|y| *y == array![[1.0, 1.0]]) && sum.to_array(1)?[[1, 0]] == 6.0 {
                Ok(())
            } else {
                Err(format!("{y:?}, {sum:?}").into())
            }
        });
        let explored = explored.unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((explored.schedules, explored.found), (runs, None));
        assert_eq!(explored.complete, how.strategy == pl::Strategy::Exhaustive);
    }
}

/// Touches the own signal only.
#[pl::function(InCore)]
fn hand_over_alone(signal: pl::InOut<pld::DistributedTensor<i32, { [2] }>>) {
    let me = pld::rank(pld::get_comm_ctx(signal));
    pld::system::notify(signal, peer = me, offsets = [1], value = 1, op = pld::NotifyOp::Set);
    pld::system::wait(signal, offsets = [1], expected = 1, cmp = pld::WaitCmp::Eq);
}

#[test]
fn a_race_is_found_and_replayed_to_the_letter() {
    let world = World::open("sim", &[0, 1]).unwrap();
    let (data, signal) = (world.window::<f32>([1, 2]).unwrap(), world.window::<i32>([2]).unwrap());
    let explore = |how: &Explore| {
        world.explore(how, |world| {
            let mut y = [Array2::zeros((1, 2)), Array2::zeros((1, 2))];
            world.launch(y.iter_mut().map(|y| hand_over(true, y.view_mut(), &data, &signal)))?;
            Ok(())
        })
    };
    for how in [Explore::random(200).seed(5), Explore::pct(200), Explore::exhaustive()] {
        let error = explore(&how).unwrap_err();
        assert_eq!(error.fault().map(|f| f.kind()), Some("race"), "{error}");
        let found = found(&error);
        let text = error.to_string();
        assert!(text.contains(&format!("`--replay {}`", found.token)), "{text}");
        assert!(text.contains(how.strategy.name()), "{text}");
        let again = [explore(&Explore::replay(&*found.token)), explore(&Explore::replay(&*found.token))];
        let [a, b] = again.map(|result| result.unwrap_err().to_string());
        assert_eq!(a, b);
        // What differs is how it was found.
        let fault = |text: &str| text.split("  = note: ").next().map(str::to_owned);
        assert_eq!(fault(&a), fault(&text));
    }
}

#[test]
fn an_error_or_panic_of_the_body_is_a_failure_with_a_token() {
    let world = World::open("sim", &[0, 1]).unwrap();
    let signal = world.window::<i32>([2]).unwrap();
    let explore = |how: &Explore, panics: bool| {
        world.explore(how, |world| {
            let mut y = [Array2::zeros((1, 1)), Array2::zeros((1, 1))];
            world.launch(y.iter_mut().map(|y| first_come(y.view_mut(), &signal)))?;
            match y[0][[0, 0]] {
                1 => Ok(()),
                _ if panics => std::panic::panic_any("rank 0 came first"),
                seen => Err(format!("rank 0 has seen {seen}").into()),
            }
        })
    };
    for (panics, said) in [(false, "rank 0 has seen 0"), (true, "the body panicked: rank 0 came first")] {
        for how in [Explore::random(100), Explore::pct(100), Explore::exhaustive()] {
            let error = explore(&how, panics).unwrap_err();
            assert!(matches!(&error, Error::Explored { message, .. } if message == said), "{error}");
            let again = explore(&Explore::replay(found(&error).token), panics).unwrap_err();
            assert!(again.to_string().starts_with(said), "{again}");
        }
    }
}

#[test]
fn each_launch_of_a_handle_is_explored() {
    let world = World::open("sim", &[0, 1]).unwrap();
    let (data, signal) = (world.window::<f32>([1, 2]).unwrap(), world.window::<i32>([2]).unwrap());
    let launch = |world: &World, late: bool| {
        let mut y = [Array2::zeros((1, 2)), Array2::zeros((1, 2))];
        let report = world.launch(y.iter_mut().map(|y| hand_over(late, y.view_mut(), &data, &signal)));
        report.map(|report| (report.explored.map(|explored| explored.schedules), y))
    };
    let exploring = world.exploring(Explore::random(30));
    let right = [array![[1.0, 1.0]], array![[1.0, 1.0]]];
    assert_eq!(launch(&exploring, false), Ok((Some(30), right.clone())));
    assert_eq!(launch(&world, false), Ok((None, right.clone())));
    let error = launch(&exploring, true).unwrap_err();
    let token = found(&error).token;
    // It was the second launch of the handle.
    assert!(token.starts_with("2:pl1."), "{token}");
    let replaying = world.exploring(Explore::replay(&*token));
    assert_eq!(launch(&replaying, false), Ok((None, right)));
    assert_eq!(launch(&replaying, true).unwrap_err().fault(), error.fault());
    for (token, message) in [("x:pl1.", "not the number of a launch"), ("pl9.abc", "version 9")] {
        let error = launch(&world.exploring(Explore::replay(token)), false).unwrap_err();
        assert!(error.to_string().contains(message), "{error}");
    }
}

#[test]
fn options_of_a_handle_hold_for_all_that_it_launches() {
    let world = World::open("sim", &[0, 1]).unwrap();
    let options = LaunchOptions { scheduler: Scheduler::Seeded(3), ..LaunchOptions::default() };
    let seeded = world.with_options(options.clone());
    let signal = world.window::<i32>([2]).unwrap();
    assert_eq!(seeded.barrier(&signal).unwrap().scheduler, options.scheduler);
    let subset = seeded.subset(&[1, 0]).unwrap();
    let of_subset = subset.window::<i32>([2]).unwrap();
    assert_eq!(subset.barrier(&of_subset).unwrap().scheduler, options.scheduler);
    let together = World::launch_together([(&seeded, vec![])]);
    assert!(together.is_err());
    assert_eq!(world.barrier(&signal).unwrap().scheduler, Scheduler::Parallel);
}

#[test]
fn programs_explore() {
    for (strategy, says) in [
        ("random", "explored 20 random schedules, seed 0: none of them fails, which is evidence and no proof"),
        ("pct", "explored 20 pct schedules, seed 0: none of them fails"),
        ("exhaustive", "exhaustively, complete"),
    ] {
        let output = run_of("14_reduce_scatter", &["-d", "0-2", "--explore", strategy, "--schedules", "20"], &[]);
        assert_eq!((output.status, &*output.stdout), (Some(0), "OK\n"), "{}", output.stderr);
        assert!(output.stderr.contains(says), "{}", output.stderr);
    }
    for flags in
        [&["--schedules", "3"][..], &["--explore", "random", "--schedules", "0"], &["--replay", "x", "--seed", "1"]]
    {
        assert_eq!(run_of("01_hello_rank", flags, &[]).status, Some(2), "{flags:?}");
    }
    let output = run_of("01_hello_rank", &["--replay", "pl1.abc"], &[]);
    assert_eq!(output.status, Some(2));
    assert!(output.stderr.contains("`pl1.abc` is no token"), "{}", output.stderr);
    // A lost notify gives a token; the program makes no second launch that it could be of.
    let lose = ["-d", "0,1", "--inject", "lose:1@1"];
    let output = run_of("14_reduce_scatter", &[&lose[..], &["--explore", "random"]].concat(), &[]);
    assert_eq!(output.status, Some(3), "{}", output.stderr);
    let token = output.stderr.split("`--replay ").nth(1).and_then(|rest| rest.split('`').next()).unwrap();
    let output = run_of("14_reduce_scatter", &[&lose[..], &["--replay", token]].concat(), &[]);
    assert_eq!(output.status, Some(3), "{}", output.stderr);
    let second = format!("2:{token}");
    let output = run_of("14_reduce_scatter", &["-d", "0,1", "--replay", &second], &[]);
    assert_eq!(output.status, Some(2), "{}", output.stderr);
    assert!(output.stderr.contains("did not make"), "{}", output.stderr);
}

/// Rank 1 borrows a cell of rank 0's signal for a moment, in which rank 0 may begin its barrier.
#[pl::function(InCore)]
fn borrowed_cell(signal: pl::InOut<pld::DistributedTensor<i32, { [2] }>>) {
    let me = pld::rank(pld::get_comm_ctx(signal));
    if me == 1 {
        pld::system::notify(signal, peer = 0, offsets = [1], value = 1, op = pld::NotifyOp::AtomicAdd);
        pld::system::notify(signal, peer = 0, offsets = [1], value = -1, op = pld::NotifyOp::AtomicAdd);
    }
    pld::tensor::barrier(signal);
}

#[test]
fn when_a_rank_enters_a_collective_is_part_of_a_schedule() {
    let world = World::open("sim", &[0, 1]).unwrap();
    let signal = world.window::<i32>([2]).unwrap();
    for how in [Explore::random(200), Explore::pct(200), Explore::exhaustive()] {
        let explored = world.explore(&how, |world| {
            world.launch([borrowed_cell(&signal), borrowed_cell(&signal)])?;
            Ok(())
        });
        let error = explored.unwrap_err();
        assert_eq!(error.fault().map(|f| f.kind()), Some("credits"), "{error}");
    }
}

/// An exhaustive exploration of each builtin comes to its end.
#[test]
fn builtins_are_explored_to_the_end() {
    let programs = ["12_broadcast", "13_allgather", "14_reduce_scatter", "15_all_to_all", "16_putting_it_together"];
    let rings = ["mesh", "ring"].map(|algorithm| ["--mode", "builtin", "--algorithm", algorithm]);
    let of_program = programs.map(|program| (program, &["--mode", "builtin"][..]));
    let allreduce = rings.iter().map(|flags| ("11_allreduce_reveal", &flags[..]));
    for (program, flags) in of_program.into_iter().chain(allreduce) {
        for devices in ["0,1", "0-2"] {
            let flags = [flags, &["-d", devices, "--explore", "exhaustive"]].concat();
            let output = run_of(program, &flags, &[]);
            assert_eq!(output.status, Some(0), "{program}: {}", output.stderr);
            assert!(output.stderr.contains("exhaustively, complete"), "{program}: {}", output.stderr);
        }
    }
}
