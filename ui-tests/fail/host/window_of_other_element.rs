use pl::distributed as pld;

#[pl::function(InCore, dynamic(NR))]
fn kernel(signal: pl::InOut<pld::DistributedTensor<i32, { [NR] }>>) {
    pld::tensor::barrier(signal);
}

fn main() -> Result<(), pl::Error> {
    let world = pl::World::open("sim", &[0, 1])?;
    let signal = world.window::<f32>([2])?;
    let _ = kernel(&signal);
    Ok(())
}
