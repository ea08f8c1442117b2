const SIZE: usize = 128;

#[pl::function(InCore)]
fn kernel(x: pl::InOut<pl::Tensor<f32, { [4, 64] }>>) {
    let flat = pl::reshape(x, [SIZE]);
    pl::store(pl::load(flat, [0], [64]), [64], flat);
}

fn main() {}
