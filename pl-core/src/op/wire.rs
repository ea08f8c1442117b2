//! The wire values of the enums: what stands in the IR and in a plan. Append only.

/// Makes an enum whose variants are counted from 0.
macro_rules! wire {
    ($($(#[$attr:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident,)* })*) => {$(
        $(#[$attr])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(i32)]
        pub enum $name { $($(#[$doc])* $variant,)* }

        impl $name {
            /// Every variant.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];
            /// Their names.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($variant),)*];

            /// The wire value.
            pub const fn wire(self) -> i32 {
                self as i32
            }

            /// The variant of this wire value.
            pub fn from_wire(value: i32) -> Option<$name> {
                $name::ALL.get(usize::try_from(value).ok()?).copied()
            }
        }
    )*};
}

wire! {
    /// What a notify does to the cell.
    NotifyOp {
        /// Adds the value.
        AtomicAdd,
        /// Replaces the cell by the value.
        Set,
    }

    /// How a wait compares the cell.
    WaitCmp {
        /// The cell equals the expected value.
        Eq,
        /// The cell is at least the expected value.
        Ge,
    }

    /// How a transfer combines with what the target holds.
    AtomicType {
        /// It replaces it.
        None,
        /// It is added to it.
        Add,
    }

    /// How a collective combines the ranks' values.
    ReduceOp {
        /// The sum.
        Sum,
        /// The maximum.
        Max,
        /// The minimum.
        Min,
        /// The product.
        Prod,
    }

    /// How an allreduce works.
    AllreduceMode {
        /// Every rank reads every other rank's data.
        Mesh,
        /// Every rank reads from one neighbour, in rounds.
        Ring,
    }

    /// The collectives.
    Collective {
        /// `pld::tensor::barrier`
        Barrier,
        /// `pld::tensor::reduce_scatter`
        ReduceScatter,
        /// `pld::tensor::broadcast`
        Broadcast,
        /// `pld::tensor::allgather`
        Allgather,
        /// `pld::tensor::allreduce`
        Allreduce,
        /// `pld::tensor::all_to_all`
        AllToAll,
        /// `pld::tensor::all_to_all_v`
        AllToAllV,
    }
}
