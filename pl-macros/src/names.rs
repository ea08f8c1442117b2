//! The names of the surface, and suggestions for names that do not exist.

use pl_core::op::OpCode;

/// The ops that a user may write.
pub fn ops() -> impl Iterator<Item = OpCode> {
    OpCode::ALL.iter().copied().filter(|op| !op.info().internal)
}

/// The op of this path, if a user may write it.
pub fn op(path: &str) -> Option<OpCode> {
    OpCode::from_path(path).filter(|op| !op.info().internal)
}

/// The candidates that `name` is most likely a misspelling of, the nearest first; at most three.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let limit = name.chars().count().max(3) / 3;
    let mut found: Vec<(usize, &str)> =
        candidates.into_iter().map(|c| (distance(name, c), c)).filter(|(d, c)| *d <= limit && *d < c.len()).collect();
    found.sort();
    found.dedup();
    found.into_iter().map(|(_, c)| c).take(3).collect()
}

/// `` `a`, `b` or `c` ``
pub fn list<S: AsRef<str>>(names: &[S]) -> String {
    let quoted: Vec<String> = names.iter().map(|n| format!("`{}`", n.as_ref())).collect();
    match quoted.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// How many insertions, deletions, replacements and swaps of neighbours make one name the other.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.to_lowercase().chars().collect(), b.to_lowercase().chars().collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                let swap = if swapped { rows[i - 2][j - 2] + 1 } else { usize::MAX };
                replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1).min(swap)
            };
        }
    }
    rows[a.len()][b.len()]
}
