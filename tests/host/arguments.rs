//! What kernels take: views of every layout, every element type, scalars, and different kernels on different ranks.

use crate::support::world;
use pl::LaunchOptions;
use pl::distributed as pld;
use pl::half::{bf16, f16};
use pl::ndarray::{Array2, Array3, ArrayView2, ArrayViewMut2, Axis, Slice};

/// y = a * x + b, row by row.
#[pl::function(InCore, dynamic(ROWS, COLS))]
fn scale<T: pl::Element>(
    x: pl::Tensor<T, { [ROWS, COLS] }>,
    y: pl::InOut<pl::Tensor<T, { [ROWS, COLS] }>>,
    a: T,
    b: T,
    rows: usize,
    add: bool,
) {
    for row in 0..rows {
        let mut t = pl::mul(pl::load(x, [row, 0], [1, COLS]), a);
        if add {
            t = pl::add(t, b);
        }
        pl::store(t, [row, 0], y);
    }
}

/// Runs `scale` on two ranks and compares with ndarray.
fn check_elements<T>(of: fn(usize) -> T, a: T, b: T)
where
    T: pl::Element
        + pl::ScalarArgument
        + PartialEq
        + std::ops::Mul<Output = T>
        + std::ops::Add<Output = T>
        + std::fmt::Debug,
{
    let world = world("sim", 2);
    let x = Array3::from_shape_fn((2, 3, 5), |(r, i, j)| of(r + i + j));
    let mut y = x.clone();
    let calls = x.outer_iter().zip(y.outer_iter_mut());
    world.launch(calls.map(|(x, y)| scale(x, y, a, b, 3, true))).unwrap();
    assert_eq!(y, x.mapv(|x| x * a + b));
}

#[test]
fn every_element_type() {
    check_elements(|n| n as f32 * 0.5, 3.0, -1.0);
    check_elements(|n| f16::from_f32(n as f32), f16::from_f32(0.5), f16::from_f32(2.0));
    check_elements(|n| bf16::from_f32(n as f32), bf16::from_f32(0.5), bf16::from_f32(2.0));
    check_elements(|n| n as i8, -3, 4);
    check_elements(|n| n as i16, -300, 4);
    check_elements(|n| n as i32, -70_000, 4);
    check_elements(|n| n as i64, -5_000_000_000, 4);
    check_elements(|n| n as u8, 3, 4);
    check_elements(|n| n as u32, 3_000_000, 4);
}

#[test]
fn views_of_any_layout() {
    let world = world("sim", 1);
    let x = Array2::from_shape_fn((6, 4), |(i, j)| (10 * i + j) as f32);
    // Every other row, the columns reversed, turned: nothing of it lies in C order.
    let mut rows = x.view();
    rows.slice_axis_inplace(Axis(0), Slice::new(0, Some(6), 2));
    rows.invert_axis(Axis(1));
    let view = rows.reversed_axes();
    assert!(!view.is_standard_layout());
    let mut out = Array2::from_elem((3, 8), -1.0f32);
    let mut target = out.view_mut().reversed_axes();
    target.slice_axis_inplace(Axis(0), Slice::new(0, Some(8), 2));
    assert!(!target.is_standard_layout());
    assert_eq!((view.dim(), target.dim()), ((4, 3), (4, 3)));
    // Rows 0 to 2 only: the last row of an `InOut` stays what it was.
    world.launch([scale(view, target, 2.0, 1.0, 3, true)]).unwrap();
    for ((j, i), y) in out.indexed_iter() {
        let touched = i % 2 == 0 && i / 2 < 3;
        assert_eq!(*y, if touched { 2.0 * view[[i / 2, j]] + 1.0 } else { -1.0 }, "{j} {i}");
    }
}

/// Writes the diagonal.
#[pl::function(InCore, dynamic(N))]
fn diagonal(y: pl::Out<pl::Tensor<f32, { [N, N] }>>) {
    for i in 0..N {
        pl::write(y, [i, i], 1.0);
    }
}

#[test]
fn what_no_kernel_wrote_stays_what_it_was() {
    let of = |(i, j): (usize, usize)| (10 * i + j) as f32;
    let expected = |(i, j)| if i == j { 1.0 } else { of((i, j)) };
    for checks in [true, false] {
        let world = world("sim", 1);
        let options = LaunchOptions { checks, ..LaunchOptions::default() };
        let mut in_order = Array2::from_shape_fn((4, 4), of);
        world.launch_with(options.clone(), [diagonal(in_order.view_mut())]).unwrap();
        assert_eq!(in_order, Array2::from_shape_fn((4, 4), expected));
        // One that the kernel gets through a copy.
        let mut apart = Array2::from_shape_fn((4, 8), |(i, j)| of((i, j / 2)));
        let mut target = apart.view_mut();
        target.slice_axis_inplace(Axis(1), Slice::new(0, Some(8), 2));
        world.launch_with(options, [diagonal(target)]).unwrap();
        let odd = |(i, j)| if j % 2 == 0 { expected((i, j / 2)) } else { of((i, j / 2)) };
        assert_eq!(apart, Array2::from_shape_fn((4, 8), odd));
    }
}

/// Gives its peer a row.
#[pl::function(InCore, dynamic(SIZE))]
fn give(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    full: pl::InOut<pld::DistributedTensor<i32, { [1] }>>,
) {
    data = pl::store(pl::load(x, [0, 0], [1, SIZE]), [0, 0], data);
    pld::system::notify(full, peer = 1, offsets = [0], value = 1, op = pld::NotifyOp::Set);
}

/// Takes rank 0's row.
#[pl::function(InCore, dynamic(SIZE))]
fn take(
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    full: pl::InOut<pld::DistributedTensor<i32, { [1] }>>,
) {
    pld::system::wait(full, offsets = [0], expected = 1, cmp = pld::WaitCmp::Eq);
    let row = pld::tile::remote_load(data, peer = 0, offsets = [0, 0], shape = [1, SIZE]);
    pl::store(row, [0, 0], y);
}

#[test]
fn ranks_may_run_different_kernels() {
    let world = world("sim", 2);
    let data = world.window::<f32>([1, 4]).unwrap();
    let full = world.window::<i32>([1]).unwrap();
    let x = Array2::from_shape_fn((1, 4), |(_, i)| i as f32);
    let mut y = Array2::zeros((1, 4));
    let report = world.launch([give(x.view(), &data, &full), take(y.view_mut(), &data, &full)]).unwrap();
    assert_eq!(y, x);
    assert_eq!((report.ranks[0].bytes_sent, report.ranks[1].bytes_received), (16, 16));
}

#[test]
fn a_kernel_is_a_function() {
    let step: for<'a> fn(ArrayView2<'a, f32>, ArrayViewMut2<'a, f32>, f32, f32, usize, bool) -> pl::Call<'a> =
        scale::<f32>;
    let world = world("sim", 1);
    let x = Array2::ones((2, 2));
    let mut y = Array2::zeros((2, 2));
    world.launch([step(x.view(), y.view_mut(), 2.0, 100.0, 2, false)]).unwrap();
    assert_eq!(y, &x * 2.0);
}

/// Many launches of many shapes: programs are kept, and forgotten, without being mixed up.
#[test]
fn programs_are_kept_by_shape() {
    let world = world("sim", 1);
    for round in 0..2 {
        for columns in 1..300 {
            let x = Array2::from_elem((1, columns), columns as f32);
            let mut y = Array2::zeros((1, columns));
            world.launch([scale(x.view(), y.view_mut(), 2.0, round as f32, 1, true)]).unwrap();
            assert!(y.iter().all(|y| *y == (2 * columns + round) as f32));
        }
    }
}
