// Tiles are cast by an op, scalars by `as`.
#![deny(warnings)]

use pl::half::{bf16, f16};

macro_rules! casts {
    ($($name:ident: $from:ty => $($to:ty)*;)*) => {$(
        #[pl::function(InCore)]
        fn $name(x: pl::Tensor<$from, { [8] }>, y: pl::Out<pl::Tensor<$from, { [8] }>>) {
            let tile = pl::load(x, [0], [8]);
            $(
                let there = pl::cast::<$to>(tile);
                pl::store(pl::cast::<$from>(there), [0], y);
            )*
        }
    )*};
}

casts! {
    of_f32: f32 => f32 f16 bf16 i8 i16 i32 i64 u8 u32;
    of_f16: f16 => f32 f16 bf16 i8 i16 i32 i64 u8 u32;
    of_bf16: bf16 => f32 f16 bf16 i8 i16 i32 i64 u8 u32;
    of_i8: i8 => f32 f16 bf16 i8 i16 i32 i64 u8 u32;
    of_i16: i16 => f32 f16 bf16 i8 i16 i32 i64 u8 u32;
    of_i32: i32 => f32 f16 bf16 i8 i16 i32 i64 u8 u32;
    of_i64: i64 => f32 f16 bf16 i8 i16 i32 i64 u8 u32;
    of_u8: u8 => f32 f16 bf16 i8 i16 i32 i64 u8 u32;
    of_u32: u32 => f32 f16 bf16 i8 i16 i32 i64 u8 u32;
}

#[pl::function(InCore)]
fn scalars(n: usize, i: i32, a: f32, flag: bool, y: pl::Out<pl::Tensor<f32, { [8] }>>) {
    pl::write(y, [0], n as f32);
    pl::write(y, [1], (i as f32) + a);
    pl::write(y, [a as usize], (flag as i32) as f32);
    pl::write(y, [3], (n as i32 + i) as f32);
    pl::write(y, [4], (a as i64 as u8) as f32);
}

fn main() -> Result<(), pl::BindError> {
    of_f32::ir().text()?;
    of_bf16::ir().text()?;
    of_u8::ir().text()?;
    scalars::ir().text()?;
    Ok(())
}
