//! Every element-wise op on every element type, against references that compute in other ways.

use crate::support::{Random, World, input, output};
use half::{bf16, f16};
use pl_core::dtype::DType;
use pl_core::fault::Fault;

/// An element type with its values as numbers, for references.
trait Number: bytemuck::Pod {
    const DTYPE: DType;
    fn exact(self) -> f64;
    /// The element of this exact integer, wrapped.
    fn wrap(value: i128) -> Self;
    /// The element nearest to a float that `f64` holds exactly or correctly rounded.
    fn round(value: f64) -> Self;
    fn integer(self) -> i128 {
        self.exact() as i128
    }
}

macro_rules! number {
    ($($t:ident $dtype:ident;)*) => {$(
        impl Number for $t {
            const DTYPE: DType = DType::$dtype;
            fn exact(self) -> f64 {
                self as f64
            }
            fn wrap(value: i128) -> Self {
                value as $t
            }
            fn round(value: f64) -> Self {
                value as $t
            }
            fn integer(self) -> i128 {
                self as i128
            }
        }
    )*};
}

number! {
    i8 I8;
    i16 I16;
    i32 I32;
    i64 I64;
    u8 U8;
    u32 U32;
    f32 F32;
}

macro_rules! small_float {
    ($($t:ident $dtype:ident;)*) => {$(
        impl Number for $t {
            const DTYPE: DType = DType::$dtype;
            fn exact(self) -> f64 {
                self.to_f64()
            }
            fn wrap(_: i128) -> Self {
                unreachable!("no integer")
            }
            fn round(value: f64) -> Self {
                // Among the candidates around, the nearest; of two, the even one.
                if !value.is_finite() {
                    return $t::from_f64(value);
                }
                let guess = $t::from_f64(value).to_bits();
                let around = [guess.wrapping_sub(1), guess, guess.wrapping_add(1)];
                let best = around.into_iter().map($t::from_bits).filter(|x| x.is_finite()).min_by(|a, b| {
                    let off = |x: &$t| (x.to_f64() - value).abs();
                    off(a).total_cmp(&off(b)).then((a.to_bits() & 1).cmp(&(b.to_bits() & 1)))
                });
                let best = best.expect("a candidate");
                // From half a place beyond the greatest number on, infinity.
                let place = $t::MAX.to_f64() - $t::from_bits($t::MAX.to_bits() - 1).to_f64();
                if value.abs() >= $t::MAX.to_f64() + place / 2.0 { $t::INFINITY * $t::from_f64(value.signum()) } else { best }
            }
        }
    )*};
}

small_float! {
    f16 F16;
    bf16 BF16;
}

/// Elements with all the edges, then random bits.
fn samples<T: Number>(random: &mut Random, count: usize) -> Vec<T> {
    let size = size_of::<T>();
    let mut bytes = vec![];
    let edges: [u64; 10] =
        [0, 1, u64::MAX, 1 << (size * 8 - 1), (1 << (size * 8 - 1)) - 1, 2, 3, 0x3c00, 0x3f80_0000, 0x7c00];
    for i in 0..count {
        let bits = if i < 100 && T::DTYPE.int_range().is_some() { edges[i % 10] } else { random.next() };
        // Half of the floats of moderate size, so that sums and products are finite.
        let element: T = bytemuck::pod_read_unaligned(&bits.to_le_bytes()[..size]);
        let element =
            if T::DTYPE.is_float() && i % 2 == 0 { T::round((bits % 4001) as f64 / 16.0 - 125.0) } else { element };
        bytes.extend_from_slice(bytemuck::bytes_of(&element));
    }
    bytes.chunks_exact(size).map(bytemuck::pod_read_unaligned).collect()
}

fn same<T: Number>(a: T, b: T) -> bool {
    bytemuck::bytes_of(&a) == bytemuck::bytes_of(&b) || T::DTYPE.is_float() && a.exact().is_nan() && b.exact().is_nan()
}

/// What an op gives, computed in i128 or f64.
fn reference<T: Number>(op: &str, a: T, b: T) -> T {
    if T::DTYPE.int_range().is_some() {
        let (x, y) = (a.integer(), b.integer());
        return T::wrap(match op {
            "add" => x + y,
            "sub" => x - y,
            "mul" => x * y,
            "div" => x / y,
            "maximum" => x.max(y),
            _ => x.min(y),
        });
    }
    let (x, y) = (a.exact(), b.exact());
    match op {
        // f64 has more than twice the precision of each type plus two bits: rounding again is harmless.
        "add" => T::round(x + y),
        "sub" => T::round(x - y),
        "mul" => T::round(x * y),
        "div" => T::round(x / y),
        _ if x.is_nan() || y.is_nan() => T::round(f64::NAN),
        "maximum" => {
            if x > y || x == y && y.is_sign_negative() {
                a
            } else {
                b
            }
        }
        _ => {
            if x < y || x == y && x.is_sign_negative() {
                a
            } else {
                b
            }
        }
    }
}

fn check_op<T: Number>(op: &str, random: &mut Random) {
    let world = World::new(1);
    // Not a multiple of any vector's length.
    let count = 1003;
    let a: Vec<T> = samples(random, count);
    let mut b: Vec<T> = samples(random, count + 3)[3..].to_vec();
    if T::DTYPE.int_range().is_some() && op == "div" {
        b.iter_mut().filter(|b| b.integer() == 0).for_each(|b| *b = T::wrap(1));
    }
    let ty = T::DTYPE;
    let kernel = format!(
        "
InCore fn k(a: In tensor<{ty}, [1, N]>, b: In tensor<{ty}, [1, N]>, apart: Out tensor<{ty}, [1, N]>, place: Out tensor<{ty}, [1, N]>, scalar: Out tensor<{ty}, [1, N]>) dynamic(N) {{
  t = pl::load(a, [0, 0], [1, N])
  u = pl::load(b, [0, 0], [1, N])
  v = pl::{op}(t, u)
  apart = pl::store(v, [0, 0], apart)
  s = pl::read(b, [0, 77])
  w = pl::{op}(t, s)
  scalar = pl::store(w, [0, 0], scalar)
  t = pl::{op}(t, u)
  place = pl::store(t, [0, 0], place)
}}"
    );
    let out = || output(ty, &[1, count]);
    let ran = world.ok(&kernel, |_| vec![input(&[1, count], &a), input(&[1, count], &b), out(), out(), out()]);
    for i in 0..count {
        let expected = reference(op, a[i], b[i]);
        for position in 0..2 {
            let found = ran.out::<T>(0, position)[i];
            assert!(
                same(found, expected),
                "{ty} {op}: {} and {} give {}, not {}",
                a[i].exact(),
                b[i].exact(),
                found.exact(),
                expected.exact()
            );
        }
        assert!(
            same(ran.out::<T>(0, 2)[i], reference(op, a[i], b[77])),
            "{ty} {op} with a scalar: {} and {}",
            a[i].exact(),
            b[77].exact()
        );
    }
}

fn check_type<T: Number>(seed: u64) {
    let mut random = Random(seed);
    for op in ["add", "sub", "mul", "div", "maximum", "minimum"] {
        check_op::<T>(op, &mut random);
    }
}

#[test]
fn two_operands_on_floats() {
    check_type::<f32>(1);
    check_type::<f16>(2);
    check_type::<bf16>(3);
}

#[test]
fn two_operands_on_integers() {
    check_type::<i8>(4);
    check_type::<i16>(5);
    check_type::<i32>(6);
    check_type::<i64>(7);
    check_type::<u8>(8);
    check_type::<u32>(9);
}

fn check_cast<A: Number, B: Number>() {
    let world = World::new(1);
    let count = 1003;
    let a: Vec<A> = samples(&mut Random(11), count);
    let (from, to) = (A::DTYPE, B::DTYPE);
    let kernel = format!(
        "
InCore fn k(a: In tensor<{from}, [N]>, y: Out tensor<{to}, [N]>) dynamic(N) {{
  t = pl::load(a, [0], [N])
  u = pl::cast::<{to}>(t)
  y = pl::store(u, [0], y)
}}"
    );
    let ran = world.ok(&kernel, |_| vec![input(&[count], &a), output(to, &[count])]);
    let found = ran.out::<B>(0, 0);
    for (&a, &found) in a.iter().zip(&found) {
        let expected = match (from.int_range(), to.int_range()) {
            (Some(_), Some((low, high))) => B::wrap(a.integer().clamp(low, high)),
            (None, Some((low, high))) => {
                let rounded = a.exact().round_ties_even();
                if rounded.is_nan() { B::wrap(0) } else { B::wrap((rounded as i128).clamp(low, high)) }
            }
            // An i64 that f64 does not hold is far from the ties of the smaller types, unless it is near one: keep its parity.
            (Some(_), None) => {
                let value = a.integer();
                let near = value as f64;
                let lost = value - near as i128;
                if lost == 0 || to == DType::F32 {
                    if to == DType::F32 {
                        bytemuck::pod_read_unaligned(bytemuck::bytes_of(&(value as f32)))
                    } else {
                        B::round(near)
                    }
                } else {
                    let bits = near.to_bits();
                    let away = (lost > 0) == (value > 0);
                    B::round(f64::from_bits(if away { bits + 1 } else { bits - 1 }))
                }
            }
            (None, None) => B::round(a.exact()),
        };
        assert!(same(found, expected), "{from} {} as {to}: {}, not {}", a.exact(), found.exact(), expected.exact());
    }
}

#[test]
fn casts_between_all_types() {
    macro_rules! pairs {
        ($($a:ident)*) => { $(pairs!(@ $a f32 f16 bf16 i8 i16 i32 i64 u8 u32);)* };
        (@ $a:ident $($b:ident)*) => { $(check_cast::<$a, $b>();)* };
    }
    pairs!(f32 f16 bf16 i8 i16 i32 i64 u8 u32);
}

#[test]
fn negation_and_constants() {
    fn check<T: Number>() {
        let world = World::new(1);
        let a: Vec<T> = samples(&mut Random(5), 301);
        let ty = T::DTYPE;
        let kernel = format!(
            "
InCore fn k(a: In tensor<{ty}, [N]>, y: Out tensor<{ty}, [2, N]>) dynamic(N) {{
  t = pl::load(a, [0], [N])
  t = pl::neg(t)
  u = pl::full::<{ty}>([1, N], -3)
  y = pl::store(u, [1, 0], y)
  for i in 0..N {{
    s = pl::read(a, [i])
    y = pl::write(y, [0, i], s)
  }}
}}"
        );
        let kernel = if ty.is_float() { kernel.replace("-3)", "-3.0)") } else { kernel };
        let ran = world.ok(&kernel, |_| vec![input(&[301], &a), output(ty, &[2, 301])]);
        let out = ran.out::<T>(0, 0);
        assert!(out[..301].iter().zip(&a).all(|(&x, &y)| bytemuck::bytes_of(&x) == bytemuck::bytes_of(&y)));
        assert!(out[301..].iter().all(|x| x.exact() == -3.0));
        let negated =
            kernel.replace("Out tensor", "InOut tensor").replace("  for i", "  y = pl::store(t, [0], z)\n  for i");
        let negated = negated
            .replace("y = pl::store(t, [0], z)", "z = pl::store(t, [0], z)")
            .replace(") dynamic", &format!(", z: Out tensor<{ty}, [N]>) dynamic"));
        let ran = world.ok(&negated, |_| vec![input(&[301], &a), output(ty, &[2, 301]), output(ty, &[301])]);
        for (&found, &a) in ran.out::<T>(0, 1).iter().zip(&a) {
            let expected = if ty.is_float() { T::round(-a.exact()) } else { T::wrap(-a.integer()) };
            assert!(same(found, expected), "{ty} -{}: {}", a.exact(), found.exact());
        }
    }
    check::<f32>();
    check::<f16>();
    check::<bf16>();
    check::<i8>();
    check::<i16>();
    check::<i32>();
    check::<i64>();
}

#[test]
fn integer_division_by_zero_names_the_element() {
    let world = World::new(1);
    let kernel = "
InCore fn k(a: In tensor<i32, [2, 40]>, b: In tensor<i32, [2, 40]>, y: Out tensor<i32, [2, 40]>) {
  t = pl::load(a, [0, 0], [2, 40])
  u = pl::load(b, [0, 0], [2, 40])
  v = pl::div(t, u)
  y = pl::store(v, [0, 0], y)
}";
    let mut b = vec![3; 80];
    (b[57], b[70]) = (0, 0);
    let fault =
        world.fault(kernel, |_| vec![input(&[2, 40], &[1; 80]), input(&[2, 40], &b), output(DType::I32, &[2, 40])]);
    let Fault::ElementDivision(found) = &fault else { panic!("{fault}") };
    assert_eq!(found.element.as_deref(), Some(&[1, 17][..]));
    let scalar = kernel.replace("pl::div(t, u)", "pl::div(t, 0)").replace("  u = pl::load(b, [0, 0], [2, 40])\n", "");
    let fault =
        world.run(&scalar, |_| vec![input(&[2, 40], &[1; 80]), input(&[2, 40], &b), output(DType::I32, &[2, 40])]);
    assert!(fault.is_err());
}
