//! A kernel's IR, to look at.

use pl_core::bind::BindError;
use pl_core::definition::Definition;
use pl_core::ir::Function;

/// The IR of one kernel, generic arguments filled in: what `kernel::ir()` and `kernel::ir::<f32, 4>()` give.
///
/// ```
/// #[pl::function(InCore)]
/// fn negate(x: pl::InOut<pl::Tensor<f32, { [1, 8] }>>) {
///     pl::store(-pl::load(x, [0, 0], [1, 8]), [0, 0], x);
/// }
///
/// assert!(negate::ir().text()?.contains("pl::neg"));
/// # Ok::<(), pl::BindError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Kernel(Definition);

impl Kernel {
    #[doc(hidden)]
    pub fn new(definition: Definition) -> Kernel {
        Kernel(definition)
    }

    /// The function: its constants filled in, the `Inline` functions that it calls inlined.
    ///
    /// # Errors
    /// What only shows when functions are put together: shapes that do not agree, recursion.
    pub fn function(&self) -> Result<Function, BindError> {
        pl_core::pass::link(&self.0)
    }

    /// The function as text.
    ///
    /// # Errors
    /// Those of [`Kernel::function`].
    pub fn text(&self) -> Result<String, BindError> {
        Ok(pl_core::text::print(&self.function()?))
    }

    /// The function as the macro left it, with open constants and calls, as text.
    ///
    /// # Errors
    /// None that a user can cause.
    pub fn source(&self) -> Result<String, BindError> {
        Ok(pl_core::text::print(&pl_core::pass::load(self.0.source)?))
    }
}
