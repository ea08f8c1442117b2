#[pl::function(Host)]
fn host() {}

#[pl::function(Orchestration)]
fn orchestration() {}

fn main() {}
