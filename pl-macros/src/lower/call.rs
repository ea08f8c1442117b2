//! Calls: ops of the table, the scalar functions, and functions of the user.

use super::enums::variant;
use super::stmt::value_arg;
use super::{CallSite, Callee, Kind, Lower, Rhs, Value, stem};
use crate::context::{path_text, text_of};
use crate::places::{Range, edges, edges_of_path};
use crate::{names, parse};
use pl_core::ir::{self, Arg, ArgKind, BinOp, Elem, EnumValue, Expr, ExprKind, FunctionKind, Lit, Loc, Op, ScalarType};
use pl_core::op::{Default as DefaultArg, EnumKind, OpCode, OpInfo, ParamKind, TypeArg};
use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::{Ident, PathArguments, parse_quote};

/// The functions of the surface that are no ops.
const FUNCTIONS: [&str; 4] = ["pl::min", "pl::max", "pl::range", "pl::lit"];

impl Lower<'_> {
    pub(super) fn call(&mut self, call: &mut syn::ExprCall, range: Range) -> Rhs {
        while let syn::Expr::Group(group) = &mut *call.func {
            let inner = std::mem::replace(&mut *group.expr, syn::Expr::Verbatim(TokenStream::new()));
            *call.func = inner;
        }
        let path = match &*call.func {
            syn::Expr::Path(func) if func.qself.is_none() => func.path.clone(),
            func => {
                let func_range = edges(func);
                return Rhs::Value(self.poison(
                    func_range,
                    "this is not a function",
                    "functions are called by their name",
                ));
            }
        };
        if path.get_ident().is_some_and(|name| self.is_poisoned(name)) {
            return Rhs::Value(self.poisoned());
        }
        let text = path_text(&path);
        if let Some(code) = names::op(&text) {
            return match self.op_call(code, call, &path, range) {
                Some(op) => {
                    let loc = self.loc(range);
                    Rhs::Op(op, loc)
                }
                None => Rhs::Value(self.poisoned()),
            };
        }
        match text.as_str() {
            "pl::min" => return Rhs::Value(self.min_max(BinOp::Min, call, range)),
            "pl::max" => return Rhs::Value(self.min_max(BinOp::Max, call, range)),
            "pl::lit" => return Rhs::Value(self.lit(call, &path, range)),
            "pl::range" => {
                return Rhs::Value(self.poison(
                    range,
                    "`pl::range` stands only in the head of a `for`",
                    "write `for i in pl::range(n)`",
                ));
            }
            _ => {}
        }
        if let Some((message, help)) = self.wrong_path(&path, &text) {
            let at = edges_of_path(&path);
            // The arguments may be wrong as well.
            for arg in &mut call.args {
                if !matches!(arg, syn::Expr::Assign(_) | syn::Expr::Array(_) | syn::Expr::Path(_)) {
                    self.value(arg);
                }
            }
            return Rhs::Value(self.poison(at, message, help));
        }
        self.user_call(call, path, range)
    }

    /// What is wrong with a path that names neither an op nor a function of the user.
    fn wrong_path(&self, path: &syn::Path, text: &str) -> Option<(String, String)> {
        let segments: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
        let (first, last) = (segments.first()?.as_str(), segments.last()?.as_str());
        let all = || names::ops().map(OpCode::path).chain(FUNCTIONS);
        let named: Vec<&str> = all().filter(|p| p.rsplit("::").next() == Some(last)).collect();
        let language = matches!(first, "pl" | "pld") && path.leading_colon.is_none();
        if language {
            if matches!(last, "fence" | "quiet") {
                let help = "none is needed: `pld::system::notify` orders everything that its rank did before";
                return Some((format!("there is no op `{text}`"), help.into()));
            }
            let near = if named.is_empty() { near_ops(text, last) } else { named };
            let help = match near.as_slice() {
                [] => "the ops are listed in the documentation of `pl`".into(),
                near => format!("did you mean {}?", names::list(near)),
            };
            return Some((format!("there is no op `{text}`"), help));
        }
        if !named.is_empty() {
            let paths = names::list(&named);
            let help = if segments.len() == 1 {
                format!("write {paths}; a function of your own needs a name that no op has")
            } else {
                format!("write {paths}: ops are called by a path that begins with `pl::` or `pld::`")
            };
            return Some((format!("`{text}` is not the path of an op"), help));
        }
        if path.get_ident().is_some() && self.find(text).is_some() {
            return Some((format!("`{text}` is a variable, not a function"), "remove the parentheses".into()));
        }
        if self.signature.ident == last && (segments.len() == 1 || first == "self" && segments.len() == 2) {
            return Some((format!("`{last}` calls itself"), "a device has no call stack: write a loop".into()));
        }
        if last.starts_with(char::is_uppercase) {
            return Some((
                format!("`{text}` is not a function of a kernel"),
                "a kernel has no structs and no enum values with fields".into(),
            ));
        }
        if parse::is_scalar_name(first) || matches!(first, "core" | "std" | "alloc") {
            return Some((
                format!("a kernel cannot call `{text}`"),
                "it calls ops (`pl::…`, `pld::…`) and your Inline functions; scalars have `+ - * / %`, `pl::min`, `pl::max`".into(),
            ));
        }
        None
    }

    /// A call of an op: its arguments in the order of the table.
    fn op_call(&mut self, code: OpCode, call: &mut syn::ExprCall, path: &syn::Path, range: Range) -> Option<Op> {
        let info = code.info();
        let elem = self.type_argument(info, path);
        let mut failed = elem.is_none();
        let mut values: Vec<Value> = vec![];
        let mut slots: Vec<Option<Slot>> = info.params.iter().map(|_| None).collect();
        let mut named: Option<Range> = None;
        let mut extra = false;
        for (position, arg) in call.args.iter_mut().enumerate() {
            let arg_range = edges(arg);
            let (index, value) = match arg {
                syn::Expr::Assign(assign) => match assign_name(&assign.left) {
                    Some(name) => {
                        named = Some(arg_range);
                        (self.named_index(info, &name, &slots), &mut *assign.right)
                    }
                    None => (None, &mut *assign.right),
                },
                arg => {
                    let index = if named.is_some() {
                        self.error(
                            arg_range,
                            "a positional argument after a named one",
                            format!("name it too; {}", parameters(info)),
                        );
                        None
                    } else if position < slots.len() {
                        Some(position)
                    } else {
                        extra = true;
                        None
                    };
                    (index, arg)
                }
            };
            let Some(index) = index else {
                failed = true;
                // Its value may be wrong as well.
                if !matches!(value, syn::Expr::Array(_) | syn::Expr::Path(_)) {
                    self.value(value);
                }
                continue;
            };
            let mark = self.block.len();
            let first = values.len();
            let slot = self.argument(info, index, value, &mut values);
            let (earlier, _) = values.split_at_mut(first);
            self.protect(mark, earlier);
            failed |= slot.is_none();
            let copy = value.clone();
            slots[index] = Some(
                slot.unwrap_or(Slot { kind: SlotKind::Values(first, first), loc: Loc::NONE, copy: None })
                    .with_copy(copy),
            );
        }
        let level = self.signature.kind;
        let needed = |i: usize| info.params[i].default.is_none() && !info.may_lack(i, level);
        let missing: Vec<&str> =
            (0..slots.len()).filter(|i| slots[*i].is_none() && needed(*i)).map(|i| info.params[i].name).collect();
        if extra || (!missing.is_empty() && named.is_none()) {
            let least = (0..slots.len()).filter(|i| needed(*i)).count();
            let expected = if least == info.params.len() {
                least.to_string()
            } else {
                format!("{least} to {}", info.params.len())
            };
            let message = format!("`{}` has {}, expected {expected}", info.path, count(call.args.len(), "argument"));
            self.error(range, message, format!("{}; for example `{}`", parameters(info), info.example));
            return None;
        }
        if !missing.is_empty() && !failed {
            let what = if missing.len() == 1 { "the argument" } else { "the arguments" };
            let list: Vec<String> = missing.iter().map(|m| format!("`{m}`")).collect();
            let message = format!("`{}` lacks {what} {}", info.path, list.join(", "));
            self.error(range, message, format!("{}; for example `{}`", parameters(info), info.example));
            return None;
        }
        if failed {
            self.cx.incomplete = true;
            return None;
        }
        call.args =
            info.params.iter().zip(&slots).filter_map(|(p, s)| copy_of(s.as_ref(), p.default, p.kind)).collect();
        if info.type_arg == TypeArg::Required && info.params.iter().any(|p| p.kind == ParamKind::Extents) {
            infer_rank(&mut call.func);
        }
        let args = info.params.iter().zip(slots).filter_map(|(p, s)| ir_arg(s, p.default, p.kind, &values)).collect();
        Some(Op { code, dst: None, args, elem: elem.flatten() })
    }

    /// The type argument of an op; `None` after an error.
    fn type_argument(&mut self, info: &OpInfo, path: &syn::Path) -> Option<Option<Elem>> {
        let range = edges_of_path(path);
        let list = match path.segments.last().map(|s| &s.arguments) {
            Some(PathArguments::AngleBracketed(list)) => Some(list),
            _ => None,
        };
        match (info.type_arg, list) {
            (TypeArg::No, None) => Some(None),
            (TypeArg::No, Some(list)) => {
                self.error(Range::of(list), format!("`{}` takes no type argument", info.path), "remove it");
                None
            }
            (TypeArg::Required, None) => {
                let message = format!("`{}` needs its element type", info.path);
                self.error(range, message, format!("write `{}::<f32>(…)`", info.path));
                None
            }
            (TypeArg::Required, Some(list)) => match list.args.first() {
                Some(syn::GenericArgument::Type(ty)) if list.args.len() == 1 => {
                    parse::elem(self.cx, ty).map(|(elem, _)| Some(elem))
                }
                _ => {
                    let message = format!("`{}` takes one element type", info.path);
                    self.error(Range::of(list), message, format!("write `{}::<f32>(…)`", info.path));
                    None
                }
            },
        }
    }

    /// The parameter that a name means; `None` after an error.
    fn named_index(&mut self, info: &OpInfo, name: &Ident, slots: &[Option<Slot>]) -> Option<usize> {
        let at = Range::one(name.span());
        let Some(index) = info.param(&name.to_string()) else {
            let near = names::nearest(&name.to_string(), info.params.iter().map(|p| p.name));
            let hint = if near.is_empty() { String::new() } else { format!("did you mean {}? ", names::list(&near)) };
            self.error(at, format!("`{}` has no argument `{name}`", info.path), format!("{hint}{}", parameters(info)));
            return None;
        };
        if slots[index].is_some() {
            self.error(at, format!("the argument `{name}` of `{}` is given twice", info.path), "remove one of them");
            return None;
        }
        Some(index)
    }

    /// Lowers one argument of an op; `None` after an error.
    fn argument(&mut self, info: &OpInfo, index: usize, expr: &mut syn::Expr, values: &mut Vec<Value>) -> Option<Slot> {
        let range = edges(expr);
        let param = info.params[index];
        let what = format!("argument `{}` of `{}`", param.name, info.path);
        let wants_list = matches!(param.kind, ParamKind::Offsets(_) | ParamKind::Shape(_) | ParamKind::Extents);
        if let ParamKind::Enum(kind) = param.kind {
            let arg = self.enum_arg(expr, kind, info, index)?;
            return Some(Slot { loc: arg.loc, kind: SlotKind::Enum(arg), copy: None });
        }
        let from = values.len();
        match super::stmt::strip(expr) {
            syn::Expr::Array(array) if wants_list => {
                let mut poisoned = false;
                for elem in &mut array.elems {
                    let mark = self.block.len();
                    let at = edges(elem);
                    let value = self.value(elem);
                    self.protect(mark, values.iter_mut());
                    poisoned |= value.kind == Kind::Poison;
                    if matches!(value.kind, Kind::Tile | Kind::Memory | Kind::Context | Kind::Buffer) {
                        self.error(
                            at,
                            format!("an entry of {what} is {}, expected an index (`usize`)", value.kind.describe()),
                            "read one element first: `pl::read(…)`",
                        );
                        poisoned = true;
                    }
                    values.push(value);
                }
                let loc = self.loc(range);
                (!poisoned).then_some(Slot { kind: SlotKind::Values(from, values.len()), loc, copy: None })
            }
            syn::Expr::Path(e) if wants_list && e.path.get_ident().is_some_and(|i| self.is_poisoned(i)) => None,
            other if wants_list => {
                let help = match other {
                    syn::Expr::Repeat(_) => "write the list out: `[0, 0]`",
                    _ => "write it in brackets, one entry per axis: `[0, 0]`",
                };
                self.error(range, format!("{what} is not a list"), help);
                None
            }
            syn::Expr::Array(_) => {
                self.error(
                    range,
                    format!("{what} is a list, expected {}", wanted(param.kind)),
                    "write the value without brackets",
                );
                None
            }
            syn::Expr::Path(e) if let Some((kind, written)) = enum_named(&e.path) => {
                let takes = info.params.iter().find(|p| p.kind == ParamKind::Enum(kind));
                let help = match takes {
                    Some(param) => format!("name it: `{} = {written}`", param.name),
                    None => parameters(info),
                };
                self.error(range, format!("{what} is `{written}`, expected {}", wanted(param.kind)), help);
                None
            }
            other => {
                let value = self.value(other);
                if value.bare
                    && matches!(param.kind, ParamKind::TileOrScalar(_) | ParamKind::Element(_) | ParamKind::TypeElement)
                {
                    *expr = self.literal_copy(range);
                }
                values.push(value);
                let loc = self.loc(range);
                Some(Slot { kind: SlotKind::Value(from), loc, copy: None })
            }
        }
    }

    /// `pl::min(a, b)`, `pl::max(a, b)` on scalars.
    fn min_max(&mut self, op: BinOp, call: &mut syn::ExprCall, range: Range) -> Value {
        let name = op.symbol();
        if call.args.len() != 2 {
            let message = format!("`pl::{name}` has {}, expected 2", count(call.args.len(), "argument"));
            return self.poison(range, message, format!("write `pl::{name}(a, b)`"));
        }
        let mut values: Vec<Value> = vec![];
        for arg in &mut call.args {
            let mark = self.block.len();
            let value = self.value(arg);
            self.protect(mark, &mut values);
            values.push(value);
        }
        let Ok([a, b]) = <[Value; 2]>::try_from(values) else { return self.poisoned() };
        if a.kind == Kind::Poison || b.kind == Kind::Poison {
            return self.poisoned();
        }
        for value in [&a, &b] {
            if matches!(value.kind, Kind::Tile | Kind::Memory | Kind::Context | Kind::Buffer) {
                let help = format!("`pl::{name}` is for scalars; on tiles write `pl::{name}imum(a, b)`");
                return self.poison(range, format!("`pl::{name}` on {}", value.kind.describe()), help);
            }
        }
        let loc = self.loc(range);
        let bare = a.bare && b.bare;
        Value { kind: Kind::Scalar, expr: Expr::binary(op, a.expr, b.expr).at(loc), bare }
    }

    /// `pl::lit::<T>(1.5)`
    fn lit(&mut self, call: &mut syn::ExprCall, path: &syn::Path, range: Range) -> Value {
        let help = "write `pl::lit::<T>(1.5)`: an element type and a literal";
        let elem = match path.segments.last().map(|s| &s.arguments) {
            Some(PathArguments::AngleBracketed(list)) if list.args.len() == 1 => match list.args.first() {
                Some(syn::GenericArgument::Type(ty)) => match parse::elem(self.cx, ty) {
                    Some((elem, _)) => elem,
                    None => return self.poisoned(),
                },
                _ => return self.poison(range, "`pl::lit` takes one element type", help),
            },
            _ => return self.poison(range, "`pl::lit` needs its element type", help),
        };
        if call.args.len() != 1 {
            return self.poison(
                range,
                format!("`pl::lit` has {}, expected 1", count(call.args.len(), "argument")),
                help,
            );
        }
        let arg = &mut call.args[0];
        let arg_range = edges(arg);
        let value = self.value(arg);
        match value.expr.kind {
            ExprKind::Lit { value: value @ (Lit::Int(_) | Lit::Float(_)), ty: None } if value_is_bare(&value) => {
                let loc = self.loc(range);
                let lit = ExprKind::Lit { value, ty: Some(ScalarType::Elem(elem)) };
                Value::new(Kind::Scalar, Expr::new(lit).at(loc))
            }
            _ if value.kind == Kind::Poison => value,
            _ => self.poison(arg_range, "the argument of `pl::lit` is not a plain literal", help),
        }
    }

    /// A call of one of the user's functions.
    fn user_call(&mut self, call: &mut syn::ExprCall, mut path: syn::Path, range: Range) -> Rhs {
        let generics = match path.segments.last_mut() {
            Some(segment) => match std::mem::replace(&mut segment.arguments, PathArguments::None) {
                PathArguments::AngleBracketed(list) => quote!(#list),
                _ => TokenStream::new(),
            },
            None => TokenStream::new(),
        };
        let name = path_text(&path);
        let mut values: Vec<Value> = vec![];
        let mut places = vec![];
        let mut failed = false;
        let mut device: Option<(Value, syn::Expr)> = None;
        let dispatches = self.signature.kind == FunctionKind::Host;
        for arg in &mut call.args {
            let at = edges(arg);
            match arg {
                syn::Expr::Assign(assign) => {
                    let named = assign_name(&assign.left).is_some_and(|n| n == "device");
                    let wrong = if named && !dispatches {
                        Some((
                            "`device = …` in a kernel".to_owned(),
                            "a kernel runs on one device: a `Host` function dispatches to others".to_owned(),
                        ))
                    } else if named && device.is_some() {
                        Some(("a second `device = …`".to_owned(), "a call goes to one device".to_owned()))
                    } else if named {
                        None
                    } else {
                        let written = assign_name(&assign.left).map(|n| n.to_string()).unwrap_or_default();
                        let misspelled = dispatches && !names::nearest(&written, ["device"]).is_empty();
                        // It stands for the device: that is not missing as well.
                        if misspelled {
                            device = Some((self.poisoned(), (*assign.right).clone()));
                        }
                        let help = if misspelled {
                            "did you mean `device`? the other arguments of your own functions are positional".to_owned()
                        } else {
                            let but = if dispatches { ", but for `device`" } else { "" };
                            format!(
                                "write `{name}({})`: the calls of your own functions are positional{but}",
                                text_of(&*assign.right)
                            )
                        };
                        Some((format!("a named argument in a call of `{name}`"), help))
                    };
                    if let Some((message, help)) = &wrong {
                        failed = true;
                        self.error(at, message, help);
                    }
                    let (mark, device_range) = (self.block.len(), edges(&assign.right));
                    let value = self.value(&mut assign.right);
                    self.protect(mark, &mut values);
                    if wrong.is_none() {
                        if matches!(value.kind, Kind::Tile | Kind::Memory | Kind::Context | Kind::Buffer) {
                            let message =
                                format!("the device is {}, expected an index (`usize`)", value.kind.describe());
                            self.error(device_range, message, "ranks are counted: `for r in 0..pld::world_size()`");
                            failed = true;
                        }
                        device = Some((value, (*assign.right).clone()));
                    }
                }
                arg if device.is_some() => {
                    failed = true;
                    self.error(at, "an argument after `device = …`", "the device stands last");
                    self.value(arg);
                }
                arg => {
                    let mark = self.block.len();
                    let value = self.value(arg);
                    self.protect(mark, &mut values);
                    places.push((value.expr.as_local(), at));
                    values.push(value);
                }
            }
        }
        if dispatches && device.is_none() && !failed {
            failed = true;
            let help = match values.len() {
                0 => format!("say which device runs it: `{name}(device = r)`"),
                _ => format!("say which device runs it: `{name}(…, device = r)`"),
            };
            self.error(range, format!("`{name}` is called without a device"), help);
        }
        if failed {
            return Rhs::Value(self.poisoned());
        }
        call.args = call.args.iter().filter(|arg| !matches!(arg, syn::Expr::Assign(_))).cloned().collect();
        let (device, copy) = device.unzip();
        self.device = copy;
        let key = text_of(&quote!(#path #generics));
        let callee = match self.lowered.callees.iter().position(|c| c.key == key) {
            Some(known) => known,
            None => {
                self.lowered.callees.push(Callee { path: path.clone(), generics: generics.clone(), key });
                self.cx.function.callees.push(name.into());
                self.lowered.callees.len() - 1
            }
        };
        self.lowered.calls.push(CallSite { callee, range, args: places });
        // The copy calls the stub that stands beside the callee's type: one name to look up, one error where it does not exist.
        let span = edges_of_path(&path).start;
        let stub = format_ident!("__call", span = span);
        *call.func = syn::Expr::Verbatim(quote_spanned!(span=> <#path>::#stub #generics));
        let args = values.into_iter().map(|v| {
            let loc = v.expr.loc;
            value_arg(v, loc)
        });
        let args = args.collect();
        let loc = self.loc(range);
        Rhs::Call { call: ir::Call { callee: callee as u32, dsts: vec![], args, device: device.map(|d| d.expr) }, loc }
    }
}

fn value_is_bare(value: &Lit) -> bool {
    !matches!(value, Lit::Bool(_))
}

/// The argument for one parameter.
struct Slot {
    kind: SlotKind,
    loc: Loc,
    /// What stands in the copy.
    copy: Option<syn::Expr>,
}

/// Where the argument's values are.
enum SlotKind {
    Value(usize),
    Values(usize, usize),
    Enum(Arg),
}

impl Slot {
    fn with_copy(mut self, copy: syn::Expr) -> Slot {
        self.copy = Some(copy);
        self
    }
}

fn ir_arg(slot: Option<Slot>, default: Option<DefaultArg>, kind: ParamKind, values: &[Value]) -> Option<Arg> {
    let Some(slot) = slot else {
        let kind = match (default, kind) {
            (Some(DefaultArg::Enum(value)), ParamKind::Enum(kind)) => ArgKind::Enum(kind, EnumValue::Known(value)),
            (Some(DefaultArg::Enum(value) | DefaultArg::Int(value)), _) => ArgKind::Value(Expr::int(i128::from(value))),
            (Some(DefaultArg::Bool(value)), _) => {
                ArgKind::Value(Expr::new(ExprKind::Lit { value: Lit::Bool(value), ty: None }))
            }
            (Some(DefaultArg::Absent) | None, _) => ArgKind::Absent,
        };
        return Some(Arg { kind, loc: Loc::NONE });
    };
    Some(match slot.kind {
        SlotKind::Value(i) => Arg { kind: ArgKind::Value(values.get(i)?.expr.clone()), loc: slot.loc },
        SlotKind::Values(from, to) => {
            Arg { kind: ArgKind::List(values.get(from..to)?.iter().map(|v| v.expr.clone()).collect()), loc: slot.loc }
        }
        SlotKind::Enum(arg) => arg,
    })
}

fn copy_of(slot: Option<&Slot>, default: Option<DefaultArg>, kind: ParamKind) -> Option<syn::Expr> {
    if let Some(slot) = slot {
        return slot.copy.clone();
    }
    Some(match (default, kind) {
        (Some(DefaultArg::Enum(value)), ParamKind::Enum(kind)) => variant(kind, value)?,
        (Some(DefaultArg::Enum(value) | DefaultArg::Int(value)), _) => {
            let value = proc_macro2::Literal::i32_unsuffixed(value);
            parse_quote!(#value)
        }
        (Some(DefaultArg::Bool(value)), _) => parse_quote!(#value),
        (Some(DefaultArg::Absent) | None, ParamKind::Memory(..)) => parse_quote!(::pl::__private::no_window()),
        (Some(DefaultArg::Absent) | None, _) => parse_quote!([]),
    })
}

/// `pl::full::<f32>` is `pl::full::<f32, _>` in Rust: the rank is inferred.
fn infer_rank(func: &mut syn::Expr) {
    if let syn::Expr::Path(func) = func
        && let Some(segment) = func.path.segments.last_mut()
        && let PathArguments::AngleBracketed(list) = &mut segment.arguments
    {
        list.args.push(parse_quote!(_));
    }
}

/// The enum whose value a path is by its look, and the path as text.
fn enum_named(path: &syn::Path) -> Option<(EnumKind, String)> {
    let text = path_text(path);
    let (_, name) = text.rsplit_once("::")?.0.rsplit_once("::").filter(|(root, _)| *root == "pld")?;
    EnumKind::from_name(name).map(|kind| (kind, text.clone()))
}

/// What an argument must be, with its article.
fn wanted(kind: ParamKind) -> String {
    let what = kind.describe();
    let article = if what.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {what}")
}

fn assign_name(left: &syn::Expr) -> Option<Ident> {
    match left {
        syn::Expr::Path(path) => path.path.get_ident().cloned(),
        _ => None,
    }
}

/// The op's parameters, for a help line.
fn parameters(info: &OpInfo) -> String {
    let names: Vec<&str> = info.params.iter().map(|p| p.name).collect();
    format!("its arguments are {}", names.join(", "))
}

fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

/// The ops whose path or last name is near to what was written.
fn near_ops<'a>(text: &str, last: &str) -> Vec<&'a str> {
    let all: Vec<&'static str> = names::ops().map(OpCode::path).chain(FUNCTIONS).collect();
    let by_name = names::nearest(last, names::ops().map(stem));
    let mut near: Vec<&str> =
        by_name.iter().flat_map(|n| all.iter().copied().filter(move |p| p.rsplit("::").next() == Some(*n))).collect();
    if near.is_empty() {
        near = names::nearest(text, all.iter().copied());
    }
    near.dedup();
    near.truncate(3);
    near
}
