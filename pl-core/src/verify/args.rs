//! Arguments of ops against the parameters of the table.

use super::expr::describe;
use super::op::elem_name;
use super::{Checker, MAX_AXES};
use crate::diag::Diagnostic;
use crate::dtype::DType;
use crate::ir::{
    Arg, ArgKind, ConstValue, Elem, EnumValue, FunctionKind, Loc, LocalId, Mode, Op, ScalarType, Shaped, Type,
};
use crate::op::{Access, EnumKind, OpInfo, ParamKind, Space};

impl Checker<'_> {
    /// Checks an argument that must name something, and gives its type; `None` for other kinds and after an error.
    pub(super) fn check_handle(&mut self, op: &Op, info: &OpInfo, index: usize, loc: Loc) -> Option<Type> {
        let param = info.params[index];
        let arg = &op.args[index];
        let at = arg.loc.or(loc);
        let wanted = match param.kind {
            ParamKind::Memory(..) | ParamKind::Tile | ParamKind::Context | ParamKind::Buffer => param.kind.describe(),
            ParamKind::TileOrScalar(_) => {
                let id = arg.as_local()?;
                let tile = matches!(self.type_of(id), Some(Type::Tile(_)));
                return (tile && self.use_local(id, at)).then(|| self.type_of(id).cloned()).flatten();
            }
            _ => return None,
        };
        let Some(id) = arg.as_local() else {
            let found = match &arg.kind {
                ArgKind::Value(_) => "a scalar expression".into(),
                ArgKind::List(_) => "a list".into(),
                ArgKind::Enum(kind, _) => format!("a `pld::{}`", kind.name()),
                ArgKind::Absent if info.may_lack(index, self.function.kind) => return None,
                ArgKind::Absent => {
                    self.error(
                        at,
                        format!("`{}` lacks the argument `{}`", info.path, param.name),
                        self.help_for(param.kind),
                    );
                    return None;
                }
            };
            self.error(
                at,
                format!("argument `{}` of `{}` is {found}, expected a {wanted}", param.name, info.path),
                self.help_for(param.kind),
            );
            return None;
        };
        if !self.use_local(id, at) {
            return None;
        }
        let ty = self.type_of(id)?.clone();
        let right = match (param.kind, &ty) {
            (_, Type::Unknown) if self.open[self.decider(id.0 as usize)].is_none() => return None,
            (ParamKind::Memory(_, Space::Any), ty) => ty.is_memory(),
            (ParamKind::Memory(_, Space::Window), ty) => matches!(ty, Type::Window(_)),
            (ParamKind::Tile, ty) => matches!(ty, Type::Tile(_)),
            (ParamKind::Buffer, ty) => *ty == Type::Buffer,
            (_, ty) => *ty == Type::Context,
        };
        if !right {
            let (name, found) = (self.name_of(id), self.show_type(&ty));
            let found = if ty == Type::Unknown { "a number".into() } else { format!("`{found}`") };
            let mut diagnostic = Diagnostic::new(
                at,
                format!("argument `{}` of `{}`: `{name}` is {found}, expected a {wanted}", param.name, info.path),
                self.help_for(param.kind),
            );
            // That nothing is stored to it is the same mistake.
            if let (ParamKind::Memory(access, _), Some(root)) = (param.kind, self.roots[id.0 as usize]) {
                self.stored[root] |= access.writes();
            }
            if let Some(declared) = self.function.param_of(id).and_then(|_| self.function.locals.get(id.0 as usize)) {
                diagnostic = diagnostic.with(declared.loc, format!("`{name}` is declared here"));
            }
            self.report(diagnostic);
            return None;
        }
        if let ParamKind::Memory(access, _) = param.kind {
            self.check_access(id, access, info, at);
        }
        self.check_dtype(info, index, &ty, at);
        Some(ty)
    }

    fn help_for(&self, kind: ParamKind) -> &'static str {
        match kind {
            ParamKind::Memory(_, Space::Window) if self.function.kind == FunctionKind::Host => {
                "make one: `pld::window::<f32>(buffer, shape)`"
            }
            ParamKind::Memory(_, Space::Window) => "pass a parameter of type `pld::DistributedTensor<…>`",
            ParamKind::Memory(_, Space::Any) => "pass a tensor or window parameter, or store the tile into one first",
            ParamKind::Tile => "load one with `pl::load`",
            ParamKind::Buffer => "get it with `pld::alloc_window_buffer(bytes)`",
            _ => "get it with `pld::get_comm_ctx(window)`",
        }
    }

    /// Reads only what may hold data, writes only what may be written.
    pub(super) fn check_access(&mut self, id: LocalId, access: Access, info: &OpInfo, at: Loc) {
        let Some(root) = self.roots[id.0 as usize] else { return };
        let param = &self.function.params[root];
        let (name, declared) = (self.name_of(param.local), self.function.locals[param.local.0 as usize].loc);
        // Once branches are folded, it is for the run to see.
        if access.reads() && param.mode == Mode::Out && !self.stored[root] && self.bindings().is_none() {
            self.report(
                Diagnostic::new(
                    at,
                    format!(
                        "`{}` reads `{name}`, which is an `Out` parameter that no path has stored to before",
                        info.path
                    ),
                    format!("store to `{name}` first, or declare it `pl::InOut<…>` if it comes with data"),
                )
                .with(declared, format!("`{name}` is declared here")),
            );
            // Once is enough; and that nothing is stored to it at all is the same mistake.
            self.stored[root] = true;
        }
        if access.writes() {
            self.stored[root] = true;
            if param.mode == Mode::In {
                let ty = if matches!(param.ty, Type::Window(_)) { "pld::DistributedTensor" } else { "pl::Tensor" };
                self.report(
                    Diagnostic::new(
                        at,
                        format!("`{}` writes `{name}`, which is an `In` parameter", info.path),
                        if access != Access::Write {
                            format!("declare it `{name}: pl::InOut<{ty}<…>>`")
                        } else {
                            format!("declare it `{name}: pl::Out<{ty}<…>>`, or `pl::InOut<…>` if it is read too")
                        },
                    )
                    .with(declared, format!("`{name}` is declared here")),
                );
            }
        }
    }

    pub(super) fn check_dtype(&mut self, info: &OpInfo, index: usize, ty: &Type, at: Loc) {
        let Some(Shaped { elem, .. }) = ty.shaped() else { return };
        let Some((_, allowed)) = info.dtypes.iter().find(|(p, _)| usize::from(*p) == index) else { return };
        let fits = match elem {
            Elem::Known(dtype) => allowed.contains(dtype),
            // It stands for any element type, so it is not the only one.
            Elem::Param(_) => allowed.len() > 1,
        };
        if !fits {
            let dtype = elem_name(elem);
            let list = allowed.iter().map(|d| d.name()).collect::<Vec<_>>().join(", ");
            let name = info.params[index].name;
            let signal = matches!(info.params[index].kind, ParamKind::Memory(Access::Notify | Access::Wait, _));
            let help = if signal {
                "a signal is a window of i32 cells: `pld::DistributedTensor<i32, …>`".to_string()
            } else {
                format!("`{}` takes {list}", info.path)
            };
            self.error(at, format!("`{name}` of `{}` has element type `{dtype}`, expected {list}", info.path), help);
        }
    }

    /// Checks the arguments that are values: scalars, lists, enums.
    pub(super) fn check_value(&mut self, op: &Op, info: &OpInfo, index: usize, types: &[Option<Type>], loc: Loc) {
        let param = info.params[index];
        let arg = &op.args[index];
        let at = arg.loc.or(loc);
        let what = format!("argument `{}` of `{}`", param.name, info.path);
        match param.kind {
            _ if arg.kind == ArgKind::Absent && info.may_lack(index, self.function.kind) => {}
            ParamKind::Memory(..) | ParamKind::Tile | ParamKind::Context | ParamKind::Buffer => {}
            ParamKind::Index => self.check_scalar_arg(arg, &ScalarType::Index, &what, at),
            ParamKind::Flag => {
                self.check_scalar_arg(arg, &ScalarType::Bool, &what, at);
                self.check_flag(arg, &what, at);
            }
            ParamKind::TileOrScalar(of) => {
                if types[index].is_none() {
                    let elem = self.elem_of(&types[usize::from(of)]);
                    self.check_element(arg, elem, &what, info, at);
                }
            }
            ParamKind::Element(of) => {
                let elem = self.elem_of(&types[usize::from(of)]);
                self.check_element(arg, elem, &what, info, at);
            }
            ParamKind::TypeElement => self.check_element(arg, op.elem.clone(), &what, info, at),
            ParamKind::I32 => self.check_scalar_arg(arg, &ScalarType::Elem(Elem::Known(DType::I32)), &what, at),
            ParamKind::Peer => {
                self.check_scalar_arg(arg, &ScalarType::Index, &what, at);
                self.check_peer(op, arg, at);
            }
            ParamKind::Offsets(of) | ParamKind::Shape(of) => {
                if let Some(list) = self.check_list(arg, &what, at)
                    && let Some(shaped) = types[usize::from(of)].as_ref().and_then(Type::shaped)
                    && list != shaped.shape.len()
                {
                    let memory = op.args[usize::from(of)].as_local().map_or("?", |id| self.name_of(id));
                    let rank = shaped.shape.len();
                    self.error(
                        at,
                        format!("{what} has {list} {}, expected {rank}: `{memory}` has {rank} axes", entries(list)),
                        "give one entry per axis",
                    );
                }
            }
            ParamKind::Extents => {
                let message = match self.check_list(arg, &what, at) {
                    Some(0) => format!("{what} is empty, expected at least one extent"),
                    Some(axes) if axes > MAX_AXES => {
                        format!("{what} has {axes} entries, expected at most {MAX_AXES}")
                    }
                    _ => return,
                };
                self.error(at, message, "write for example `[1, 64]`");
            }
            ParamKind::Enum(kind) => self.check_enum(arg, kind, index, &what, info, at),
        }
    }

    pub(super) fn elem_of(&self, ty: &Option<Type>) -> Option<Elem> {
        ty.as_ref().and_then(Type::shaped).map(|s| s.elem.clone())
    }

    /// A scalar of an element type, as an argument beside a tile or memory of that type.
    pub(super) fn check_element(&mut self, arg: &Arg, elem: Option<Elem>, what: &str, info: &OpInfo, at: Loc) {
        let ArgKind::Value(expr) = &arg.kind else {
            self.error(at, format!("{what} is a list, expected a scalar"), "write one value");
            return;
        };
        if let Some(id) = expr.as_local()
            && let Some(ty) = self.type_of(id).cloned()
            && !matches!(ty, Type::Scalar(_) | Type::Unknown)
        {
            let (name, found) = (self.name_of(id), self.show_type(&ty));
            let takes_tile = info.params.iter().any(|p| matches!(p.kind, ParamKind::TileOrScalar(_)));
            let expected = if takes_tile { "a tile or a scalar" } else { "a scalar" };
            let help = if ty.is_memory() { "load a tile from it first: `pl::load(…)`" } else { "pass one value" };
            self.error(at, format!("{what}: `{name}` is `{found}`, expected {expected}"), help);
            return;
        }
        let Some(elem) = elem else {
            self.scalar(expr, None);
            return;
        };
        let want = ScalarType::Elem(elem);
        if let Some(found) = self.scalar(expr, Some(&want))
            && found != want
        {
            self.error(
                at,
                format!("{what} is `{}`, expected the element type `{}`", describe(&found), describe(&want)),
                format!("convert it: `… as {}`, or `pl::cast` the tile", describe(&want)),
            );
        }
    }

    pub(super) fn check_scalar_arg(&mut self, arg: &Arg, want: &ScalarType, what: &str, at: Loc) {
        match &arg.kind {
            ArgKind::Value(expr) => {
                let expr = expr.clone().at(expr.loc.or(at));
                self.expect_scalar(&expr, want, what);
            }
            _ => self.error(at, format!("{what} is not a scalar, expected `{}`", describe(want)), "write one value"),
        }
    }

    /// Checks the entries of a list argument; its length, or `None` when it is no list.
    pub(super) fn check_list(&mut self, arg: &Arg, what: &str, at: Loc) -> Option<usize> {
        let ArgKind::List(list) = &arg.kind else {
            self.error(at, format!("{what} is not a list"), "write it in brackets: `[0, 0]`");
            return None;
        };
        for (axis, entry) in list.iter().enumerate() {
            let entry = entry.clone().at(entry.loc.or(at));
            self.expect_scalar(&entry, &ScalarType::Index, &format!("entry {axis} of {what}"));
        }
        Some(list.len())
    }

    pub(super) fn check_enum(&mut self, arg: &Arg, kind: EnumKind, index: usize, what: &str, info: &OpInfo, at: Loc) {
        let variants =
            || kind.variants().iter().map(|v| format!("`{}`", kind.written(v))).collect::<Vec<_>>().join(", ");
        let ArgKind::Enum(found, value) = &arg.kind else {
            self.error(at, format!("{what} is not a `pld::{}`", kind.name()), format!("it is one of {}", variants()));
            return;
        };
        if *found != kind {
            self.error(
                at,
                format!("{what} is a `pld::{}`, expected a `pld::{}`", found.name(), kind.name()),
                format!("it is one of {}", variants()),
            );
            return;
        }
        let value = match value {
            EnumValue::Known(value) => *value,
            EnumValue::Const(name) => match self.function.constant(name).map(|c| &c.value) {
                Some(Some(ConstValue::Enum(k, value))) if *k == kind => *value,
                Some(None) => return,
                _ => {
                    self.error(
                        at,
                        format!("{what}: `{name}` is not a constant `pld::{}`", kind.name()),
                        format!("it is one of {}", variants()),
                    );
                    return;
                }
            },
        };
        if let Some(only) = info.only
            && usize::from(only.param) == index
            && value != only.value
        {
            self.error(at, only.message_for(value), only.help);
        } else if usize::try_from(value).map_or(true, |v| v >= kind.variants().len()) {
            self.error(
                at,
                format!("{what} is {value}, which is no `pld::{}`", kind.name()),
                format!("it is one of {}", variants()),
            );
        }
    }
}

fn entries(n: usize) -> &'static str {
    if n == 1 { "entry" } else { "entries" }
}
