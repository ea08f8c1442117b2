//! Random kernels in which nothing is wrong that can be known before the run: they verify, bind, lower and fit.
//!
//! Whether a run of one goes well is open: ranks may race, and numbers may overflow. Composites stand only where every rank comes by.

use super::generate::Entropy;
use pl_core::dtype::DType;
use pl_core::ir::*;
use pl_core::op::{EnumKind, OpCode};
use proptest::prelude::*;

/// A random sound kernel. Its parameters are `x: In tensor<E, [NR, SIZE]>`, `y: Out tensor<E, [NR, SIZE]>`,
/// `data: InOut window<E, [NR, SIZE]>`, `signal: InOut window<i32, [NR, 1]>`, `n: usize`, `k: i32`.
pub fn kernels(composites: bool) -> impl Strategy<Value = Function> {
    proptest::collection::vec(any::<u32>(), 0..400).prop_map(move |words| kernel(&mut Entropy::new(words), composites))
}

/// A random sound kernel, made of `entropy`.
pub fn kernel(entropy: &mut Entropy, composites: bool) -> Function {
    let elem = entropy.pick(&DType::ALL);
    let mut maker = Maker {
        e: entropy,
        f: Function::new("sound", FunctionKind::InCore),
        elem,
        composites,
        scope: vec![],
        memory: vec![],
    };
    maker.kernel();
    maker.f
}

/// What a local holds; all tiles have the shape `[1, SIZE]`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Tile(DType),
    Index,
    Int,
    Element,
}

struct Maker<'e> {
    e: &'e mut Entropy,
    f: Function,
    elem: DType,
    composites: bool,
    /// Locals that may be used here; parameters and loop variables are not assigned to.
    scope: Vec<(Kind, LocalId, bool)>,
    /// `x`, `y`, `data`, `signal`.
    memory: Vec<LocalId>,
}

fn value(kind: ArgKind) -> Arg {
    Arg { kind, loc: Loc::NONE }
}

fn local(id: LocalId) -> Arg {
    value(ArgKind::Value(Expr::local(id)))
}

fn stmt(kind: StmtKind) -> Stmt {
    Stmt { kind, loc: Loc::NONE }
}

impl Maker<'_> {
    fn kernel(&mut self) {
        self.f.dynamic = ["NR", "SIZE"].map(|n| (n.into(), Loc::NONE)).into();
        let wide =
            |elem| Shaped { elem: Elem::Known(elem), shape: vec![Some(Expr::name("NR")), Some(Expr::name("SIZE"))] };
        let signal = Shaped { elem: Elem::Known(DType::I32), shape: vec![Some(Expr::name("NR")), Some(Expr::int(1))] };
        let params = [
            ("x", Mode::In, Type::Tensor(wide(self.elem))),
            ("y", Mode::Out, Type::Tensor(wide(self.elem))),
            ("data", Mode::InOut, Type::Window(wide(self.elem))),
            ("signal", Mode::InOut, Type::Window(signal)),
            ("n", Mode::In, Type::Scalar(ScalarType::Index)),
            ("k", Mode::In, Type::Scalar(ScalarType::Elem(Elem::Known(DType::I32)))),
        ];
        for (name, mode, ty) in params {
            let id = self.f.add_local(name, Loc::NONE);
            match &ty {
                Type::Scalar(ScalarType::Index) => self.scope.push((Kind::Index, id, false)),
                Type::Scalar(_) => self.scope.push((Kind::Int, id, false)),
                _ => self.memory.push(id),
            }
            self.f.params.push(Param { local: id, mode, ty });
        }
        let [x, y, data, ..] = self.memory[..] else { return };
        let mut body = vec![];
        // What every kernel begins with: y and the own window hold data.
        let ctx = self.op(&mut body, OpCode::GetCommCtx, vec![local(data)], "ctx");
        for (code, name) in [(OpCode::Rank, "me"), (OpCode::Nranks, "nranks")] {
            let id = self.op(&mut body, code, vec![local(ctx)], name);
            self.scope.push((Kind::Index, id, false));
        }
        let row = self.f.add_local("row", Loc::NONE);
        let mut staging = vec![];
        let tile = self.op(&mut staging, OpCode::Load, vec![local(x), self.offsets(row), self.extents()], "staged");
        for memory in [y, data] {
            let args = vec![local(tile), self.offsets(row), local(memory)];
            staging.push(stmt(StmtKind::Op(Op { code: OpCode::Store, dst: Some(memory), args, elem: None })));
        }
        let (start, end, step) = (Expr::int(0), Expr::name("NR"), Expr::int(1));
        body.push(stmt(StmtKind::For { var: row, start, end, step, body: staging }));
        for _ in 0..self.e.below(12) {
            self.statement(&mut body, 0, true);
        }
        body.push(stmt(StmtKind::Return(vec![Expr::local(y)])));
        self.f.returns.push((Type::Tensor(wide(self.elem)), Loc::NONE));
        self.f.body = body;
    }

    fn offsets(&self, row: LocalId) -> Arg {
        value(ArgKind::List(vec![Expr::local(row), Expr::int(0)]))
    }

    fn extents(&self) -> Arg {
        value(ArgKind::List(vec![Expr::int(1), Expr::name("SIZE")]))
    }

    /// Offsets of some row.
    fn some_row(&mut self) -> Arg {
        let row = Expr::binary(BinOp::Rem, self.index(2), Expr::name("NR"));
        value(ArgKind::List(vec![row, Expr::int(0)]))
    }

    /// Offsets of some element of an axis of extent `extent`.
    fn some_element(&mut self, extent: Expr) -> Arg {
        let row = Expr::binary(BinOp::Rem, self.index(2), Expr::name("NR"));
        value(ArgKind::List(vec![row, Expr::binary(BinOp::Rem, self.index(1), extent)]))
    }

    /// An op with a new local for its result.
    fn op(&mut self, block: &mut Block, code: OpCode, args: Vec<Arg>, name: &str) -> LocalId {
        let id = self.f.add_local(name, Loc::NONE);
        block.push(stmt(StmtKind::Op(Op { code, dst: Some(id), args, elem: None })));
        id
    }

    fn statement(&mut self, block: &mut Block, depth: usize, uniform: bool) {
        let [x, y, data, signal] = self.memory[..] else { return };
        match self.e.below(if depth < 3 { 16 } else { 11 }) {
            0 => {
                let src = self.e.pick(&[x, y, data]);
                let args = vec![local(src), self.some_row(), self.extents()];
                self.tile_op(block, OpCode::Load, args, self.elem, None);
            }
            1 => {
                let tile = self.tile(block, self.elem);
                let dst = self.e.pick(&[y, data]);
                let args = vec![local(tile), self.some_row(), local(dst)];
                let dst = self.e.chance(70).then_some(dst);
                block.push(stmt(StmtKind::Op(Op { code: OpCode::Store, dst, args, elem: None })));
            }
            2 | 3 => {
                let code = self.e.pick(&[OpCode::Add, OpCode::Sub, OpCode::Mul, OpCode::Maximum, OpCode::Minimum]);
                let dtype = self.some_dtype();
                let lhs = self.tile(block, dtype);
                let rhs = match self.e.below(3) {
                    0 => value(ArgKind::Value(self.literal(dtype))),
                    1 if dtype == self.elem && self.local(Kind::Element).is_some() => {
                        let id = self.local(Kind::Element).unwrap_or(lhs);
                        local(id)
                    }
                    _ => local(self.tile(block, dtype)),
                };
                self.tile_op(block, code, vec![local(lhs), rhs], dtype, None);
            }
            4 => {
                let from = self.some_dtype();
                let to = self.e.pick(&DType::ALL);
                let tile = self.tile(block, from);
                self.tile_op(block, OpCode::Cast, vec![local(tile)], to, Some(to));
            }
            5 => {
                let tile = self.tile(block, DType::F32);
                self.tile_op(block, OpCode::Neg, vec![local(tile)], DType::F32, None);
            }
            6 => {
                let src = self.e.pick(&[x, y, data]);
                let args = vec![local(src), self.some_element(Expr::name("SIZE"))];
                let id = self.op(block, OpCode::Read, args, "element");
                self.scope.push((Kind::Element, id, false));
            }
            7 => {
                let dst = self.e.pick(&[y, data]);
                let args = vec![
                    local(dst),
                    self.some_element(Expr::name("SIZE")),
                    value(ArgKind::Value(self.literal(self.elem))),
                ];
                block.push(stmt(StmtKind::Op(Op { code: OpCode::Write, dst: None, args, elem: None })));
            }
            8 => {
                let kind = self.e.pick(&[Kind::Index, Kind::Int]);
                let value = if kind == Kind::Index { self.index(3) } else { self.int(3) };
                let value = match kind {
                    // The first assignment decides the type: none is bare.
                    Kind::Index => Expr::binary(BinOp::Min, value, Expr::new(usize_lit(1000))),
                    _ => Expr::binary(BinOp::Min, value, Expr::new(i32_lit(1000))),
                };
                let dst = self.assignable(kind, "s");
                block.push(stmt(StmtKind::Assign { dst, value }));
            }
            9 => {
                let peer = Expr::binary(BinOp::Rem, self.index(2), Expr::name("NR"));
                let args = vec![local(data), value(ArgKind::Value(peer)), self.some_row(), self.extents()];
                self.tile_op(block, OpCode::RemoteLoad, args, self.elem, None);
            }
            10 if self.composites && uniform => {
                let op = match self.e.chance(50) {
                    true => Op { code: OpCode::Barrier, dst: None, args: vec![local(signal)], elem: None },
                    false => {
                        let sum = value(ArgKind::Enum(EnumKind::ReduceOp, EnumValue::Known(0)));
                        let args = vec![local(data), local(signal), sum];
                        Op { code: OpCode::ReduceScatter, dst: Some(data), args, elem: None }
                    }
                };
                block.push(stmt(StmtKind::Op(op)));
            }
            11 => {
                let end = Expr::binary(BinOp::Rem, self.index(1), Expr::int(4));
                let var = self.f.add_local("i", Loc::NONE);
                let step = Expr::int(1 + self.e.below(2) as i128);
                let body = self.block(depth + 1, false, Some(var));
                block.push(stmt(StmtKind::For { var, start: Expr::int(0), end, step, body }));
            }
            12 => {
                let count = self.f.add_local("count", Loc::NONE);
                block.push(stmt(StmtKind::Assign { dst: count, value: Expr::new(usize_lit(0)) }));
                let cond = Expr::binary(BinOp::Lt, Expr::local(count), Expr::int(self.e.below(3) as i128));
                let mut body = self.block(depth + 1, false, Some(count));
                let value = Expr::binary(BinOp::Add, Expr::local(count), Expr::int(1));
                body.push(stmt(StmtKind::Assign { dst: count, value }));
                block.push(stmt(StmtKind::While { pre: vec![], cond, body }));
            }
            13 => {
                let cond = self.condition(2);
                let then = self.block(depth + 1, false, None);
                let els = if self.e.chance(50) { self.block(depth + 1, false, None) } else { vec![] };
                block.push(stmt(StmtKind::If { cond, then, els }));
            }
            14 => self.transfer(block),
            15 => {
                // What is discarded is written again at once.
                let (tile, row) = (self.tile(block, self.elem), self.some_row());
                let args = vec![local(data), row.clone(), self.extents()];
                block.push(stmt(StmtKind::Op(Op { code: OpCode::Discard, dst: None, args, elem: None })));
                let args = vec![local(tile), row, local(data)];
                block.push(stmt(StmtKind::Op(Op { code: OpCode::Store, dst: None, args, elem: None })));
            }
            _ => {}
        }
    }

    /// A row goes to a peer, or comes from one; mostly the own rank, with whom no rank races.
    fn transfer(&mut self, block: &mut Block) {
        let [x, y, data, signal] = self.memory[..] else { return };
        let index = |e: Expr| value(ArgKind::Value(e));
        let me = self.scope[2].1;
        let peer = match self.e.chance(80) {
            true => Expr::local(me),
            false => Expr::binary(BinOp::Rem, self.index(2), Expr::name("NR")),
        };
        let adds = !matches!(self.elem, DType::I64 | DType::U8 | DType::U32) && self.e.chance(50);
        let atomic = value(ArgKind::Enum(EnumKind::AtomicType, EnumValue::Known(i32::from(adds))));
        let boxes = |maker: &mut Self| [maker.some_row(), maker.some_row(), maker.extents()];
        let chunks = [
            index(Expr::int(1)),
            index(Expr::int(8)),
            index(Expr::new(ExprKind::Lit { value: Lit::Bool(true), ty: None })),
        ];
        let (code, dst, args) = match self.e.below(4) {
            0 => {
                let tile = self.tile(block, self.elem);
                let args = vec![local(tile), local(data), index(peer), self.some_row(), atomic];
                (OpCode::RemoteStore, None, args)
            }
            1 => {
                let src = self.e.pick(&[x, y, data]);
                let mut args = vec![local(data), index(peer), local(src)];
                args.extend(boxes(self));
                args.push(atomic);
                args.extend(chunks);
                (OpCode::Put, None, args)
            }
            2 => {
                let dst = self.e.pick(&[y, data]);
                let mut args = vec![local(dst), index(peer), local(data)];
                args.extend(boxes(self));
                args.extend(chunks);
                (OpCode::Get, self.e.chance(50).then_some(dst), args)
            }
            _ => {
                let src = self.e.pick(&[x, y, data]);
                let cell = value(ArgKind::List(vec![Expr::local(me), Expr::int(0)]));
                let deposit = value(ArgKind::Enum(EnumKind::NotifyOp, EnumValue::Known(self.e.below(2) as i32)));
                let mut args = vec![local(data), index(peer), local(src), local(signal), cell];
                args.extend([index(Expr::int(self.e.below(5) as i128 - 2)), deposit]);
                args.extend(boxes(self));
                args.push(atomic);
                args.extend(chunks);
                (OpCode::PutWithSignal, None, args)
            }
        };
        block.push(stmt(StmtKind::Op(Op { code, dst, args, elem: None })));
    }

    /// A nested block; what it declares ends with it.
    fn block(&mut self, depth: usize, uniform: bool, var: Option<LocalId>) -> Block {
        let scope = self.scope.len();
        self.scope.extend(var.map(|id| (Kind::Index, id, false)));
        let mut block = vec![];
        for _ in 0..self.e.below(5) {
            self.statement(&mut block, depth, uniform);
        }
        self.scope.truncate(scope);
        block
    }

    fn some_dtype(&mut self) -> DType {
        let tiles: Vec<DType> =
            self.scope.iter().filter_map(|s| if let Kind::Tile(d) = s.0 { Some(d) } else { None }).collect();
        if tiles.is_empty() { self.elem } else { self.e.pick(&tiles) }
    }

    fn local(&mut self, kind: Kind) -> Option<LocalId> {
        let ids: Vec<LocalId> = self.scope.iter().filter(|s| s.0 == kind).map(|s| s.1).collect();
        (!ids.is_empty()).then(|| self.e.pick(&ids))
    }

    /// A local to assign to: one of that kind, or a new one.
    fn assignable(&mut self, kind: Kind, name: &str) -> LocalId {
        let ids: Vec<LocalId> = self.scope.iter().filter(|s| s.0 == kind && s.2).map(|s| s.1).collect();
        if !ids.is_empty() && self.e.chance(50) {
            return self.e.pick(&ids);
        }
        let id = self.f.add_local(name, Loc::NONE);
        self.scope.push((kind, id, true));
        id
    }

    fn tile_op(&mut self, block: &mut Block, code: OpCode, args: Vec<Arg>, dtype: DType, elem: Option<DType>) {
        let dst = self.assignable(Kind::Tile(dtype), "t");
        block.push(stmt(StmtKind::Op(Op { code, dst: Some(dst), args, elem: elem.map(Elem::Known) })));
    }

    /// A tile of this element type; made here when there is none.
    fn tile(&mut self, block: &mut Block, dtype: DType) -> LocalId {
        if let Some(id) = self.local(Kind::Tile(dtype)) {
            return id;
        }
        let args = vec![self.extents(), value(ArgKind::Value(self.literal(dtype)))];
        let dst = self.f.add_local("full", Loc::NONE);
        block.push(stmt(StmtKind::Op(Op { code: OpCode::Full, dst: Some(dst), args, elem: Some(Elem::Known(dtype)) })));
        self.scope.push((Kind::Tile(dtype), dst, true));
        dst
    }

    fn literal(&mut self, dtype: DType) -> Expr {
        let value = self.e.below(100);
        let lit = if dtype.is_float() { Lit::Float(value as f64 / 4.0) } else { Lit::Int(value as i128) };
        Expr::new(ExprKind::Lit { value: lit, ty: None })
    }

    fn index(&mut self, depth: usize) -> Expr {
        if depth == 0 || self.e.chance(40) {
            return match self.local(Kind::Index) {
                Some(id) if self.e.chance(70) => Expr::local(id),
                _ => Expr::new(usize_lit(self.e.below(5) as i128)),
            };
        }
        let op = self.e.pick(&[BinOp::Add, BinOp::Mul, BinOp::Min, BinOp::Max, BinOp::Div, BinOp::Rem]);
        let lhs = self.index(depth - 1);
        let rhs = match op {
            BinOp::Div | BinOp::Rem => Expr::new(usize_lit(1 + self.e.below(4) as i128)),
            _ => self.index(depth - 1),
        };
        Expr::binary(op, lhs, rhs)
    }

    fn int(&mut self, depth: usize) -> Expr {
        if depth == 0 || self.e.chance(40) {
            return match self.e.below(3) {
                0 => Expr::new(i32_lit(self.e.below(9) as i128 - 4)),
                1 => Expr::new(ExprKind::Cast(ScalarType::Elem(Elem::Known(DType::I32)), Box::new(self.index(1)))),
                _ => self.local(Kind::Int).map_or_else(|| Expr::new(i32_lit(1)), Expr::local),
            };
        }
        if self.e.chance(20) {
            return Expr::new(ExprKind::Unary(UnOp::Neg, Box::new(self.int(depth - 1))));
        }
        let op = self.e.pick(&[BinOp::Add, BinOp::Sub, BinOp::Min, BinOp::Max]);
        Expr::binary(op, self.int(depth - 1), self.int(depth - 1))
    }

    fn condition(&mut self, depth: usize) -> Expr {
        if depth > 0 && self.e.chance(40) {
            let op = self.e.pick(&[BinOp::And, BinOp::Or]);
            return Expr::binary(op, self.condition(depth - 1), self.condition(depth - 1));
        }
        if depth > 0 && self.e.chance(20) {
            return Expr::new(ExprKind::Unary(UnOp::Not, Box::new(self.condition(depth - 1))));
        }
        let op = self.e.pick(&[BinOp::Eq, BinOp::Ne, BinOp::Lt, BinOp::Le, BinOp::Gt, BinOp::Ge]);
        match self.e.chance(50) {
            true => Expr::binary(op, self.index(1), self.index(1)),
            false => Expr::binary(op, self.int(1), self.int(1)),
        }
    }
}

fn usize_lit(value: i128) -> ExprKind {
    ExprKind::Lit { value: Lit::Int(value), ty: Some(ScalarType::Index) }
}

fn i32_lit(value: i128) -> ExprKind {
    ExprKind::Lit { value: Lit::Int(value), ty: Some(ScalarType::Elem(Elem::Known(DType::I32))) }
}
