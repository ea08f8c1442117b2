//! Arrays whose size the user chose.

use crate::failure::Failure;
use pl::Element;
use pl::ndarray::{Array, Dimension, IntoDimension, indices};

/// The array whose elements `element` gives by their index; a failure, and no abort, when there is no memory for it.
pub fn array<T: Element, Sh: IntoDimension>(
    shape: Sh,
    element: impl Fn(<Sh::Dim as Dimension>::Pattern) -> T,
) -> Result<Array<T, Sh::Dim>, Failure> {
    let shape = shape.into_dimension();
    let no_memory = || {
        let (dtype, shape) = (T::DTYPE, shape.slice());
        Failure::usage(format!("no memory for an array of {dtype} {shape:?}"), "fewer devices need less: `-d`")
    };
    let len = shape.slice().iter().try_fold(1usize, |n, extent| n.checked_mul(*extent)).ok_or_else(no_memory)?;
    let mut elements = vec![];
    elements.try_reserve_exact(len).map_err(|_| no_memory())?;
    elements.extend(indices(shape.clone()).into_iter().map(element));
    Array::from_shape_vec(shape.clone(), elements).map_err(|_| no_memory())
}

#[test]
fn is_in_c_order_and_fails_without_memory() {
    use pl::ndarray::{Array1, Array3};
    let element = |(i, j, k)| (100 * i + 10 * j + k) as f32;
    assert_eq!(array((2, 3, 4), element).unwrap(), Array3::from_shape_fn((2, 3, 4), element));
    assert_eq!(array(3, |i| i as i32).unwrap(), Array1::from_vec(vec![0, 1, 2]));
    for shape in [(usize::MAX, 2, 1), (1 << 30, 1 << 30, 1)] {
        let failure = array(shape, element).unwrap_err().to_string();
        assert!(failure.starts_with("no memory for an array of f32 ["), "{failure}");
    }
}
