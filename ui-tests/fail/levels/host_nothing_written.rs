use pl::distributed as pld;

#[pl::function(Host, dynamic(NR, S))]
fn all(y: pl::Out<pl::Tensor<f32, { [NR, 1, S] }>>) {
    let n = pld::world_size();
}

fn main() {}
