// Every element type as tensor, window, tile, scalar and literal.
#![deny(warnings)]

use pl::distributed as pld;
use pl::half::{bf16, f16};

macro_rules! elements {
    ($($name:ident: $type:ty = $literal:expr;)*) => {$(
        #[pl::function(InCore, dynamic(NR))]
        fn $name(
            s: $type,
            x: pl::Tensor<$type, { [8] }>,
            y: pl::InOut<pl::Tensor<$type, { [8] }>>,
            w: pl::InOut<pld::DistributedTensor<$type, { [NR, 8] }>>,
        ) {
            let tile: pl::Tile<$type, { [8] }> = pl::load(x, [0], [8]) + s;
            pl::store(tile * $literal + pl::full::<$type>([8], $literal), [0], y);
            pl::store(pl::full::<$type>([1, 8], s), [0, 0], w);
            pl::write(w, [0, 0], $literal);
            pl::write(y, [1], pl::read(x, [2]));
        }
    )*};
}

elements! {
    of_f32: f32 = 1.5;
    of_f16: f16 = 0.5;
    of_bf16: bf16 = 2;
    of_i8: i8 = -128;
    of_i16: i16 = 300;
    of_i32: i32 = -70000;
    of_i64: i64 = 5_000_000_000;
    of_u8: u8 = 0xff;
    of_u32: u32 = 4_000_000_000;
}

fn main() -> Result<(), pl::BindError> {
    of_f32::ir().text()?;
    of_f16::ir().text()?;
    of_bf16::ir().text()?;
    of_i8::ir().text()?;
    of_i16::ir().text()?;
    of_i32::ir().text()?;
    of_i64::ir().text()?;
    of_u8::ir().text()?;
    of_u32::ir().text()?;
    Ok(())
}
