//! The enums of the language.

/// Declares an enum of the language: wire values, and the way from an integer.
macro_rules! wire_enum {
    ($(#[$attr:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $value:literal,)* }) => {
        $(#[$attr])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(i32)]
        pub enum $name { $($(#[$doc])* $variant = $value,)* }

        impl $name {
            /// The variant with this wire value: for a const generic, which cannot be an enum.
            ///
            /// # Panics
            /// When there is none. In a kernel the value is a constant expression, and this is a compile error.
            #[track_caller]
            pub const fn from_int(value: i32) -> $name {
                match value {
                    $($value => $name::$variant,)*
                    _ => crate::__private::no_variant(
                        stringify!($name),
                        value,
                        concat!("the variants are ", $(stringify!($variant), " = ", $value, ", ",)* "and no other"),
                    ),
                }
            }

            /// The wire value.
            pub const fn value(self) -> i32 {
                self as i32
            }
        }
    };
}

wire_enum! {
    /// What [`notify`](super::distributed::system::notify) does to the cell.
    NotifyOp {
        /// Adds the value.
        AtomicAdd = 0,
        /// Replaces the cell by the value.
        Set = 1,
    }
}

wire_enum! {
    /// How [`wait`](super::distributed::system::wait) compares the cell.
    WaitCmp {
        /// The cell equals the expected value.
        Eq = 0,
        /// The cell is at least the expected value.
        Ge = 1,
    }
}

wire_enum! {
    /// How a transfer combines with what the target holds.
    AtomicType {
        /// It replaces it.
        None = 0,
        /// It is added to it.
        Add = 1,
    }
}

wire_enum! {
    /// How a collective combines the ranks' values.
    ReduceOp {
        /// The sum.
        Sum = 0,
        /// The maximum.
        Max = 1,
        /// The minimum.
        Min = 2,
        /// The product.
        Prod = 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pl_core::op::EnumKind;

    #[test]
    fn wire_values_are_those_of_the_table() {
        let variants = |kind: EnumKind, debug: fn(i32) -> String| {
            for (value, name) in kind.variants().iter().enumerate() {
                assert_eq!(debug(value as i32), *name, "{}", kind.name());
            }
        };
        variants(EnumKind::NotifyOp, |v| format!("{:?}", NotifyOp::from_int(v)));
        variants(EnumKind::WaitCmp, |v| format!("{:?}", WaitCmp::from_int(v)));
        variants(EnumKind::AtomicType, |v| format!("{:?}", AtomicType::from_int(v)));
        variants(EnumKind::ReduceOp, |v| format!("{:?}", ReduceOp::from_int(v)));
    }
}
