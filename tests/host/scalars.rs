//! Scalars: the types of bare literals, casts and comparisons, as rustc has them.

use crate::support::world;
use pl::Element;
use pl::half::{bf16, f16};
use pl::ndarray::{Array1, ArrayViewMut1, array};

/// Runs a kernel of one result on one rank.
fn run<T: Element>(length: usize, kernel: for<'a> fn(ArrayViewMut1<'a, T>) -> pl::Call<'a>) -> Array1<T> {
    let mut y = Array1::from_elem(length, T::ZERO);
    world("sim", 1).launch([kernel(y.view_mut())]).unwrap();
    y
}

#[pl::function(InCore)]
fn casts(y: pl::Out<pl::Tensor<f32, { [10] }>>) {
    let minus = -1 as f32;
    let below = (3 - 5) as f32;
    let open = 7;
    let long = 3_000_000_000 as i64;
    let small = 200 as u8;
    let wrapped = (100 + 200) as u8;
    let cut = (0.5 + 1.25) as i32;
    let saturated = -1.5 as u8;
    let bits = (-1 as i32) as u32;
    let divided = (-7 / 2 - 7 % 4) as i64;
    pl::write(y, [0], minus);
    pl::write(y, [1], below);
    pl::write(y, [2], open as f32);
    pl::write(y, [3], (long - 2_999_999_999) as f32);
    pl::write(y, [4], small as f32);
    pl::write(y, [5], wrapped as f32);
    pl::write(y, [6], cut as f32);
    pl::write(y, [7], saturated as f32);
    pl::write(y, [8], bits as f32);
    pl::write(y, [9], divided as f32);
}

#[test]
fn casts_of_bare_literals() {
    let expected = array![-1.0, -2.0, 7.0, 1.0, 200.0, 44.0, 1.0, 0.0, 4_294_967_295_u32 as f32, -6.0];
    assert_eq!(run(10, casts), expected);
}

#[pl::function(InCore)]
fn comparisons(y: pl::Out<pl::Tensor<i32, { [6] }>>) {
    pl::write(y, [0], (-1 < 0) as i32);
    pl::write(y, [1], (3 - 5 >= 0) as i32);
    pl::write(y, [2], (0.5 == 1.0 / 2.0) as i32);
    pl::write(y, [3], (pl::min(-3, 2) == -3 && pl::max(-3, 2) == 2) as i32);
    pl::write(y, [4], (-(2 - 4) == 2) as i32);
    pl::write(y, [5], (0.1 + 0.2 == 0.3) as i32);
}

#[test]
fn comparisons_of_bare_literals() {
    assert_eq!(run(6, comparisons), array![1, 0, 1, 1, 1, i32::from(0.1_f32 + 0.2 == 0.3)]);
}

/// A literal takes the type of the place that it is for.
#[pl::function(InCore)]
fn literals<T: pl::Element>(y: pl::Out<pl::Tensor<T, { [4] }>>) {
    pl::write(y, [0], pl::lit::<T>(3));
    pl::write(y, [1], pl::lit::<T>(100) - T::ONE);
    pl::write(y, [2], T::ZERO);
    pl::write(y, [3], T::ONE + T::ONE);
}

macro_rules! typed {
    ($($kernel:ident $type:ty: $least:expr, $most:expr;)*) => {$(
        #[pl::function(InCore)]
        fn $kernel(y: pl::Out<pl::Tensor<$type, { [3] }>>) {
            pl::write(y, [0], $least);
            pl::write(y, [1], $most);
            let t = pl::full::<$type>([1], $most);
            pl::store(t, [2], y);
        }

        impl Extremes for $type {
            fn check() {
                assert_eq!(run(3, $kernel), array![$least as $type, $most as $type, $most as $type]);
                let lit = <$type as Element>::lit;
                assert_eq!(run(4, literals::<$type>), array![lit(3.0), lit(99.0), lit(0.0), lit(2.0)]);
            }
        }
    )*};
}

trait Extremes {
    fn check();
}

typed! {
    most_f32 f32: -3.402_823_5e38, 3.402_823_5e38;
    most_i8 i8: -128, 127;
    most_i16 i16: -32_768, 32_767;
    most_i32 i32: -2_147_483_648, 2_147_483_647;
    most_i64 i64: -9_223_372_036_854_775_808, 9_223_372_036_854_775_807;
    most_u8 u8: 0, 255;
    most_u32 u32: 0, 4_294_967_295;
}

#[test]
fn literals_of_each_type() {
    f32::check();
    i8::check();
    i16::check();
    i32::check();
    i64::check();
    u8::check();
    u32::check();
    assert_eq!(run(4, literals::<f16>), array![3.0, 99.0, 0.0, 2.0].mapv(f16::from_f32));
    assert_eq!(run(4, literals::<bf16>), array![3.0, 99.0, 0.0, 2.0].mapv(bf16::from_f32));
}
