//! The language: what a kernel's body may name.
//!
//! A kernel is real Rust, and rustc type-checks it against the items of this module: they *are* the reference of the language. Their bodies
//! do nothing, for a kernel runs on devices, never here. Arguments are positional and complete in them, and shapes are erased from types;
//! `pl::function` makes the body so.

mod element;
mod enums;
mod kernel;
mod memory;
mod ops;
mod scalar;
mod types;

pub mod distributed;

pub use element::Element;
pub use kernel::Kernel;
pub(crate) use memory::CastTo;
pub use memory::{ElementValue, Literal, Memory, TileOrScalar};
pub use ops::{
    add, cast, discard, div, full, load, maximum, minimum, mul, neg, part, read, reshape, store, sub, write,
};
pub use scalar::{lit, max, min, range};
pub use types::{Buffer, Context, InOut, Out, Tensor, Tile};

#[cfg(test)]
mod tests {
    use crate as pl;
    use pl::distributed as pld;
    use pl_core::op::OpCode;

    /// Names items; the names are of those that exist.
    macro_rules! items {
        ($($path:path,)*) => {{
            $({
                #[expect(unused_imports, reason = "it is there to show that the item exists")]
                use $path;
            })*
            [$(stringify!($path)),*]
        }};
    }

    #[test]
    fn every_op_of_the_table_has_its_item() {
        let items = items![
            pl::load,
            pl::store,
            pl::read,
            pl::write,
            pl::add,
            pl::sub,
            pl::mul,
            pl::div,
            pl::maximum,
            pl::minimum,
            pl::neg,
            pl::cast,
            pl::full,
            pld::get_comm_ctx,
            pld::rank,
            pld::nranks,
            pld::system::notify,
            pld::system::wait,
            pld::tile::remote_load,
            pld::tile::remote_store,
            pld::tensor::put,
            pld::tensor::get,
            pld::tensor::put_with_signal,
            pl::reshape,
            pl::discard,
            pld::system::check_count,
            pld::world_size,
            pld::alloc_window_buffer,
            pld::window,
            pl::part,
            pld::tensor::barrier,
            pld::tensor::broadcast,
            pld::tensor::allgather,
            pld::tensor::reduce_scatter,
            pld::tensor::allreduce,
            pld::tensor::all_to_all,
            pld::tensor::all_to_all_v,
        ];
        let table: Vec<&str> = OpCode::ALL.iter().filter(|op| !op.info().internal).map(|op| op.path()).collect();
        assert_eq!(items.as_slice(), table);
    }
}
