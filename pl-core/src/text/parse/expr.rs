//! Expressions, arguments and types.

use super::*;
use crate::op::{ParamInfo, ParamKind};
use crate::text::print::{CAST, UNARY, binding_of};

/// An expression and the height of its tree.
struct Tree {
    expr: Expr,
    height: usize,
}

fn operator(punct: &str) -> Option<BinOp> {
    use BinOp::*;
    [Add, Sub, Mul, Div, Rem, Eq, Ne, Lt, Le, Gt, Ge, And, Or].into_iter().find(|op| op.symbol() == punct)
}

impl<'t> Parser<'t> {
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        Ok(self.tree(0)?.expr)
    }

    fn node(&mut self, kind: ExprKind, loc: Loc, height: usize) -> Parsed<Tree> {
        self.check_depth(height)?;
        Ok(Tree { expr: Expr { kind, loc }, height })
    }

    /// An expression whose operators bind at least as tightly as `min`.
    fn tree(&mut self, min: u8) -> Parsed<Tree> {
        self.enter()?;
        let mut left = self.prefix()?;
        loop {
            if self.line_ended() {
                break;
            }
            let token = self.peek();
            let op = match token.tok {
                Tok::Word("as") if CAST >= min => {
                    self.next += 1;
                    let ty = self.scalar_type()?;
                    let loc = self.loc(token, None);
                    left = self.node(ExprKind::Cast(ty, Box::new(left.expr)), loc, left.height + 1)?;
                    continue;
                }
                Tok::Punct(punct) => operator(punct),
                _ => None,
            };
            let Some((op, binding)) = op.and_then(|op| Some((op, binding_of(op).filter(|b| *b >= min)?))) else {
                break;
            };
            self.next += 1;
            let at = self.at();
            let loc = self.loc(token, at);
            let right = self.tree(binding + 1)?;
            let height = left.height.max(right.height) + 1;
            left = self.node(ExprKind::Binary(op, Box::new(left.expr), Box::new(right.expr)), loc, height)?;
            if op.is_comparison()
                && let Tok::Punct(next) = self.peek().tok
                && operator(next).is_some_and(BinOp::is_comparison)
            {
                return Err(self.error(
                    self.peek(),
                    "comparisons do not chain",
                    "write `a < b && b < c`, or use parentheses",
                ));
            }
        }
        self.leave();
        Ok(left)
    }

    /// An expression up to its first binary operator.
    fn prefix(&mut self) -> Parsed<Tree> {
        if self.line_ended() {
            return Err(self.expected("an expression"));
        }
        let token = self.peek();
        match token.tok {
            Tok::Punct("(") => {
                self.eat("(");
                let inner = self.tree(0)?;
                self.expect(")", "after an expression in parentheses")?;
                return Ok(inner);
            }
            Tok::Punct("!") => {
                self.next += 1;
                let a = self.tree(UNARY)?;
                let loc = self.loc(token, None);
                return self.node(ExprKind::Unary(UnOp::Not, Box::new(a.expr)), loc, a.height + 1);
            }
            Tok::Punct("-") => {
                let number =
                    matches!(self.ahead(1).tok, Tok::Int(..) | Tok::Float(..) | Tok::Word("pl::inf" | "pl::nan"));
                if !number {
                    self.next += 1;
                    let at = self.at();
                    let a = self.tree(UNARY)?;
                    let loc = self.loc(token, at);
                    return self.node(ExprKind::Unary(UnOp::Neg, Box::new(a.expr)), loc, a.height + 1);
                }
            }
            _ => {}
        }
        let kind = self.atom()?;
        let loc = self.loc(token, None);
        self.node(kind, loc, 1)
    }

    fn atom(&mut self) -> Parsed<ExprKind> {
        let token = self.peek();
        match token.tok {
            Tok::Int(..) | Tok::Float(..) | Tok::Punct("-") | Tok::Word("true" | "false" | "pl::inf" | "pl::nan") => {
                let suffix = match self.ahead(usize::from(self.is("-"))).tok {
                    Tok::Int(_, suffix) | Tok::Float(_, suffix) => suffix,
                    _ => "",
                };
                let value = self.literal_with_suffix()?;
                let ty = match suffix {
                    "" => None,
                    "usize" => Some(ScalarType::Index),
                    _ => match DType::from_name(suffix) {
                        Some(dtype) => Some(ScalarType::Elem(Elem::Known(dtype))),
                        None => {
                            let help = "suffixes are `usize` and the element types";
                            return Err(self.error(token, format!("unknown suffix `{suffix}` of a number"), help));
                        }
                    },
                };
                Ok(ExprKind::Lit { value, ty })
            }
            Tok::Punct("%") => Ok(ExprKind::Local(self.local()?)),
            Tok::Quoted(name) => {
                self.next += 1;
                Ok(ExprKind::Name(name.into()))
            }
            Tok::Word("pl::lit") => {
                self.next += 1;
                let ty = self.type_argument(Self::scalar_type)?;
                self.expect("(", "before the value")?;
                let value = self.literal()?;
                self.expect(")", "after the value")?;
                Ok(ExprKind::Lit { value, ty: Some(ty) })
            }
            Tok::Word(word @ ("pl::min" | "pl::max")) => {
                self.next += 1;
                let op = if word == "pl::min" { BinOp::Min } else { BinOp::Max };
                self.expect("(", "before the two values")?;
                let a = self.tree(0)?;
                self.expect(",", "between the two values")?;
                let b = self.tree(0)?;
                self.expect(")", "after the two values")?;
                self.check_depth(a.height.max(b.height) + 1)?;
                Ok(ExprKind::Binary(op, Box::new(a.expr), Box::new(b.expr)))
            }
            Tok::Word("extent") if self.ahead(1).tok == Tok::Punct("(") => {
                self.next += 1;
                self.eat("(");
                let local = self.local()?;
                self.expect(",", "before the axis")?;
                let axis = self.number("an axis")?;
                self.expect(")", "after the axis")?;
                Ok(ExprKind::Extent(local, axis))
            }
            Tok::Word(word) if self.is_op(word) => {
                let help = format!("give its result a name first: `t = {word}(…)`");
                Err(self.error(token, format!("`{word}` is called inside an expression"), help))
            }
            Tok::Word(word) if !print::is_reserved(word) => {
                self.next += 1;
                match self.reads_as_name(word) {
                    true => Ok(ExprKind::Name(word.into())),
                    false => Ok(ExprKind::Local(self.local_named(word, token))),
                }
            }
            _ => Err(self.expected("an expression")),
        }
    }

    /// A literal that has no suffix.
    pub(super) fn literal(&mut self) -> Parsed<Lit> {
        let token = self.ahead(usize::from(self.is("-")));
        match token.tok {
            Tok::Int(_, suffix) | Tok::Float(_, suffix) if !suffix.is_empty() => {
                let help = "its type stands before it";
                Err(self.error(token, format!("the number has a suffix `{suffix}` where none is needed"), help))
            }
            _ => self.literal_with_suffix(),
        }
    }

    fn literal_with_suffix(&mut self) -> Parsed<Lit> {
        let negative = self.eat("-");
        let token = self.peek();
        let float = |value: f64| Lit::Float(if negative { -value } else { value });
        let lit = match token.tok {
            Tok::Int(value, _) => {
                let value = if negative { 0i128.checked_sub_unsigned(value) } else { i128::try_from(value).ok() };
                match value {
                    Some(value) => Lit::Int(value),
                    None => return Err(self.error(token, "the number is too large", "no element type holds it")),
                }
            }
            Tok::Float(value, _) => float(value),
            Tok::Word("pl::inf") => float(f64::INFINITY),
            Tok::Word("pl::nan") => float(f64::NAN),
            Tok::Word("true") if !negative => Lit::Bool(true),
            Tok::Word("false") if !negative => Lit::Bool(false),
            _ => return Err(self.expected("a literal")),
        };
        self.next += 1;
        Ok(lit)
    }

    /// An argument; `param` is what it is for, in an op.
    pub(super) fn arg(&mut self, param: Option<&ParamInfo>) -> Parsed<Arg> {
        let token = self.peek();
        if let Tok::Word(name) = token.tok
            && self.ahead(1).tok == Tok::Punct("=")
        {
            match param {
                Some(param) if param.name == name => self.next += 2,
                Some(param) => {
                    let help = "arguments stand in the order of the parameters";
                    return Err(self.error(
                        token,
                        format!("expected the argument for `{}`, found `{name}`", param.name),
                        help,
                    ));
                }
                None => return Err(self.error(token, format!("no parameter `{name}` here"), "leave the name out")),
            }
        }
        let value = self.peek();
        let loc = self.loc(value, None);
        let kind = match (value.tok, param.map(|p| p.kind)) {
            (Tok::Punct("["), _) => {
                self.eat("[");
                ArgKind::List(self.list("]", Self::expr)?)
            }
            (Tok::Word("_"), _) => {
                self.next += 1;
                ArgKind::Absent
            }
            (Tok::Word("enum"), _) => {
                self.next += 1;
                let kind = match self.peek().tok {
                    Tok::Word(word) => EnumKind::from_name(word),
                    _ => None,
                };
                let Some(kind) = kind else {
                    let names = EnumKind::ALL.map(EnumKind::name).join(", ");
                    return Err(self.expected_with("the name of an enum", &format!("enums are {names}")));
                };
                self.next += 1;
                ArgKind::Enum(kind, self.enum_value(kind)?)
            }
            (tok, Some(ParamKind::Enum(kind))) if tok != Tok::Punct("(") => ArgKind::Enum(kind, self.enum_value(kind)?),
            _ => ArgKind::Value(self.expr()?),
        };
        Ok(Arg { kind, loc })
    }

    fn enum_value(&mut self, kind: EnumKind) -> Parsed<EnumValue> {
        if self.eat_word("const") {
            return Ok(EnumValue::Const(self.name("the name of a constant")?.into()));
        }
        Ok(EnumValue::Known(self.variant(kind)?))
    }

    /// The wire value of a variant, by name or as a number.
    pub(super) fn variant(&mut self, kind: EnumKind) -> Parsed<i32> {
        let variant = match self.peek().tok {
            Tok::Word(word) => kind.variants().iter().position(|v| *v == word).map(|v| v as i32),
            Tok::Int(value, "") => i32::try_from(value).ok(),
            Tok::Punct("-") => match self.ahead(1).tok {
                Tok::Int(value, "") => i128::try_from(value).ok().and_then(|v| i32::try_from(-v).ok()),
                _ => None,
            },
            _ => None,
        };
        let Some(variant) = variant else {
            let help = format!("its values are {}; a constant is written `const NAME`", kind.variants().join(", "));
            return Err(self.expected_with(&format!("a value of `{}`", kind.name()), &help));
        };
        self.next += if self.is("-") { 2 } else { 1 };
        Ok(variant)
    }
}

/// Types.
impl<'t> Parser<'t> {
    /// `::<…>` with one item.
    pub(super) fn type_argument<T>(&mut self, item: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.expect("::", "before the type argument")?;
        self.expect("<", "before the type argument")?;
        let item = item(self)?;
        self.expect(">", "after the type argument")?;
        Ok(item)
    }

    pub(super) fn elem(&mut self) -> Parsed<Elem> {
        if let Tok::Word(name) | Tok::Quoted(name) = self.peek().tok
            && self.function.types.iter().any(|t| &*t.name == name)
        {
            self.next += 1;
            return Ok(Elem::Param(name.into()));
        }
        Ok(Elem::Known(self.dtype()?))
    }

    pub(super) fn scalar_type(&mut self) -> Parsed<ScalarType> {
        let ty = match self.peek().tok {
            Tok::Word("usize") => ScalarType::Index,
            Tok::Word("bool") => ScalarType::Bool,
            _ => return Ok(ScalarType::Elem(self.elem()?)),
        };
        self.next += 1;
        Ok(ty)
    }

    pub(super) fn ty(&mut self) -> Parsed<Type> {
        if self.eat("?") {
            return Ok(Type::Unknown);
        }
        let shaped = match self.peek().tok {
            Tok::Word("tile") => Type::Tile,
            Tok::Word("tensor") => Type::Tensor,
            Tok::Word("window") => Type::Window,
            Tok::Word("context") => {
                self.next += 1;
                return Ok(Type::Context);
            }
            Tok::Word("buffer") => {
                self.next += 1;
                return Ok(Type::Buffer);
            }
            _ => return Ok(Type::Scalar(self.scalar_type()?)),
        };
        self.next += 1;
        self.expect("<", "before the element type")?;
        let elem = self.elem()?;
        self.expect(",", "between element type and shape")?;
        self.expect("[", "before the shape")?;
        let shape = self.list("]", |p| if p.eat("?") { Ok(None) } else { p.expr().map(Some) })?;
        self.expect(">", "after the shape")?;
        Ok(shaped(Shaped { elem, shape }))
    }
}
