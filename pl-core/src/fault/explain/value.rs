//! Values that cannot be: of scalars, of tiles, of cells.

use super::*;

pub(super) fn arithmetic(fault: &Arithmetic) -> Explanation {
    let (what, help) = match (fault.problem, fault.ty) {
        (ArithmeticProblem::Overflow, "usize") => {
            ("overflows", "an index has 64 bits: look at where these values come from")
        }
        (ArithmeticProblem::Overflow, _) => {
            ("overflows", "the result must fit the type: cast the operands to a wider one")
        }
        (ArithmeticProblem::Underflow, "usize") => {
            ("is less than 0", "an index is never negative: compare before you subtract, or add before you subtract")
        }
        (ArithmeticProblem::Underflow, _) => {
            ("underflows", "the result must fit the type: cast the operands to a wider one")
        }
        (ArithmeticProblem::DivisionByZero, _) => ("divides by zero", "test the divisor before"),
        (ArithmeticProblem::ZeroStep, _) => ("has a step of zero", "the step of `pl::range` must be at least 1"),
    };
    Explanation::error(format!("`{}` {what} (`{}`)", fault.operation, fault.ty)).part(&fault.site).help(help)
}

pub(super) fn element_division(fault: &ElementDivision) -> Explanation {
    let zero = match &fault.element {
        Some(element) => format!("element {} of the divisor is 0", List(element)),
        None => "the divisor is 0".into(),
    };
    Explanation::error(format!("division by zero: {zero} (`{}`)", fault.dtype)).part(&fault.site).help(
        "integers have no infinity: make the divisor nonzero (`pl::maximum(d, 1)`) or divide as floats (`pl::cast::<f32>`)",
    )
}

pub(super) fn peer(fault: &PeerOutOfRange) -> Explanation {
    let PeerOutOfRange { site, window, peer, ranks } = fault;
    let has = Count(*ranks, "rank");
    Explanation::error(format!("peer {peer} is not a rank: the domain of `{window}` has {has}")).part(site).help(
        format!(
            "peers of `{}` are 0..{ranks}: loop over `0..pld::nranks(ctx)`, or wrap around with `% nranks`",
            site.op
        ),
    )
}

pub(super) fn extents(fault: &ExtentMismatch) -> Explanation {
    let ExtentMismatch { site, lhs, rhs } = fault;
    let (l, r) = (List(&lhs.1), List(&rhs.1));
    Explanation::error(format!("tiles of different extents: `{}` is {l}, `{}` is {r}", lhs.0, rhs.0))
        .part(site)
        .help(format!("`{}` works element by element: give both tiles the same extents", site.op))
}

pub(super) fn declared(fault: &DeclaredType) -> Explanation {
    let DeclaredType { site, local, declared, found, axis } = fault;
    let declared: Vec<String> = declared.iter().map(|d| d.map_or("_".into(), |d| d.to_string())).collect();
    let (declared, found) = (List(&declared), List(found));
    Explanation::error(format!("`{local}` is declared with extents {declared}, and has {found}"))
        .part(Part::new(site).line(format!("axis {axis} differs")))
        .help("correct the declared type, or the extents of the value")
}

pub(super) fn tile_memory(fault: &TileMemory) -> Explanation {
    let limit = match fault.limit {
        Some(limit) => format!("`{}` has {limit}", fault.platform),
        None => "the host does not have as much".into(),
    };
    let tiles = fault.tiles.iter().map(|(name, bytes)| format!("`{name}`: {bytes} bytes"));
    Explanation::error(format!("`{}` needs {} bytes of tile memory; {limit}", fault.site.op, fault.needed))
        .part(Part::new(&fault.site).lines(tiles))
        .help("process the data in smaller tiles, in a loop over chunks")
}

pub(super) fn cell_overflow(fault: &CellOverflow) -> Explanation {
    let CellOverflow { site, cell, value, add } = fault;
    Explanation::error(format!("signal overflow: {cell} holds {value}, and adding {add} does not fit `i32`"))
        .part(site)
        .help(
            "take credits back when they are used (notify yourself with a negative value), or `world.reset` the signal",
        )
}

pub(super) fn count(fault: &CountOutOfRange) -> Explanation {
    let CountOutOfRange { site, peer, count, limit } = fault;
    Explanation::error(format!("rank {} has count {count} for peer {peer}; counts are 0..={limit}", site.rank))
        .part(site)
        .help("a count is not negative, and not more than what there is room for at each peer")
}
