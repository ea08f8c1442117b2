//! Calls: a kernel with its arguments, ready to launch.

use super::Window;
use super::world::Shared;
use crate::Element;
use ndarray::{ArrayView, ArrayViewMut, Dimension};
use pl_core::bind::{ArgShape, WindowArg};
use pl_core::definition::Definition;
use pl_core::ir::{ConstValue, Elem, Lit, ScalarType};
use pl_core::pass;
use pl_core::runtime::{ArgValue, WindowId};
use smallvec::SmallVec;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// A call of a kernel: what calling the kernel's host function gives. It does nothing until [`crate::World::launch`] takes it.
#[must_use = "a call runs only when `World::launch` takes it"]
pub struct Call<'a> {
    pub(super) definition: Definition,
    pub(super) args: Vec<Argument<'a>>,
}

/// One argument of a [`Call`].
pub struct Argument<'a>(pub(super) Kind<'a>);

/// The extents of an array.
pub(super) type Extents = SmallVec<[usize; 4]>;

/// What an argument is.
pub(super) enum Kind<'a> {
    /// A tensor that is only read; lent where its elements lie in C order, copied otherwise.
    In { shape: Extents, bytes: Cow<'a, [u8]> },
    /// A tensor that is written, and whose elements lie in C order.
    Lent { shape: Extents, bytes: &'a mut [u8] },
    /// A tensor that is written through a copy.
    Copied(Box<dyn Staged + Send + 'a>),
    /// A window.
    Window(WindowRef<'a>),
    /// A scalar.
    Scalar(ConstValue),
}

/// A window among the arguments.
#[derive(Clone, Copy)]
pub(super) struct WindowRef<'a> {
    pub(super) shape: &'a [usize],
    pub(super) id: WindowId,
    pub(super) owner: &'a Arc<Shared>,
    /// Its ranks, as ranks of the world that was opened.
    pub(super) domain: &'a Arc<[usize]>,
}

impl<'a> WindowRef<'a> {
    pub(super) fn new<T: Element>(window: &'a Window<T>) -> WindowRef<'a> {
        WindowRef { shape: window.shape(), id: window.id, owner: &window.shared, domain: &window.domain }
    }
}

/// A view whose elements do not lie in C order, and a copy in which they do.
pub(super) trait Staged {
    /// The shape of both.
    fn shape(&self) -> &[usize];
    /// The copy.
    fn bytes(&mut self) -> &mut [u8];
    /// Copies back into the view.
    fn finish(&mut self);
}

struct StagedView<'a, T, D> {
    view: ArrayViewMut<'a, T, D>,
    copy: Vec<T>,
}

impl<T: Element, D: Dimension> Staged for StagedView<'_, T, D> {
    fn shape(&self) -> &[usize] {
        self.view.shape()
    }

    fn bytes(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(&mut self.copy)
    }

    fn finish(&mut self) {
        for (element, copy) in self.view.iter_mut().zip(&self.copy) {
            *element = *copy;
        }
    }
}

/// A type whose values a kernel takes as scalar arguments: the element types, `usize` and `bool`.
pub trait ScalarArgument: Copy + sealed::Scalar {
    /// The value as the core sees it.
    #[doc(hidden)]
    fn value(self) -> ConstValue;
}

mod sealed {
    pub trait Scalar {}
}

macro_rules! scalar_arguments {
    ($($type:ty => |$x:ident| $lit:expr, $scalar:expr;)*) => {$(
        impl sealed::Scalar for $type {}
        impl ScalarArgument for $type {
            fn value(self) -> ConstValue {
                let $x = self;
                ConstValue::Scalar($lit, $scalar)
            }
        }
    )*};
}

/// The scalar type that is an element type.
fn elem<T: Element>() -> ScalarType {
    ScalarType::Elem(Elem::Known(T::DTYPE))
}

scalar_arguments! {
    f32 => |x| Lit::Float(f64::from(x)), elem::<f32>();
    half::f16 => |x| Lit::Float(f64::from(x)), elem::<half::f16>();
    half::bf16 => |x| Lit::Float(f64::from(x)), elem::<half::bf16>();
    i8 => |x| Lit::Int(i128::from(x)), elem::<i8>();
    i16 => |x| Lit::Int(i128::from(x)), elem::<i16>();
    i32 => |x| Lit::Int(i128::from(x)), elem::<i32>();
    i64 => |x| Lit::Int(i128::from(x)), elem::<i64>();
    u8 => |x| Lit::Int(i128::from(x)), elem::<u8>();
    u32 => |x| Lit::Int(i128::from(x)), elem::<u32>();
    usize => |x| Lit::Int(x as i128), ScalarType::Index;
    bool => |x| Lit::Bool(x), ScalarType::Bool;
}

/// A call of the kernel that `definition` defines.
pub fn call<'a>(definition: fn() -> Definition, args: Vec<Argument<'a>>) -> Call<'a> {
    Call { definition: definition(), args }
}

/// A tensor that the kernel reads.
pub fn arg_in<T: Element, D: Dimension>(view: ArrayView<'_, T, D>) -> Argument<'_> {
    let shape = Extents::from_slice(view.shape());
    let bytes = match view.to_slice() {
        Some(elements) => Cow::Borrowed(bytemuck::cast_slice(elements)),
        None => {
            let copy: Vec<T> = view.iter().copied().collect();
            Cow::Owned(bytemuck::cast_slice(&copy).to_vec())
        }
    };
    Argument(Kind::In { shape, bytes })
}

/// A tensor that the kernel writes.
pub fn arg_out<'a, T: Element, D: Dimension + 'a>(view: ArrayViewMut<'a, T, D>) -> Argument<'a> {
    if !view.is_standard_layout() {
        let copy = view.iter().copied().collect();
        return Argument(Kind::Copied(Box::new(StagedView { view, copy })));
    }
    let shape = Extents::from_slice(view.shape());
    let bytes = bytemuck::cast_slice_mut(view.into_slice().unwrap_or_default());
    Argument(Kind::Lent { shape, bytes })
}

/// A window.
pub fn arg_window<T: Element>(window: &Window<T>) -> Argument<'_> {
    Argument(Kind::Window(WindowRef::new(window)))
}

/// A scalar.
pub fn arg_scalar<'a, T: ScalarArgument>(value: T) -> Argument<'a> {
    Argument(Kind::Scalar(value.value()))
}

/// An argument's extents, and which window it is; `None` for a scalar.
type Outline<'a> = Option<(&'a [usize], Option<WindowArg>)>;

/// Numbers items: each by how many different ones came before its first time.
struct Numbers<T>(SmallVec<[T; 4]>);

impl<T: PartialEq> Numbers<T> {
    fn new() -> Self {
        Numbers(SmallVec::new())
    }

    fn of(&mut self, item: T) -> u64 {
        let at = self.0.iter().position(|known| *known == item).unwrap_or_else(|| {
            self.0.push(item);
            self.0.len() - 1
        });
        at as u64
    }
}

impl Call<'_> {
    /// The name of the kernel.
    pub fn kernel(&self) -> &'static str {
        let path = self.definition.source.path;
        path.rsplit("::").next().unwrap_or(path)
    }

    /// What to call an argument in a report: its parameter and kernel.
    pub(super) fn argument(&self, position: usize) -> String {
        let source = pass::load(self.definition.source);
        let param = source.ok().and_then(|f| Some(f.local_name(f.params.get(position)?.local).to_owned()));
        match param {
            Some(name) => format!("`{name}` of `{}`", self.kernel()),
            None => format!("argument {} of `{}`", position + 1, self.kernel()),
        }
    }

    /// The outlines of the arguments. Windows and domains are numbered by their first use in the call, so that a call on other windows is the same call.
    fn outline(&self) -> impl Iterator<Item = Outline<'_>> {
        let (mut windows, mut domains) = (Numbers::new(), Numbers::new());
        self.args.iter().map(move |argument| match &argument.0 {
            Kind::Window(WindowRef { shape, id, domain, .. }) => {
                let (window, domain, ranks) = (windows.of(*id), domains.of(*domain), domain.len());
                Some((*shape, Some(WindowArg { window, domain, ranks })))
            }
            _ => argument.extents().map(|shape| (shape, None)),
        })
    }

    /// The arguments' shapes.
    pub(super) fn shapes(&self) -> Vec<ArgShape> {
        let shape = |outline: Outline<'_>| match outline {
            Some((shape, window)) => ArgShape::Memory { shape: shape.to_vec(), window },
            None => ArgShape::Scalar,
        };
        self.outline().map(shape).collect()
    }

    /// Whether these are the arguments' shapes.
    pub(super) fn has_shapes(&self, shapes: &[ArgShape]) -> bool {
        let same = |(outline, known): (Outline<'_>, &ArgShape)| match (outline, known) {
            (Some((shape, window)), ArgShape::Memory { shape: known, window: of }) => shape == known && window == *of,
            (None, ArgShape::Scalar) => true,
            _ => false,
        };
        self.args.len() == shapes.len() && self.outline().zip(shapes).all(same)
    }

    /// Whether another call is of the same kernel, on the same windows and on arrays of the same shapes: then both have one program. Others may have, too.
    pub(super) fn is_like(&self, other: &Call<'_>) -> bool {
        same_instance(&self.definition, &other.definition)
            && self.args.len() == other.args.len()
            && self.args.iter().zip(&other.args).all(|(argument, other)| argument.is_like(other))
    }

    /// The windows among the arguments, with the argument's position.
    pub(super) fn windows(&self) -> impl Iterator<Item = (usize, WindowId, &WindowRef<'_>)> {
        self.args.iter().enumerate().filter_map(|(position, argument)| match &argument.0 {
            Kind::Window(window) => Some((position, window.id, window)),
            _ => None,
        })
    }

    /// The domains of the windows, in the order in which [`Call::shapes`] numbers them.
    pub(super) fn domains(&self) -> Vec<Arc<[usize]>> {
        let mut domains = Numbers::new();
        for (_, _, window) in self.windows() {
            domains.of(window.domain);
        }
        domains.0.into_iter().cloned().collect()
    }

    /// The values of the scalar arguments that are integers, by position.
    pub(super) fn scalars(&self) -> Vec<Option<i64>> {
        let value = |argument: &Argument<'_>| match &argument.0 {
            Kind::Scalar(ConstValue::Scalar(Lit::Int(value), _)) => i64::try_from(*value).ok(),
            _ => None,
        };
        self.args.iter().map(value).collect()
    }

    /// The arguments as an engine takes them.
    pub(super) fn values(&mut self) -> Vec<ArgValue<'_>> {
        self.args.iter_mut().map(Argument::value).collect()
    }

    /// Copies back what was written through copies.
    pub(super) fn finish(&mut self) {
        self.args.iter_mut().for_each(Argument::finish);
    }
}

/// Whether two definitions are one instance of a kernel.
fn same_instance(a: &Definition, b: &Definition) -> bool {
    std::ptr::eq(a.source, b.source)
        && a.types == b.types
        && a.consts == b.consts
        && a.callees.iter().map(|callee| *callee as usize).eq(b.callees.iter().map(|callee| *callee as usize))
}

impl Argument<'_> {
    /// Copies back what was written through a copy.
    pub(super) fn finish(&mut self) {
        if let Kind::Copied(staged) = &mut self.0 {
            staged.finish();
        }
    }

    /// The extents of an array.
    fn extents(&self) -> Option<&[usize]> {
        match &self.0 {
            Kind::In { shape, .. } | Kind::Lent { shape, .. } => Some(shape),
            Kind::Copied(staged) => Some(staged.shape()),
            Kind::Window(_) | Kind::Scalar(_) => None,
        }
    }

    /// Whether both are the same window, arrays of one shape, or scalars.
    fn is_like(&self, other: &Argument<'_>) -> bool {
        match (&self.0, &other.0) {
            (Kind::Window(window), Kind::Window(other)) => window.id == other.id,
            (Kind::Window(_), _) | (_, Kind::Window(_)) => false,
            _ => self.extents() == other.extents(),
        }
    }

    fn value(&mut self) -> ArgValue<'_> {
        match &mut self.0 {
            Kind::In { bytes, .. } => ArgValue::In(bytes),
            Kind::Lent { bytes, .. } => ArgValue::Out(bytes),
            Kind::Copied(staged) => ArgValue::Out(staged.bytes()),
            Kind::Window(window) => ArgValue::Window(window.id),
            Kind::Scalar(value) => ArgValue::Scalar(value),
        }
    }
}

impl fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut tuple = f.debug_tuple(self.kernel());
        for argument in &self.args {
            tuple.field(argument);
        }
        tuple.finish()
    }
}

impl fmt::Debug for Argument<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::In { shape, .. } => write!(f, "In{shape:?}"),
            Kind::Lent { shape, .. } => write!(f, "Out{shape:?}"),
            Kind::Copied(staged) => write!(f, "Out{:?}", staged.shape()),
            Kind::Window(window) => write!(f, "Window{:?}#{}", window.shape, window.id.0),
            Kind::Scalar(ConstValue::Scalar(value, _)) => write!(f, "{value:?}"),
            Kind::Scalar(value) => write!(f, "{value:?}"),
        }
    }
}
