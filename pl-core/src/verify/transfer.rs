//! Relations between the arguments of transfers: what is given together, element types, chunks; and views of memory.

use super::op::elem_name;
use super::shape::About;
use super::{Check, Checker, Known};
use crate::diag::Diagnostic;
use crate::ir::{Arg, ArgKind, ConstValue, EnumValue, Expr, Extent, Loc, Op, Shaped, Type};
use crate::op::{Chunks, Dim, OpInfo, ParamKind};

impl Checker<'_> {
    /// The wire value of an enum argument, where it is known.
    pub(super) fn wire_value(&self, arg: &Arg) -> Option<i32> {
        match &arg.kind {
            ArgKind::Enum(_, EnumValue::Known(value)) => Some(*value),
            ArgKind::Enum(_, EnumValue::Const(name)) => match self.function.constant(name)?.value.as_ref()? {
                ConstValue::Enum(_, value) => Some(*value),
                ConstValue::Scalar(..) => None,
            },
            _ => None,
        }
    }

    /// The alternatives of a required shape that are left once an enum argument has chosen, and what chose.
    pub(super) fn alternatives(
        &self,
        op: &Op,
        info: &OpInfo,
        index: usize,
        alternatives: &'static [&'static [Dim]],
    ) -> (&'static [&'static [Dim]], String) {
        let all = (alternatives, String::new());
        let last = info.shapes.last().is_some_and(|(param, _)| usize::from(*param) == index);
        let Some(by) = info.lowering.and_then(|l| l.by).filter(|_| last).map(usize::from) else { return all };
        let (Some(arg), ParamKind::Enum(kind)) = (op.args.get(by), info.params[by].kind) else { return all };
        let Some(value) = self.wire_value(arg).and_then(|v| usize::try_from(v).ok()) else { return all };
        match (alternatives.get(value..=value), kind.variants().get(value)) {
            (Some(chosen), Some(variant)) => {
                (chosen, format!(" with `{} = {}`", info.params[by].name, kind.written(variant)))
            }
            _ => all,
        }
    }

    /// A flag is known before the program runs.
    pub(super) fn check_flag(&mut self, arg: &Arg, what: &str, at: Loc) {
        let ArgKind::Value(expr) = &arg.kind else { return };
        if self.flag(arg).is_none() && expr.as_local().is_some() {
            self.error(at, format!("{what} must be a constant"), "write `true`, `false`, or the name of a `const`");
        }
    }

    /// The value of a flag, where it is known.
    fn flag(&self, arg: &Arg) -> Option<bool> {
        match &arg.kind {
            ArgKind::Value(expr) => self.known().truth(expr),
            _ => None,
        }
    }

    /// What an op asks of several arguments at once.
    pub(super) fn check_relations(&mut self, op: &Op, info: &OpInfo, types: &[Option<Type>], loc: Loc) {
        self.check_together(op, info, loc);
        self.check_alike(op, info, types, loc);
        self.check_when(op, info, types, loc);
        if let Some(chunks) = &info.chunks {
            self.check_boxes(op, info, chunks, types, loc);
            self.check_chunks(op, info, chunks, types, loc);
        }
    }

    /// All of them, or none.
    fn check_together(&mut self, op: &Op, info: &OpInfo, loc: Loc) {
        let given = |p: &&u8| op.args[usize::from(**p)].kind != ArgKind::Absent;
        let name = |p: &u8| format!("`{}`", info.params[usize::from(*p)].name);
        let (there, missing): (Vec<&u8>, Vec<&u8>) = info.together.iter().partition(given);
        if let Some(first) = there.first()
            && !missing.is_empty()
        {
            let list = |of: &[&u8]| of.iter().map(|p| name(p)).collect::<Vec<_>>().join(" and ");
            self.error(
                op.args[usize::from(**first)].loc.or(loc),
                format!("`{}` has {} and lacks {}", info.path, list(&there), list(&missing)),
                "a box has all three, `dst_offsets`, `src_offsets` and `shape`; without any the whole memory is meant",
            );
        }
    }

    fn check_alike(&mut self, op: &Op, info: &OpInfo, types: &[Option<Type>], loc: Loc) {
        for (a, b) in info.alike {
            let (a, b) = (usize::from(*a), usize::from(*b));
            let shaped = |i: usize| types[i].as_ref().and_then(Type::shaped);
            let (Some(x), Some(y)) = (shaped(a), shaped(b)) else { continue };
            if self.elems_agree(&x.elem, &y.elem) {
                continue;
            }
            let (ea, eb) = (elem_name(&x.elem), elem_name(&y.elem));
            let (na, nb) = (info.params[a].name, info.params[b].name);
            self.report(
                Diagnostic::new(
                    op.args[b].loc.or(loc),
                    format!("`{na}` of `{}` has element type `{ea}` and `{nb}` has `{eb}`", info.path),
                    "both have the same element type: `pl::load`, `pl::cast` and `pl::store` convert",
                )
                .with(op.args[a].loc, format!("`{na}` has element type `{ea}`")),
            );
        }
    }

    fn check_when(&mut self, op: &Op, info: &OpInfo, types: &[Option<Type>], loc: Loc) {
        let Some(when) = &info.when else { return };
        let (param, of) = (usize::from(when.param), usize::from(when.of));
        let open = match (&op.args[param].kind, self.wire_value(&op.args[param])) {
            (_, Some(value)) if value == when.value => None,
            (ArgKind::Enum(_, EnumValue::Const(name)), None) => Some(name.clone()),
            _ => return,
        };
        let Some(shaped) = types[of].as_ref().and_then(Type::shaped) else { return };
        let crate::ir::Elem::Known(dtype) = shaped.elem else { return };
        if !when.dtypes.contains(&dtype) {
            let list = when.dtypes.iter().map(|d| d.name()).collect::<Vec<_>>().join(", ");
            let name = info.params[of].name;
            let memory = op.args[of].as_local().map_or("?", |id| self.name_of(id)).to_string();
            let at = op.args[param].loc.or(loc);
            let message = format!(
                "`{}` of `{}` adds to `{memory}` of `{dtype}`, expected {list}",
                info.params[param].name, info.path
            );
            let help = format!("use a `{name}` of one of these types, or leave `{}` out", info.params[param].name);
            match open {
                None => self.error(at, message, help),
                // Whether the constant has that value, rustc knows.
                Some(name) => {
                    let value = Expr::int(i128::from(when.value));
                    let other = Expr::binary(crate::ir::BinOp::Sub, Expr::name(name), value);
                    self.fact(at, Check::NonZero(other), message, &help);
                }
            }
        }
    }

    /// The boxes of a bulk transfer fit both memories; without a box, both have one shape.
    fn check_boxes(&mut self, op: &Op, info: &OpInfo, chunks: &Chunks, types: &[Option<Type>], loc: Loc) {
        let (remote, local) = (usize::from(chunks.remote), usize::from(chunks.local));
        let shaped = |i: usize| types[i].as_ref().and_then(Type::shaped).cloned();
        let (Some(a), Some(b)) = (shaped(remote), shaped(local)) else { return };
        let at = op.args[local].loc.or(loc);
        let (na, nb) = (info.params[remote].name, info.params[local].name);
        let named =
            |checker: &Self, i: usize| op.args[i].as_local().map_or("?".into(), |id| checker.name_of(id).to_string());
        if a.shape.len() != b.shape.len() {
            let (sa, sb) = (named(self, remote), named(self, local));
            self.error(
                at,
                format!(
                    "`{}` between `{sa}` of rank {} and `{sb}` of rank {}",
                    info.path,
                    a.shape.len(),
                    b.shape.len()
                ),
                "both have as many axes; `pl::reshape` gives memory another shape",
            );
            return;
        }
        let list = |i: u8| match &op.args[usize::from(i)].kind {
            ArgKind::List(list) => Some(list.as_slice()),
            _ => None,
        };
        let Some(shape) = list(chunks.shape) else {
            let message = format!("`{na}` and `{nb}` of `{}` have different shapes", info.path);
            let help = "without a box the whole of both is meant: pass `dst_offsets`, `src_offsets` and `shape`";
            if !self.shapes_agree(&a.shape, &b.shape, &About { loc: at, message: &message, help }) {
                let show = |checker: &Self, s: &Shaped| {
                    format!(
                        "`{}`{}",
                        crate::text::show_shape(checker.function, &s.shape),
                        checker.show_values(&s.shape)
                    )
                };
                let message = format!("{message}: {} and {}", show(self, &a), show(self, &b));
                self.fault(Diagnostic::new(at, message, help));
            }
            return;
        };
        let extents = self.shape_of(shape);
        for (index, offsets, memory) in
            [(remote, chunks.remote_offsets, &a.shape), (local, chunks.local_offsets, &b.shape)]
        {
            let Some(offsets) = list(offsets) else { continue };
            if offsets.len() == memory.len() && extents.len() == memory.len() {
                let name = named(self, index);
                self.check_box(&name, memory, offsets, Some(&extents), at);
            }
        }
    }

    /// An extent that is no constant needs the matching chunk; a pipeline needs both.
    fn check_chunks(&mut self, op: &Op, info: &OpInfo, chunks: &Chunks, types: &[Option<Type>], loc: Loc) {
        let rows_at = usize::from(chunks.rows);
        let (rows, cols, pipeline) = (&op.args[rows_at], &op.args[rows_at + 1], &op.args[rows_at + 2]);
        for (index, arg) in [(rows_at, rows), (rows_at + 1, cols)] {
            let ArgKind::Value(expr) = &arg.kind else { continue };
            if self.constant_of(expr).is_none() && !self.depends_on_constants(expr) {
                self.error(
                    arg.loc.or(loc),
                    format!("argument `{}` of `{}` must be a constant", info.params[index].name, info.path),
                    "it bounds the tile memory that the transfer needs: write a literal or the name of a `const`",
                );
            }
        }
        let zero = |checker: &Self, arg: &Arg| match &arg.kind {
            ArgKind::Value(expr) => checker.constant_of(expr) == Some(0),
            _ => false,
        };
        let (no_rows, no_cols) = (zero(self, rows), zero(self, cols));
        if self.flag(pipeline) == Some(true) && (no_rows || no_cols) {
            let lacking = match (no_rows, no_cols) {
                (true, true) => "`chunk_rows` and `chunk_cols`",
                (true, false) => "`chunk_rows`",
                _ => "`chunk_cols`",
            };
            self.error(
                pipeline.loc.or(loc),
                format!("`pipeline = true` of `{}` needs both chunks, it lacks {lacking}", info.path),
                "a pipeline moves one chunk while the next is read: give `chunk_rows` and `chunk_cols`",
            );
        }
        // A chunk whose constant is still open must not turn out as 0 where it is needed.
        let open = |checker: &Self, arg: &Arg| match &arg.kind {
            ArgKind::Value(expr) if checker.constant_of(expr).is_none() => checker.resolve(expr),
            _ => None,
        };
        let (open_rows, open_cols) = (open(self, rows), open(self, cols));
        if self.flag(pipeline) == Some(true) {
            for (chunk, arg, name) in [(&open_rows, rows, "chunk_rows"), (&open_cols, cols, "chunk_cols")] {
                if let Some(chunk) = chunk {
                    let message = format!("`pipeline = true` of `{}` needs both chunks, and `{name}` is 0", info.path);
                    let help = "a pipeline moves one chunk while the next is read: give `chunk_rows` and `chunk_cols`";
                    self.fact(arg.loc.or(loc), Check::NonZero(chunk.clone()), message, help);
                }
            }
        }
        // Once dims have values, tile memory says whether the whole box fits.
        let shape: Vec<(Extent, Loc)> = match &op.args[usize::from(chunks.shape)].kind {
            ArgKind::List(list) => list.iter().map(|e| (self.resolve(e), e.loc)).collect(),
            _ => match types[usize::from(chunks.remote)].as_ref().and_then(Type::shaped) {
                Some(shaped) => {
                    shaped.shape.iter().map(|e| (e.clone(), op.args[usize::from(chunks.remote)].loc)).collect()
                }
                None => return,
            },
        };
        let last = shape.len().saturating_sub(1);
        for (axis, (extent, at)) in shape.into_iter().enumerate() {
            let (lacks, chunk, open, arg) = if axis == last {
                (no_cols, "chunk_cols", &open_cols, cols)
            } else {
                (no_rows, "chunk_rows", &open_rows, rows)
            };
            if self.is_static(&extent) {
                continue;
            }
            if let Some(open) = open {
                let message = format!("extent {axis} of `{}` is no constant, and `{chunk}` is 0", info.path);
                let help = format!("bound the tile memory of the transfer: `{chunk} = 64`");
                self.fact(arg.loc.or(loc), Check::NonZero(open.clone()), message, &help);
            }
            if lacks {
                let shown = extent.map_or("only the run knows it".to_string(), |e| format!("`{}`", self.show(&e)));
                self.error(
                    at.or(loc),
                    format!("extent {axis} of `{}` is no constant ({shown}), and `{chunk}` is not given", info.path),
                    format!("bound the tile memory of the transfer: `{chunk} = 64`"),
                );
                return;
            }
        }
    }

    /// Whether an extent is the same in every launch.
    fn is_static(&self, extent: &Extent) -> bool {
        extent.as_ref().is_some_and(|e| {
            let mut dynamic = false;
            e.walk(&mut |e| {
                dynamic |= match &e.kind {
                    crate::ir::ExprKind::Name(name) => self.function.is_dynamic(name),
                    crate::ir::ExprKind::Local(_) | crate::ir::ExprKind::Extent(..) => true,
                    _ => false,
                };
            });
            !dynamic
        })
    }

    /// The value of an index expression that is a constant.
    fn constant_of(&self, expr: &Expr) -> Option<i128> {
        let resolved = self.resolve(expr)?;
        let known = Known { function: self.function, bindings: None, values: &self.values };
        known.index(&resolved)
    }

    /// Whether an expression is made of constants, open ones included.
    fn depends_on_constants(&self, expr: &Expr) -> bool {
        self.is_static(&self.resolve(expr))
    }

    /// The same memory in another shape.
    pub(super) fn view(&mut self, op: &Op, memory: usize, shape: Option<Vec<Extent>>) -> (Type, Option<usize>) {
        let Some(id) = op.args[memory].as_local() else { return (Type::Unknown, None) };
        let root = self.roots[id.0 as usize];
        let (Some(ty), Some(shape)) = (self.type_of(id).cloned(), shape) else { return (Type::Unknown, root) };
        let info = op.code.info();
        let at =
            op.args.iter().map(|a| a.loc).fold(Loc::NONE, |found, loc| if found == Loc::NONE { loc } else { found });
        // The number of ranks is known once the kernel is bound.
        let open = |e: &Expr| {
            let mut known = self.bindings().is_none();
            e.walk(&mut |e| {
                known &= e.as_local().is_none_or(|id| {
                    let slot = id.0 as usize;
                    self.ranks.get(slot) == Some(&true) || self.values.get(slot).is_some_and(Option::is_some)
                });
            });
            known
        };
        let listed = op.args.iter().find_map(|a| match &a.kind {
            ArgKind::List(list) => Some(list.as_slice()),
            _ => None,
        });
        let unknown = |(extent, e): (&Extent, &Expr)| extent.is_none() && !open(e);
        if shape.iter().zip(listed.unwrap_or_default()).any(unknown) {
            self.error(
                at,
                format!("the shape of `{}` is not known when the kernel is bound", info.path),
                "its extents are made of constants, dims and the number of ranks",
            );
            return (Type::Unknown, root);
        }
        if let Some(old) = ty.shaped() {
            let product = |shape: &[Extent]| {
                let extents: Option<Vec<Expr>> = shape.iter().cloned().collect();
                extents?.into_iter().reduce(|all, e| Expr::binary(crate::ir::BinOp::Mul, all, e))
            };
            let (before, after) = (product(&old.shape), product(&shape));
            let message = format!("`{}` keeps the number of elements", info.path);
            let help = "the product of the extents is the same before and after";
            if !self.extents_agree(&before, &after, &About { loc: at, message: &message, help }) {
                let show = |checker: &Self, shape: &[Extent]| {
                    format!("`{}`{}", crate::text::show_shape(checker.function, shape), checker.show_values(shape))
                };
                let message = format!(
                    "`{}` of {} to {}: the number of elements differs",
                    info.path,
                    show(self, &old.shape),
                    show(self, &shape)
                );
                self.fault(Diagnostic::new(at, message, help));
            }
        }
        let mut view = ty;
        if let Some(shaped) = view.shaped_mut() {
            shaped.shape = shape;
        }
        (view, root)
    }

    /// A tensor without its outermost axis.
    pub(super) fn part(&mut self, op: &Op, memory: usize) -> (Type, Option<usize>) {
        let Some(id) = op.args[memory].as_local() else { return (Type::Unknown, None) };
        let root = self.roots[id.0 as usize];
        let name = self.name_of(id).to_string();
        let at = op.args[memory].loc;
        match self.type_of(id).cloned() {
            Some(Type::Tensor(mut shaped)) if shaped.shape.len() > 1 => {
                let outermost = shaped.shape.remove(0);
                if let Some([index]) = op.args.get(memory + 1).map(Arg::exprs) {
                    self.check_box(&name, &[outermost], std::slice::from_ref(index), None, at);
                }
                (Type::Tensor(shaped), root)
            }
            Some(ty @ (Type::Tensor(_) | Type::Window(_))) => {
                let shown = self.show_type(&ty);
                let help = match ty {
                    Type::Window(_) => "a window is passed whole: every rank has its own",
                    _ => "a part is what is left without the outermost axis: give it another one, `[NR, 1]`",
                };
                self.error(at, format!("`{name}` is `{shown}`, which has no parts"), help);
                (Type::Unknown, root)
            }
            _ => (Type::Unknown, root),
        }
    }
}
