//! What bad use of collectives gives, once kernels are bound to arguments or run. What rustc refuses stands in `ui-tests`.

use crate::numbers::world;
use pl::distributed as pld;
use pl::ndarray::Array2;
use pl::{Call, Error, Fault, Window, World};

/// The error of a launch, and its text.
#[track_caller]
fn refused<'a>(world: &World, calls: impl IntoIterator<Item = Call<'a>>) -> (Error, String) {
    let error = world.launch(calls).expect_err("it is wrong");
    let text = error.to_string();
    (error, text)
}

#[track_caller]
fn bind_error<'a>(world: &World, calls: impl IntoIterator<Item = Call<'a>>, parts: &[&str]) {
    let (error, text) = refused(world, calls);
    assert!(matches!(error, Error::Bind { .. }), "{text}");
    contains(&text, parts);
}

#[track_caller]
fn fault<'a>(world: &World, calls: impl IntoIterator<Item = Call<'a>>, parts: &[&str]) {
    let (error, text) = refused(world, calls);
    assert!(matches!(&error, Error::Fault(fault) if !matches!(fault.fault, Fault::Deadlock(_))), "{text}");
    contains(&text, parts);
}

#[track_caller]
fn contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no `{part}` in\n{text}");
    }
}

fn data(world: &World) -> Window<f32> {
    world.window_from(&pl::ndarray::Array3::<f32>::ones((world.size(), 4, 8))).unwrap()
}

fn signal(world: &World) -> Window<i32> {
    world.window([world.size(), 1]).unwrap()
}

#[pl::function(InCore, dynamic(NR, A, B))]
fn broadcast(
    data: pl::InOut<pld::DistributedTensor<f32, { [A, B] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    root: usize,
) {
    pld::tensor::broadcast(data, signal, root = root);
}

#[pl::function(InCore, dynamic(NR, A, B))]
fn broadcast_of_rank_4(
    data: pl::InOut<pld::DistributedTensor<f32, { [A, B] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    pld::tensor::broadcast(data, signal, root = 4);
}

#[test]
fn a_root_out_of_range() {
    let world = world(4);
    let (data, signal) = (data(&world), signal(&world));
    bind_error(&world, (0..4).map(|_| broadcast_of_rank_4(&data, &signal)), &["4", "not a rank", "misuse.rs"]);
    world.reset_all().unwrap();
    let (data, signal) = (self::data(&world), self::signal(&world));
    fault(
        &world,
        (0..4).map(|_| broadcast(&data, &signal, 7)),
        &["root 7", "4", "pld::tensor::broadcast", "misuse.rs"],
    );
}

#[test]
fn ranks_with_other_roots() {
    let world = world(4);
    let (data, signal) = (data(&world), signal(&world));
    let parts = ["pld::tensor::broadcast", "root", "misuse.rs"];
    fault(&world, (0..4).map(|rank| broadcast(&data, &signal, rank / 3)), &parts);
}

#[pl::function(InCore, dynamic(NR, SIZE))]
fn gather(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    pld::tensor::allgather(x, data, signal);
}

#[pl::function(InCore, dynamic(NR, SIZE))]
fn swap(
    input: pld::DistributedTensor<f32, { [NR, SIZE] }>,
    data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    pld::tensor::all_to_all(input, data, signal);
}

#[test]
fn input_and_target_are_one_window() {
    let world = world(4);
    let (data, signal) = (data(&world), signal(&world));
    let parts = ["`input` and `target` of `pld::tensor::all_to_all` are the same window", "misuse.rs"];
    bind_error(&world, (0..4).map(|_| swap(&data, &data, &signal)), &parts);
}

#[test]
fn a_signal_of_another_shape() {
    let world = world(4);
    let data = data(&world);
    let x = Array2::<f32>::ones((1, 8));
    let five = world.window::<i32>([5, 1]).unwrap();
    bind_error(&world, (0..4).map(|_| broadcast(&data, &five, 0)), &["`signal`", "[5, 1]", "`[P, 1]` with P = 4"]);
    let signal = signal(&world);
    let wide = world.window::<f32>([4, 9]).unwrap();
    bind_error(&world, (0..4).map(|_| gather(x.view(), &wide, &signal)), &["9", "8", "SIZE"]);
}

#[pl::function(InCore, dynamic(A, B, SIZE))]
fn ring(
    data: pl::InOut<pld::DistributedTensor<f32, { [4, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [A, B] }>>,
) {
    pld::tensor::allreduce(data, signal, mode = "ring");
}

#[pl::function(InCore, dynamic(A, B, SIZE))]
fn mesh(
    data: pl::InOut<pld::DistributedTensor<f32, { [4, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [A, B] }>>,
) {
    pld::tensor::allreduce(data, signal, mode = "mesh");
}

#[test]
fn the_signal_of_another_mode() {
    let world = world(4);
    let (data, mesh_signal) = (data(&world), signal(&world));
    let ring_signal = world.window::<i32>([6, 4]).unwrap();
    let parts = ["[4, 1]", "`[2 * (P - 1), P]` with `mode = \"ring\"` with P = 4"];
    bind_error(&world, (0..4).map(|_| ring(&data, &mesh_signal)), &parts);
    bind_error(&world, (0..4).map(|_| mesh(&data, &ring_signal)), &["[6, 4]", "`[P, 1]` with `mode = \"mesh\"`"]);
    world.launch((0..4).map(|_| ring(&data, &ring_signal))).unwrap();
}

#[pl::function(InCore, dynamic(NR))]
fn meet(signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>) {
    pld::tensor::barrier(signal);
}

#[test]
fn ranks_that_enter_other_collectives() {
    let world = world(3);
    let (data, signal) = (data(&world), signal(&world));
    let calls = (0..3).map(|rank| if rank == 1 { meet(&signal) } else { broadcast(&data, &signal, 0) });
    fault(&world, calls, &["rank 1", "pld::tensor::barrier", "pld::tensor::broadcast", "misuse.rs"]);
}

#[pl::function(InCore, dynamic(NR))]
fn meet_where_told(signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>, flags: pl::Tensor<i32, { [1] }>) {
    if pl::read(flags, [0]) == 1 {
        pld::tensor::barrier(signal);
    }
}

/// What the compiler cannot see: a rank that read something else does not enter.
#[test]
fn a_rank_that_does_not_enter() {
    let world = world(3);
    let signal = signal(&world);
    let flags = [1, 0, 1].map(|flag| pl::ndarray::arr1(&[flag]));
    let (error, text) = refused(&world, flags.iter().map(|flags| meet_where_told(&signal, flags.view())));
    assert!(matches!(&error, Error::Fault(fault) if matches!(fault.fault, Fault::Deadlock(_))), "{text}");
    contains(&text, &["rank 1", "did not enter", "pld::tensor::barrier", "misuse.rs"]);
}

/// Different kernels that meet in one collective must meet in the same windows.
#[test]
fn other_windows_in_other_kernels() {
    #[pl::function(InCore, dynamic(NR, A, B))]
    fn another(
        data: pl::InOut<pld::DistributedTensor<f32, { [A, B] }>>,
        signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    ) {
        pld::tensor::broadcast(data, signal, root = 0);
    }
    let world = world(2);
    let (a, b, signal) = (data(&world), data(&world), signal(&world));
    let calls = (0..2).map(|rank| if rank == 0 { broadcast(&a, &signal, 0) } else { another(&b, &signal) });
    fault(&world, calls, &["target", "another window", "misuse.rs"]);
}

#[pl::function(InCore, dynamic(NR))]
fn branch_on_the_rank(
    other: pld::DistributedTensor<i32, { [4] }>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    more: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let me = pld::rank(pld::get_comm_ctx(other));
    let all = pld::nranks(pld::get_comm_ctx(more));
    if me < all / 2 {
        pld::tensor::barrier(signal);
    }
}

/// The windows' domains are known when a kernel is bound: what the compiler had to leave open is refused then.
#[test]
fn a_branch_on_the_rank_of_the_same_domain() {
    let world = world(4);
    let (other, signal, more) = (world.window::<i32>([4]).unwrap(), signal(&world), signal(&world));
    let parts = ["a branch on the rank", "`pld::tensor::barrier` and none", "misuse.rs"];
    bind_error(&world, (0..4).map(|_| branch_on_the_rank(&other, &signal, &more)), &parts);
}

/// A row of no element is none, wherever it stands.
#[test]
fn empty_rows_are_right() {
    let world = world(4);
    let (input, data, signal) =
        (world.window::<f32>([4, 0]).unwrap(), world.window::<f32>([4, 0]).unwrap(), signal(&world));
    world.launch((0..4).map(|_| swap(&input, &data, &signal))).unwrap();
    let x = Array2::<f32>::ones((1, 0));
    world.launch((0..4).map(|_| gather(x.view(), &data, &signal))).unwrap();
    world.launch((0..4).map(|_| broadcast(&data, &signal, 2))).unwrap();
    for rank in 0..4 {
        assert!(signal.to_array(rank).unwrap().iter().all(|cell| *cell == 0));
    }
}
