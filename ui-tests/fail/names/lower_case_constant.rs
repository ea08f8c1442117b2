#[allow(non_upper_case_globals)]
mod consts {
    pub const size: usize = 8;
}

#[pl::function(InCore)]
fn kernel(y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    pl::write(y, [consts::size], 1.0);
}

fn main() {}
