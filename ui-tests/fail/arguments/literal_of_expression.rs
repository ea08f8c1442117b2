#[pl::function(InCore)]
fn kernel<T: pl::Element>(a: f32, y: pl::Out<pl::Tensor<T, { [8] }>>) {
    pl::write(y, [0], pl::lit::<T>(a));
}

fn main() {}
