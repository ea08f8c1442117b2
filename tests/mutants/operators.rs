//! The operators: each changes one thing in a lowered kernel.
//!
//! A barrier, here, is a notify, or a loop of notifies, and the wait, or the loop of waits, that follows. The notifies by which a rank takes credits
//! back from its own cells are its epilogue: they add a negative number.

use crate::site::{At, replaced, show, visit};
use pl::DType;
use pl::ir::{
    Arg, ArgKind, BinOp, Elem, EnumValue, Expr, ExprKind, Function, Lit, LocalId, Op, Stmt, StmtKind, Type, UnOp,
};
use pl_core::op::{AtomicType, EnumKind, NotifyOp, OpCode, ParamKind, WaitCmp};
use pl_core::verify::{Inferred, Moment, verify};

/// What an operator does to a kernel on this many ranks.
struct Subject<'a> {
    function: &'a Function,
    inferred: Inferred,
    ranks: usize,
}

/// One way to apply an operator: what it changes, where the operator does not tell, how many statements it replaces, and by what.
type Edit = (String, usize, Vec<Stmt>);

/// An operator: its name, and the ways to apply it to the first of these statements, which are the rest of a block.
pub struct Operator {
    /// Its name.
    pub name: &'static str,
    /// What it changes.
    pub what: &'static str,
    edits: fn(&Subject<'_>, &[Stmt]) -> Vec<Edit>,
}

/// All of them.
pub const OPERATORS: [Operator; 11] = [
    Operator {
        name: "delete a notify",
        what: "a notify is left out; of `put_with_signal`, the signal",
        edits: delete_notify,
    },
    Operator { name: "delete a wait", what: "a wait is left out", edits: delete_wait },
    Operator {
        name: "delete a barrier",
        what: "a notify, or a loop of them, is left out with the wait, or the loop of waits, that follows",
        edits: delete_barrier,
    },
    Operator {
        name: "drop the epilogue",
        what: "the notifies that take the credits of a call back are left out",
        edits: drop_epilogue,
    },
    Operator { name: "wait for one less", what: "a wait with `Ge` for n is satisfied by n - 1", edits: weaken },
    Operator {
        name: "name the next rank",
        what: "a peer is the rank after it, and after the last one the first",
        edits: next_rank,
    },
    Operator { name: "shift by a row", what: "offsets begin one row later", edits: shift },
    Operator {
        name: "use the next row",
        what: "they begin one row later, and after the last row at the first",
        edits: next_row,
    },
    Operator {
        name: "swap two sync ops",
        what: "two notifies or waits, or loops of them, that follow one another change places",
        edits: swap,
    },
    Operator {
        name: "set instead of add",
        what: "a notify sets the cell to which it should add; a transfer with `atomic = Add` overwrites",
        edits: set,
    },
    Operator { name: "leave out the own part", what: "a reduction takes only what the peers have", edits: remote_only },
];

/// A kernel with one thing changed.
pub struct Mutant {
    /// The operator's name.
    pub operator: &'static str,
    /// The statement that it was applied to, and what it changed there.
    pub place: String,
    /// The changed kernel.
    pub function: Function,
}

/// All mutants of a lowered kernel.
pub fn mutants(function: &Function, ranks: usize) -> Vec<Mutant> {
    let subject = Subject { function, inferred: verify(function, Moment::Linked).inferred, ranks };
    let mut mutants = vec![];
    for Operator { name: operator, edits, .. } in &OPERATORS {
        // Equal statements are told apart by their number.
        let mut seen: Vec<String> = vec![];
        visit(&function.body, &mut |at: At, rest| {
            for (what, len, by) in edits(&subject, rest) {
                let text: Vec<String> = rest[..len].iter().map(|stmt| show(function, stmt)).collect();
                let text = [text.join("; "), what].join(", ");
                let text = text.trim_end_matches(", ").to_owned();
                seen.push(text.clone());
                let number = seen.iter().filter(|place| **place == text).count();
                let place = if number == 1 { text } else { format!("{text} ({number})") };
                mutants.push(Mutant { operator, place, function: replaced(function, &at, len, by) });
            }
        });
    }
    mutants
}

fn op_of(stmt: &Stmt) -> Option<&Op> {
    match &stmt.kind {
        StmtKind::Op(op) => Some(op),
        _ => None,
    }
}

/// The statement with another op.
fn with_op(stmt: &Stmt, change: impl FnOnce(&mut Op)) -> Stmt {
    let mut stmt = stmt.clone();
    if let StmtKind::Op(op) = &mut stmt.kind {
        change(op);
    }
    stmt
}

/// The argument for the parameter of this name.
fn argument<'a>(op: &'a Op, name: &str) -> Option<&'a Arg> {
    op.args.get(position(op, name)?)
}

fn position(op: &Op, name: &str) -> Option<usize> {
    op.code.info().params.iter().position(|param| param.name == name)
}

fn value<'a>(op: &'a Op, name: &str) -> Option<&'a Expr> {
    match &argument(op, name)?.kind {
        ArgKind::Value(value) => Some(value),
        _ => None,
    }
}

/// Whether a notify takes credits back.
fn takes_back(op: &Op) -> bool {
    let negative = |value: &Expr| match &value.kind {
        ExprKind::Lit { value: Lit::Int(value), .. } => *value < 0,
        ExprKind::Unary(UnOp::Neg, _) => true,
        _ => false,
    };
    op.code == OpCode::Notify && value(op, "value").is_some_and(negative)
}

/// What a statement does that orders ranks, when it does nothing else.
#[derive(Clone, Copy, PartialEq)]
enum Sync {
    Notify,
    Epilogue,
    Wait,
}

fn sync(stmt: &Stmt) -> Option<Sync> {
    match &stmt.kind {
        StmtKind::Op(op) if takes_back(op) => Some(Sync::Epilogue),
        StmtKind::Op(Op { code: OpCode::Notify, .. }) => Some(Sync::Notify),
        StmtKind::Op(Op { code: OpCode::Wait, .. }) => Some(Sync::Wait),
        StmtKind::For { body, .. } | StmtKind::If { then: body, .. } if stmt.kind.blocks()[1].is_empty() => {
            let mut kinds = body.iter().map(sync);
            let first = kinds.next()??;
            kinds.all(|kind| kind == Some(first)).then_some(first)
        }
        _ => None,
    }
}

fn delete_notify(_: &Subject<'_>, rest: &[Stmt]) -> Vec<Edit> {
    match op_of(&rest[0]) {
        Some(op) if op.code == OpCode::Notify && !takes_back(op) => vec![(String::new(), 1, vec![])],
        // The transfer stays.
        Some(op) if op.code == OpCode::PutWithSignal => {
            let params = OpCode::Put.info().params.iter();
            let args = params.filter_map(|param| argument(op, param.name).cloned()).collect();
            vec![("the signal".into(), 1, vec![with_op(&rest[0], |op| (op.code, op.args) = (OpCode::Put, args))])]
        }
        _ => vec![],
    }
}

fn delete_wait(_: &Subject<'_>, rest: &[Stmt]) -> Vec<Edit> {
    let wait = op_of(&rest[0]).is_some_and(|op| op.code == OpCode::Wait);
    if wait { vec![(String::new(), 1, vec![])] } else { vec![] }
}

fn delete_barrier(_: &Subject<'_>, rest: &[Stmt]) -> Vec<Edit> {
    match rest {
        [a, b, ..] if (sync(a), sync(b)) == (Some(Sync::Notify), Some(Sync::Wait)) => vec![(String::new(), 2, vec![])],
        _ => vec![],
    }
}

fn drop_epilogue(_: &Subject<'_>, rest: &[Stmt]) -> Vec<Edit> {
    // Of the loop, not again of what stands in it.
    let whole = matches!(rest[0].kind, StmtKind::For { .. });
    if whole && sync(&rest[0]) == Some(Sync::Epilogue) { vec![(String::new(), 1, vec![])] } else { vec![] }
}

fn weaken(_: &Subject<'_>, rest: &[Stmt]) -> Vec<Edit> {
    let Some(op) = op_of(&rest[0]).filter(|op| op.code == OpCode::Wait) else { return vec![] };
    let ge = ArgKind::Enum(EnumKind::WaitCmp, EnumValue::Known(WaitCmp::Ge.wire()));
    let (Some(at), Some(cmp)) = (position(op, "expected"), argument(op, "cmp")) else { return vec![] };
    if cmp.kind != ge {
        return vec![];
    }
    vec![(
        String::new(),
        1,
        vec![with_op(&rest[0], |op| {
            change(&mut op.args[at], 0, |n| Expr::binary(BinOp::Sub, n, Expr::int(1)));
        })],
    )]
}

/// Changes an expression of an argument.
fn change(arg: &mut Arg, index: usize, f: impl FnOnce(Expr) -> Expr) {
    let place = &mut arg.exprs_mut()[index];
    let old = std::mem::replace(place, Expr::int(0));
    let loc = old.loc;
    *place = f(old).at(loc);
}

/// An edit for each argument of the op for which there is one.
fn for_arguments(stmt: &Stmt, changed: impl Fn(&Op, usize, ParamKind) -> Option<Arg>) -> Vec<Edit> {
    let Some(op) = op_of(stmt).filter(|op| !op.code.info().internal) else { return vec![] };
    let params = op.code.info().params.iter().enumerate();
    params
        .filter_map(|(index, param)| {
            let arg = changed(op, index, param.kind)?;
            Some((param.name.to_owned(), 1, vec![with_op(stmt, |op| op.args[index] = arg)]))
        })
        .collect()
}

fn next_rank(subject: &Subject<'_>, rest: &[Stmt]) -> Vec<Edit> {
    for_arguments(&rest[0], |op, index, kind| {
        let mut arg = op.args[index].clone();
        (kind == ParamKind::Peer && !arg.exprs().is_empty()).then(|| {
            change(&mut arg, 0, |peer| {
                let next = Expr::binary(BinOp::Add, peer, Expr::int(1));
                Expr::binary(BinOp::Rem, next, Expr::int(subject.ranks as i128))
            });
            arg
        })
    })
}

/// The offsets, with another one for the first axis of the memory that they are of, which has this extent.
fn moved(subject: &Subject<'_>, stmt: &Stmt, to: impl Fn(Expr, &Expr) -> Option<Expr>) -> Vec<Edit> {
    for_arguments(stmt, |op, index, kind| {
        let ParamKind::Offsets(of) = kind else { return None };
        let memory = op.args[usize::from(of)].as_local()?;
        let extent = subject.inferred.types[memory.0 as usize].shaped()?.shape.first()?.clone()?;
        let mut arg = op.args[index].clone();
        let offset = arg.exprs().first()?.clone();
        let offset = to(offset, &extent)?;
        change(&mut arg, 0, |_| offset);
        Some(arg)
    })
}

fn shift(subject: &Subject<'_>, rest: &[Stmt]) -> Vec<Edit> {
    moved(subject, &rest[0], |row, _| Some(Expr::binary(BinOp::Add, row, Expr::int(1))))
}

fn next_row(subject: &Subject<'_>, rest: &[Stmt]) -> Vec<Edit> {
    moved(subject, &rest[0], |row, extent| {
        let next = Expr::binary(BinOp::Add, row, Expr::int(1));
        (*extent != Expr::int(1)).then(|| Expr::binary(BinOp::Rem, next, extent.clone()))
    })
}

fn swap(_: &Subject<'_>, rest: &[Stmt]) -> Vec<Edit> {
    match rest {
        [a, b, ..] if sync(a).is_some() && sync(b).is_some() && a != b => {
            vec![(String::new(), 2, vec![b.clone(), a.clone()])]
        }
        _ => vec![],
    }
}

fn set(_: &Subject<'_>, rest: &[Stmt]) -> Vec<Edit> {
    let instead = [
        (EnumKind::NotifyOp, NotifyOp::AtomicAdd.wire(), NotifyOp::Set.wire()),
        (EnumKind::AtomicType, AtomicType::Add.wire(), AtomicType::None.wire()),
    ];
    for_arguments(&rest[0], |op, index, _| {
        let arg = &op.args[index];
        let ArgKind::Enum(kind, EnumValue::Known(value)) = &arg.kind else { return None };
        let (.., set) = instead.iter().find(|(k, add, _)| (k, add) == (kind, value))?;
        Some(Arg { kind: ArgKind::Enum(*kind, EnumValue::Known(*set)), loc: arg.loc })
    })
}

/// The local that a function keeps its own rank in.
fn my_rank(function: &Function) -> Option<LocalId> {
    function.body.iter().filter_map(op_of).find(|op| op.code == OpCode::Rank)?.dst
}

/// The neutral element of a reduction, by the element type.
type Neutral = fn(DType) -> Lit;

/// The neutral element of an op that reductions are made of.
fn neutral_of(code: OpCode) -> Option<Neutral> {
    Some(match code {
        OpCode::Add => |dtype| if dtype.is_float() { Lit::Float(0.0) } else { Lit::Int(0) },
        OpCode::Mul => |dtype| if dtype.is_float() { Lit::Float(1.0) } else { Lit::Int(1) },
        OpCode::Maximum => {
            |dtype| if dtype.is_float() { Lit::Float(f64::NEG_INFINITY) } else { Lit::Int(i32::MIN.into()) }
        }
        OpCode::Minimum => |dtype| if dtype.is_float() { Lit::Float(f64::INFINITY) } else { Lit::Int(i32::MAX.into()) },
        _ => return None,
    })
}

/// The local into which a statement combines another tile, and the neutral element.
fn combines(stmt: &Stmt) -> Option<(LocalId, Neutral)> {
    let op = op_of(stmt)?;
    let neutral = neutral_of(op.code)?;
    let acc = op.dst.filter(|dst| op.args.first().and_then(Arg::as_local) == Some(*dst))?;
    Some((acc, neutral))
}

/// A reduction takes only what the peers have.
fn remote_only(subject: &Subject<'_>, rest: &[Stmt]) -> Vec<Edit> {
    let edits = [begins_with_nothing(subject, rest), skips_itself(subject, rest), does_not_combine(subject, rest)];
    edits.into_iter().flatten().map(|(len, by)| (String::new(), len, by)).collect()
}

/// Of `acc = load(…)` before a loop that combines into `acc`: it begins with the neutral element.
fn begins_with_nothing(subject: &Subject<'_>, rest: &[Stmt]) -> Option<(usize, Vec<Stmt>)> {
    let [first, Stmt { kind: StmtKind::For { body, .. }, .. }, ..] = rest else { return None };
    let load = op_of(first).filter(|op| op.code == OpCode::Load && is_window(subject, op))?;
    let acc = load.dst?;
    let mut neutral = None;
    visit(body, &mut |_, rest| neutral = neutral.or(combines(&rest[0]).filter(|(dst, _)| *dst == acc)));
    let dtype = match subject.inferred.types[acc.0 as usize].shaped()?.elem {
        Elem::Known(dtype) => dtype,
        Elem::Param(_) => return None,
    };
    let value = ExprKind::Lit { value: neutral?.1(dtype), ty: None };
    let shape = argument(load, "shape")?.clone();
    let value = Arg { kind: ArgKind::Value(Expr::new(value)), ..shape.clone() };
    let full = Op { code: OpCode::Full, dst: Some(acc), args: vec![shape, value], elem: Some(Elem::Known(dtype)) };
    Some((1, vec![with_op(first, |op| *op = full)]))
}

/// Of a loop that combines the parts of all ranks, and of a transfer that adds to one of them: not with the own rank.
fn skips_itself(subject: &Subject<'_>, rest: &[Stmt]) -> Option<(usize, Vec<Stmt>)> {
    let me = my_rank(subject.function)?;
    let guarded = |peer: &Expr, stmt: &Stmt| {
        let cond = Expr::binary(BinOp::Ne, peer.clone(), Expr::local(me)).at(peer.loc);
        Stmt { kind: StmtKind::If { cond, then: vec![stmt.clone()], els: vec![] }, loc: stmt.loc }
    };
    match &rest[0].kind {
        StmtKind::For { body, .. } => {
            let parts = |pair: &[Stmt]| {
                op_of(&pair[0]).is_some_and(|op| op.code == OpCode::RemoteLoad) && combines(&pair[1]).is_some()
            };
            let at = body.windows(2).position(parts)?;
            let peer = value(op_of(&body[at])?, "peer")?;
            let mut changed = rest[0].clone();
            if let StmtKind::For { body: changed, .. } = &mut changed.kind {
                changed[at + 1] = guarded(peer, &body[at + 1]);
            }
            Some((1, vec![changed]))
        }
        StmtKind::Op(op) => {
            let add = ArgKind::Enum(EnumKind::AtomicType, EnumValue::Known(AtomicType::Add.wire()));
            let adds = argument(op, "atomic").is_some_and(|atomic| atomic.kind == add);
            adds.then(|| Some((1, vec![guarded(value(op, "peer")?, &rest[0])])))?
        }
        _ => None,
    }
}

/// Of the own part that is loaded and combined with what came: what came is all.
fn does_not_combine(subject: &Subject<'_>, rest: &[Stmt]) -> Option<(usize, Vec<Stmt>)> {
    let [load, combine, ..] = rest else { return None };
    let (load, combined) = (op_of(load)?, op_of(combine)?);
    let (came, own) = match &*combined.args {
        [came, own] => (came.as_local()?, own.as_local()?),
        _ => return None,
    };
    let own_part = load.code == OpCode::Load && is_window(subject, load) && load.dst == Some(own);
    if !own_part || neutral_of(combined.code).is_none() {
        return None;
    }
    let dst = combined.dst?;
    let kind = StmtKind::Assign { dst, value: Expr::local(came) };
    let rest = if dst == came { vec![] } else { vec![Stmt { kind, loc: combine.loc }] };
    Some((2, rest))
}

fn is_window(subject: &Subject<'_>, op: &Op) -> bool {
    let memory = op.args.first().and_then(Arg::as_local);
    memory.is_some_and(|id| matches!(subject.inferred.types[id.0 as usize], Type::Window(_)))
}
