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
        let value = if kind.is_string() {
            self.string_value(strip(expr), kind, info, index)?
        } else {
            self.enum_value(strip(expr), kind, info, index)?
        };
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
            let written: Vec<String> = kind.variants().iter().map(|v| kind.written(v)).collect();
            names::list(&written)
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
                    && let Some(found) = EnumKind::from_name(name).filter(|found| is_written(*found))
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

impl Lower<'_> {
    /// The value of an argument that is written as a string: a literal, or a constant, which rustc reads.
    fn string_value(&mut self, expr: &syn::Expr, kind: EnumKind, info: &OpInfo, index: usize) -> Option<EnumValue> {
        let range = edges(expr);
        let param = info.params[index].name;
        let written: Vec<String> = kind.variants().iter().map(|v| kind.written(v)).collect();
        let choice = format!("it is {}", names::list(&written));
        let of = format!("argument `{param}` of `{}`", info.path);
        match expr {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => {
                let quoted = format!("\"{}\"", text.value());
                if let Some(value) = written.iter().position(|w| *w == quoted) {
                    return Some(EnumValue::Known(value as i32));
                }
                let near = names::nearest(&quoted, written.iter().map(String::as_str));
                let help =
                    if near.is_empty() { choice } else { format!("did you mean {}? {choice}", names::list(&near)) };
                self.error(range, format!("{of} cannot be `{quoted}`"), help);
            }
            syn::Expr::Lit(_) => {
                self.error(range, format!("{of} is `{}`, expected a string", text_of(expr)), choice);
            }
            syn::Expr::Path(e) if e.path.get_ident().is_some_and(|i| self.is_poisoned(i)) => {}
            syn::Expr::Path(e) if e.qself.is_none() => {
                let text = path_text(&e.path);
                let segments: Vec<String> = e.path.segments.iter().map(|s| s.ident.to_string()).collect();
                let (first, last) = (segments.first()?, segments.last()?);
                let named = written.iter().find(|w| w.trim_matches('"') == last.to_lowercase());
                let constant = !last.starts_with(char::is_lowercase) && self.find(&text).is_none();
                match named {
                    Some(named) if !constant || first == "pld" => {
                        self.error(range, format!("{of} is a string"), format!("write `{named}`"));
                    }
                    _ if constant && first != "pld" => {
                        let generic = self.cx.is_type_param(first);
                        let value = self.cx.hole(&text, generic, || quote!(::pl::__private::mode_of(#expr)));
                        return Some(EnumValue::Const(value));
                    }
                    _ if segments.len() == 1 && self.find(&text).is_none() => {
                        let (message, _) = self.undefined(&text);
                        self.error(range, message, format!("{choice}, or the name of a `const`"));
                    }
                    _ => self.error(range, not_constant(param, info), format!("{choice}, or the name of a `const`")),
                }
            }
            _ => self.error(range, not_constant(param, info), format!("{choice}, or the name of a `const`")),
        }
        None
    }
}

/// Whether users name the enum: others have another form, or none.
fn is_written(kind: EnumKind) -> bool {
    !kind.is_string() && names::ops().any(|op| op.info().takes(kind))
}

/// A variant as the copy names it.
pub(super) fn variant(kind: EnumKind, value: i32) -> Option<syn::Expr> {
    let variant = kind.variants().get(usize::try_from(value).ok()?)?;
    if kind.is_string() {
        let text = variant.to_lowercase();
        return Some(parse_quote!(#text));
    }
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
