//! What the checks cost: example 14's kernels with checks and without, alternately, as the ratio of the medians.
//!
//! Both run on one thread and in the same interleaving, so that like is compared with like: without checks nothing may run beside anything else.

#[expect(dead_code, reason = "the kernels are used, not the program around them")]
#[path = "../examples/14_reduce_scatter.rs"]
mod example;
mod support;

use criterion::{Criterion, criterion_group, criterion_main};
use pl::ndarray::{Array3, Axis};
use pl::{Call, LaunchOptions, Scheduler, World};
use std::time::Duration;
use support::measure::{Comparison, time};

/// Ranks, and elements of a row, which is a tile.
const SHAPES: [(usize, usize); 2] = [(4, 4096), (16, 256)];

fn compare(criterion: &mut Criterion) {
    for (ranks, size) in SHAPES {
        for mode in ["hand", "builtin"] {
            one(criterion, ranks, size, mode);
        }
    }
}

/// Times the launches with checks by criterion, and those without between them.
fn one(criterion: &mut Criterion, ranks: usize, size: usize, mode: &str) {
    let devices: Vec<u32> = (0..ranks as u32).collect();
    let world = World::open("a2a3sim", &devices).expect("a world");
    let x = Array3::from_shape_fn((ranks, 1, ranks * size), |(r, _, i)| (r + i) as f32);
    let mut y = Array3::<f32>::zeros((ranks, 1, size));
    let data = world.window::<f32>([ranks, size]).expect("a window");
    let signal = world.window::<i32>([ranks, 1]).expect("a window");
    let mut run = |checks: bool| {
        world.reset(&signal).expect("no view");
        let options = LaunchOptions { scheduler: Scheduler::Seeded(1), checks, ..LaunchOptions::default() };
        let calls: Vec<Call<'_>> = x
            .outer_iter()
            .zip(y.axis_iter_mut(Axis(0)))
            .map(|(x, y)| match mode {
                "hand" => example::hand_step(x, y, &data, &signal),
                _ => example::builtin_step(x, y, &data, &signal),
            })
            .collect();
        time(|| drop(world.launch_with(options, calls).expect("a right kernel")))
    };
    let mut all = Comparison::default();
    let name = format!("checked/{mode}/P={ranks}/{}KiB", size * 4 / 1024);
    criterion.bench_function(&name, |bencher| {
        bencher.iter_custom(|times| {
            let mut total = Duration::ZERO;
            for _ in 0..times {
                let without = run(false);
                let with = run(true);
                all.push(with, without);
                total += with;
            }
            total
        });
    });
    println!("{name}: {all}");
}

criterion_group!(benches, compare);
criterion_main!(benches);
