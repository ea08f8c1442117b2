//! Rules of the function's own line: dims, parameters, returns.

use super::{Checker, MAX_AXES};
use crate::diag::Diagnostic;
use crate::ir::{Elem, Expr, ExprKind, FunctionKind, Loc, Mode, ScalarType, Shaped, Type};
use crate::poly::Poly;

impl Checker<'_> {
    pub(super) fn check_signature(&mut self) {
        self.check_params();
        self.check_dims();
        for (ty, loc) in &self.function.returns {
            self.check_type_names(ty, *loc);
            if self.function.kind != FunctionKind::Inline && !ty.is_memory() && *ty != Type::Unknown {
                let (found, what) = (self.show_type(ty), self.what());
                self.error(
                    *loc,
                    format!("{what} returns `{found}`, expected a tensor or window that it rebinds"),
                    "store the value into a `pl::Out` parameter and return that",
                );
            }
        }
    }

    /// What to call the function in a message.
    pub(super) fn what(&self) -> String {
        match self.function.kind {
            FunctionKind::InCore => "a kernel".into(),
            FunctionKind::Host => "a Host function".into(),
            level => format!("an {} function", level.name()),
        }
    }

    fn check_params(&mut self) {
        for param in &self.function.params {
            let loc = self.function.locals.get(param.local.0 as usize).map_or(Loc::NONE, |l| l.loc);
            let name = self.name_of(param.local);
            self.check_type_names(&param.ty, loc);
            if param.mode != Mode::In && !param.ty.is_memory() && param.ty != Type::Unknown {
                let found = self.show_type(&param.ty);
                self.error(
                    loc,
                    format!(
                        "parameter `{name}` is `{}` of `{found}`, expected a tensor or window inside",
                        param.mode.name()
                    ),
                    "scalars and tiles are passed by value: write their type alone",
                );
            }
            let inner = matches!(param.ty, Type::Tile(_) | Type::Context | Type::Buffer);
            if self.function.kind != FunctionKind::Inline && inner {
                let (found, what) = (self.show_type(&param.ty), self.what());
                let help = if param.ty == Type::Buffer {
                    "a window buffer stays in the function that allocates it"
                } else {
                    "only `Inline` functions take tiles; pass a `pl::Tensor` and `pl::load` from it"
                };
                self.error(
                    loc,
                    format!("parameter `{name}` of {what} is `{found}`, expected a tensor, a window or a scalar"),
                    help,
                );
            }
            if param.ty.shaped().is_some_and(|s| s.shape.is_empty()) {
                self.error(
                    loc,
                    format!("parameter `{name}` has no axis, expected at least one extent"),
                    "write a shape such as `{ [1, 64] }`, or a scalar parameter",
                );
            }
            let axes = param.ty.shaped().map_or(0, |s| s.shape.len());
            if axes > MAX_AXES {
                self.error(
                    loc,
                    format!("parameter `{name}` has {axes} axes, expected at most {MAX_AXES}"),
                    "make one axis of several that are always used together",
                );
            }
        }
    }

    /// Every dim is used, and some argument binds it.
    fn check_dims(&mut self) {
        let shapes: Vec<Poly> = self
            .function
            .params
            .iter()
            .filter_map(|p| p.ty.shaped())
            .flat_map(|s| s.shape.iter().flatten())
            .filter_map(|e| Poly::of(e, &|name| self.function.value_of_name(name, None)))
            .collect();
        let mut used = vec![];
        let mut add = |e: &Expr| {
            e.walk(&mut |e| {
                if let ExprKind::Name(name) = &e.kind {
                    used.push(name.clone());
                }
            });
        };
        let types = self.function.params.iter().map(|p| &p.ty).chain(self.function.returns.iter().map(|r| &r.0));
        types.filter_map(Type::shaped).flat_map(|s| s.shape.iter().flatten()).for_each(&mut add);
        crate::ir::visit(&self.function.body, &mut |stmt| stmt.kind.for_each_expr(&mut add));

        // A dim is bound once it is the only unknown left in an extent that can be solved for it.
        let mut bound: Vec<&str> = vec![];
        loop {
            let before = bound.len();
            for (name, _) in &self.function.dynamic {
                let solves = |poly: &Poly| {
                    let mut others_known = true;
                    poly.names(&mut |n| {
                        others_known &= n == name || bound.contains(&&**n) || !self.function.is_dynamic(n)
                    });
                    others_known && poly.solvable_for(name)
                };
                if !bound.contains(&&**name) && shapes.iter().any(solves) {
                    bound.push(name);
                }
            }
            if bound.len() == before {
                break;
            }
        }
        let mut seen: Vec<&str> = vec![];
        for (name, loc) in &self.function.dynamic {
            if seen.contains(&&**name) {
                self.error(*loc, format!("dim `{name}` is declared twice"), "declare each name once in `dynamic(…)`");
            } else if !used.iter().any(|u| u == name) {
                self.error(
                    *loc,
                    format!("dim `{name}` is declared in `dynamic(…)` and never used"),
                    "use it in a parameter's shape, or remove it",
                );
            } else if !bound.contains(&&**name) {
                self.error(
                    *loc,
                    format!("no argument can bind dim `{name}`"),
                    format!(
                        "use `{name}` as an extent of a parameter, alone or in a product whose other names are bound"
                    ),
                );
            }
            seen.push(name);
        }
    }

    /// The names in a type exist; its constant extents are not negative.
    pub(super) fn check_type_names(&mut self, ty: &Type, loc: Loc) {
        if let Type::Scalar(ScalarType::Elem(elem)) = ty {
            self.check_elem(elem, loc);
        }
        let Some(Shaped { elem, shape }) = ty.shaped() else { return };
        self.check_elem(elem, loc);
        for extent in shape.iter().flatten() {
            self.check_names(extent, loc);
            match self.poly(extent).and_then(|p| p.as_constant()) {
                Some(value) if value < 0 => {
                    let shown = self.show(extent);
                    self.error(
                        extent.loc.or(loc),
                        format!("extent `{shown}` is {value}, expected at least 0"),
                        "an extent counts elements",
                    );
                }
                _ => {}
            }
        }
    }

    pub(super) fn check_elem(&mut self, elem: &Elem, loc: Loc) {
        if let Elem::Param(name) = elem
            && !self.function.types.iter().any(|t| t.name == *name)
        {
            self.error(
                loc,
                format!("unknown element type `{name}`"),
                "element types are f32, f16, bf16, i8, i16, i32, i64, u8, u32, and type parameters bounded by `pl::Element`",
            );
        }
    }

    /// The names in an expression are dims or constants of the function.
    pub(super) fn check_names(&mut self, expr: &Expr, loc: Loc) {
        let mut unknown = vec![];
        expr.walk(&mut |e| {
            if let ExprKind::Name(name) = &e.kind
                && !self.function.is_dynamic(name)
                && self.function.constant(name).is_none()
            {
                unknown.push((name.clone(), e.loc));
            }
        });
        for (name, at) in unknown {
            self.report(Diagnostic::new(
                at.or(expr.loc).or(loc),
                format!("`{name}` is neither a constant nor a declared dim"),
                format!("declare it: `dynamic({name})`, or `const {name}: usize = …;`"),
            ));
        }
    }
}
