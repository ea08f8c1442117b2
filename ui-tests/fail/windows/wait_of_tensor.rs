use pl::distributed as pld;

#[pl::function(InCore)]
fn kernel(cells: pl::InOut<pl::Tensor<i32, { [8, 1] }>>) {
    pld::system::wait(cells, offsets = [0, 0], expected = 1, cmp = pld::WaitCmp::Ge);
}

fn main() {}
