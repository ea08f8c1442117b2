//! What is odd in a launch that goes well, and who may say that it is meant.

use pl::distributed as pld;
use pl::fault::{LintKind, Lints};
use pl::ndarray::{Array1, Array2};
use pl::{LaunchOptions, Report, World};

/// Sets its own flag twice, and nobody waits in between.
#[pl::function(InCore)]
fn twice(signal: pl::InOut<pld::DistributedTensor<i32, { [1] }>>) {
    let right = (pld::rank(pld::get_comm_ctx(signal)) + 1) % 2;
    pld::system::notify(signal, peer = right, offsets = [0], value = 1, op = pld::NotifyOp::Set);
    pld::system::notify(signal, peer = right, offsets = [0], value = 2, op = pld::NotifyOp::Set);
    pld::system::wait(signal, offsets = [0], expected = 2, cmp = pld::WaitCmp::Ge);
}

#[pl::function(InCore, allow(set_overwrote))]
fn twice_on_purpose(signal: pl::InOut<pld::DistributedTensor<i32, { [1] }>>) {
    let right = (pld::rank(pld::get_comm_ctx(signal)) + 1) % 2;
    pld::system::notify(signal, peer = right, offsets = [0], value = 1, op = pld::NotifyOp::Set);
    pld::system::notify(signal, peer = right, offsets = [0], value = 2, op = pld::NotifyOp::Set);
    pld::system::wait(signal, offsets = [0], expected = 2, cmp = pld::WaitCmp::Ge);
}

/// Writes one element of two.
#[pl::function(InCore)]
fn half(y: pl::Out<pl::Tensor<i32, { [2] }>>) {
    pl::write(y, [0], 1);
}

#[pl::function(Host, dynamic(NR))]
fn halves(y: pl::Out<pl::Tensor<i32, { [NR, 2] }>>) {
    for r in 0..pld::world_size() {
        half(y[r], device = r);
    }
}

#[pl::function(Host, dynamic(NR), allow(out_unwritten))]
fn halves_on_purpose(y: pl::Out<pl::Tensor<i32, { [NR, 2] }>>) {
    for r in 0..pld::world_size() {
        half(y[r], device = r);
    }
}

fn kinds(report: &Report) -> Vec<LintKind> {
    report.lints.iter().map(|lint| lint.kind()).collect()
}

fn allowing(kind: LintKind) -> LaunchOptions {
    LaunchOptions { allow: Lints::from_iter([kind]), ..LaunchOptions::default() }
}

#[test]
fn a_kernel_allows_its_own() {
    let world = World::open("sim", &[0, 1]).unwrap();
    let signal = world.window::<i32>([1]).unwrap();
    let launch = |world: &World, meant: bool| {
        world.reset_all().unwrap();
        let call = || if meant { twice_on_purpose(&signal) } else { twice(&signal) };
        kinds(&world.launch([call(), call()]).unwrap())
    };
    assert_eq!(launch(&world, false), [LintKind::SetOverwrote]);
    assert_eq!(launch(&world, true), []);
    assert_eq!(launch(&world.with_options(allowing(LintKind::SetOverwrote)), false), []);
    assert_eq!(launch(&world.with_options(allowing(LintKind::StaleWait)), false), [LintKind::SetOverwrote]);
}

#[test]
fn elements_that_nothing_wrote_are_told() {
    let world = World::open("sim", &[0, 1]).unwrap();
    let mut y = [Array1::zeros(2), Array1::zeros(2)];
    let report = world.launch(y.iter_mut().map(|y| half(y.view_mut()))).unwrap();
    assert_eq!(kinds(&report), [LintKind::OutUnwritten]);
    assert!(report.lints[0].to_string().contains("1 of 2"), "{}", report.lints[0]);
}

#[test]
fn a_host_function_allows_in_all_that_it_launches() {
    let world = World::open("sim", &[0, 1]).unwrap();
    let mut y = Array2::zeros((2, 2));
    let lints = |report: pl::HostReport| report.launches.iter().flat_map(|l| kinds(&l.report)).collect::<Vec<_>>();
    assert_eq!(lints(world.run(halves(y.view_mut())).unwrap()), [LintKind::OutUnwritten]);
    assert_eq!(lints(world.run(halves_on_purpose(y.view_mut())).unwrap()), []);
}

/// A race goes unseen without checks, a hang does not.
#[test]
fn without_checks() {
    #[pl::function(InCore)]
    fn careless(hangs: bool, data: pl::InOut<pld::DistributedTensor<i32, { [2] }>>) {
        let me = pld::rank(pld::get_comm_ctx(data));
        let t = pld::tile::remote_load(data, peer = 1 - me, offsets = [0], shape = [2]);
        pl::store(t, [0], data);
        if hangs {
            pld::system::wait(data, offsets = [0], expected = 5, cmp = pld::WaitCmp::Ge);
        }
    }
    let world = World::open("sim", &[0, 1]).unwrap();
    let unchecked = world.with_options(LaunchOptions { checks: false, ..LaunchOptions::default() });
    let data = world.zeros::<i32>([2]).unwrap();
    let launch = |world: &World, hangs: bool| world.launch([careless(hangs, &data), careless(hangs, &data)]);
    assert_eq!(launch(&world, false).unwrap_err().fault().map(|f| f.kind()), Some("race"));
    world.reset_all().unwrap();
    assert_eq!(launch(&unchecked, false).map(|report| report.threads), Ok(1));
    assert_eq!(launch(&unchecked, true).unwrap_err().fault().map(|f| f.kind()), Some("deadlock"));
}
