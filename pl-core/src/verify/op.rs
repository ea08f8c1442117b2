//! Ops: their arguments against the table, and the types of their results.

use super::shape::About;
use super::{Checker, Moment, Open};
use crate::diag::Diagnostic;
use crate::ir::{ArgKind, Elem, Expr, Extent, FunctionKind, Loc, Op, ScalarType, Shaped, Type};
use crate::op::{Dim, OpCode, OpInfo, ParamKind, ResultKind, TypeArg};

const ELEMENT_TYPES: &str = "f32, f16, bf16, i8, i16, i32, i64, u8, u32";

impl Checker<'_> {
    /// Checks an op; gives the type of its result and, where that is memory, its root.
    pub(super) fn check_op(&mut self, op: &Op, loc: Loc) -> (Type, Option<usize>) {
        let info = op.code.info();
        if op.args.len() != info.params.len() {
            self.error(
                loc,
                format!("`{}` has {} arguments, expected {}", info.path, op.args.len(), info.params.len()),
                format!("its parameters are {}", param_names(info)),
            );
            return (Type::Unknown, None);
        }
        if !self.is_for_level(info) {
            self.wrong_level(op, info, loc);
            return (Type::Unknown, None);
        }
        let reported = self.errors.len();
        self.check_type_arg(op, info, loc);
        // Memory, tiles and contexts first: the other arguments are judged against them.
        let types: Vec<Option<Type>> = (0..op.args.len()).map(|i| self.check_handle(op, info, i, loc)).collect();
        for index in 0..op.args.len() {
            self.check_value(op, info, index, &types, loc);
        }
        self.check_required_shapes(op, info, &types, loc);
        self.check_distinct(op, info, loc);
        self.check_relations(op, info, &types, loc);
        self.check_domains(op, info, loc);
        let misfits = self.check_fit(op, info, &types, loc);
        let (ty, root) = self.result(op, info, &types, &misfits);
        // What a wrong collective gives is not wrong once more.
        if info.lowering.is_some() && self.errors.len() > reported { (Type::Unknown, root) } else { (ty, root) }
    }

    /// Whether the op may stand in this function.
    fn is_for_level(&self, info: &OpInfo) -> bool {
        // Once it is linked, an `Orchestration` function holds what the kernels that it calls do.
        let inlined = self.function.kind == FunctionKind::Orchestration
            && !matches!(self.moment, Moment::Draft | Moment::Source)
            && self.function.callees.is_empty();
        info.is_for(self.function.kind) || inlined && info.is_for(FunctionKind::InCore)
    }

    /// An op stands only in functions of the levels that have it. What uses its result is not wrong once more.
    fn wrong_level(&mut self, op: &Op, info: &OpInfo, loc: Loc) {
        let mut reported = false;
        for (arg, param) in op.args.iter().zip(info.params) {
            let Some(id) = arg.as_local() else { continue };
            self.use_local(id, arg.loc.or(loc));
            reported |= self.type_of(id) == Some(&Type::Unknown) && !matches!(param.kind, ParamKind::Element(_));
            if let (ParamKind::Memory(access, _), Some(root)) = (param.kind, self.roots[id.0 as usize]) {
                self.stored[root] |= access.writes();
            }
        }
        if reported {
            return;
        }
        let level = self.function.kind;
        let levels: Vec<&str> = info.levels.iter().map(|l| l.name()).collect();
        let levels = match levels.split_last() {
            Some((last, [])) => (*last).to_string(),
            Some((last, others)) => format!("{} and {last}", others.join(", ")),
            None => "no".into(),
        };
        let help = match (level, op.code) {
            (FunctionKind::Host, OpCode::GetCommCtx | OpCode::Rank | OpCode::Nranks) => {
                "ranks are counted with `pld::world_size()` here; an InCore function asks for its own"
            }
            (FunctionKind::Host, _) => "put it into an InCore function, and dispatch that with `device = r`",
            (_, OpCode::WorldSize) => "write `pld::nranks(pld::get_comm_ctx(window))`, the ranks of a window's domain",
            (_, OpCode::AllocWindowBuffer | OpCode::Window) => {
                "windows are arguments here: declare a parameter `data: pl::InOut<pld::DistributedTensor<…>>`"
            }
            (_, OpCode::Part) => {
                "tensors are arguments here, of which a device has its own part: `pl::load` takes a box"
            }
            (FunctionKind::Orchestration, _) => "put it into an InCore function, and call that",
            _ => "pass what it gives as an argument: a kernel runs on one device",
        };
        let article = if level == FunctionKind::Host { "a" } else { "an" };
        let message =
            format!("`{}` in {article} {} function, it belongs to {levels} functions", info.path, level.name(),);
        self.error(loc, message, help);
    }

    fn check_type_arg(&mut self, op: &Op, info: &OpInfo, loc: Loc) {
        match (info.type_arg, &op.elem) {
            (TypeArg::No, Some(_)) => {
                self.error(loc, format!("`{}` takes no type argument", info.path), "remove it");
            }
            (TypeArg::Required, None) => self.error(
                loc,
                format!("`{}` needs a type argument", info.path),
                format!("write `{}::<f32>(…)` with one of {ELEMENT_TYPES}", info.path),
            ),
            (_, Some(elem)) => self.check_elem(elem, loc),
            (_, None) => {}
        }
    }

    /// Checks the shapes that the table asks for.
    fn check_required_shapes(&mut self, op: &Op, info: &OpInfo, types: &[Option<Type>], loc: Loc) {
        // What a symbol of the table stands for, and the parameter that says so.
        let mut free: Vec<(&str, Extent, &str)> = vec![];
        let ranks = self.domain_of(op).map(|(_, ranks)| ranks);
        for (index, alternatives) in info.shapes {
            let index = usize::from(*index);
            let at = op.args[index].loc.or(loc);
            let name = info.params[index].name;
            let Some(shaped) = types[index].as_ref().and_then(Type::shaped) else { continue };
            let found = crate::text::show_shape(self.function, &shaped.shape);
            let (alternatives, reason) = self.alternatives(op, info, index, alternatives);
            let expected = alternatives.iter().map(|a| show_pattern(a)).collect::<Vec<_>>().join(" or ");
            let expected = format!("{expected}{reason}");
            let help = format!("P is the number of ranks, 2 or more: declare `{name}` with shape {expected}");
            let Some(pattern) = alternatives.iter().find(|a| a.len() == shaped.shape.len()) else {
                self.error(
                    at,
                    format!(
                        "`{name}` of `{}` has shape `{found}` of rank {}, expected {expected}",
                        info.path,
                        shaped.shape.len()
                    ),
                    help,
                );
                continue;
            };
            let mut fits = true;
            let mut because: Vec<&str> = vec![];
            // What is computed from P comes after what may tell P.
            let (computed, told): (Vec<_>, Vec<_>) =
                pattern.iter().zip(&shaped.shape).partition(|(dim, _)| **dim == Dim::Rounds);
            for (dim, extent) in told.into_iter().chain(computed) {
                let about = About {
                    loc: at,
                    message: &format!("`{name}` of `{}` must have shape {expected}", info.path),
                    help: &help,
                };
                let symbol = match (dim, ranks) {
                    (Dim::Exactly(n), _) => Err(Expr::int(i128::from(*n))),
                    (Dim::World, Some(ranks)) => Err(Expr::int(ranks as i128)),
                    (Dim::World, None) => Ok("P"),
                    (Dim::Free(symbol) | Dim::PerRank(symbol), _) => Ok(*symbol),
                    (Dim::Rounds, Some(ranks)) => Err(rounds(Expr::int(ranks as i128))),
                    (Dim::Rounds, None) => match free.iter().find(|(s, ..)| *s == "P") {
                        Some((_, Some(ranks), _)) => Err(rounds(ranks.clone())),
                        _ => continue,
                    },
                };
                let told = symbol.as_ref().ok().copied();
                let want = match symbol {
                    Err(value) => Some(value),
                    Ok(symbol) => match free.iter().find(|(s, ..)| *s == symbol) {
                        Some((_, bound, _)) => bound.clone(),
                        None => {
                            free.push((symbol, extent.clone(), name));
                            None
                        }
                    },
                };
                if !self.extents_agree(extent, &want, &about) {
                    fits = false;
                    because.extend(told);
                }
                // A collective of one rank is none.
                let ranks_here = extent.as_ref().filter(|_| *dim == Dim::World && info.lowering.is_some());
                let ranks_here = ranks_here.and_then(|e| self.poly(e)).and_then(|p| p.as_constant());
                fits &= ranks.is_some() || ranks_here.is_none_or(|ranks| ranks > 1);
                // So many entries for each rank.
                if let (Dim::PerRank(_), Some(ranks), Some(extent)) = (dim, ranks, extent) {
                    let value = self.poly(extent).and_then(|p| p.as_constant());
                    fits &= ranks == 0 || value.is_none_or(|value| value % ranks as i128 == 0);
                }
            }
            if !fits {
                let mut world = ranks.map_or(String::new(), |ranks| format!(" with P = {ranks}"));
                // What another argument says.
                for (symbol, bound, of) in &free {
                    if let Some(bound) = bound
                        && *of != name
                        && (because.contains(symbol) || *symbol == "P" && ranks.is_none())
                    {
                        let and = if world.is_empty() { " with" } else { " and" };
                        world += &format!("{and} {symbol} = `{}` of `{of}`", self.show(bound));
                    }
                }
                let values = self.show_values(&shaped.shape);
                self.error(
                    at,
                    format!("`{name}` of `{}` has shape `{found}`{values}, expected {expected}{world}", info.path),
                    help,
                );
            }
        }
        self.check_known_root(op, info, &free, loc);
    }

    /// A root that is known must be one of the ranks that the signal's shape tells, before the windows do.
    fn check_known_root(&mut self, op: &Op, info: &OpInfo, free: &[(&str, Extent, &str)], loc: Loc) {
        let Some(root) = info.params.iter().position(|p| p.kind == ParamKind::Peer) else { return };
        let Some((_, Some(ranks), of)) = free.iter().find(|(symbol, ..)| *symbol == "P") else { return };
        let ArgKind::Value(expr) = &op.args[root].kind else { return };
        let known = |poly: Option<crate::poly::Poly>| poly.and_then(|p| p.as_constant());
        let (Some(value), Some(ranks)) = (known(self.resolved_poly(expr)), known(self.poly(ranks))) else { return };
        if value >= ranks {
            self.fault(Diagnostic::new(
                op.args[root].loc.or(loc),
                format!(
                    "`{}` of `{}` is {value}, and `{of}` has cells for {ranks} ranks",
                    info.params[root].name, info.path
                ),
                "ranks are 0 to nranks - 1",
            ));
        }
    }

    /// ` = [2, 64]` where the values of a shape are known and say more than the shape itself.
    pub(super) fn show_values(&self, shape: &[Extent]) -> String {
        let values: Option<Vec<String>> =
            shape.iter().map(|e| Some(self.poly(e.as_ref()?)?.as_constant()?.to_string())).collect();
        match values {
            Some(values) if shape.iter().flatten().any(|e| !matches!(e.kind, crate::ir::ExprKind::Lit { .. })) => {
                format!(" = [{}]", values.join(", "))
            }
            _ => String::new(),
        }
    }

    fn check_distinct(&mut self, op: &Op, info: &OpInfo, loc: Loc) {
        for (a, b) in info.distinct {
            let root = |i: u8| op.args[usize::from(i)].as_local().and_then(|id| self.roots[id.0 as usize]);
            // Windows that a Host function makes have no root.
            let local = |i: u8| op.args[usize::from(i)].as_local();
            let same = match (root(*a), root(*b)) {
                (Some(x), Some(y)) if x == y => Some(self.function.params[x].local),
                (None, None) if local(*a) == local(*b) => local(*a),
                _ => None,
            };
            if let Some(same) = same {
                let at = op.args[usize::from(*b)].loc.or(loc);
                let (a, b) = (info.params[usize::from(*a)].name, info.params[usize::from(*b)].name);
                let name = self.name_of(same);
                self.error(
                    at,
                    format!("`{a}` and `{b}` of `{}` are both `{name}`", info.path),
                    "pass two different windows",
                );
            }
        }
    }

    /// Checks boxes, and the shapes and element types of two operands. Gives the axes whose extent in the result was reported.
    fn check_fit(&mut self, op: &Op, info: &OpInfo, types: &[Option<Type>], loc: Loc) -> Vec<usize> {
        let mut misfits = vec![];
        for (index, param) in info.params.iter().enumerate() {
            match param.kind {
                // The boxes of a bulk transfer have one shape, and their own check.
                ParamKind::Offsets(_) if info.chunks.as_ref().is_some_and(|c| c.has_offsets(index)) => {}
                ParamKind::Offsets(of) => {
                    let memory_at = usize::from(of);
                    let Some(shaped) = types[memory_at].as_ref().and_then(Type::shaped) else { continue };
                    let ArgKind::List(offsets) = &op.args[index].kind else { continue };
                    let memory = op.args[memory_at].as_local().map_or("?", |id| self.name_of(id)).to_string();
                    let tile = info.params.iter().position(|p| p.kind == ParamKind::Tile);
                    let shape = info.params.iter().position(|p| p.kind == ParamKind::Shape(of));
                    let extents: Option<Vec<Extent>> = match (shape, tile) {
                        (Some(shape), _) => match &op.args[shape].kind {
                            ArgKind::List(list) => Some(self.shape_of(list)),
                            _ => continue,
                        },
                        (None, Some(tile)) => {
                            let Some(tile_type) = types[tile].as_ref().and_then(Type::shaped) else { continue };
                            self.check_store(op, info, tile, memory_at, tile_type, shaped, loc);
                            // The tile's extents stand elsewhere: the tile that does not fit is wrong here.
                            let here = |e: &Extent| e.clone().map(|e| e.at(op.args[tile].loc));
                            Some(tile_type.shape.iter().map(here).collect())
                        }
                        (None, None) => None,
                    };
                    let rank = shaped.shape.len();
                    if offsets.len() == rank && extents.as_ref().is_none_or(|e| e.len() == rank) {
                        let at = op.args[index].loc.or(loc);
                        misfits.extend(self.check_box(&memory, &shaped.shape, offsets, extents.as_deref(), at));
                    }
                }
                ParamKind::TileOrScalar(of) => {
                    let (Some(Type::Tile(a)), Some(Type::Tile(b))) = (&types[usize::from(of)], &types[index]) else {
                        continue;
                    };
                    self.check_operands(op, info, usize::from(of), index, a, b, loc);
                }
                _ => {}
            }
        }
        misfits
    }

    #[expect(clippy::too_many_arguments, reason = "both sides of a mismatch, by position and by type")]
    fn check_store(&mut self, op: &Op, info: &OpInfo, tile: usize, memory: usize, a: &Shaped, b: &Shaped, loc: Loc) {
        let at = op.args[tile].loc.or(loc);
        let memory_name = op.args[memory].as_local().map_or("?", |id| self.name_of(id)).to_string();
        let (ta, tb) = (self.show_type(&Type::Tile(a.clone())), self.show_type(&Type::Tensor(b.clone())));
        if !self.elems_agree(&a.elem, &b.elem) {
            self.report(
                Diagnostic::new(
                    at,
                    format!(
                        "`{}` of a tile of `{}` into `{memory_name}` of `{}`",
                        info.path,
                        elem_name(&a.elem),
                        elem_name(&b.elem)
                    ),
                    format!("convert the tile: `pl::cast::<{}>(…)`", elem_name(&b.elem)),
                )
                .with(op.args[memory].loc, format!("`{memory_name}` has element type `{}`", elem_name(&b.elem))),
            );
        }
        if a.shape.len() != b.shape.len() {
            self.error(
                at,
                format!(
                    "`{}` of `{ta}` of rank {} into `{memory_name}` of rank {}",
                    info.path,
                    a.shape.len(),
                    b.shape.len()
                ),
                format!("tile and destination have the same rank; the destination is `{tb}`"),
            );
        }
    }

    #[expect(clippy::too_many_arguments, reason = "both sides of a mismatch, by position and by type")]
    fn check_operands(&mut self, op: &Op, info: &OpInfo, x: usize, y: usize, a: &Shaped, b: &Shaped, loc: Loc) {
        let at = op.args[y].loc.or(loc);
        let (ta, tb) = (self.show_type(&Type::Tile(a.clone())), self.show_type(&Type::Tile(b.clone())));
        let name =
            |checker: &Self, i: usize| op.args[i].as_local().map_or("?".into(), |id| checker.name_of(id).to_string());
        let (na, nb) = (name(self, x), name(self, y));
        if !self.elems_agree(&a.elem, &b.elem) {
            self.report(
                Diagnostic::new(
                    at,
                    format!(
                        "`{}` between element types `{}` and `{}`",
                        info.path,
                        elem_name(&a.elem),
                        elem_name(&b.elem)
                    ),
                    format!("convert one tile: `pl::cast::<{}>({nb})`", elem_name(&a.elem)),
                )
                .with(op.args[x].loc, format!("`{na}` is `{ta}`"))
                .with(op.args[y].loc, format!("`{nb}` is `{tb}`")),
            );
            return;
        }
        let message = format!("`{}` of tiles of different shapes, `{na}` and `{nb}`", info.path);
        let help = "both tiles have the same shape";
        if !self.shapes_agree(&a.shape, &b.shape, &About { loc: at, message: &message, help }) {
            let (va, vb) = (self.show_values(&a.shape), self.show_values(&b.shape));
            self.fault(
                Diagnostic::new(
                    at,
                    format!("`{}` of tiles of different shapes: `{ta}`{va} and `{tb}`{vb}", info.path),
                    help,
                )
                .with(op.args[x].loc, format!("`{na}` is `{ta}`"))
                .with(op.args[y].loc, format!("`{nb}` is `{tb}`")),
            );
        }
    }

    fn result(&mut self, op: &Op, info: &OpInfo, types: &[Option<Type>], misfits: &[usize]) -> (Type, Option<usize>) {
        let elem = |i: u8| types[usize::from(i)].as_ref().and_then(Type::shaped).map(|s| s.elem.clone());
        let list = |checker: &Self, i: u8| match &op.args[usize::from(i)].kind {
            ArgKind::List(list) if !list.is_empty() => Some(checker.shape_of(list)),
            _ => None,
        };
        let tile = |elem: Option<Elem>, shape: Option<Vec<Extent>>| match (elem, shape) {
            (Some(elem), Some(shape)) => Type::Tile(Shaped { elem, shape }),
            _ => Type::Unknown,
        };
        match info.result {
            ResultKind::None => (Type::Unknown, None),
            ResultKind::Memory(i) => {
                let root = op.args[usize::from(i)].as_local().and_then(|id| self.roots[id.0 as usize]);
                (types[usize::from(i)].clone().unwrap_or(Type::Unknown), root)
            }
            ResultKind::Box(memory, shape) => {
                let rank = types[usize::from(memory)].as_ref().and_then(Type::shaped).map(|s| s.shape.len());
                // A shape of another rank was reported, and so was an extent that does not fit.
                let mut shape = list(self, shape).filter(|s| Some(s.len()) == rank);
                for (axis, extent) in shape.iter_mut().flatten().enumerate() {
                    if misfits.contains(&axis) {
                        *extent = None;
                    }
                }
                (tile(elem(memory), shape), None)
            }
            ResultKind::Like(i) => (types[usize::from(i)].clone().unwrap_or(Type::Unknown), None),
            ResultKind::CastOf(i) => {
                let shape = types[usize::from(i)].as_ref().and_then(Type::shaped).map(|s| s.shape.clone());
                (tile(op.elem.clone(), shape), None)
            }
            ResultKind::Filled(shape) => (tile(op.elem.clone(), list(self, shape)), None),
            ResultKind::Element(i) => (elem(i).map_or(Type::Unknown, |e| Type::Scalar(ScalarType::Elem(e))), None),
            ResultKind::Rank | ResultKind::Nranks | ResultKind::Index => (Type::Scalar(ScalarType::Index), None),
            ResultKind::Context => (Type::Context, None),
            ResultKind::Buffer => (Type::Buffer, None),
            ResultKind::Window(shape) => match (op.elem.clone(), list(self, shape)) {
                (Some(elem), Some(shape)) => (Type::Window(Shaped { elem, shape }), None),
                _ => (Type::Unknown, None),
            },
            ResultKind::View(i, shape) => self.view(op, usize::from(i), list(self, shape)),
            ResultKind::Part(i) => self.part(op, usize::from(i)),
        }
    }

    /// Whether a bare literal's kind does not fit a type that a local already has.
    pub(super) fn open_conflicts(&self, open: Open, ty: &Type) -> bool {
        match (open, ty) {
            (_, Type::Unknown) => false,
            (_, Type::Scalar(ScalarType::Bool)) => true,
            (Open::Float, Type::Scalar(ScalarType::Index)) => true,
            (Open::Float, Type::Scalar(ScalarType::Elem(Elem::Known(dtype)))) => !dtype.is_float(),
            (_, Type::Scalar(_)) => false,
            _ => true,
        }
    }
}

pub(super) fn elem_name(elem: &Elem) -> &str {
    match elem {
        Elem::Known(dtype) => dtype.name(),
        Elem::Param(name) => name,
    }
}

/// `2 * (ranks - 1)`
fn rounds(ranks: Expr) -> Expr {
    use crate::ir::BinOp::{Mul, Sub};
    Expr::binary(Mul, Expr::int(2), Expr::binary(Sub, ranks, Expr::int(1)))
}

fn param_names(info: &OpInfo) -> String {
    info.params.iter().map(|p| format!("`{}`", p.name)).collect::<Vec<_>>().join(", ")
}

fn show_pattern(pattern: &[Dim]) -> String {
    let dims: Vec<String> = pattern
        .iter()
        .map(|d| match d {
            Dim::World => "P".into(),
            Dim::Exactly(n) => n.to_string(),
            Dim::Free(name) => (*name).into(),
            Dim::PerRank(name) => format!("P * {name}"),
            Dim::Rounds => "2 * (P - 1)".into(),
        })
        .collect();
    format!("`[{}]`", dims.join(", "))
}
