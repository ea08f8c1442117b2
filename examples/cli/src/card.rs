//! The cost card as `--emit cost` prints it.

use pl::{Card, Count, Stage};
use std::fmt::Write as _;

/// The cards of all ranks, those that are equal once.
pub(crate) fn show(stages: &[Stage]) -> String {
    let mut groups: Vec<(&Card, Vec<usize>)> = vec![];
    for (rank, stage) in stages.iter().enumerate() {
        match groups.iter_mut().find(|(card, _)| *card == stage.cost()) {
            Some((_, ranks)) => ranks.push(rank),
            None => groups.push((stage.cost(), vec![rank])),
        }
    }
    let mut text = String::new();
    if let Some(stage) = stages.first() {
        let dims: String = stage.dims().map(|(name, value)| format!(", {name} = {value}")).collect();
        let _ = writeln!(text, "cost card of {}, P = {}{dims}", stage.lowered().name, stages.len());
    }
    for (card, ranks) in &groups {
        let ranks: Vec<String> = ranks.iter().map(usize::to_string).collect();
        let _ = match groups.len() {
            1 => writeln!(text, "each rank"),
            _ => writeln!(text, "rank {}", ranks.join(", ")),
        };
        text.push_str(&rows(card));
    }
    text
}

/// A count, and what it is called.
type Column = (&'static str, fn(&Card) -> Count);

/// The counts of a comparison.
const COMPARED: [Column; 5] = [
    ("bytes received", |card| card.bytes_received),
    ("bytes sent", |card| card.bytes_sent),
    ("steps", |card| card.steps),
    ("barriers", |card| card.barriers),
    ("peer notifies", |card| card.peer_notifies),
];

/// What variants cost, side by side: for each its name and the stages of all ranks. Of a count that differs between ranks it shows the most.
pub fn comparison(variants: &[(&str, &[Stage])]) -> String {
    let most = |stages: &[Stage], count: fn(&Card) -> Count| {
        let counts = stages.iter().map(|stage| count(stage.cost()));
        counts.max_by_key(|c| (c.high.unwrap_or(u64::MAX), c.low)).unwrap_or_default().to_string()
    };
    let mut rows = vec![COMPARED.map(|(name, _)| name.to_owned()).to_vec()];
    rows[0].insert(0, "each rank".into());
    for (name, stages) in variants {
        let counts = COMPARED.iter().map(|(_, count)| most(stages, *count));
        rows.push(std::iter::once((*name).to_owned()).chain(counts).collect());
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let mut text = String::new();
    if let Some(stage) = variants.first().and_then(|(_, stages)| stages.first()) {
        let dims: String = stage.dims().map(|(name, value)| format!(", {name} = {value}")).collect();
        let _ = writeln!(text, "P = {}{dims}", variants[0].1.len());
    }
    for row in &rows {
        let cells = row.iter().enumerate().skip(1).map(|(i, cell)| format!("  {cell:>0$}", width(i)));
        let _ = writeln!(text, "{:<2$}{}", row[0], cells.collect::<String>(), width(0));
    }
    text
}

/// One line for each count.
fn rows(card: &Card) -> String {
    let rows: [(&str, Count); 10] = [
        ("bytes received", card.bytes_received),
        ("bytes sent", card.bytes_sent),
        ("remote loads", card.remote_loads),
        ("remote stores", card.remote_stores),
        ("peer notifies", card.peer_notifies),
        ("self notifies", card.self_notifies),
        ("waits", card.waits),
        ("barriers", card.barriers),
        ("credits", card.credits),
        ("result elements", card.result_elements),
    ];
    let width = rows.iter().map(|(_, count)| count.to_string().len()).max().unwrap_or_default();
    rows.iter().map(|(name, count)| format!("  {name:<15}  {:>width$}\n", count.to_string())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use pl::World;
    use pl::distributed as pld;

    /// `rows` times a load from each peer, with a barrier before the first `barriers` of them.
    #[pl::function(InCore, dynamic(NR, SIZE))]
    fn loads(
        data: pld::DistributedTensor<f32, { [1, SIZE] }>,
        signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
        rows: usize,
        barriers: usize,
    ) {
        let ctx = pld::get_comm_ctx(data);
        for row in 0..rows {
            if row < barriers {
                pld::tensor::barrier(signal);
            }
            for peer in 0..pld::nranks(ctx) {
                let _row = pld::tile::remote_load(data, peer = peer, offsets = [0, 0], shape = [1, SIZE]);
            }
        }
    }

    #[test]
    fn side_by_side() {
        let world = World::open("sim", &[0, 1, 2, 3]).unwrap();
        let (data, signal) = (world.zeros::<f32>([1, 16]).unwrap(), world.window::<i32>([4, 1]).unwrap());
        let stages = |rows, barriers| world.compile((0..4).map(|_| loads(&data, &signal, rows, barriers))).unwrap();
        let (once, twice, free) = (stages(1, 1), stages(2, 2), stages(3, 0));
        expect![[r#"
            P = 4, NR = 4, SIZE = 16
            each rank      bytes received  bytes sent  steps  barriers  peer notifies
            one                       192         192      1         1              3
            two, in order             384         384      2         2              6
            three at once             576         576      1         0              0
        "#]]
        .assert_eq(&comparison(&[("one", &once), ("two, in order", &twice), ("three at once", &free)]));
    }
}
