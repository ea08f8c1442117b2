//! Types as a kernel writes them.

use crate::context::{Context, path_text, text_of};
use crate::names;
use crate::places::{Range, edges};
use pl_core::dtype::DType;
use pl_core::ir::{BinOp, Elem, Expr, ExprKind, Extent, FunctionKind, Lit, Mode, ScalarType, Shaped, Type};
use pl_core::verify::MAX_AXES;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{GenericArgument, PathArguments};

/// A type of the surface.
#[derive(Debug)]
pub struct Ty {
    pub ir: Type,
    pub mode: Mode,
    /// The element type of a tile, tensor or window, or the scalar type, as the user wrote it.
    pub elem: TokenStream,
    /// The type in the copy: without its shape.
    pub copy: TokenStream,
    /// The shape as an array expression, to be type-checked in the copy.
    pub shape: Option<TokenStream>,
    pub range: Range,
}

impl Ty {
    /// A type that was reported.
    fn poisoned(cx: &mut Context, range: Range) -> Ty {
        cx.incomplete = true;
        let copy = quote!(impl ::core::marker::Sized);
        Ty { ir: Type::Unknown, mode: Mode::In, elem: TokenStream::new(), copy, shape: None, range }
    }

    /// The number of axes of a tile, tensor or window.
    pub fn rank(&self) -> usize {
        self.ir.shaped().map_or(0, |s| s.shape.len())
    }
}

/// Where a type stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Where {
    Param,
    Return,
    Let,
}

/// What a lower-case name in a shape stands for, where it stands for something.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<Expr>;

const TYPES: &str = "the types are `pl::Tensor<f32, { [1, SIZE] }>`, `pl::Out<…>`, `pl::InOut<…>`, `pld::DistributedTensor<…>`, \
                     `pl::Tile<…>` (in Inline functions), and scalars: an element type, `usize`, `bool`";
const ELEMENTS: &str = "the element types are f32, f16, bf16, i8, i16, i32, i64, u8, u32, or a type parameter bounded by `pl::Element`; an index \
                        is a `usize`";
/// The names of the types with the paths that they are written by.
const KNOWN: [&str; 5] = ["pl::Tensor", "pl::Tile", "pl::Out", "pl::InOut", "pld::DistributedTensor"];

/// Reads a type.
pub fn ty(cx: &mut Context, source: &syn::Type, place: Where, lookup: Lookup<'_>) -> Ty {
    let range = Range::of(source);
    let path = match source {
        syn::Type::Group(group) => return ty(cx, &group.elem, place, lookup),
        syn::Type::Paren(paren) => return ty(cx, &paren.elem, place, lookup),
        syn::Type::Path(path) if path.qself.is_none() => &path.path,
        other => {
            let help = match other {
                syn::Type::Reference(r) if matches!(*r.elem, syn::Type::Slice(_) | syn::Type::Array(_)) => {
                    "write `pl::Tensor<f32, { [SIZE] }>`: arguments are lent by the host without `&`".into()
                }
                syn::Type::Reference(r) => {
                    format!("write `{}`: arguments are lent by the host without `&`", text_of(&*r.elem))
                }
                syn::Type::Tuple(_) => "a tuple is only a return type".into(),
                _ => TYPES.into(),
            };
            cx.error(range, format!("a kernel has no type `{}`", text_of(other)), help);
            return Ty::poisoned(cx, range);
        }
    };
    let text = path_text(path);
    match text.as_str() {
        "pl::Tensor" | "pl::Tile" | "pld::DistributedTensor" => shaped(cx, path, &text, range, place, lookup),
        "pl::Out" | "pl::InOut" => wrapped(cx, path, &text, range, place, lookup),
        _ => {
            let last = path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
            if let Some(known) = KNOWN.iter().find(|k| k.ends_with(&format!("::{last}"))) {
                cx.error(range, format!("`{text}` is not written by its path"), format!("write `{known}<…>`"));
                return Ty::poisoned(cx, range);
            }
            match scalar_path(cx, path) {
                Some(scalar) => {
                    let elem = quote!(#path);
                    Ty { ir: Type::Scalar(scalar), mode: Mode::In, copy: elem.clone(), elem, shape: None, range }
                }
                None => {
                    let nearest = names::nearest(
                        &text,
                        KNOWN.into_iter().chain(DType::ALL.map(DType::name)).chain(["usize", "bool"]),
                    );
                    let help = match nearest.as_slice() {
                        _ if is_number(&last) => ELEMENTS.to_owned(),
                        [] => format!("{TYPES}; the macro cannot see through an alias"),
                        near => format!("did you mean {}?", names::list(near)),
                    };
                    cx.error(range, format!("a kernel has no type `{text}`"), help);
                    Ty::poisoned(cx, range)
                }
            }
        }
    }
}

/// Whether a name is one of Rust's numbers that are no element types.
fn is_number(name: &str) -> bool {
    matches!(name, "f64" | "f128" | "u16" | "u64" | "u128" | "i128" | "isize" | "char")
}

/// `pl::Out<…>`, `pl::InOut<…>`
fn wrapped(cx: &mut Context, path: &syn::Path, text: &str, range: Range, place: Where, lookup: Lookup<'_>) -> Ty {
    let inner = match arguments(path).as_slice() {
        [GenericArgument::Type(inner)] => inner,
        _ => {
            cx.error(
                range,
                format!("`{text}` takes one type"),
                format!("write `{text}<pl::Tensor<f32, {{ [1, SIZE] }}>>`"),
            );
            return Ty::poisoned(cx, range);
        }
    };
    let mut inner = ty(cx, inner, place, lookup);
    if place != Where::Param {
        let what = if place == Where::Return { "a return type" } else { "the type of a variable" };
        cx.error(
            range,
            format!("`{text}` in {what}"),
            "`pl::Out` and `pl::InOut` mark parameters: write the type inside",
        );
        return inner;
    }
    if !inner.ir.is_memory() && inner.ir != Type::Unknown {
        cx.error(
            range,
            format!("`{text}` of something that is not memory"),
            "only tensors and windows are written: drop the wrapper",
        );
        return inner;
    }
    if inner.mode != Mode::In {
        cx.error(inner.range, format!("`{text}` of `pl::{}`", inner.mode.name()), "keep one of them");
        return inner;
    }
    inner.mode = if text == "pl::Out" { Mode::Out } else { Mode::InOut };
    if inner.ir != Type::Unknown {
        let (copy, bare) = (&inner.copy, without_arguments(path));
        inner.copy = quote_spanned!(range.end=> #bare<#copy>);
    }
    inner.range = range;
    inner
}

/// `pl::Tensor<f32, { [1, SIZE] }>` and its like.
fn shaped(cx: &mut Context, path: &syn::Path, text: &str, range: Range, place: Where, lookup: Lookup<'_>) -> Ty {
    let example = format!("write `{text}<f32, {{ [1, SIZE] }}>`");
    let (element, shape) = match arguments(path).as_slice() {
        [GenericArgument::Type(element), shape] => (element, *shape),
        [GenericArgument::Type(_)] => {
            cx.error(range, format!("`{text}` has no shape"), example);
            return Ty::poisoned(cx, range);
        }
        _ => {
            cx.error(range, format!("`{text}` takes an element type and a shape"), example);
            return Ty::poisoned(cx, range);
        }
    };
    let element_read = elem(cx, element);
    let Some(array) = shape_array(shape) else {
        cx.error(Range::of(shape), "this is not a shape", example);
        return Ty::poisoned(cx, range);
    };
    if array.elems.is_empty() || array.elems.len() > MAX_AXES {
        let at = Range { start: array.bracket_token.span.open(), end: array.bracket_token.span.close() };
        cx.error(at, format!("a shape of {} axes", array.elems.len()), format!("a shape has 1 to {MAX_AXES} extents"));
        return Ty::poisoned(cx, range);
    }
    let open = text == "pl::Tile" && (place == Where::Let || cx.function.kind == FunctionKind::Inline);
    let mut checked: Vec<TokenStream> = vec![];
    let extents: Vec<Extent> = array
        .elems
        .iter()
        .map(|e| match e {
            syn::Expr::Infer(_) if open => {
                checked.push(quote!(0));
                None
            }
            e => {
                let read = extent(cx, e, lookup);
                checked.push(if read.is_some() { quote!(#e) } else { quote!(0) });
                read
            }
        })
        .collect();
    let Some((element, element_tokens)) = element_read else { return Ty::poisoned(cx, range) };
    let shaped = Shaped { elem: element, shape: extents };
    let bare = without_arguments(path);
    let ir = match text {
        "pl::Tensor" => Type::Tensor(shaped),
        "pl::Tile" => Type::Tile(shaped),
        _ => Type::Window(shaped),
    };
    Ty {
        ir,
        mode: Mode::In,
        copy: quote_spanned!(range.end=> #bare<#element_tokens>),
        elem: element_tokens,
        shape: Some(quote!([#(#checked),*])),
        range,
    }
}

/// The generic arguments of a path's last segment.
fn arguments(path: &syn::Path) -> Vec<&GenericArgument> {
    match path.segments.last().map(|s| &s.arguments) {
        Some(PathArguments::AngleBracketed(list)) => list.args.iter().collect(),
        _ => vec![],
    }
}

fn without_arguments(path: &syn::Path) -> syn::Path {
    let mut path = path.clone();
    path.segments.iter_mut().for_each(|s| s.arguments = PathArguments::None);
    path
}

/// The array inside `{ [rows, cols] }`.
fn shape_array(argument: &GenericArgument) -> Option<&syn::ExprArray> {
    fn array(expr: &syn::Expr) -> Option<&syn::ExprArray> {
        match expr {
            syn::Expr::Array(array) => Some(array),
            syn::Expr::Group(group) => array(&group.expr),
            syn::Expr::Block(block) => match block.block.stmts.as_slice() {
                [syn::Stmt::Expr(expr, None)] => array(expr),
                _ => None,
            },
            _ => None,
        }
    }
    match argument {
        GenericArgument::Const(expr) => array(expr),
        _ => None,
    }
}

/// Reads one extent of a shape.
fn extent(cx: &mut Context, expr: &syn::Expr, lookup: Lookup<'_>) -> Extent {
    let range = edges(expr);
    match expr {
        syn::Expr::Group(e) => extent(cx, &e.expr, lookup),
        syn::Expr::Paren(e) => extent(cx, &e.expr, lookup),
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(int), .. }) if matches!(int.suffix(), "" | "usize") => {
            let Some(value) = int.base10_parse::<i64>().ok().map(i128::from) else {
                cx.error(
                    range,
                    format!("the extent `{int}` is too large"),
                    format!("an extent is at most {}", i64::MAX),
                );
                return None;
            };
            let loc = cx.loc(range);
            Some(Expr::new(ExprKind::Lit { value: Lit::Int(value), ty: None }).at(loc))
        }
        syn::Expr::Path(e) if e.qself.is_none() => {
            let text = path_text(&e.path);
            if let Some(local) = lookup(&text) {
                let loc = cx.loc(range);
                return Some(local.at(loc));
            }
            let last = e.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
            if last.starts_with(char::is_lowercase) && !cx.function.is_dynamic(&text) {
                let help = format!(
                    "a shape is made of literals, constants and dims, which are in capitals: use a `const`, a const generic, or declare \
                     `dynamic({})`",
                    last.to_uppercase()
                );
                cx.error(range, format!("`{text}` is not a name that a shape may have"), help);
                return None;
            }
            Some(cx.constant(&e.path))
        }
        syn::Expr::Binary(e) => {
            let op = match e.op {
                syn::BinOp::Add(_) => BinOp::Add,
                syn::BinOp::Sub(_) => BinOp::Sub,
                syn::BinOp::Mul(_) => BinOp::Mul,
                syn::BinOp::Div(_) => BinOp::Div,
                syn::BinOp::Rem(_) => BinOp::Rem,
                _ => {
                    cx.error(
                        Range::of(&e.op),
                        format!("`{}` in a shape", text_of(&e.op)),
                        "extents are computed with + - * / %",
                    );
                    return None;
                }
            };
            let (a, b) = (extent(cx, &e.left, lookup), extent(cx, &e.right, lookup));
            let loc = cx.loc(range);
            Some(Expr::binary(op, a?, b?).at(loc))
        }
        syn::Expr::Unary(e) if matches!(e.op, syn::UnOp::Neg(_)) => {
            cx.error(range, "a negative extent", "an extent is 0 or more");
            None
        }
        _ => {
            let help = "an extent is made of literals, names in capitals, and + - * / %";
            cx.error(range, format!("`{}` is not an extent", text_of(expr)), help);
            None
        }
    }
}

/// Reads an element type; gives its tokens too.
pub fn elem(cx: &mut Context, source: &syn::Type) -> Option<(Elem, TokenStream)> {
    if let syn::Type::Group(group) = source {
        return elem(cx, &group.elem);
    }
    if let syn::Type::Path(path) = source
        && path.qself.is_none()
        && let Some(ScalarType::Elem(elem)) = scalar_path(cx, &path.path)
    {
        return Some((elem, quote!(#path)));
    }
    let text = text_of(source);
    let nearest = names::nearest(&text, DType::ALL.map(DType::name));
    let hint = if nearest.is_empty() || is_number(&text) {
        String::new()
    } else {
        format!("did you mean {}? ", names::list(&nearest))
    };
    cx.error(Range::of(source), format!("`{text}` is not an element type"), format!("{hint}{ELEMENTS}"));
    None
}

/// Reads a scalar type.
pub fn scalar(cx: &mut Context, source: &syn::Type) -> Option<ScalarType> {
    match source {
        syn::Type::Group(group) => return scalar(cx, &group.elem),
        syn::Type::Path(path) if path.qself.is_none() => {
            if let Some(scalar) = scalar_path(cx, &path.path) {
                return Some(scalar);
            }
        }
        _ => {}
    }
    cx.error(Range::of(source), format!("`{}` is not a scalar type of a kernel", text_of(source)), ELEMENTS);
    None
}

fn scalar_path(cx: &Context, path: &syn::Path) -> Option<ScalarType> {
    if path.segments.iter().any(|s| !s.arguments.is_none()) {
        return None;
    }
    let last = path.segments.last()?.ident.to_string();
    match last.as_str() {
        "usize" => Some(ScalarType::Index),
        "bool" => Some(ScalarType::Bool),
        _ if path.segments.len() == 1 && cx.is_type_param(&last) => Some(ScalarType::Elem(Elem::Param(last.into()))),
        _ => DType::from_name(&last).map(|d| ScalarType::Elem(Elem::Known(d))),
    }
}

/// Whether a path's first segment is the name of a scalar type: `f32::MAX`.
pub fn is_scalar_name(name: &str) -> bool {
    matches!(name, "usize" | "bool") || DType::from_name(name).is_some()
}
