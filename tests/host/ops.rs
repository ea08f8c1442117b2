//! Every op on every element type against ndarray, on random shapes.

use crate::reference::{ADD, DIV, Exact, MAXIMUM, MINIMUM, MUL, OPS, Random, Reference, SUB, assert_same};
use crate::support::world;
use pl::World;
use pl::half::{bf16, f16};
use pl::ndarray::{Array2, Zip};

#[pl::function(InCore, dynamic(R, C))]
fn tiles<T: pl::Element, const OP: usize>(
    a: pl::Tensor<T, { [R, C] }>,
    b: pl::Tensor<T, { [R, C] }>,
    y: pl::Out<pl::Tensor<T, { [R, C] }>>,
) {
    let a = pl::load(a, [0, 0], [R, C]);
    let b = pl::load(b, [0, 0], [R, C]);
    let result = if OP == ADD {
        a + b
    } else if OP == SUB {
        a - b
    } else if OP == MUL {
        a * b
    } else if OP == DIV {
        a / b
    } else if OP == MAXIMUM {
        pl::maximum(a, b)
    } else {
        pl::minimum(a, b)
    };
    pl::store(result, [0, 0], y);
}

#[pl::function(InCore, dynamic(R, C))]
fn with_scalar<T: pl::Element, const OP: usize>(
    a: pl::Tensor<T, { [R, C] }>,
    b: T,
    y: pl::Out<pl::Tensor<T, { [R, C] }>>,
) {
    let a = pl::load(a, [0, 0], [R, C]);
    let result = if OP == ADD {
        pl::add(a, b)
    } else if OP == SUB {
        pl::sub(a, b)
    } else if OP == MUL {
        pl::mul(a, b)
    } else if OP == DIV {
        pl::div(a, b)
    } else if OP == MAXIMUM {
        pl::maximum(a, b)
    } else {
        pl::minimum(a, b)
    };
    pl::store(result, [0, 0], y);
}

#[pl::function(InCore, dynamic(R, C))]
fn negated<T: pl::Element>(a: pl::Tensor<T, { [R, C] }>, y: pl::Out<pl::Tensor<T, { [R, C] }>>) {
    pl::store(pl::neg(pl::load(a, [0, 0], [R, C])), [0, 0], y);
}

#[pl::function(InCore, dynamic(R, C))]
fn filled<T: pl::Element>(value: T, y: pl::Out<pl::Tensor<T, { [R, C] }>>) {
    pl::store(pl::full::<T>([R, C], value), [0, 0], y);
}

#[pl::function(InCore, dynamic(R, C))]
fn converted<T: pl::Element, U: pl::Element>(a: pl::Tensor<T, { [R, C] }>, y: pl::Out<pl::Tensor<U, { [R, C] }>>) {
    pl::store(pl::cast::<U>(pl::load(a, [0, 0], [R, C])), [0, 0], y);
}

/// Element by element through the scalar ops.
#[pl::function(InCore, dynamic(R, C))]
fn transposed<T: pl::Element>(a: pl::Tensor<T, { [R, C] }>, y: pl::Out<pl::Tensor<T, { [C, R] }>>) {
    for r in 0..R {
        for c in 0..C {
            let value = pl::read(a, [r, c]);
            pl::write(y, [c, r], value);
        }
    }
}

/// A box of a tensor, moved to another place of another tensor.
#[pl::function(InCore, dynamic(R, C))]
fn shifted<T: pl::Element>(a: pl::Tensor<T, { [R, C] }>, r: usize, c: usize, y: pl::InOut<pl::Tensor<T, { [R, C] }>>) {
    let part = pl::load(a, [r, c], [R - r, C - c]);
    pl::store(part, [0, 0], y);
}

fn check_binary<T: Reference, const OP: usize>(world: &World, random: &mut Random, shape: (usize, usize)) {
    let a: Array2<T> = random.array(shape);
    let mut b: Array2<T> = random.array(shape);
    // An integer division by zero is an error, tested elsewhere.
    let integer = matches!(T::ONE.exact(), Exact::Int(_));
    if OP == DIV && integer {
        b.mapv_inplace(|b| if b == T::ZERO { T::ONE } else { b });
    }
    let mut y = Array2::from_elem(shape, T::ZERO);
    world.launch([tiles::<T, OP>(a.view(), b.view(), y.view_mut())]).unwrap();
    let expected = Zip::from(&a).and(&b).map_collect(|a, b| T::apply(OP, *a, *b));
    assert_same(OPS[OP], &y, &expected);

    let scalar = b[(0, 0)];
    world.launch([with_scalar::<T, OP>(a.view(), scalar, y.view_mut())]).unwrap();
    assert_same(&format!("{} with {scalar}", OPS[OP]), &y, &a.mapv(|a| T::apply(OP, a, scalar)));
}

fn check_cast<T: Reference, U: Reference>(world: &World, a: &Array2<T>) {
    let mut y = Array2::from_elem(a.dim(), U::ZERO);
    world.launch([converted::<T, U>(a.view(), y.view_mut())]).unwrap();
    assert_same(&format!("cast of {}", T::DTYPE), &y, &a.mapv(|a| U::nearest(a.exact())));
}

fn check_type<T: Reference>() {
    let world = world("sim", 1);
    let mut random = Random(T::DTYPE as u64);
    for round in 0..24 {
        let shape = if round == 0 { (1, 1) } else { (1 + random.below(7), 1 + random.below(300)) };
        check_binary::<T, ADD>(&world, &mut random, shape);
        check_binary::<T, SUB>(&world, &mut random, shape);
        check_binary::<T, MUL>(&world, &mut random, shape);
        check_binary::<T, DIV>(&world, &mut random, shape);
        check_binary::<T, MAXIMUM>(&world, &mut random, shape);
        check_binary::<T, MINIMUM>(&world, &mut random, shape);

        let a: Array2<T> = random.array(shape);
        check_cast::<T, f32>(&world, &a);
        check_cast::<T, f16>(&world, &a);
        check_cast::<T, bf16>(&world, &a);
        check_cast::<T, i8>(&world, &a);
        check_cast::<T, i16>(&world, &a);
        check_cast::<T, i32>(&world, &a);
        check_cast::<T, i64>(&world, &a);
        check_cast::<T, u8>(&world, &a);
        check_cast::<T, u32>(&world, &a);

        let mut y = Array2::from_elem(shape, T::ZERO);
        world.launch([filled::<T>(a[(0, 0)], y.view_mut())]).unwrap();
        assert_same("full", &y, &Array2::from_elem(shape, a[(0, 0)]));

        let mut turned = Array2::from_elem((shape.1, shape.0), T::ZERO);
        world.launch([transposed::<T>(a.view(), turned.view_mut())]).unwrap();
        assert_same("read and write", &turned, &a.t().to_owned());

        let (r, c) = (random.below(shape.0), random.below(shape.1));
        let mut y = a.clone();
        world.launch([shifted::<T>(a.view(), r, c, y.view_mut())]).unwrap();
        let expected = Array2::from_shape_fn(shape, |(i, j)| *a.get((i + r, j + c)).unwrap_or(&a[(i, j)]));
        assert_same("load and store of a box", &y, &expected);
    }
}

fn check_negation<T: Reference>() {
    let world = world("sim", 1);
    let a: Array2<T> = Random(3).array((5, 200));
    let mut y = Array2::from_elem(a.dim(), T::ZERO);
    world.launch([negated::<T>(a.view(), y.view_mut())]).unwrap();
    assert_same("neg", &y, &a.mapv(T::negate));
}

macro_rules! each_type {
    ($($name:ident $type:ty;)*) => {$(
        #[test]
        fn $name() {
            check_type::<$type>();
        }
    )*};
}

each_type! {
    on_f32 f32;
    on_f16 f16;
    on_bf16 bf16;
    on_i8 i8;
    on_i16 i16;
    on_i32 i32;
    on_i64 i64;
    on_u8 u8;
    on_u32 u32;
}

#[test]
fn negation() {
    check_negation::<f32>();
    check_negation::<f16>();
    check_negation::<bf16>();
    check_negation::<i8>();
    check_negation::<i16>();
    check_negation::<i32>();
    check_negation::<i64>();
}

#[test]
fn negation_of_an_unsigned_type_is_refused_at_bind() {
    let world = world("sim", 1);
    let a = Array2::<u8>::zeros((1, 4));
    let mut y = a.clone();
    let error = world.launch([negated::<u8>(a.view(), y.view_mut())]).unwrap_err().to_string();
    assert!(error.contains("`tile` of `pl::neg` has element type `u8`"), "{error}");
    assert!(error.contains("ops.rs:"), "{error}");
}

#[test]
fn an_integer_division_by_zero_names_its_place() {
    let world = world("sim", 1);
    let a = Array2::<i32>::ones((2, 3));
    let mut b = Array2::<i32>::ones((2, 3));
    b[(1, 2)] = 0;
    let mut y = a.clone();
    let error = world.launch([tiles::<i32, DIV>(a.view(), b.view(), y.view_mut())]).unwrap_err().to_string();
    assert!(error.contains("zero") && error.contains("ops.rs:"), "{error}");
    let error = world.launch([with_scalar::<i32, DIV>(a.view(), 0, y.view_mut())]).unwrap_err().to_string();
    assert!(error.contains("zero") && error.contains("ops.rs:"), "{error}");
}
