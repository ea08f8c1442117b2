//! Enum arguments: constant expressions.

use super::stmt::strip;
use super::{EnumCheck, Lower};
use crate::context::{path_text, text_of};
use crate::names;
use crate::places::edges;
use pl_core::ir::{Arg, ArgKind, EnumValue};
use pl_core::op::{EnumKind, OpInfo};
use quote::{format_ident, quote};
use syn::parse_quote;
use syn::visit::Visit;

impl Lower<'_> {
    /// The enum argument of a parameter; `None` after an error.
    pub(super) fn enum_arg(
        &mut self,
        expr: &mut syn::Expr,
        kind: EnumKind,
        info: &OpInfo,
        index: usize,
    ) -> Option<Arg> {
        let range = edges(expr);
        let value = self.enum_value(strip(expr), kind, info, index)?;
        if let EnumValue::Const(name) = &value {
            let generic = self.cx.function.constant(name).is_some_and(|c| c.generic);
            let only = info.only.filter(|o| usize::from(o.param) == index);
            let tokens = quote!(#expr);
            self.lowered.enums.push(EnumCheck { kind, only, value: tokens, generic, range });
            // The check types it: a second type-check in the copy would report a wrong type twice.
            *expr = variant(kind, 0)?;
        }
        let loc = self.loc(range);
        Some(Arg { kind: ArgKind::Enum(kind, value), loc })
    }

    fn enum_value(&mut self, expr: &syn::Expr, kind: EnumKind, info: &OpInfo, index: usize) -> Option<EnumValue> {
        let range = edges(expr);
        let param = info.params[index].name;
        let variants = || {
            let paths: Vec<String> = kind.variants().iter().map(|v| format!("pld::{}::{v}", kind.name())).collect();
            names::list(&paths)
        };
        let is_variable =
            |lower: &Self, path: &syn::Path| path.get_ident().is_some_and(|i| lower.find(&i.to_string()).is_some());
        match expr {
            syn::Expr::Path(e) if e.path.get_ident().is_some_and(|i| self.is_poisoned(i)) => None,
            syn::Expr::Path(e) if e.qself.is_none() && !is_variable(self, &e.path) => {
                let text = path_text(&e.path);
                let segments: Vec<String> = e.path.segments.iter().map(|s| s.ident.to_string()).collect();
                let last = segments.last()?;
                if let [root, name, variant] = segments.as_slice()
                    && root == "pld"
                    && let Some(found) = EnumKind::from_name(name)
                {
                    if found != kind {
                        let message = format!(
                            "argument `{param}` of `{}` is a `pld::{name}`, expected a `pld::{}`",
                            info.path,
                            kind.name()
                        );
                        self.error(range, message, format!("it is one of {}", variants()));
                        return None;
                    }
                    return match kind.variants().iter().position(|v| v == variant) {
                        Some(value) => Some(EnumValue::Known(value as i32)),
                        None => {
                            let help = match names::nearest(variant, kind.variants().iter().copied()).as_slice() {
                                [] => format!("it is one of {}", variants()),
                                near => format!("did you mean {}? it is one of {}", names::list(near), variants()),
                            };
                            self.error(range, format!("`pld::{name}` has no variant `{variant}`"), help);
                            None
                        }
                    };
                }
                if last.starts_with(char::is_lowercase) {
                    let (message, help) = match segments.as_slice() {
                        [_] => self.undefined(&text),
                        _ => (
                            not_constant(param, info),
                            format!("write one of {}, or a constant in capitals", variants()),
                        ),
                    };
                    self.error(range, message, help);
                    return None;
                }
                let generic = self.cx.is_type_param(&segments[0]);
                Some(EnumValue::Const(self.cx.hole(&text, generic, || quote!(#expr))))
            }
            // `pld::ReduceOp::from_int(N)`
            syn::Expr::Call(call) if is_from_int(&call.func) => {
                let mut names = Names { lower: self, variable: false, generic: false };
                call.args.iter().for_each(|a| names.visit_expr(a));
                let Names { variable, generic, .. } = names;
                if variable {
                    self.error(range, not_constant(param, info), format!("write one of {}", variants()));
                    return None;
                }
                Some(EnumValue::Const(self.cx.hole(&text_of(expr), generic, || quote!(#expr))))
            }
            syn::Expr::Lit(_) => {
                let message = format!(
                    "argument `{param}` of `{}` is `{}`, expected a `pld::{}`",
                    info.path,
                    text_of(expr),
                    kind.name()
                );
                self.error(range, message, format!("it is one of {}", variants()));
                None
            }
            _ => {
                self.error(
                    range,
                    not_constant(param, info),
                    format!("write one of {}, or the name of a `const`", variants()),
                );
                None
            }
        }
    }
}

/// A variant as the copy names it.
pub(super) fn variant(kind: EnumKind, value: i32) -> Option<syn::Expr> {
    let variant = kind.variants().get(usize::try_from(value).ok()?)?;
    let (name, variant) = (format_ident!("{}", kind.name()), format_ident!("{variant}"));
    Some(parse_quote!(::pl::distributed::#name::#variant))
}

fn not_constant(param: &str, info: &OpInfo) -> String {
    format!("argument `{param}` of `{}` must be a constant expression", info.path)
}

fn is_from_int(func: &syn::Expr) -> bool {
    matches!(func, syn::Expr::Path(p) if p.path.segments.last().is_some_and(|s| s.ident == "from_int"))
}

/// What an expression depends on.
struct Names<'a, 'b> {
    lower: &'a Lower<'b>,
    variable: bool,
    generic: bool,
}

impl<'ast> Visit<'ast> for Names<'_, '_> {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        if let Some(first) = path.segments.first() {
            let name = first.ident.to_string();
            let single = path.segments.len() == 1;
            self.variable |= single && (self.lower.find(&name).is_some() || name.starts_with(char::is_lowercase));
            self.generic |= self.lower.cx.is_const_generic(&name) || self.lower.cx.is_type_param(&name);
        }
    }

    fn visit_type(&mut self, _: &'ast syn::Type) {}
}
