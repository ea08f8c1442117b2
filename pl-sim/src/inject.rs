//! Faults that a launch asks for, on the side of the rank that they befall.

use pl_core::fault::NotInjected;
use pl_core::runtime::Injection;

/// The faults of one rank that have not happened yet.
#[derive(Debug)]
pub(crate) struct Faults {
    /// After how many ops the next stop or delay comes. A rank without faults never gets there, so that it pays one comparison per op.
    pub(crate) due: u64,
    left: Vec<Injection>,
}

impl Faults {
    /// Those of a rank among the faults of a launch.
    pub(crate) fn new(rank: usize, all: &[Injection]) -> Faults {
        let mut faults = Faults { due: u64::MAX, left: all.iter().filter(|i| i.rank() == rank).copied().collect() };
        faults.find_due();
        faults
    }

    /// Whether nothing goes wrong any more.
    #[inline]
    pub(crate) const fn are_none(&self) -> bool {
        self.left.is_empty()
    }

    fn find_due(&mut self) {
        let before = |injection: &Injection| match injection {
            Injection::Stop { op, .. } | Injection::Delay { op, .. } => Some(op - 1),
            Injection::Lose { .. } | Injection::Double { .. } => None,
        };
        self.due = self.left.iter().filter_map(before).min().unwrap_or(u64::MAX);
    }

    /// The stop or delay that is due: of several the one that was asked for first.
    #[cold]
    pub(crate) fn take_due(&mut self) -> Option<Injection> {
        let due = |injection: &Injection| {
            matches!(injection, Injection::Stop { .. } | Injection::Delay { .. }) && injection.number() == self.due + 1
        };
        let taken = self.left.iter().position(due).map(|at| self.left.remove(at));
        self.find_due();
        taken
    }

    /// How often the notify with this number reaches its cell.
    #[inline(always)]
    pub(crate) fn deposits(&mut self, number: u64) -> u32 {
        if self.left.is_empty() { 1 } else { self.take_deposits(number) }
    }

    #[cold]
    #[inline(never)]
    fn take_deposits(&mut self, number: u64) -> u32 {
        let mut deposits = 1;
        self.left.retain(|injection| match injection {
            Injection::Lose { notify, .. } if *notify == number => {
                deposits = 0;
                false
            }
            Injection::Double { notify, .. } if *notify == number => {
                deposits *= 2;
                false
            }
            _ => true,
        });
        deposits
    }

    /// Those that did not happen until the end of the kernel, after so many ops and notifies.
    pub(crate) fn not_injected(&self, ops: u64, notifies: u64) -> impl Iterator<Item = NotInjected> {
        self.left.iter().map(move |&injection| {
            let reached = match injection {
                Injection::Stop { .. } | Injection::Delay { .. } => ops,
                Injection::Lose { .. } | Injection::Double { .. } => notifies,
            };
            NotInjected { injection, reached }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_come_in_their_order() {
        let all = [
            Injection::Stop { rank: 1, op: 9 },
            Injection::Delay { rank: 1, op: 3 },
            Injection::Double { rank: 1, notify: 2 },
            Injection::Delay { rank: 0, op: 1 },
            Injection::Lose { rank: 1, notify: 7 },
        ];
        let mut faults = Faults::new(1, &all);
        assert_eq!(faults.due, 2);
        assert_eq!(faults.take_due(), Some(all[1]));
        assert_eq!((faults.deposits(1), faults.deposits(2), faults.deposits(3)), (1, 2, 1));
        assert_eq!(faults.due, 8);
        assert_eq!(faults.take_due(), Some(all[0]));
        assert_eq!(faults.due, u64::MAX);
        let left: Vec<_> = faults.not_injected(12, 6).collect();
        assert_eq!(left, [NotInjected { injection: all[4], reached: 6 }]);
        assert_eq!(faults.deposits(7), 0);
        assert_eq!(Faults::new(2, &all).due, u64::MAX);
    }
}
