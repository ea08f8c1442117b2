//! Faults explain themselves: one function for each kind.
//!
//! Of many ranks only the first are explained; where the others stand is told by groups. The data has them all.

mod access;
mod cell;
mod collective;
mod lint;
mod stuck;
mod value;

use super::*;
use crate::explain::{Explanation, Origin, Part};
use crate::ir::FunctionKind;
use core::fmt::{self, Display, Formatter, Write};

impl Fault {
    /// What there is to say of it.
    pub fn explain(&self) -> Explanation {
        match self {
            Fault::Race(fault) => access::race(fault),
            Fault::Uninitialised(fault) => access::uninitialised(fault),
            Fault::OutOfBounds(fault) => access::out_of_bounds(fault),
            Fault::Arithmetic(fault) => value::arithmetic(fault),
            Fault::ElementDivision(fault) => value::element_division(fault),
            Fault::Peer(fault) => value::peer(fault),
            Fault::Extents(fault) => value::extents(fault),
            Fault::Declared(fault) => value::declared(fault),
            Fault::TileMemory(fault) => value::tile_memory(fault),
            Fault::CellOverflow(fault) => value::cell_overflow(fault),
            Fault::Count(fault) => value::count(fault),
            Fault::Root(fault) => collective::root(fault),
            Fault::Collective(fault) => collective::mismatch(fault),
            Fault::Credits(fault) => cell::credits(fault),
            Fault::Deadlock(fault) => stuck::deadlock(fault),
            Fault::Livelock(fault) => stuck::livelock(fault),
            Fault::OpBudget(fault) => stuck::op_budget(fault),
            Fault::Differs(fault) => access::differs(fault),
            Fault::Stopped(fault) => stuck::stopped(fault),
            Fault::Interrupted(fault) => stuck::interrupted(fault),
        }
    }
}

impl Display for Fault {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.explain())
    }
}

impl core::error::Error for Fault {}

impl From<&Site> for Origin {
    fn from(site: &Site) -> Origin {
        Origin {
            place: site.place.clone(),
            function: site.kernel.clone(),
            level: FunctionKind::InCore,
            rank: Some(site.rank),
            op: site.op,
        }
    }
}

/// A site's place, in the middle of a line; its kernel where it has none.
fn at(site: &Site) -> String {
    Origin::from(site).at().to_string()
}

/// `[2, 64]`
struct List<'a, T>(&'a [T]);

impl<T: Display> Display for List<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char('[')?;
        for (i, item) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            item.fmt(f)?;
        }
        f.write_char(']')
    }
}

/// `1 rank`, `2 ranks`
struct Count(usize, &'static str);

impl Display for Count {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}{}", self.0, self.1, if self.0 == 1 { "" } else { "s" })
    }
}

impl Display for Region {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "`{}[", self.memory)?;
        for (axis, (&offset, &extent)) in self.offsets.iter().zip(&self.extents).enumerate() {
            if axis > 0 {
                f.write_str(", ")?;
            }
            match extent {
                1 => write!(f, "{offset}")?,
                _ => write!(f, "{offset}..{}", offset + extent)?,
            }
        }
        f.write_str("]`")?;
        if let Some(rank) = self.owner {
            write!(f, " of rank {rank}")?;
        }
        match self.domain_rank {
            Some(rank) => write!(f, " (rank {rank} of its domain)"),
            None => Ok(()),
        }
    }
}
