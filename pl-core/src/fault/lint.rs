//! Lints: what a run that went well found odd. Each kind is an entry of one table, with its definition.

use super::{CellChange, Region, Site};
use crate::ir::Name;
use core::fmt;

macro_rules! lints {
    ($($(#[doc = $doc:literal])+ $kind:ident = $name:literal, $word:literal;)+) => {
        /// A kind of lint.
        ///
        /// A launch with lints has gone well: its results stand. A lint says that they may not stand next time. Where a kernel means what is reported,
        /// `#[pl::function(InCore, allow(set_overwrote))]` says so, for a whole launch [`LaunchOptions::allow`](crate::runtime::LaunchOptions), and on the
        /// examples' command line `--allow set-overwrote`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum LintKind {
            $($(#[doc = $doc])+ $kind,)+
        }

        impl LintKind {
            /// Every kind.
            pub const ALL: &[LintKind] = &[$(LintKind::$kind),+];

            /// Its name, as reports and `--allow` write it: `set-overwrote`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(LintKind::$kind => $name,)+
                }
            }

            /// Its name as `allow(…)` of a kernel writes it: `set_overwrote`.
            pub const fn word(self) -> &'static str {
                match self {
                    $(LintKind::$kind => $word,)+
                }
            }

            /// When exactly it is reported: the documentation of the kind.
            pub const fn definition(self) -> &'static str {
                match self {
                    $(LintKind::$kind => concat!($($doc, "\n"),+),)+
                }
            }
        }
    };
}

lints! {
    /// A notify with `Set` replaced what a notify of another rank than the cell's owner had deposited in this launch, and no wait of the owner on that
    /// cell had learnt of it; nor any other wait of the owner, where the owner itself sets. Whoever counts on that deposit waits in vain, or for the
    /// next one.
    SetOverwrote = "set-overwrote", "set_overwrote";
    /// In one launch, a cell took a notify with `Set` and one with `AtomicAdd`, from whichever ranks: the value that stays depends on which of
    /// them came last. Told once for a cell, with one notify of each kind.
    SetAddMixed = "set-add-mixed", "set_add_mixed";
    /// A wait passed by what its cell held when the launch began, without learning of any notify, and another rank notified that cell in this launch,
    /// before the wait or after it: the wait was meant for that notify, and ordered nothing. What the host wrote into the cell is meant to be there.
    StaleWait = "stale-wait", "stale_wait";
    /// A rank was given an `Out` tensor, and some of its elements were never stored to when its kernel had returned. An `Out` tensor without
    /// elements is written.
    OutUnwritten = "out-unwritten", "out_unwritten";
    /// A result can depend on the order in which the ranks ran, although nothing raced: a `pl::read` of a cell that others notify meanwhile, or a transfer with
    /// `atomic = Add` to elements of a float type to which others add meanwhile, so that the sum may be rounded in another order.
    OrderDependent = "order-dependent", "order_dependent";
}

impl LintKind {
    /// The kind of this name.
    pub fn from_name(name: &str) -> Option<LintKind> {
        LintKind::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// The kind that `allow(…)` of a kernel writes so.
    pub fn from_word(word: &str) -> Option<LintKind> {
        LintKind::ALL.iter().copied().find(|kind| kind.word() == word)
    }
}

impl fmt::Display for LintKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What a launch that went well found odd.
#[derive(Clone, Debug, PartialEq)]
pub struct Lint {
    /// Where: of several ranks, that of the first.
    pub site: Site,
    /// The ranks that it was found on at this place, in rising order.
    pub ranks: Vec<usize>,
    /// What was found: of several ranks, on the first.
    pub data: LintData,
}

impl Lint {
    /// Its kind.
    pub const fn kind(&self) -> LintKind {
        self.data.kind()
    }
}

/// What a lint found.
#[derive(Clone, Debug, PartialEq)]
pub enum LintData {
    /// The site is the notify with `Set`.
    SetOverwrote {
        /// The cell.
        cell: Region,
        /// What was overwritten.
        lost: CellChange,
        /// The notify that had deposited it.
        notify: Site,
    },
    /// The site is the second of two notifies.
    SetAddMixed {
        /// The cell.
        cell: Region,
        /// The first one, of the other kind.
        notify: Site,
    },
    /// The site is the wait.
    StaleWait {
        /// The cell.
        cell: Region,
        /// What it held when the launch began.
        initial: i32,
        /// A notify of this launch.
        notify: Site,
    },
    /// The site is the kernel.
    OutUnwritten {
        /// The tensor.
        memory: Name,
        /// Which parameter it is.
        param: usize,
        /// How many elements were not written.
        missing: usize,
        /// How many it has.
        elements: usize,
    },
    /// The site is the access.
    OrderDependent,
}

impl LintData {
    /// The kind of lint.
    pub const fn kind(&self) -> LintKind {
        match self {
            LintData::SetOverwrote { .. } => LintKind::SetOverwrote,
            LintData::SetAddMixed { .. } => LintKind::SetAddMixed,
            LintData::StaleWait { .. } => LintKind::StaleWait,
            LintData::OutUnwritten { .. } => LintKind::OutUnwritten,
            LintData::OrderDependent => LintKind::OrderDependent,
        }
    }
}

/// A set of kinds of lints: those that are allowed.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lints(u8);

impl Lints {
    /// None of them.
    pub const NONE: Lints = Lints(0);

    const fn bit(kind: LintKind) -> u8 {
        1 << kind as u8
    }

    /// Whether the set has this kind.
    pub const fn contains(self, kind: LintKind) -> bool {
        self.0 & Lints::bit(kind) != 0
    }

    /// Adds a kind; whether it is new.
    pub const fn insert(&mut self, kind: LintKind) -> bool {
        let new = !self.contains(kind);
        self.0 |= Lints::bit(kind);
        new
    }

    /// The kinds of either set.
    pub const fn union(self, other: Lints) -> Lints {
        Lints(self.0 | other.0)
    }

    /// Whether there are none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The kinds, in the order of [`LintKind::ALL`].
    pub fn iter(self) -> impl Iterator<Item = LintKind> {
        LintKind::ALL.iter().copied().filter(move |kind| self.contains(*kind))
    }
}

impl FromIterator<LintKind> for Lints {
    fn from_iter<I: IntoIterator<Item = LintKind>>(kinds: I) -> Lints {
        let mut lints = Lints::NONE;
        for kind in kinds {
            lints.insert(kind);
        }
        lints
    }
}

impl<const N: usize> From<[LintKind; N]> for Lints {
    fn from(kinds: [LintKind; N]) -> Lints {
        kinds.into_iter().collect()
    }
}

/// `{"set-overwrote", "order-dependent"}`
impl fmt::Debug for Lints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(LintKind::name)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_sets() {
        assert!(LintKind::ALL.len() <= 8, "a set is one byte");
        let mut all = Lints::NONE;
        for &kind in LintKind::ALL {
            assert_eq!(kind.name().replace('-', "_"), kind.word());
            assert_eq!(LintKind::from_name(kind.name()), Some(kind));
            assert_eq!(LintKind::from_word(kind.word()), Some(kind));
            assert!(kind.definition().trim_end().ends_with('.'));
            assert!(!all.contains(kind) && all.insert(kind) && !all.insert(kind) && all.contains(kind));
        }
        assert!(all.iter().eq(LintKind::ALL.iter().copied()));
        assert_eq!(LintKind::from_name("set_overwrote"), None);
        let two = Lints::from([LintKind::StaleWait, LintKind::SetOverwrote]);
        assert_eq!(format!("{two:?}"), r#"{"set-overwrote", "stale-wait"}"#);
        assert_eq!(two.union(Lints::from([LintKind::StaleWait])), two);
        assert!(Lints::default().is_empty() && !two.is_empty());
    }
}
