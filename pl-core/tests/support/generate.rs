//! Random functions: every op, every kind of expression, nested control flow.
//!
//! Arguments are of the kind that the op's parameter asks for, locals are declared before they are used, and nothing else is promised:
//! element types, shapes, access modes and results are whatever comes.

use pl_core::dtype::DType;
use pl_core::fault::LintKind;
use pl_core::ir::*;
use pl_core::op::{EnumKind, OpCode, ParamInfo, ParamKind, ResultKind, Space, TypeArg};
use proptest::prelude::*;

/// A random function.
pub fn functions() -> impl Strategy<Value = Function> {
    proptest::collection::vec(any::<u32>(), 0..600).prop_map(|words| function(&mut Entropy::new(words)))
}

/// Numbers to decide by. When they run out, every decision is the simplest one, so that generation ends, and shrinks.
pub struct Entropy {
    words: std::vec::IntoIter<u32>,
}

impl Entropy {
    /// Entropy from these words.
    pub fn new(words: Vec<u32>) -> Entropy {
        Entropy { words: words.into_iter() }
    }

    /// The next word.
    pub fn word(&mut self) -> u32 {
        self.words.next().unwrap_or(0)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.word() as usize % n.max(1)
    }

    /// True in `percent` of a hundred cases.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.word() % 100 >= 100 - percent
    }

    /// One of the items.
    pub fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }

    fn is_empty(&self) -> bool {
        self.words.len() == 0
    }
}

/// A random function, made of `entropy`.
pub fn function(entropy: &mut Entropy) -> Function {
    let mut generator =
        Generator { e: entropy, f: Function::new("random", FunctionKind::InCore), pools: Default::default() };
    generator.function();
    generator.f
}

/// What a local holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pool {
    Tile,
    Tensor,
    Window,
    Context,
    Index,
    Bool,
    Element,
}

struct Generator<'e> {
    e: &'e mut Entropy,
    f: Function,
    /// The locals in scope.
    pools: Vec<(Pool, LocalId)>,
}

const DIMS: &[&str] = &["NR", "SIZE"];
const CONSTS: &[&str] = &["consts::ROWS", "CH", "`", "n", "Self::LEN"];
const ENUM_CONST: &str = "OP";
const LOCAL_NAMES: &[&str] = &[
    "t",
    "acc",
    "call",
    "check",
    "step",
    "extent",
    "LOUD",
    "r#match",
    "größe",
    "for",
    "n",
    "two words",
    "NR",
    "generic",
];

impl Generator<'_> {
    fn function(&mut self) {
        self.f.allow = LintKind::ALL.iter().copied().filter(|_| self.e.chance(20)).collect();
        let places = self.e.below(9);
        for _ in 0..places {
            let (line, column) = (self.e.word() % 1000 + 1, self.e.word() % 120 + 1);
            let place = Place::new("src/kernel.rs".into(), line, column);
            self.f.places.push(Place { allow: self.f.allow, ..place });
        }
        self.f.kind = self.e.pick(&[FunctionKind::InCore, FunctionKind::Inline]);
        self.f.loc = self.loc();
        for name in DIMS {
            let loc = self.loc();
            self.f.dynamic.push(((*name).into(), loc));
        }
        let value = self.e.chance(50).then_some(DType::F16);
        self.f.types = vec![TypeParam { name: "T".into(), value: None }, TypeParam { name: "U".into(), value }];
        for name in CONSTS.iter().filter(|c| **c != "`") {
            let generic = self.e.chance(50);
            let value = self.e.chance(50).then(|| ConstValue::Scalar(self.lit(), self.scalar_type()));
            self.f.consts.push(Const { name: (*name).into(), generic, value });
        }
        let value = self.e.chance(50).then(|| ConstValue::Enum(EnumKind::ReduceOp, self.e.below(5) as i32 - 1));
        self.f.consts.push(Const { name: ENUM_CONST.into(), generic: false, value });
        self.f.callees = vec!["stage".into(), "stage".into(), "fold::<f32, 4>".into()];
        if self.e.chance(30) {
            // Not in the order of appearance.
            self.f.add_local("early", Loc::NONE);
        }
        self.params();
        for _ in 0..self.e.below(3) {
            let returned = (self.ty(), self.loc());
            self.f.returns.push(returned);
        }
        self.f.body = self.block(0);
        if self.e.chance(50) {
            let values = (0..self.e.below(3)).map(|_| self.memory(Space::Any)).collect();
            let stmt = Stmt { kind: StmtKind::Return(values), loc: self.loc() };
            self.f.body.push(stmt);
        }
    }

    fn params(&mut self) {
        let params = [
            ("x", Mode::In, Pool::Tensor),
            ("y", Mode::Out, Pool::Tensor),
            ("data", Mode::InOut, Pool::Window),
            ("signal", Mode::InOut, Pool::Window),
            ("count", Mode::In, Pool::Index),
            ("flag", Mode::In, Pool::Bool),
            ("scale", Mode::In, Pool::Element),
            ("tile", Mode::In, Pool::Tile),
        ];
        for (name, mode, pool) in params {
            let loc = self.loc();
            let local = self.f.add_local(name, loc);
            let mut shaped = self.shaped();
            if name == "signal" {
                shaped.elem = Elem::Known(DType::I32);
            }
            let ty = match pool {
                Pool::Tensor => Type::Tensor(shaped),
                Pool::Window => Type::Window(shaped),
                Pool::Tile => Type::Tile(shaped),
                Pool::Index => Type::Scalar(ScalarType::Index),
                Pool::Bool => Type::Scalar(ScalarType::Bool),
                _ => Type::Scalar(ScalarType::Elem(shaped.elem)),
            };
            self.f.params.push(Param { local, mode, ty });
            self.pools.push((pool, local));
        }
    }

    fn loc(&mut self) -> Loc {
        let places = self.f.places.len();
        match self.e.below(places + 1) {
            n if n < places => Loc(n as u32),
            _ => Loc::NONE,
        }
    }

    fn elem(&mut self) -> Elem {
        match self.e.below(12) {
            10 => Elem::Param("T".into()),
            11 => Elem::Param("U".into()),
            n => Elem::Known(DType::ALL[n % DType::ALL.len()]),
        }
    }

    fn scalar_type(&mut self) -> ScalarType {
        match self.e.below(4) {
            0 => ScalarType::Index,
            1 => ScalarType::Bool,
            _ => ScalarType::Elem(self.elem()),
        }
    }

    /// A type's shape: of literals, names and their arithmetic.
    fn shaped(&mut self) -> Shaped {
        let shape = (0..self.e.pick(&[2, 1, 3, 0])).map(|_| (!self.e.chance(10)).then(|| self.dim(2))).collect();
        Shaped { elem: self.elem(), shape }
    }

    fn dim(&mut self, depth: usize) -> Expr {
        let kind = match self.e.below(if depth == 0 { 2 } else { 3 }) {
            0 => ExprKind::Lit { value: Lit::Int(self.e.below(9) as i128), ty: None },
            1 => ExprKind::Name(self.name()),
            _ => {
                let op = self.e.pick(&[BinOp::Mul, BinOp::Add, BinOp::Sub, BinOp::Div, BinOp::Rem]);
                ExprKind::Binary(op, Box::new(self.dim(depth - 1)), Box::new(self.dim(depth - 1)))
            }
        };
        Expr { kind, loc: self.loc() }
    }

    fn name(&mut self) -> Name {
        match self.e.chance(60) {
            true => self.e.pick(DIMS).into(),
            false => self.e.pick(CONSTS).replace('`', "undeclared name").into(),
        }
    }

    fn ty(&mut self) -> Type {
        match self.e.below(7) {
            0 => Type::Tensor(self.shaped()),
            1 => Type::Window(self.shaped()),
            2 => Type::Tile(self.shaped()),
            3 => Type::Scalar(self.scalar_type()),
            4 => Type::Context,
            5 => Type::Buffer,
            _ => Type::Unknown,
        }
    }

    fn block(&mut self, depth: usize) -> Block {
        let scope = self.pools.len();
        let mut block = vec![];
        for _ in 0..self.e.below(if depth == 0 { 24 } else { 6 }) {
            if self.e.is_empty() {
                break;
            }
            let kind = self.statement(depth);
            block.push(Stmt { kind, loc: self.loc() });
        }
        self.pools.truncate(scope);
        block
    }

    fn statement(&mut self, depth: usize) -> StmtKind {
        match self.e.below(if depth < 4 { 10 } else { 7 }) {
            0..4 => self.op(),
            4 => {
                let pool = self.e.pick(&[Pool::Index, Pool::Bool, Pool::Element]);
                let value = self.expr(pool, 4);
                StmtKind::Assign { dst: self.dst(pool), value }
            }
            5 => {
                let args = (0..self.e.below(4)).map(|_| self.any_arg()).collect();
                let dsts = (0..self.e.below(3)).map(|_| self.dst(Pool::Tile)).collect();
                let device = self.e.chance(20).then(|| self.expr(Pool::Index, 2));
                StmtKind::Call(Call { callee: self.e.below(3) as u32, dsts, args, device })
            }
            6 => {
                let local = self.local(Pool::Tile).unwrap_or(LocalId(0));
                StmtKind::Check { local, ty: self.ty() }
            }
            7 => {
                let scope = self.pools.len();
                let (start, end) = (self.expr(Pool::Index, 2), self.expr(Pool::Index, 2));
                let step = if self.e.chance(30) { self.expr(Pool::Index, 1) } else { Expr::int(1) };
                let var = self.dst(Pool::Index);
                let body = self.block(depth + 1);
                self.pools.truncate(scope);
                StmtKind::For { var, start, end, step, body }
            }
            8 => {
                let pre = self.block(depth + 1);
                let cond = self.expr(Pool::Bool, 3);
                StmtKind::While { pre, cond, body: self.block(depth + 1) }
            }
            _ => {
                let cond = self.expr(Pool::Bool, 3);
                let then = self.block(depth + 1);
                StmtKind::If { cond, then, els: self.block(depth + 1) }
            }
        }
    }

    /// A local to assign to: often a new one.
    fn dst(&mut self, pool: Pool) -> LocalId {
        if let Some(id) = self.local(pool)
            && self.e.chance(40)
        {
            return id;
        }
        let name = self.e.pick(LOCAL_NAMES);
        let loc = self.loc();
        let id = self.f.add_local(name, loc);
        self.pools.push((pool, id));
        id
    }

    fn local(&mut self, pool: Pool) -> Option<LocalId> {
        let ids: Vec<LocalId> = self.pools.iter().filter(|(p, _)| *p == pool).map(|(_, id)| *id).collect();
        (!ids.is_empty()).then(|| self.e.pick(&ids))
    }

    fn memory(&mut self, space: Space) -> Expr {
        let pool = match space {
            Space::Any => self.e.pick(&[Pool::Tensor, Pool::Window]),
            Space::Window => Pool::Window,
        };
        let id = self.local(pool).unwrap_or(LocalId(0));
        Expr::local(id).at(self.loc())
    }

    fn op(&mut self) -> StmtKind {
        let code = self.e.pick(OpCode::ALL);
        let info = code.info();
        let args: Vec<Arg> = info.params.iter().map(|p| self.arg(p)).collect();
        let elem = (info.type_arg == TypeArg::Required).then(|| self.elem());
        let pool = match info.result {
            ResultKind::None => None,
            ResultKind::Memory(param) | ResultKind::View(param, _) | ResultKind::Part(param) => {
                match args[param as usize].as_local() {
                    Some(id) => self.pools.iter().find(|(_, l)| *l == id).map(|(p, _)| *p),
                    None => None,
                }
            }
            ResultKind::Box(..) | ResultKind::Like(_) | ResultKind::CastOf(_) | ResultKind::Filled(_) => {
                Some(Pool::Tile)
            }
            ResultKind::Element(_) => Some(Pool::Element),
            ResultKind::Rank | ResultKind::Nranks | ResultKind::Index => Some(Pool::Index),
            ResultKind::Window(_) => Some(Pool::Window),
            ResultKind::Context | ResultKind::Buffer => Some(Pool::Context),
        };
        let dst = match pool {
            Some(pool) if info.must_use() || self.e.chance(60) => Some(self.dst(pool)),
            _ => None,
        };
        StmtKind::Op(Op { code, dst, args, elem })
    }

    fn arg(&mut self, param: &ParamInfo) -> Arg {
        let kind = match param.kind {
            _ if param.default == Some(pl_core::op::Default::Absent) && self.e.chance(30) => ArgKind::Absent,
            ParamKind::Memory(_, space) => ArgKind::Value(self.memory(space)),
            ParamKind::Tile => ArgKind::Value(self.expr(Pool::Tile, 0)),
            ParamKind::TileOrScalar(_) => {
                let pool = self.e.pick(&[Pool::Tile, Pool::Element]);
                ArgKind::Value(self.expr(pool, 2))
            }
            ParamKind::Element(_) | ParamKind::TypeElement | ParamKind::I32 => {
                ArgKind::Value(self.expr(Pool::Element, 3))
            }
            ParamKind::Peer | ParamKind::Index => ArgKind::Value(self.expr(Pool::Index, 2)),
            ParamKind::Flag => ArgKind::Value(self.expr(Pool::Bool, 1)),
            ParamKind::Offsets(_) | ParamKind::Shape(_) | ParamKind::Extents => {
                ArgKind::List((0..self.e.pick(&[2, 1, 3, 0])).map(|_| self.expr(Pool::Index, 3)).collect())
            }
            ParamKind::Enum(kind) => self.enum_arg(kind),
            ParamKind::Context | ParamKind::Buffer => ArgKind::Value(self.expr(Pool::Context, 0)),
        };
        Arg { kind, loc: self.loc() }
    }

    fn enum_arg(&mut self, kind: EnumKind) -> ArgKind {
        match self.e.below(12) {
            0 => ArgKind::Enum(kind, EnumValue::Const(ENUM_CONST.into())),
            1 => ArgKind::Enum(kind, EnumValue::Known(-7)),
            2 => ArgKind::Enum(self.e.pick(&EnumKind::ALL), EnumValue::Known(1)),
            3 => ArgKind::Value(self.expr(Pool::Element, 2)),
            n => ArgKind::Enum(kind, EnumValue::Known((n % kind.variants().len()) as i32)),
        }
    }

    fn any_arg(&mut self) -> Arg {
        let kind = match self.e.below(5) {
            0 => ArgKind::Value(self.memory(Space::Any)),
            1 => ArgKind::List(vec![self.expr(Pool::Index, 1)]),
            2 => {
                let kind = self.e.pick(&EnumKind::ALL);
                self.enum_arg(kind)
            }
            _ => {
                let pool = self.e.pick(&[Pool::Tile, Pool::Index, Pool::Bool, Pool::Element]);
                ArgKind::Value(self.expr(pool, 3))
            }
        };
        Arg { kind, loc: self.loc() }
    }

    fn lit(&mut self) -> Lit {
        match self.e.below(5) {
            0 => Lit::Int(self.e.below(100) as i128),
            1 => Lit::Int(self.e.pick(&[-1, i128::MIN, i128::MAX, i64::MIN as i128, 0])),
            2 => Lit::Bool(self.e.chance(50)),
            3 => Lit::Float(self.e.pick(&[
                0.0,
                -0.0,
                1.5,
                -1e-7,
                1e300,
                f64::INFINITY,
                f64::NEG_INFINITY,
                f64::MIN_POSITIVE,
                1e16,
            ])),
            _ => {
                let value = f64::from_bits(u64::from(self.e.word()) << 32 | u64::from(self.e.word()));
                Lit::Float(if value.is_nan() { 0.25 } else { value })
            }
        }
    }

    /// An expression; one level deeper per `depth` at most.
    fn expr(&mut self, pool: Pool, depth: usize) -> Expr {
        use BinOp::*;
        let leaf = depth == 0 || self.e.chance(30);
        let deep = |g: &mut Self, pool| Box::new(g.expr(pool, depth.saturating_sub(1)));
        let kind = match pool {
            Pool::Tile | Pool::Tensor | Pool::Window | Pool::Context => {
                ExprKind::Local(self.local(pool).unwrap_or(LocalId(0)))
            }
            _ if leaf => match (self.local(pool), self.e.below(4)) {
                (Some(id), 0 | 1) => ExprKind::Local(id),
                (_, 2) if pool == Pool::Index => ExprKind::Name(self.name()),
                (_, 3) if pool == Pool::Index => {
                    ExprKind::Extent(self.local(Pool::Tile).unwrap_or(LocalId(0)), self.e.below(3) as u32)
                }
                _ => {
                    let ty = if self.e.chance(30) { Some(self.scalar_type()) } else { None };
                    ExprKind::Lit { value: self.lit(), ty }
                }
            },
            Pool::Bool => match self.e.below(4) {
                0 => ExprKind::Unary(UnOp::Not, deep(self, pool)),
                1 => {
                    let op = self.e.pick(&[And, Or]);
                    ExprKind::Binary(op, deep(self, pool), deep(self, pool))
                }
                _ => {
                    let op = self.e.pick(&[Eq, Ne, Lt, Le, Gt, Ge]);
                    let pool = self.e.pick(&[Pool::Index, Pool::Element, Pool::Bool]);
                    ExprKind::Binary(op, deep(self, pool), deep(self, pool))
                }
            },
            _ => match self.e.below(5) {
                0 => ExprKind::Unary(UnOp::Neg, deep(self, pool)),
                1 => {
                    let from = self.e.pick(&[Pool::Element, Pool::Index, Pool::Bool]);
                    ExprKind::Cast(self.scalar_type(), deep(self, from))
                }
                _ => {
                    let op = self.e.pick(&[Add, Sub, Mul, Div, Rem, Min, Max]);
                    ExprKind::Binary(op, deep(self, pool), deep(self, pool))
                }
            },
        };
        Expr { kind, loc: self.loc() }
    }
}
