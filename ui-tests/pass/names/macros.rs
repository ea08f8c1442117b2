// Kernels written by `macro_rules!`, with fragments of every kind.
#![deny(warnings)]

use pl::distributed as pld;

macro_rules! kernel {
    ($vis:vis $name:ident, $elem:ty, $size:expr, $op:path, $value:literal, $body:block, $index:ident) => {
        #[pl::function(InCore)]
        $vis fn $name($index: usize, y: pl::InOut<pl::Tensor<$elem, { [$size] }>>) {
            let tile = $op(pl::load(y, [0], [$size]), $value);
            pl::store(tile, [0], y);
            let at = $body;
            pl::write(y, [at], $value);
        }
    };
}

kernel!(pub first, f32, 8, pl::add, 1.5, { i + 1 }, i);
kernel!(pub(crate) second, i32, 2 * 4, pl::maximum, 3, { n }, n);

macro_rules! unrolled {
    ($name:ident: $($at:literal)*) => {
        #[pl::function(InCore, dynamic(NR))]
        fn $name(signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 8] }>>) {
            $(pl::write(signal, [0, $at], $at);)*
        }
    };
}

unrolled!(third: 0 1 2 3);

fn main() -> Result<(), pl::BindError> {
    first::ir().text()?;
    second::ir().text()?;
    third::ir().text()?;
    Ok(())
}
