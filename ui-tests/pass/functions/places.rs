// In modules, in function bodies, two of one name; with every visibility.
#![deny(warnings)]

mod one {
    pub mod inner {
        #[pl::function(InCore)]
        pub(in crate::one) fn hidden(y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
            pl::write(y, [0], 1.0);
        }
    }

    #[pl::function(InCore)]
    pub(crate) fn kernel(y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
        pl::write(y, [0], 1.0);
    }

    pub fn check() -> Result<String, pl::BindError> {
        inner::hidden::ir().text()
    }
}

mod two {
    #[pl::function(InCore)]
    pub fn kernel(y: pl::InOut<pl::Tensor<i32, { [4] }>>) {
        pl::write(y, [0], super::ONE);
    }

    #[pl::function(InCore)]
    pub(super) fn other(y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
        crate::shared::own(y);
    }
}

mod shared {
    #[pl::function(Inline)]
    pub(crate) fn own(y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
        pl::write(y, [0], 1.0);
    }

    #[pl::function(InCore)]
    pub fn user(y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
        self::own(y);
    }
}

const ONE: i32 = 1;

fn main() -> Result<(), pl::BindError> {
    const LOCAL: usize = 3;

    #[pl::function(Inline)]
    fn local_helper(n: usize) -> usize {
        n + LOCAL
    }

    #[pl::function(InCore)]
    fn local(y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
        pl::write(y, [local_helper(1)], 1.0);
    }

    local::ir().text()?;
    one::kernel::ir().text()?;
    one::check()?;
    two::kernel::ir().text()?;
    two::other::ir().text()?;
    shared::user::ir().text()?;
    Ok(())
}
