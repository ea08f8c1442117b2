//! Other shapes of one memory, and boxes that move within one.

use crate::support::{Arg, Random, World, id, index, input, output};
use expect_test::expect;
use pl_core::dtype::DType;
use pl_core::fault::Fault;
use pl_core::runtime::Engine;

#[test]
fn a_view_is_the_same_memory_in_another_shape() {
    let kernel = "
InCore fn k(x: In tensor<i16, [4, 6]>, data: InOut window<i16, [4, 6]>, y: Out tensor<i16, [2, 3, 4]>, z: InOut tensor<i16, [24]>) {
  ctx = pld::get_comm_ctx(data)
  n = pld::nranks(ctx)
  column = pl::reshape(x, [24, 1])
  t = pl::load(column, [5, 0], [7, 1])
  cube = pl::reshape(data, [n, 3, 2, 24 / (3 * 2 * n)])
  flat = pl::reshape(cube, [24])
  shaped = pl::reshape(x, [n, 3, 2, 4 / n])
  pld::tensor::put(cube, 0, shaped, _, _, _, atomic = None, 0, 0, false)
  back = pl::reshape(data, [24, 1])
  back = pl::store(t, [0, 0], back)
  seen = pl::read(data, [0, 1])
  rows = pl::reshape(y, [6, 4])
  v = pl::load(data, [0, 0], [4, 6])
  table = pl::reshape(z, [4, 6])
  table = pl::store(v, [0, 0], table)
  wide = pl::reshape(flat, [6, 4])
  rows = pld::tensor::get(rows, 0, wide, _, _, _, 0, 0, false)
  y = pl::write(y, [1, 2, 3], seen)
}";
    let world = World::new(1);
    let x: Vec<i16> = (0..24).collect();
    let data = world.window(DType::I16, &[4, 6]);
    let args = |_| {
        let z = output(DType::I16, &[24]);
        vec![input(&[4, 6], &x), data.clone(), output(DType::I16, &[2, 3, 4]), z]
    };
    let ran = world.ok(kernel, args);
    let mut expected = x.clone();
    expected[..7].copy_from_slice(&x[5..12]);
    assert_eq!(ran.out::<i16>(0, 1), expected);
    expected[23] = x[6];
    assert_eq!(ran.out::<i16>(0, 0), expected);
    // The plan names each view once.
    let plan = pl_sim::plan_of(&world.program(kernel, &args(0))).expect("a plan").to_string();
    let views: Vec<&str> = plan.lines().filter(|line| line.contains("a view of")).collect();
    expect![[r#"
        column: tensor i16 [24, 1], a view of x
        cube: window i16 [1, 3, 2, 4], a view of data
        flat: window i16 [24], a view of data
        shaped: tensor i16 [1, 3, 2, 4], a view of x
        back: window i16 [24, 1], a view of data
        rows: tensor i16 [6, 4], a view of y
        table: tensor i16 [4, 6], a view of z
        wide: window i16 [6, 4], a view of data
    "#]]
    .assert_eq(&format!("{}\n", views.iter().map(|line| line.trim()).collect::<Vec<_>>().join("\n")));
}

#[test]
fn what_is_no_data_is_so_in_every_view() {
    let kernel = "
InCore fn k(data: InOut window<f32, [4, 6]>, y: Out tensor<f32, [4, 6]>) {
  flat = pl::reshape(data, [24])
  t = pl::full::<f32>([4, 5], 1.0)
  data = pl::store(t, [0, 1], data)
  rows = pl::reshape(y, [3, 8])
  u = pl::load(flat, [1], [5])
  v = pl::load(LOAD)
}";
    let world = World::new(1);
    let mut texts = String::new();
    for load in ["flat, [7], [6]", "rows, [2, 0], [1, 8]"] {
        let window = world.window(DType::F32, &[4, 6]);
        let fault = world.fault(&kernel.replace("LOAD", load), |_| vec![window.clone(), output(DType::F32, &[4, 6])]);
        assert!(matches!(fault, Fault::Uninitialised(_)));
        texts += &fault.to_string().lines().take(3).collect::<Vec<_>>().join("\n");
        texts += "\n";
    }
    expect![[r#"
        error: read of an element that nothing wrote: 1 of 6 in `flat[7..13]` of rank 0
          --> text:9:3 (rank 0, kernel `k`)
          = `pl::load`: the first of them is [12]
        error: read of elements that nothing wrote: 8 of 8 in `rows[2, 0..8]`
          --> text:9:3 (rank 0, kernel `k`)
          = `pl::load`: the first of them is [2, 0]
    "#]]
    .assert_eq(&texts);
}

/// Boxes that move within one memory, with common elements or not: all of the box is read before any of it changes.
#[test]
fn a_box_moves_within_its_memory() {
    const ROWS: usize = 5;
    const COLUMNS: usize = 7;
    let kernel = "
InCore fn k(x: In tensor<i32, [5, 7]>, data: InOut window<i32, [5, 7]>, a: usize, b: usize, c: usize, d: usize, h: usize, w: usize) {
  ctx = pld::get_comm_ctx(data)
  me = pld::rank(ctx)
  t = pl::load(x, [0, 0], [5, 7])
  data = pl::store(t, [0, 0], data)
  OP
}";
    let ops = [
        "pld::tensor::put(data, me, data, [a, b], [c, d], [h, w], atomic = None, 5, 7, false)",
        "data = pld::tensor::get(data, me, data, [a, b], [c, d], [h, w], 5, 7, false)",
        "pld::tensor::put(data, me, data, [a, b], [c, d], [h, w], atomic = Add, 5, 7, false)",
    ];
    let mut random = Random(5);
    let mut below = |n: usize| (random.next() % n as u64) as usize;
    let world = World::new(1);
    let data = world.window(DType::I32, &[ROWS, COLUMNS]);
    for case in 0..300 {
        let (h, w) = (below(ROWS + 1), below(COLUMNS + 1));
        let mut at = || (below(ROWS - h + 1), below(COLUMNS - w + 1));
        let ((a, b), (c, d)) = (at(), at());
        let x: Vec<i32> = (0..ROWS * COLUMNS).map(|i| (i * i) as i32).collect();
        let numbers = [a, b, c, d, h, w].map(|n| index(n as i128));
        let args = |_| [input(&[ROWS, COLUMNS], &x), data.clone()].into_iter().chain(numbers.clone()).collect();
        world.ok(&kernel.replace("OP", ops[case % 3]), args);
        let mut held = vec![0_i32; ROWS * COLUMNS];
        world.sim.read(id(&data), 0, bytemuck::cast_slice_mut(&mut held)).expect("a window");
        let mut expected = x.clone();
        for row in 0..h {
            for column in 0..w {
                let (to, from) = ((a + row) * COLUMNS + b + column, (c + row) * COLUMNS + d + column);
                expected[to] = if case % 3 == 2 { x[to] + x[from] } else { x[from] };
            }
        }
        assert_eq!(held, expected, "{} from [{c}, {d}] to [{a}, {b}], [{h}, {w}]", ops[case % 3]);
    }
}

/// Long rows of a window into another and back: adds between windows go through a buffer.
#[test]
fn adds_between_windows_are_right_at_any_length() {
    let kernel = "
InCore fn k(x: In tensor<bf16, [2, SIZE]>, data: InOut window<bf16, [2, SIZE]>, sum: InOut window<bf16, [2 * SIZE]>, y: Out tensor<bf16, [2 * SIZE]>) dynamic(SIZE) {
  ctx = pld::get_comm_ctx(data)
  me = pld::rank(ctx)
  t = pl::load(x, [0, 0], [2, SIZE])
  data = pl::store(t, [0, 0], data)
  flat = pl::reshape(data, [2 * SIZE])
  pld::tensor::put(sum, me, flat, _, _, _, atomic = Add, 1, 64, false)
  pld::tensor::put(sum, me, flat, [1], [0], [2 * SIZE - 1], atomic = Add, 1, 64, false)
  y = pld::tensor::get(y, me, sum, _, _, _, 1, 64, false)
}";
    for size in [1, 2047, 2048, 2049, 30_000] {
        let world = World::new(1);
        let x: Vec<half::bf16> = (0..2 * size).map(|i| half::bf16::from_f32((i % 100) as f32)).collect();
        let (data, sum) = (world.window(DType::BF16, &[2, size]), world.window(DType::BF16, &[2 * size]));
        let y = |_| -> Vec<Arg> {
            vec![input(&[2, size], &x), data.clone(), sum.clone(), output(DType::BF16, &[2 * size])]
        };
        let y = world.ok(kernel, y).out::<half::bf16>(0, 0);
        for i in 0..2 * size {
            let before = if i > 0 { x[i - 1] } else { half::bf16::ZERO };
            assert_eq!(y[i], x[i] + before, "element {i} of {size}");
        }
    }
}
