use pl::distributed as pld;

#[pl::function(InCore)]
fn hello(y: pl::Out<pl::Tensor<i32, { [2] }>>, window: pld::DistributedTensor<i32, { [1] }>) {
    pl::write(y, [0], pld::rank(pld::get_comm_ctx(y)) as i32);
    pl::write(y, [1], pld::nranks(pld::get_comm_ctx(window)));
}

fn main() {}
