//! Scalar expressions: constants are folded, the rest becomes instructions.

use super::{Compiler, Result, Slot};
use crate::plan::scalar::{self, ScalarTy};
use crate::plan::{Inst, Reg};
use pl_core::dtype::DType;
use pl_core::ir::{BinOp, Expr, ExprKind, Lit, Loc, UnOp};
use pl_core::verify::{cast_operand, default_scalar};

impl Compiler<'_> {
    /// The type that an expression has by itself; `None` for bare literals.
    pub(super) fn own_type(&self, e: &Expr) -> Result<Option<ScalarTy>> {
        Ok(match &e.kind {
            ExprKind::Lit { ty: Some(ty), .. } | ExprKind::Cast(ty, _) => Some(self.scalar_type(ty)?),
            ExprKind::Lit { value: Lit::Bool(_), .. } => Some(ScalarTy::Bool),
            ExprKind::Lit { .. } => None,
            ExprKind::Local(local) => match self.slot(*local)? {
                Slot::Scalar(_, ty) => Some(ty),
                _ => return Err(format!("`{}` is no scalar", self.function.local_name(*local))),
            },
            ExprKind::Name(name) => Some(self.named(name)?.1),
            ExprKind::Unary(UnOp::Not, a) => Some(self.own_type(a)?.unwrap_or(ScalarTy::Bool)),
            ExprKind::Unary(_, a) => self.own_type(a)?,
            ExprKind::Binary(op, ..) if op.is_comparison() || op.is_logical() => Some(ScalarTy::Bool),
            ExprKind::Binary(_, a, b) => match self.own_type(a)? {
                Some(ty) => Some(ty),
                None => self.own_type(b)?,
            },
            ExprKind::Extent(..) => Some(ScalarTy::Index),
        })
    }

    /// Computes an expression, into `dst` where that is given. The result may be a local's own register.
    pub(super) fn expr(
        &mut self,
        e: &Expr,
        wanted: Option<ScalarTy>,
        stmt: Loc,
        dst: Option<Reg>,
    ) -> Result<(Reg, ScalarTy)> {
        let loc = e.loc.or(stmt);
        let ty = match self.own_type(e)? {
            Some(ty) => ty,
            None => match wanted {
                Some(wanted) => wanted,
                None => self.scalar_type(&default_scalar(e))?,
            },
        };
        let reg = match &e.kind {
            ExprKind::Lit { value, .. } => {
                let bits = ty.literal(*value).ok_or_else(|| format!("{value:?} does not fit `{}`", ty.name()))?;
                self.constant(bits, ty)
            }
            ExprKind::Name(name) => {
                let (bits, ty) = self.named(name)?;
                self.constant(bits, ty)
            }
            ExprKind::Local(local) => match self.slot(*local)? {
                Slot::Scalar(reg, _) => reg,
                _ => return Err(format!("`{}` is no scalar", self.function.local_name(*local))),
            },
            ExprKind::Extent(local, axis) => match self.slot(*local)? {
                Slot::Memory(memory) => {
                    let shape = &self.plan.memories[memory as usize].shape;
                    let extent = *shape.get(*axis as usize).ok_or("an axis that does not exist")? as u64;
                    self.constant(extent, ScalarTy::Index)
                }
                Slot::Tile(tile) => {
                    let dst = dst.unwrap_or_else(|| self.register(None, ty));
                    self.emit(Inst::Extent { dst, tile, axis: *axis }, loc, "extent");
                    dst
                }
                _ => return Err("an extent of a scalar".into()),
            },
            // `-1` of a bare literal is the literal -1: `-128i8` fits.
            ExprKind::Unary(UnOp::Neg, a) if matches!(a.kind, ExprKind::Lit { value: Lit::Int(_), .. }) => {
                let ExprKind::Lit { value: Lit::Int(value), .. } = a.kind else { return Err("a literal".into()) };
                let bits =
                    ty.literal(Lit::Int(-value)).ok_or_else(|| format!("-{value} does not fit `{}`", ty.name()))?;
                let bits =
                    if value == 0 && ty.is_float() { ty.literal(Lit::Float(-0.0)).unwrap_or(bits) } else { bits };
                self.constant(bits, ty)
            }
            ExprKind::Unary(op, a) => {
                let (a, a_ty) = self.expr(a, Some(ty), stmt, None)?;
                match self.value_of(a).and_then(|a| scalar::unary(*op, a_ty, a).ok()) {
                    Some(bits) => self.constant(bits, ty),
                    None => {
                        let dst = dst.unwrap_or_else(|| self.register(None, ty));
                        let what = if *op == UnOp::Neg { "-" } else { "!" };
                        self.emit(Inst::Unary { op: *op, ty: a_ty, dst, a }, loc, what);
                        dst
                    }
                }
            }
            ExprKind::Cast(to, a) => {
                let bare = self.scalar_type(&cast_operand(to, a))?;
                let (a, from) = self.expr(a, Some(bare), stmt, None)?;
                match self.value_of(a) {
                    Some(bits) => self.constant(scalar::cast(from, ty, bits), ty),
                    None => {
                        let dst = dst.unwrap_or_else(|| self.register(None, ty));
                        self.emit(Inst::Cast { from, to: ty, dst, a }, loc, "as");
                        dst
                    }
                }
            }
            ExprKind::Binary(op, a, b) if op.is_logical() => self.logical(*op, a, b, stmt, loc, dst)?,
            ExprKind::Binary(op, a, b) => {
                let side = if op.is_comparison() {
                    match self.own_type(a)?.or(self.own_type(b)?) {
                        Some(ty) => ty,
                        None => self.scalar_type(&default_scalar(e))?,
                    }
                } else {
                    ty
                };
                let (a, _) = self.expr(a, Some(side), stmt, None)?;
                let (b, _) = self.expr(b, Some(side), stmt, None)?;
                let known = self.value_of(a).zip(self.value_of(b));
                match known.and_then(|(a, b)| scalar::binary(*op, side, a, b).ok()) {
                    Some(bits) => self.constant(bits, ty),
                    None => {
                        let dst = dst.unwrap_or_else(|| self.register(None, ty));
                        let inst = match side {
                            ScalarTy::Index => Inst::Index { op: *op, dst, a, b },
                            ty => Inst::Binary { op: *op, ty, dst, a, b },
                        };
                        self.emit_binary(inst, loc, op.symbol());
                        dst
                    }
                }
            }
        };
        if let Some(dst) = dst
            && dst != reg
        {
            self.emit(Inst::Move { dst, src: reg }, loc, "=");
            return Ok((dst, ty));
        }
        Ok((reg, ty))
    }

    /// `&&` and `||`: the right side runs only where it counts.
    fn logical(&mut self, op: BinOp, a: &Expr, b: &Expr, stmt: Loc, loc: Loc, dst: Option<Reg>) -> Result<Reg> {
        let (left, _) = self.expr(a, Some(ScalarTy::Bool), stmt, None)?;
        // The value of the left side at which the right one counts.
        let goes_on = u64::from(op == BinOp::And);
        if let Some(known) = self.value_of(left) {
            return if known == goes_on { Ok(self.expr(b, Some(ScalarTy::Bool), stmt, dst)?.0) } else { Ok(left) };
        }
        // A register of its own: the right side may read the local that the result goes to.
        let result = self.register(None, ScalarTy::Bool);
        self.emit(Inst::Move { dst: result, src: left }, loc, op.symbol());
        let skip = match op {
            BinOp::And => self.emit(Inst::Unless { cond: result, to: 0 }, loc, "&&"),
            _ => self.emit(Inst::When { cond: result, to: 0 }, loc, "||"),
        };
        self.expr(b, Some(ScalarTy::Bool), stmt, Some(result))?;
        self.land(skip);
        Ok(result)
    }

    /// A sum of an index as `i32`, which was just converted for it alone, is one instruction: what counts the credits of a signal is written so.
    fn emit_binary(&mut self, inst: Inst, loc: Loc, what: &'static str) {
        const I32: ScalarTy = ScalarTy::Elem(DType::I32);
        let converts = match (inst, self.plan.code.last()) {
            (
                Inst::Binary { op: BinOp::Add, ty: I32, dst, a, b },
                Some(&Inst::Cast { from: ScalarTy::Index, to: I32, dst: converted, a: index }),
            ) if a == converted && b != converted && self.plan.registers[a as usize].name.is_none() => {
                Some(Inst::AddAsI32 { dst, index, b })
            }
            _ => None,
        };
        if converts.is_some() {
            self.plan.code.pop();
            self.plan.origins.pop();
        }
        self.emit(converts.unwrap_or(inst), loc, what);
    }
}
