//! From the attribute and the item to the function's signature.

mod attr;
mod signature;
mod types;

pub use attr::parse as parse_attr;
pub use signature::{Signature, read as read_signature};
pub use types::{Ty, Where, elem, is_scalar_name, scalar, ty};
