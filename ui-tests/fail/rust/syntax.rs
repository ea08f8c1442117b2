// The first report is the parser's, the second the macro's, which gets the tokens all the same.
#[pl::function(InCore)]
fn kernel(y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    let tile = pl::load(y, [0], [8])
    pl::store(tile, [0], y);
}

fn main() {}
