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

/// One line for each count.
fn rows(card: &Card) -> String {
    let rows: [(&str, Count); 9] = [
        ("bytes received", card.bytes_received),
        ("bytes sent", card.bytes_sent),
        ("remote loads", card.remote_loads),
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
