#[pl::function(Inline)]
fn twice<T: pl::Element, const N: usize>(t: pl::Tile<T, { [N] }>) -> pl::Tile<T, { [N] }> {
    t + t
}

#[pl::function(InCore)]
fn kernel(x: pl::Tensor<f32, { [8] }>, y: pl::Out<pl::Tensor<i32, { [8] }>>) {
    pl::store(twice::<i32, 8>(pl::load(x, [0], [8])), [0], y);
}

fn main() {}
