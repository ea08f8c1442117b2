use pl::distributed as pld;

#[pl::function(InCore)]
fn kernel(n: usize) {
    let rows = pld::system::check_count(n, peer = 0, limit = 4);
}

fn main() {}
