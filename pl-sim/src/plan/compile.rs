//! From a bound function to its plan.

mod expr;

use super::around;
use super::fixed;
use super::live;
use super::scalar::ScalarTy;
use super::signal::Does;
use super::unroll;
use super::uses;
use super::{
    Check, Checked, Dst, Inst, MemoryInfo, OpInst, Operand, Origin, Plan, Reg, RegInfo, ScalarParam, SignalInst,
    TileInfo,
};
use crate::region::Shape;
use pl_core::bind::Program;
use pl_core::dtype::DType;
use pl_core::ir::{
    Arg, ArgKind, Block, ConstValue, Elem, EnumValue, Expr, ExprKind, Extent, Function, Loc, LocalId, Op, ScalarType,
    Stmt, StmtKind, Type, visit,
};
use pl_core::op::{Access, OpCode, ParamInfo, ParamKind, ResultKind, Space};
use pl_core::verify::MAX_AXES;
use std::collections::HashMap;

/// What went wrong: something that the verifier refuses.
type Result<T> = std::result::Result<T, String>;

/// What a local is in the plan.
#[derive(Clone, Copy, Debug)]
enum Slot {
    /// Never used.
    Unused,
    /// A scalar.
    Scalar(Reg, ScalarTy),
    /// A tile.
    Tile(u32),
    /// A tensor or window.
    Memory(u32),
    /// A communication context: that of a window.
    Context(u32),
}

/// Makes the plan of a program.
pub(super) fn compile(program: &Program) -> Result<Plan> {
    let mut compiler = Compiler::new(program)?;
    compiler.block(&program.function.body)?;
    compiler.emit(Inst::End, program.function.loc, "return");
    let Compiler { mut plan, slots, positions, .. } = compiler;
    live::annotate(&mut plan, program, &positions, |local| match slots.get(local.0 as usize) {
        Some(&Slot::Tile(tile)) => Some(tile),
        _ => None,
    });
    uses::annotate(&mut plan);
    fixed::annotate(&mut plan);
    around::find(&mut plan);
    plan.initial = plan.registers.iter().map(|register| register.constant.unwrap_or(0)).collect();
    plan.unrolled = unroll::room(&plan);
    Ok(plan)
}

/// The locals to which several statements give a value, or one beside the caller, in order.
fn variables(function: &Function) -> Vec<LocalId> {
    let mut given: Vec<LocalId> = function.params.iter().map(|param| param.local).collect();
    visit(&function.body, &mut |stmt| {
        stmt.kind.for_each_dst(&mut |local| given.push(local));
        if let StmtKind::For { var, .. } = stmt.kind {
            given.push(var);
        }
    });
    given.sort_unstable();
    let mut several: Vec<LocalId> = given.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
    several.dedup();
    several
}

struct Compiler<'p> {
    program: &'p Program,
    function: &'p Function,
    plan: Plan,
    slots: Vec<Slot>,
    constants: HashMap<(u64, ScalarTy), Reg>,
    /// The locals that get a value in several places: all others have the same one from then on, until the statement that gave it is executed again.
    variables: Vec<LocalId>,
    /// The position of the next statement, in the order of [`pl_core::ir::visit`].
    position: usize,
    /// The ops by the positions of their statements.
    positions: HashMap<usize, u32>,
}

impl<'p> Compiler<'p> {
    fn new(program: &'p Program) -> Result<Self> {
        let function = &program.function;
        let plan = Plan {
            kernel: function.name.clone(),
            code: vec![],
            origins: vec![],
            ops: vec![],
            signals: vec![],
            lists: vec![],
            checks: vec![],
            memories: vec![],
            tiles: vec![],
            registers: vec![],
            initial: Box::default(),
            scalars: vec![],
            params: function.params.len(),
            polls: false,
            domains: program.bindings.domains.clone(),
            hash: std::sync::OnceLock::new(),
            unrolled: Box::default(),
            places: function.places.clone(),
            loc: function.loc,
        };
        let slots = vec![Slot::Unused; function.locals.len()];
        let mut compiler = Compiler {
            program,
            function,
            plan,
            slots,
            constants: HashMap::new(),
            variables: variables(function),
            position: 0,
            positions: HashMap::new(),
        };
        compiler.declare_params()?;
        compiler.declare_locals()?;
        Ok(compiler)
    }

    fn declare_params(&mut self) -> Result<()> {
        for (index, param) in self.function.params.iter().enumerate() {
            let slot = match &param.ty {
                Type::Tensor(shaped) | Type::Window(shaped) => {
                    let shape = self.memory_shape(param.local, &shaped.shape)?;
                    let elements =
                        shape.iter().try_fold(1_usize, |n, &e| n.checked_mul(e)).ok_or("a shape is too large")?;
                    self.plan.memories.push(MemoryInfo {
                        name: self.name(param.local),
                        param: index,
                        view_of: None,
                        mode: param.mode,
                        window: matches!(param.ty, Type::Window(_)),
                        plain: true,
                        domain: self.program.bindings.domain(index).map(|(domain, _)| domain),
                        dtype: self.dtype(&shaped.elem)?,
                        shape: shape.into(),
                        elements,
                    });
                    Slot::Memory(self.plan.memories.len() as u32 - 1)
                }
                Type::Scalar(ty) => {
                    let ty = self.scalar_type(ty)?;
                    let reg = self.register(Some(param.local), ty);
                    self.plan.scalars.push(ScalarParam { param: index, reg, ty });
                    Slot::Scalar(reg, ty)
                }
                other => return Err(format!("a parameter of type {other:?}")),
            };
            self.slots[param.local.0 as usize] = slot;
        }
        Ok(())
    }

    /// The extents of a memory: nothing but dims and constants.
    fn memory_shape(&mut self, local: LocalId, extents: &[Extent]) -> Result<Vec<usize>> {
        if extents.len() > MAX_AXES {
            return Err(format!("`{}` has {} axes; {MAX_AXES} are possible", self.name(local), extents.len()));
        }
        let mut shape = Vec::with_capacity(extents.len());
        for extent in extents {
            let extent = extent.as_ref().ok_or_else(|| format!("`{}` has an unknown extent", self.name(local)))?;
            shape.push(self.constant_extent(extent)?);
        }
        Ok(shape)
    }

    /// The memory `base` in the shape that a local gives it.
    fn shaped_memory(&mut self, local: LocalId, base: u32, extents: &[Extent]) -> Result<u32> {
        let shape = self.memory_shape(local, extents)?;
        let info = &self.plan.memories[base as usize];
        let found = self.plan.memories.iter().position(|m| m.param == info.param && *m.shape == *shape);
        if let Some(memory) = found {
            return Ok(memory as u32);
        }
        if shape.iter().try_fold(1_usize, |n, &e| n.checked_mul(e)) != Some(info.elements) {
            return Err(format!("`{}` has not as many elements as `{}`", self.name(local), info.name));
        }
        let view = MemoryInfo {
            name: self.name(local),
            view_of: Some(base),
            plain: false,
            shape: shape.into(),
            ..info.clone()
        };
        self.plan.memories.push(view);
        Ok(self.plan.memories.len() as u32 - 1)
    }

    /// Gives the other locals their slots, by their inferred types.
    fn declare_locals(&mut self) -> Result<()> {
        for index in 0..self.function.locals.len() {
            let local = LocalId(index as u32);
            if !matches!(self.slots[index], Slot::Unused) {
                continue;
            }
            let slot = match self.program.inferred.types.get(index) {
                Some(Type::Scalar(ty)) => {
                    let ty = self.scalar_type(ty)?;
                    Slot::Scalar(self.register(Some(local), ty), ty)
                }
                Some(Type::Tile(shaped)) => {
                    let dtype = self.dtype(&shaped.elem)?;
                    let shape = self.tile_shape(&shaped.shape)?;
                    self.plan.tiles.push(TileInfo { name: self.name(local), dtype, shape });
                    Slot::Tile(self.plan.tiles.len() as u32 - 1)
                }
                Some(Type::Tensor(shaped) | Type::Window(shaped)) => {
                    let base = self.memory_of(&self.program.inferred.roots, local)?;
                    Slot::Memory(self.shaped_memory(local, base, &shaped.shape)?)
                }
                Some(Type::Context) => Slot::Context(self.memory_of(&self.program.inferred.contexts, local)?),
                Some(Type::Buffer | Type::Unknown) | None => Slot::Unused,
            };
            self.slots[index] = slot;
        }
        Ok(())
    }

    /// The extents of a tile, where they are nothing but dims and constants.
    fn tile_shape(&mut self, extents: &[Extent]) -> Result<Option<Shape>> {
        let mut known = Vec::with_capacity(extents.len());
        for extent in extents {
            match extent.as_ref().filter(|extent| live::is_known(self.program, extent)) {
                Some(extent) => known.push(self.constant_extent(extent)? as u64),
                None => return Ok(None),
            }
        }
        Ok(Shape::new(known))
    }

    /// The memory whose name, or whose context, a local is.
    fn memory_of(&self, params: &[Option<usize>], local: LocalId) -> Result<u32> {
        let param = params.get(local.0 as usize).copied().flatten();
        let param = param.ok_or_else(|| format!("`{}` names no parameter", self.name(local)))?;
        let memory = self.plan.memories.iter().position(|m| m.param == param);
        memory.map(|memory| memory as u32).ok_or_else(|| format!("`{}` is no memory", self.name(local)))
    }

    fn name(&self, local: LocalId) -> pl_core::ir::Name {
        self.function.local_name(local).into()
    }

    fn dtype(&self, elem: &Elem) -> Result<DType> {
        match elem {
            Elem::Known(dtype) => Ok(*dtype),
            Elem::Param(name) => {
                let param = self.function.types.iter().find(|t| t.name == *name).and_then(|t| t.value);
                param.ok_or_else(|| format!("type parameter `{name}` is not filled in"))
            }
        }
    }

    fn scalar_type(&self, ty: &ScalarType) -> Result<ScalarTy> {
        Ok(match ty {
            ScalarType::Elem(elem) => ScalarTy::Elem(self.dtype(elem)?),
            ScalarType::Index => ScalarTy::Index,
            ScalarType::Bool => ScalarTy::Bool,
        })
    }

    fn slot(&self, local: LocalId) -> Result<Slot> {
        self.slots.get(local.0 as usize).copied().ok_or_else(|| "a local that is not declared".into())
    }

    fn register(&mut self, local: Option<LocalId>, ty: ScalarTy) -> Reg {
        let name = local.map(|l| self.name(l));
        self.plan.registers.push(RegInfo { name, ty, constant: None });
        self.plan.registers.len() as Reg - 1
    }

    fn constant(&mut self, bits: u64, ty: ScalarTy) -> Reg {
        if let Some(&reg) = self.constants.get(&(bits, ty)) {
            return reg;
        }
        let reg = self.register(None, ty);
        self.plan.registers[reg as usize].constant = Some(bits);
        self.constants.insert((bits, ty), reg);
        reg
    }

    fn value_of(&self, reg: Reg) -> Option<u64> {
        self.plan.registers[reg as usize].constant
    }

    fn emit(&mut self, inst: Inst, loc: Loc, what: &'static str) -> usize {
        self.plan.code.push(inst);
        self.plan.origins.push(Origin { loc, what });
        self.plan.code.len() - 1
    }

    fn here(&self) -> u32 {
        self.plan.code.len() as u32
    }

    /// Lets the jump at `at` go to the next instruction.
    fn land(&mut self, at: usize) {
        let here = self.here();
        match &mut self.plan.code[at] {
            Inst::Jump { to }
            | Inst::Unless { to, .. }
            | Inst::UnlessIndex { to, .. }
            | Inst::When { to, .. }
            | Inst::Head { exit: to, .. } => *to = here,
            _ => {}
        }
    }

    /// A jump that is taken when a condition is false, which was just computed into `reg`. A comparison of two indices becomes part of it.
    fn unless(&mut self, cond: &Expr, reg: Reg, loc: Loc, what: &'static str) -> usize {
        let compares = matches!(&cond.kind, ExprKind::Binary(op, ..) if op.is_comparison());
        match self.plan.code.last_mut() {
            Some(last @ &mut Inst::Index { op, dst, a, b }) if compares && dst == reg => {
                *last = Inst::UnlessIndex { op, a, b, to: 0 };
                self.plan.code.len() - 1
            }
            _ => self.emit(Inst::Unless { cond: reg, to: 0 }, loc, what),
        }
    }

    /// The value of a dim or constant.
    fn named(&self, name: &str) -> Result<(u64, ScalarTy)> {
        if let Some(&dim) = self.program.bindings.dims.get(name) {
            return u64::try_from(dim).map(|d| (d, ScalarTy::Index)).map_err(|_| format!("dim `{name}` is negative"));
        }
        match self.function.constant(name).and_then(|c| c.value.as_ref()) {
            Some(ConstValue::Scalar(lit, ty)) => {
                let ty = self.scalar_type(ty)?;
                let bits = ty.literal(*lit).ok_or_else(|| format!("`{name}` does not fit `{}`", ty.name()))?;
                Ok((bits, ty))
            }
            _ => Err(format!("`{name}` has no value")),
        }
    }

    /// The extent of a parameter: nothing but dims and constants.
    fn constant_extent(&mut self, extent: &Expr) -> Result<usize> {
        let (reg, _) = self.expr(extent, Some(ScalarTy::Index), Loc::NONE, None)?;
        let value = self.value_of(reg).ok_or("an extent is no constant")?;
        usize::try_from(value).map_err(|_| "an extent is too large".into())
    }

    fn block(&mut self, block: &Block) -> Result<()> {
        block.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    /// Passes over statements that never run.
    fn skip(&mut self, block: &Block) {
        pl_core::ir::visit(block, &mut |_| self.position += 1);
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<()> {
        let loc = stmt.loc;
        let position = self.position;
        self.position += 1;
        match &stmt.kind {
            StmtKind::Assign { dst, value } => self.assign(*dst, value, loc),
            StmtKind::Op(op) => self.op(op, loc, position),
            StmtKind::Call(_) => Err("a call that was not inlined".into()),
            StmtKind::Check { local, ty } => self.check(*local, ty, loc),
            StmtKind::For { var, start, end, step, body } => self.for_loop(*var, [start, end, step], body, loc),
            StmtKind::While { pre, cond, body } => {
                let head = self.here();
                self.block(pre)?;
                let (reg, _) = self.expr(cond, Some(ScalarTy::Bool), loc, None)?;
                let exit = self.unless(cond, reg, loc, "while");
                self.block(body)?;
                self.emit(Inst::Again { to: head }, loc, "while");
                self.land(exit);
                Ok(())
            }
            StmtKind::If { cond, then, els } => {
                let (reg, _) = self.expr(cond, Some(ScalarTy::Bool), loc, None)?;
                match self.value_of(reg) {
                    Some(0) => {
                        self.skip(then);
                        return self.block(els);
                    }
                    Some(_) => {
                        self.block(then)?;
                        self.skip(els);
                        return Ok(());
                    }
                    None => {}
                }
                let skip = self.unless(cond, reg, loc, "if");
                self.block(then)?;
                if els.is_empty() {
                    self.land(skip);
                    return Ok(());
                }
                let over = self.emit(Inst::Jump { to: 0 }, loc, "if");
                self.land(skip);
                self.block(els)?;
                self.land(over);
                Ok(())
            }
            // A kernel returns memory that it has written: nothing is left to do.
            StmtKind::Return(_) => Ok(()),
        }
    }

    fn assign(&mut self, dst: LocalId, value: &Expr, loc: Loc) -> Result<()> {
        match self.slot(dst)? {
            Slot::Scalar(reg, ty) => self.expr(value, Some(ty), loc, Some(reg)).map(|_| ()),
            Slot::Tile(tile) => {
                let source = value.as_local().ok_or("a tile that is no local")?;
                let Slot::Tile(src) = self.slot(source)? else { return Err("a tile that is none".into()) };
                self.emit(Inst::CopyTile { dst: tile, src, last: false }, loc, "=");
                Ok(())
            }
            Slot::Memory(_) | Slot::Context(_) | Slot::Unused => Ok(()),
        }
    }

    /// `for`: bounds and step are computed once; the variable is a copy of a counter of its own.
    fn for_loop(&mut self, var: LocalId, [start, end, step]: [&Expr; 3], body: &Block, loc: Loc) -> Result<()> {
        let index = Some(ScalarTy::Index);
        let Slot::Scalar(var, _) = self.slot(var)? else { return Err("a loop variable that is no index".into()) };
        let counter = self.register(None, ScalarTy::Index);
        self.expr(start, index, loc, Some(counter))?;
        let end = self.fixed(end, loc)?;
        let step = self.fixed(step, loc)?;
        if self.value_of(step).is_none_or(|step| step == 0) {
            self.emit(Inst::Step { step }, loc, "for");
        }
        let head = self.emit(Inst::Head { counter, end, var, exit: 0 }, loc, "for");
        self.block(body)?;
        self.emit(Inst::Next { counter, step, end, var, head: head as u32 }, loc, "for");
        self.land(head);
        Ok(())
    }

    /// The value that an index has now, in a register that nothing changes later.
    fn fixed(&mut self, e: &Expr, loc: Loc) -> Result<Reg> {
        let (reg, _) = self.expr(e, Some(ScalarTy::Index), loc, None)?;
        let stays = e.as_local().is_some_and(|local| self.variables.binary_search(&local).is_err());
        if stays || self.plan.registers[reg as usize].name.is_none() {
            return Ok(reg);
        }
        let own = self.register(None, ScalarTy::Index);
        self.emit(Inst::Move { dst: own, src: reg }, loc, "for");
        Ok(own)
    }

    fn check(&mut self, local: LocalId, ty: &Type, loc: Loc) -> Result<()> {
        let Some(shaped) = ty.shaped() else { return Ok(()) };
        let found = match self.slot(local)? {
            Slot::Tile(tile) => Checked::Tile(tile),
            Slot::Memory(memory) => Checked::Memory(memory),
            _ => return Ok(()),
        };
        let mut declared = Vec::with_capacity(shaped.shape.len());
        for extent in &shaped.shape {
            declared.push(match extent {
                Some(extent) => Some(self.expr(extent, Some(ScalarTy::Index), loc, None)?.0),
                None => None,
            });
        }
        self.plan.checks.push(Check { local: self.name(local), found, declared: declared.into() });
        self.emit(Inst::Check { check: self.plan.checks.len() as u32 - 1 }, loc, "let");
        Ok(())
    }

    fn op(&mut self, op: &Op, loc: Loc, position: usize) -> Result<()> {
        let info = op.code.info();
        if op.code.is_composite() {
            return Err(format!("`{}` was not lowered", info.path));
        }
        if op.args.len() != info.params.len() {
            return Err(format!("`{}` has {} arguments", info.path, op.args.len()));
        }
        if matches!(info.result, ResultKind::View(..)) {
            // The name that it gives memory has a shape of its own: nothing is left to do.
            return Ok(());
        }
        let type_arg = op.elem.as_ref().map(|e| self.dtype(e)).transpose()?;
        let mut args = Vec::with_capacity(op.args.len());
        for (arg, param) in op.args.iter().zip(info.params) {
            args.push(self.operand(op, arg, param.kind, type_arg, loc)?);
        }
        let dst = match op.dst.map(|d| self.slot(d)).transpose()? {
            Some(Slot::Scalar(reg, _)) => Dst::Scalar(reg),
            Some(Slot::Tile(tile)) => Dst::Tile(tile),
            _ => Dst::None,
        };
        let touches = |(arg, param): (&Operand, &ParamInfo)| match (*arg, param.kind) {
            (Operand::Memory(memory), ParamKind::Memory(access, _)) => {
                access != Access::Name && self.plan.memories[memory as usize].window
            }
            _ => false,
        };
        let visible = args.iter().zip(info.params).any(touches);
        let shared = |(arg, param): (&Operand, &ParamInfo)| match (*arg, param.kind) {
            (Operand::Memory(memory), ParamKind::Memory(_, Space::Window)) => Some(memory),
            _ => None,
        };
        let window = args.iter().zip(info.params).find_map(shared);
        let mut op = OpInst {
            code: op.code,
            dst,
            args: args.into(),
            window,
            visible,
            signal: None,
            tiles: None,
            last: 0,
            passes: false,
            live: Box::default(),
            fixed: None,
        };
        let index = self.plan.ops.len() as u32;
        let mut inst = Inst::Op { op: index };
        if let Some(resolved) = SignalInst::new(&self.plan, index, &op) {
            let signal = self.plan.signals.len() as u32;
            self.plan.signals.push(resolved);
            op.signal = Some(signal);
            match op.code {
                OpCode::Notify => inst = Inst::Notify { signal },
                OpCode::Wait => inst = Inst::Wait { signal },
                _ => {}
            }
        }
        let adds = op.signal.is_some_and(|signal| self.plan.signals[signal as usize].does == Does::Add);
        for (arg, param) in op.args.iter().zip(info.params) {
            let is_plain = match param.kind {
                ParamKind::Memory(Access::Name | Access::Wait, _) => true,
                ParamKind::Memory(Access::Notify, _) => adds,
                _ => false,
            };
            if let Operand::Memory(memory) = *arg {
                self.plan.memories[memory as usize].plain &= is_plain;
            }
        }
        self.plan.polls |= op.code == OpCode::Read && visible;
        self.plan.ops.push(op);
        self.positions.insert(position, index);
        self.emit(inst, loc, info.path);
        Ok(())
    }

    fn operand(&mut self, op: &Op, arg: &Arg, kind: ParamKind, type_arg: Option<DType>, stmt: Loc) -> Result<Operand> {
        let loc = arg.loc.or(stmt);
        match &arg.kind {
            ArgKind::Enum(_, EnumValue::Known(value)) => Ok(Operand::Enum(*value)),
            ArgKind::Enum(_, EnumValue::Const(name)) => {
                match self.function.constant(name).and_then(|c| c.value.as_ref()) {
                    Some(ConstValue::Enum(_, value)) => Ok(Operand::Enum(*value)),
                    _ => Err(format!("`{name}` has no value")),
                }
            }
            ArgKind::Absent => Ok(Operand::Absent),
            ArgKind::List(list) => {
                let mut regs = Vec::with_capacity(list.len());
                for e in list {
                    regs.push(self.expr(e, Some(ScalarTy::Index), loc, None)?.0);
                }
                let start = self.plan.lists.len() as u32;
                self.plan.lists.extend(regs);
                Ok(Operand::List(start, list.len() as u32))
            }
            ArgKind::Value(e) => {
                if let Some(local) = e.as_local() {
                    match self.slot(local)? {
                        Slot::Tile(tile) => return Ok(Operand::Tile(tile)),
                        Slot::Memory(memory) => return Ok(Operand::Memory(memory)),
                        Slot::Context(memory) => return Ok(Operand::Context(memory)),
                        Slot::Unused => return Err(format!("`{}` has no type", self.function.local_name(local))),
                        Slot::Scalar(..) => {}
                    }
                }
                let wanted = match kind {
                    ParamKind::I32 => Some(ScalarTy::Elem(DType::I32)),
                    ParamKind::Peer | ParamKind::Index => Some(ScalarTy::Index),
                    ParamKind::Flag => Some(ScalarTy::Bool),
                    ParamKind::TypeElement => type_arg.map(ScalarTy::Elem),
                    ParamKind::Element(other) | ParamKind::TileOrScalar(other) => {
                        self.elem_of(op.code, &op.args, other)?
                    }
                    _ => None,
                };
                Ok(Operand::Scalar(self.expr(e, wanted, loc, None)?.0))
            }
        }
    }

    /// The element type of an op's tile or memory argument.
    fn elem_of(&self, code: OpCode, args: &[Arg], index: u8) -> Result<Option<ScalarTy>> {
        let local = args.get(usize::from(index)).and_then(Arg::as_local);
        let local = local.ok_or_else(|| format!("`{}` has no argument {index}", code.path()))?;
        Ok(match self.slot(local)? {
            Slot::Tile(tile) => Some(ScalarTy::Elem(self.plan.tiles[tile as usize].dtype)),
            Slot::Memory(memory) => Some(ScalarTy::Elem(self.plan.memories[memory as usize].dtype)),
            _ => None,
        })
    }
}
