//! The mutants that do what the program does, each with the reason: `equivalent.txt`.
//!
//! A line that is not indented is a reason; the indented ones that follow are mutants that are equivalent for it, where `*` stands for any text.

/// Why some mutants are equivalent.
pub struct Reason {
    /// The reason.
    pub text: &'static str,
    /// Which mutants.
    pub patterns: Vec<&'static str>,
}

/// All reasons.
pub fn reasons() -> Vec<Reason> {
    let mut reasons: Vec<Reason> = vec![];
    for line in include_str!("equivalent.txt").lines().filter(|line| !line.trim().is_empty()) {
        match line.strip_prefix("  ") {
            Some(pattern) => reasons.last_mut().expect("a reason before the mutants").patterns.push(pattern),
            None => reasons.push(Reason { text: line, patterns: vec![] }),
        }
    }
    reasons
}

/// Whether a pattern fits a mutant's name.
pub fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let mut parts = parts.peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.is_empty()
}

#[test]
fn patterns() {
    for (pattern, name, expected) in [
        ("a: b", "a: b", true),
        ("a: b", "a: bc", false),
        ("a *: b", "a --c=d: b", true),
        ("a *: b", "a --c=d: bc", false),
        ("*(x, * NR)", "f(x, 2 * NR)", true),
        ("*: b*", "a: c", false),
    ] {
        assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
    }
}
