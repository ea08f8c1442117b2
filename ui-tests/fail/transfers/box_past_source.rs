use pl::distributed as pld;

#[pl::function(InCore)]
fn kernel(data: pl::InOut<pld::DistributedTensor<f32, { [4, 64] }>>, y: pl::Out<pl::Tensor<f32, { [4, 64] }>>) {
    pld::tensor::get(y, 1, data, dst_offsets = [0, 0], src_offsets = [0, 60], shape = [1, 8]);
}

fn main() {}
