//! Arrays whose size the user chose.

use crate::failure::Failure;
use pl::ndarray::Array3;

/// The array whose elements `element` gives; a failure, and no abort, when there is no memory for it.
pub fn array(
    shape: (usize, usize, usize),
    element: impl Fn((usize, usize, usize)) -> f32,
) -> Result<Array3<f32>, Failure> {
    let no_memory = || {
        let (a, b, c) = shape;
        Failure::Usage(format!(
            "no memory for an array of f32 [{a}, {b}, {c}]\n  = help: fewer devices need less: `-d`"
        ))
    };
    let (a, b, c) = shape;
    let len = a.checked_mul(b).and_then(|n| n.checked_mul(c)).ok_or_else(no_memory)?;
    let mut elements = vec![];
    elements.try_reserve_exact(len).map_err(|_| no_memory())?;
    elements.extend((0..len).map(|i| element((i / (b * c), i / c % b, i % c))));
    Array3::from_shape_vec(shape, elements).map_err(|_| no_memory())
}

#[test]
fn is_in_c_order_and_fails_without_memory() {
    let element = |(i, j, k)| (100 * i + 10 * j + k) as f32;
    assert_eq!(array((2, 3, 4), element).unwrap(), Array3::from_shape_fn((2, 3, 4), element));
    for shape in [(usize::MAX, 2, 1), (1 << 30, 1 << 30, 1)] {
        assert!(array(shape, element).unwrap_err().to_string().starts_with("no memory for an array of f32 ["));
    }
}
