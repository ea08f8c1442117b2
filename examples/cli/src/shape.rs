//! Shapes of arrays as the examples write them: `[P, 1, P * SIZE]`.

/// A shape in which `P` is the number of ranks, and other names are sizes that an array chooses.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    text: &'static str,
    axes: Vec<Vec<Factor>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Factor {
    Ranks,
    Number(usize),
    Name(&'static str),
}

/// Why an array does not fit.
#[derive(Debug, PartialEq)]
pub(crate) enum Misfit {
    /// Its extents are others.
    Extents,
    /// This size is zero.
    Zero(&'static str),
}

impl Shape {
    pub(crate) fn new(text: &'static str) -> Shape {
        let factor = |factor: &'static str| match factor.parse() {
            Ok(number) => Factor::Number(number),
            Err(_) if factor == "P" => Factor::Ranks,
            Err(_) => Factor::Name(factor),
        };
        let axes = text.trim_matches(['[', ']']).split(',');
        Shape { text, axes: axes.map(|axis| axis.split('*').map(|f| factor(f.trim())).collect()).collect() }
    }

    /// As it was written.
    pub(crate) fn text(&self) -> &'static str {
        self.text
    }

    /// The number of axes.
    pub(crate) fn rank(&self) -> usize {
        self.axes.len()
    }

    /// Whether the first axis has one entry per rank.
    pub(crate) fn is_per_rank(&self) -> bool {
        self.axes[0] == [Factor::Ranks]
    }

    /// The shape for this number of ranks: `[4, 1, 4 * SIZE]`.
    pub(crate) fn with_ranks(&self, ranks: usize) -> String {
        let factor = |factor: &Factor| match factor {
            Factor::Ranks => ranks.to_string(),
            Factor::Number(number) => number.to_string(),
            Factor::Name(name) => (*name).to_owned(),
        };
        let axis = |axis: &Vec<Factor>| axis.iter().map(factor).collect::<Vec<_>>().join(" * ");
        format!("[{}]", self.axes.iter().map(axis).collect::<Vec<_>>().join(", "))
    }

    /// What NumPy's `reshape` takes, where the shape has one open axis: `P, 1, -1`.
    pub(crate) fn reshape(&self) -> Option<String> {
        let is_open = |axis: &&Vec<Factor>| axis.iter().any(|factor| matches!(factor, Factor::Name(_)));
        (self.axes.iter().filter(is_open).count() == 1).then(|| {
            let axes = self.text.trim_matches(['[', ']']).split(", ").zip(&self.axes);
            axes.map(|(text, axis)| if is_open(&axis) { "-1" } else { text }).collect::<Vec<_>>().join(", ")
        })
    }

    /// Whether an array of these extents has this shape.
    pub(crate) fn check(&self, ranks: usize, extents: &[usize]) -> Result<(), Misfit> {
        let mut sizes: Vec<(&'static str, usize)> = vec![];
        if extents.len() != self.rank() {
            return Err(Misfit::Extents);
        }
        for (axis, extent) in self.axes.iter().zip(extents) {
            let (mut known, mut open) = (1, None);
            for factor in axis {
                known *= match factor {
                    Factor::Ranks => ranks,
                    Factor::Number(number) => *number,
                    Factor::Name(name) => match sizes.iter().find(|(n, _)| n == name) {
                        Some((_, size)) => *size,
                        None => {
                            open = Some(*name);
                            1
                        }
                    },
                };
            }
            match open {
                Some(name) if known != 0 && extent % known == 0 => sizes.push((name, extent / known)),
                None if known == *extent => {}
                _ => return Err(Misfit::Extents),
            }
        }
        sizes.iter().find(|(_, size)| *size == 0).map_or(Ok(()), |(name, _)| Err(Misfit::Zero(name)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents() {
        let chunks = Shape::new("[P, 1, P * SIZE]");
        assert_eq!(chunks.check(4, &[4, 1, 32]), Ok(()));
        assert_eq!(chunks.check(4, &[4, 1, 0]), Err(Misfit::Zero("SIZE")));
        for extents in [&[4, 1, 30][..], &[4, 2, 32], &[3, 1, 32], &[4, 32]] {
            assert_eq!(chunks.check(4, extents), Err(Misfit::Extents), "{extents:?}");
        }
        let square = Shape::new("[N, N, 2]");
        assert_eq!((square.check(4, &[3, 3, 2]), square.check(4, &[3, 4, 2])), (Ok(()), Err(Misfit::Extents)));
    }

    #[test]
    fn texts() {
        let chunks = Shape::new("[P, 1, P * SIZE]");
        assert_eq!((chunks.with_ranks(4), chunks.reshape()), ("[4, 1, 4 * SIZE]".into(), Some("P, 1, -1".into())));
        assert!(chunks.is_per_rank() && !Shape::new("[SIZE]").is_per_rank());
        assert_eq!(Shape::new("[P, ROWS, COLUMNS]").reshape(), None);
    }
}
