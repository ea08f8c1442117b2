//! The plan as text, for `--emit plan`.

mod unrolled;

use super::{Checked, Dst, Inst, Operand, Plan, Reg};
use core::fmt::{self, Display, Formatter};
use pl_core::op::{Access, ParamKind};
use std::collections::BTreeMap;
pub use unrolled::OfRank;

/// Values of registers.
type Known = BTreeMap<Reg, u64>;

/// A register: its value where that is known, its name, or its number.
struct Named<'p>(&'p Plan, Reg, &'p Known);

impl Display for Named<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let info = &self.0.registers[self.1 as usize];
        match (&info.name, info.constant.or_else(|| self.2.get(&self.1).copied())) {
            (_, Some(bits)) => f.write_str(&info.ty.show(bits)),
            (Some(name), None) => f.write_str(name),
            (None, None) => write!(f, "%{}", self.1),
        }
    }
}

impl Plan {
    fn write_inst(&self, f: &mut Formatter<'_>, inst: Inst, known: &Known) -> fmt::Result {
        let reg = |r: Reg| Named(self, r, known);
        let tile = |t: u32| &self.tiles[t as usize].name;
        match inst {
            Inst::Move { dst, src } => write!(f, "{} = {}", reg(dst), reg(src)),
            Inst::Index { op, dst, a, b } => write!(f, "{} = {} {} {}", reg(dst), reg(a), op.symbol(), reg(b)),
            Inst::Binary { op, ty, dst, a, b } => {
                write!(f, "{} = {} {}.{} {}", reg(dst), reg(a), op.symbol(), ty.name(), reg(b))
            }
            Inst::AddAsI32 { dst, index, b } => write!(f, "{} = {} as i32 + {}", reg(dst), reg(index), reg(b)),
            Inst::Unary { op, ty, dst, a } => write!(f, "{} = {op:?}.{} {}", reg(dst), ty.name(), reg(a)),
            Inst::Cast { to, dst, a, .. } => write!(f, "{} = {} as {}", reg(dst), reg(a), to.name()),
            Inst::Extent { dst, tile: t, axis } => write!(f, "{} = extent {axis} of {}", reg(dst), tile(t)),
            Inst::Jump { to } | Inst::Again { to } => write!(f, "go to {to}"),
            Inst::Unless { cond, to } => write!(f, "unless {} go to {to}", reg(cond)),
            Inst::UnlessIndex { op, a, b, to } => {
                write!(f, "unless {} {} {} go to {to}", reg(a), op.symbol(), reg(b))
            }
            Inst::When { cond, to } => write!(f, "when {} go to {to}", reg(cond)),
            Inst::Step { step } => write!(f, "check that {} is not 0", reg(step)),
            Inst::Head { counter, end, var, exit } => {
                write!(f, "{} = {}, or from {} on go to {exit}", reg(var), reg(counter), reg(end))
            }
            Inst::Next { counter, step, head, .. } => {
                write!(f, "{0} = {0} + {1}, go to {head}", reg(counter), reg(step))
            }
            Inst::Op { op } => self.write_op(f, op, known),
            Inst::Notify { signal } | Inst::Wait { signal } => {
                self.write_op(f, self.signals[signal as usize].op, known)
            }
            Inst::CopyTile { dst, src, .. } => write!(f, "{} = {}", tile(dst), tile(src)),
            Inst::Skip => f.write_str("nothing"),
            Inst::Check { check } => {
                let check = &self.checks[check as usize];
                write!(f, "check that {} is [", check.local)?;
                for (axis, declared) in check.declared.iter().enumerate() {
                    f.write_str(if axis > 0 { ", " } else { "" })?;
                    match declared {
                        Some(r) => write!(f, "{}", reg(*r))?,
                        None => f.write_str("?")?,
                    }
                }
                f.write_str(match check.found {
                    Checked::Tile(_) => "]",
                    Checked::Memory(_) => "] (memory)",
                })
            }
            Inst::End => f.write_str("end"),
        }
    }

    /// What is done in one loop over strips with an op that stores a tile, in one step with an op on a signal, or when an op lets others change memory that tiles read.
    fn write_fused(&self, f: &mut Formatter<'_>, inst: Inst, pc: usize, before: &[Vec<u32>]) -> fmt::Result {
        let Some(op) = self.op_of(inst) else { return Ok(()) };
        if let Inst::Notify { signal } | Inst::Wait { signal } = inst
            && self.signals[signal as usize].around.is_some()
        {
            f.write_str("  ; one step with the rounds that follow")?;
        }
        if op.stored().is_some() && op.dst == Dst::None {
            let together = self.together(before, pc as u32);
            if !together.is_empty() {
                f.write_str("  ; one loop with ")?;
                for (i, pc) in together.iter().enumerate() {
                    write!(f, "{}{pc}", if i > 0 { ", " } else { "" })?;
                }
            }
        }
        let deposits = |access| matches!(access, ParamKind::Memory(Access::Notify, _));
        if op.code.info().params.iter().any(|param| deposits(param.kind)) && !op.live.is_empty() {
            f.write_str("  ; computes ")?;
            for (i, tile) in op.live.iter().enumerate() {
                write!(f, "{}{}", if i > 0 { ", " } else { "" }, self.tiles[*tile as usize].name)?;
            }
            f.write_str(" before")?;
        }
        Ok(())
    }

    fn write_op(&self, f: &mut Formatter<'_>, index: u32, known: &Known) -> fmt::Result {
        let op = &self.ops[index as usize];
        match op.dst {
            Dst::None => {}
            Dst::Scalar(r) => write!(f, "{} = ", Named(self, r, known))?,
            Dst::Tile(t) => write!(f, "{} = ", self.tiles[t as usize].name)?,
        }
        let info = op.code.info();
        write!(f, "{}(", info.path)?;
        for (i, (arg, param)) in op.args.iter().zip(info.params).enumerate() {
            f.write_str(if i > 0 { ", " } else { "" })?;
            match *arg {
                Operand::Absent => f.write_str("_")?,
                Operand::Memory(m) => f.write_str(&self.memories[m as usize].name)?,
                Operand::Tile(t) => f.write_str(&self.tiles[t as usize].name)?,
                Operand::Scalar(r) => write!(f, "{}", Named(self, r, known))?,
                Operand::List(start, len) => {
                    f.write_str("[")?;
                    for (i, &r) in self.list(start, len).iter().enumerate() {
                        write!(f, "{}{}", if i > 0 { ", " } else { "" }, Named(self, r, known))?;
                    }
                    f.write_str("]")?;
                }
                Operand::Enum(value) => match param.kind {
                    ParamKind::Enum(kind) => {
                        f.write_str(kind.variants().get(value as usize).copied().unwrap_or("?"))?;
                    }
                    _ => write!(f, "{value}")?,
                },
                Operand::Context(m) => write!(f, "context of {}", self.memories[m as usize].name)?,
            }
        }
        f.write_str(")")?;
        if op.tiles.is_some() {
            f.write_str("  ; counts tile memory")?;
        }
        Ok(())
    }
}

impl Display for Plan {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let constants = self.registers.iter().filter(|r| r.constant.is_some()).count();
        writeln!(
            f,
            "plan of `{}`: {} instructions, {} registers, {} constants, {} tiles",
            self.kernel,
            self.code.len(),
            self.registers.len() - constants,
            constants,
            self.tiles.len()
        )?;
        for memory in &self.memories {
            let kind = if memory.window { "window" } else { "tensor" };
            if let Some(base) = memory.view_of {
                let base = &self.memories[base as usize].name;
                writeln!(f, "  {}: {kind} {} {:?}, a view of {base}", memory.name, memory.dtype, memory.shape)?;
                continue;
            }
            write!(f, "  {}: {} {kind} {} {:?}", memory.name, memory.mode.name(), memory.dtype, memory.shape)?;
            match memory.domain.and_then(|domain| Some((domain, self.domains.get(domain)?))) {
                Some((_, ranks)) if self.domains.len() == 1 => writeln!(f, " of {ranks} ranks")?,
                Some((domain, ranks)) => writeln!(f, " of {ranks} ranks (domain {domain})")?,
                None => writeln!(f)?,
            }
        }
        for tile in &self.tiles {
            writeln!(f, "  {}: tile {}", tile.name, tile.dtype)?;
        }
        let before = self.predecessors();
        for (pc, &inst) in self.code.iter().enumerate() {
            write!(f, "{pc:5}  ")?;
            self.write_inst(f, inst, &Known::new())?;
            self.write_fused(f, inst, pc, &before)?;
            match self.place(self.origins[pc].loc) {
                Some(place) => writeln!(f, "  ; {}:{}", place.line, place.column)?,
                None => writeln!(f)?,
            }
        }
        Ok(())
    }
}
