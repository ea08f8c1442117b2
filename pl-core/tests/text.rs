//! The text form: it prints well, reads back to the same IR, and never panics.

mod support;

use expect_test::{Expect, expect};
use pl_core::ir::*;
use pl_core::text::{MAX_DEPTH, ParseError, embed, parse, parse_embedded, print, too_deep};
use pl_core::verify::{Moment, verify};
use proptest::prelude::*;
use support::generate::functions;

const HAND_STEP: &str = "\
pl 1
InCore fn hand_step<T: f32, generic const CH: usize = 16>(x: In tensor<T, [1, NR * SIZE]>, y: Out tensor<T, [1, SIZE]>, data: InOut window<T, [NR, SIZE]>, signal: InOut window<i32, [NR, 1]>, scale: f32) -> tensor<T, [1, SIZE]> dynamic(NR, SIZE) calls(fold) {
  ctx = pld::get_comm_ctx(data)
  my_rank = pld::rank(ctx)
  nranks = pld::nranks(ctx)
  for c in 0..nranks {
    chunk = pl::load(x, [0, c * SIZE], [1, SIZE])
    data = pl::store(chunk, [c, 0], data)
  }
  for peer in 0..nranks step 2 {
    if peer != my_rank && !(peer > 3) {
      pld::system::notify(signal, peer, [my_rank, 0], 1, op = AtomicAdd)
    } else if peer == 0 {
      pld::system::wait(signal, [peer, 0], -1, cmp = Ge)
    } else {
      done = false
    }
  }
  while {
    seen = pl::read(signal, [my_rank, 0])
  } seen < 3i32 {
    acc.1 = pl::full::<T>([1, pl::min(CH, SIZE - (my_rank + 1) * CH)], pl::lit::<T>(1.5))
    check acc.1: tile<T, [1, ?]>
    acc.1, rest = call fold(acc.1, -(my_rank as i32) + 1, [0, extent(acc.1, 1)])
    half = pl::cast::<f16>(acc.1)
    less = pl::mul(half, 0.5f16)
  }
  data = pld::tensor::reduce_scatter(data, signal, op = Sum)
  return y
}
";

#[test]
fn a_kernel_prints_as_it_was_written() {
    let function = parse(HAND_STEP).expect("it is well formed");
    assert_eq!(print(&function), HAND_STEP);
}

const HOST_STEP: &str = "\
pl 1
Host fn step(x: In tensor<f32, [NR, 1, SIZE]>, y: Out tensor<f32, [NR, 1, SIZE]>, mesh: buffer) -> tensor<f32, [NR, 1, SIZE]> dynamic(NR, SIZE) calls(stage, stage) {
  buffer = pld::alloc_window_buffer(NR * SIZE * 4)
  data = pld::window::<f32>(buffer, [NR, SIZE])
  world = pld::world_size()
  for r in 0..world {
    mine = pl::part(x, r)
    theirs = pl::part(y, r)
    call stage#1(mine, theirs, data, device = (r + 1) % world)
    call stage(device = r)
  }
  data = pld::tensor::allreduce(data, _, op = Max, mode = Ring)
  return y
}
";

#[test]
fn a_host_function_prints_as_it_was_written() {
    let function = parse(HOST_STEP).expect("it is well formed");
    assert_eq!(print(&function), HOST_STEP);
    assert_eq!(function.kind, FunctionKind::Host);
}

#[test]
fn statements_are_placed_at_their_lines() {
    let function = parse(HAND_STEP).expect("it is well formed");
    let places: Vec<String> =
        function.body.iter().map(|s| function.place(s.loc).expect("placed").to_string()).collect();
    assert_eq!(
        places,
        ["text:3:3", "text:4:3", "text:5:3", "text:6:3", "text:10:3", "text:19:3", "text:28:3", "text:29:3"]
    );
}

#[test]
fn embedded_text_keeps_locations() {
    let mut function = Function::new("k", FunctionKind::InCore);
    let n = function.add_local("n", Loc(1));
    function.loc = Loc(0);
    function.params.push(Param { local: n, mode: Mode::In, ty: Type::Scalar(ScalarType::Index) });
    let value = Expr::binary(BinOp::Sub, Expr::local(n), Expr::int(1)).at(Loc(3));
    function.body.push(Stmt { kind: StmtKind::Assign { dst: n, value }, loc: Loc(2) });
    for column in [4, 6, 1, 5] {
        function.places.push(Place::new("src/k.rs".into(), 7 + column % 2, column));
    }
    let text = embed(&function);
    expect![[r#"
        pl 1
        places 7:4 7:6 8:1 8:5
        InCore fn k@0(n@1: usize) {
        @2 n = n -@3 1
        }
    "#]]
    .assert_eq(&text);
    let read = parse_embedded(&text, "src/k.rs").expect("it was printed");
    assert_eq!(format!("{:?}", normal(read)), format!("{:?}", normal(function)));
}

#[test]
fn literals_read_back() {
    let literals = "\
pl 1
InCore fn k<T>() {
  a = -5
  b = -(5)
  c = -(-5)
  d = pl::inf
  e = -pl::inf
  f = pl::lit::<f32>(pl::nan)
  g = 1.5bf16 * 1e-7f32
  h = -170141183460469231731687303715884105728
  i = pl::lit::<T>(true)
  j = 0usize
  k = 1e300
  l = %K + K
  m = -5 as i32 as usize
  n = -(5 as i32)
  o = !(a < b) == (c < d)
}
";
    let function = parse(literals).expect("it is well formed");
    assert_eq!(print(&function), literals);
    let StmtKind::Assign { value, .. } = &function.body[1].kind else { panic!("an assignment") };
    assert!(matches!(value.kind, ExprKind::Unary(UnOp::Neg, _)), "{value:?}");
}

fn errors(text: &str, expected: Expect) {
    let errors = parse(text).expect_err("it has errors");
    let text: Vec<String> = errors.iter().map(ParseError::to_string).collect();
    expected.assert_eq(&(text.join("\n") + "\n"));
}

#[test]
fn another_version_is_an_error() {
    errors(
        "pl 2\nInCore fn k() {\n}\n",
        expect![[r#"
            error: version 2 of the text form is unknown, expected 1
              --> text:1:4
              = help: the text was written by another version of pl: print it again with this one
        "#]],
    );
    errors(
        "",
        expect![[r#"
        error: expected `pl` and the version, found the end of the text
          --> text:1:1
          = help: begin the text with the line `pl 1`
    "#]],
    );
}

#[test]
fn errors_come_all_at_once() {
    errors(
        "\
pl 1
InCore fn k(x: In tensor<f23, [4]>, x: i32) {
  t = pl::lod(x, [0], [4])
  t = pl::load(x, [0])
  for i on 0..3 {
    u = pl::add(t, t) v
  } else {
    pld::system::notify(x, 0, [0], 1, op = Max)
  }
  if 0 < i < 3 {
    w = pl::cast(t)
  }
  a = 1 + pl::read(x, [0])
  b = 3f23
  c = pl::load(x, offset = [0], [4])
  d, e = 3
  f = call g(t)
  h = $
  store = ) 3
  j = 
  pl
  k = pl::add(t, 99999999999999999999999999999999999999999)
",
        expect![[r#"
            error: expected an element type, found `f23`
              --> text:2:26
              = help: element types are f32, f16, bf16, i8, i16, i32, i64, u8, u32
            error: unknown op `pl::lod`
              --> text:3:7
              = help: ops are pl::load, pl::store, pl::read, pl::write, pl::add, pl::sub, pl::mul, pl::div, pl::maximum, pl::minimum, pl::neg, pl::cast, pl::full, pld::get_comm_ctx, pld::rank, pld::nranks, pld::system::notify, pld::system::wait, pld::tile::remote_load, pld::tile::remote_store, pld::tensor::put, pld::tensor::get, pld::tensor::put_with_signal, pl::reshape, pl::discard, pld::system::check_count, pld::system::enter, pld::system::leave, pld::world_size, pld::alloc_window_buffer, pld::window, pl::part, pld::tensor::barrier, pld::tensor::broadcast, pld::tensor::allgather, pld::tensor::reduce_scatter, pld::tensor::allreduce, pld::tensor::all_to_all, pld::tensor::all_to_all_v
            error: `pl::load` has 3 parameters, found 2 arguments
              --> text:4:7
              = help: its parameters are src, offsets, shape
            error: expected `in`, found `on`
              --> text:5:9
            error: expected the end of the line, found `v`
              --> text:6:23
            error: expected a value of `NotifyOp`, found `Max`
              --> text:8:44
              = help: its values are AtomicAdd, Set; a constant is written `const NAME`
            error: comparisons do not chain
              --> text:10:12
              = help: write `a < b && b < c`, or use parentheses
            error: `pl::cast` needs a type argument
              --> text:11:9
              = help: write `pl::cast::<f32>(…)`
            error: `pl::read` is called inside an expression
              --> text:13:11
              = help: give its result a name first: `t = pl::read(…)`
            error: unknown suffix `f23` of a number
              --> text:14:7
              = help: suffixes are `usize` and the element types
            error: expected the argument for `offsets`, found `offset`
              --> text:15:19
              = help: arguments stand in the order of the parameters
            error: expected `call`, found `3`
              --> text:16:10
              = help: only a call gives several values
            error: `g` is called and not declared
              --> text:17:12
              = help: add `calls(g)` after the parameters
            error: unexpected character `$`
              --> text:18:7
            error: expected an expression, found `)`
              --> text:19:11
            error: expected an expression before the end of the line
              --> text:20:5
            error: expected `=` before the end of the line
              --> text:21:3
              = help: a statement is an assignment, an op, call, check, for, while, if or return
            error: the number is too large
              --> text:22:18
              = help: no element type holds it
        "#]],
    );
}

#[test]
fn nesting_is_limited() {
    let many = 100_000;
    let body = |body: String| parse(&format!("pl 1\nInCore fn k() {{\n{body}\n}}\n"));
    let deep = |text: String| {
        let errors = body(text).expect_err("it is too deep");
        assert!(errors.iter().any(|e| e.message.contains("nested")), "{errors:?}");
    };
    deep(format!("a = {}1{}", "(".repeat(many), ")".repeat(many)));
    deep(format!("a = {}b", "-".repeat(many)));
    deep(format!("a = 1{}", " + 1".repeat(many)));
    deep(format!("a = 1{}", " as i32".repeat(many)));
    deep("if true {\n".repeat(many) + &"}\n".repeat(many));
    deep("while {\n".repeat(many));
    deep(format!("if true {{\n}}{}", " else if true {\n}".repeat(many)));
    deep(format!("a = 1{}", " + 1".repeat(MAX_DEPTH - 1)));
}

#[test]
fn what_is_not_too_deep_reads_back() {
    let check = |kind: StmtKind, depth: usize| {
        let mut function = Function::new("k", FunctionKind::InCore);
        let local = function.add_local("a", Loc::NONE);
        let mut stmt = kind;
        if let StmtKind::Assign { dst, .. } = &mut stmt {
            *dst = local;
        }
        function.body.push(Stmt { kind: stmt, loc: Loc::NONE });
        let fits = too_deep(&function).is_none();
        assert_eq!(fits, depth <= MAX_DEPTH, "{depth}");
        assert_eq!(parse(&print(&function)).is_ok(), fits, "{depth}");
        assert_eq!(
            verify(&function, Moment::Source).errors.iter().all(|e| !e.message.contains("nested")),
            fits,
            "{depth}"
        );
    };
    let add = |a: Expr, b: Expr| Expr::binary(BinOp::Add, a, b);
    let flag = || Expr::new(ExprKind::Lit { value: Lit::Bool(true), ty: None });
    for depth in [2, 60, MAX_DEPTH - 1, MAX_DEPTH, MAX_DEPTH + 1, MAX_DEPTH + 40] {
        // The body is one level, the leaf another.
        let levels = depth - 2;
        let left = (0..levels).fold(Expr::int(1), |e, _| add(e, Expr::int(1)));
        let right = (0..levels).fold(Expr::int(1), |e, _| add(Expr::int(1), e));
        let minus = (0..levels).fold(Expr::int(1), |e, _| Expr::new(ExprKind::Unary(UnOp::Neg, Box::new(e))));
        for value in [left, right, minus] {
            check(StmtKind::Assign { dst: LocalId(0), value }, depth);
        }
        let nest = |els: bool| {
            (0..levels).fold(None, |inner: Option<StmtKind>, _| {
                let inner: Block = inner.into_iter().map(|kind| Stmt { kind, loc: Loc::NONE }).collect();
                let (then, els) = if els { (vec![], inner) } else { (inner, vec![]) };
                Some(StmtKind::If { cond: flag(), then, els })
            })
        };
        for kind in [nest(false), nest(true)].into_iter().flatten() {
            // As many blocks as levels, and one for the body.
            check(kind, depth - 1);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn printed_functions_read_back(mut function in functions(), kind in prop::sample::select(&FunctionKind::ALL)) {
        function.kind = kind;
        let text = print(&function);
        let read = parse(&text).map_err(|e| TestCaseError::fail(format!("{e:?}\n{text}")))?;
        prop_assert!(read == function, "{}", text);
        prop_assert_eq!(print(&read), text);
    }

    #[test]
    fn embedded_functions_read_back(function in functions()) {
        let text = embed(&function);
        let read = parse_embedded(&text, "src/kernel.rs").map_err(|e| TestCaseError::fail(format!("{e:?}\n{text}")))?;
        prop_assert!(read == function, "{}", text);
        prop_assert_eq!(format!("{:#?}", normal(read)), format!("{:#?}", normal(function)));
    }

    #[test]
    fn changed_text_never_panics(
        function in functions(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..4u8), 1..8),
    ) {
        let mut words: Vec<String> = embed(&function).split_inclusive([' ', '\n', ',', '(', '[']).map(String::from).collect();
        for (at, other, how) in changes {
            let (at, other) = (at.index(words.len()), other.index(words.len()));
            match how {
                0 => words.swap(at, other),
                1 => words[at] = words[other].clone(),
                2 => words[at].clear(),
                _ => words[at] = words[at].chars().rev().collect(),
            }
        }
        never_panics(&words.concat());
    }

    #[test]
    fn any_text_never_panics(text in "\\PC*", tokens in proptest::collection::vec(token(), 0..60)) {
        never_panics(&text);
        never_panics(&tokens.concat());
        never_panics(&format!("pl 1\nInCore fn k(x: i32) {{\n{}", tokens.concat()));
    }
}

fn token() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "pl 1\n",
        "InCore fn k",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "<",
        ">",
        "\n",
        "\n",
        " ",
        ",",
        "..",
        "::",
        ":",
        "=",
        "+",
        "-",
        "%",
        "!",
        "&&",
        "as ",
        "x",
        "x = ",
        "check x: ",
        "call ",
        "for x in ",
        "while ",
        "if ",
        "else ",
        "return ",
        "pl::load",
        "pl::lit",
        "pl::min",
        "pld::tensor::reduce_scatter",
        "op = ",
        "const ",
        "enum ",
        "Sum",
        "1",
        "1.5",
        "1.",
        "1e",
        "1e5f16",
        "i32",
        "tile<",
        "f32",
        "?",
        "#",
        "@3",
        "@",
        "`",
        "`a b`",
        "places 1:2",
        "locals x",
        "generic ",
        "step 2",
        "device = ",
        "_",
        "buffer",
        "Host fn k",
        "extent(",
        ";",
        "$",
        "é",
        "r#",
        "-1",
    ])
}

fn never_panics(text: &str) {
    if let Ok(function) = parse(text) {
        let _ = print(&function);
    }
    let _ = parse_embedded(text, "file");
}

/// The function with the locations that reading its embedded text gives.
fn normal(mut function: Function) -> Function {
    let params: Vec<LocalId> = function.params.iter().map(|p| p.local).collect();
    for (i, local) in function.locals.iter_mut().enumerate() {
        if !params.contains(&LocalId(i as u32)) {
            local.loc = Loc::NONE;
        }
    }
    let types = function.params.iter_mut().map(|p| &mut p.ty).chain(function.returns.iter_mut().map(|r| &mut r.0));
    types.for_each(|ty| normal_type(ty, Loc::NONE, false));
    normal_block(&mut function.body);
    function
}

fn normal_block(block: &mut Block) {
    for stmt in block {
        let loc = stmt.loc;
        match &mut stmt.kind {
            StmtKind::Assign { value, .. } => normal_expr(value, loc, true),
            StmtKind::Op(Op { args, .. }) => normal_args(args, loc),
            StmtKind::Call(Call { args, device, .. }) => {
                normal_args(args, loc);
                device.iter_mut().for_each(|e| normal_expr(e, loc, true));
            }
            StmtKind::Check { ty, .. } => normal_type(ty, loc, true),
            StmtKind::For { start, end, step, body, .. } => {
                [start, end, step].into_iter().for_each(|e| normal_expr(e, loc, true));
                normal_block(body);
            }
            StmtKind::While { pre, cond, body } => {
                normal_expr(cond, loc, true);
                normal_block(pre);
                normal_block(body);
            }
            StmtKind::If { cond, then, els } => {
                normal_expr(cond, loc, true);
                normal_block(then);
                normal_block(els);
            }
            StmtKind::Return(values) => values.iter_mut().for_each(|e| normal_expr(e, loc, true)),
        }
    }
}

fn normal_args(args: &mut [Arg], loc: Loc) {
    for arg in args {
        arg.loc = loc;
        arg.exprs_mut().iter_mut().for_each(|e| normal_expr(e, loc, true));
    }
}

fn normal_type(ty: &mut Type, loc: Loc, keep: bool) {
    if let Some(shaped) = ty.shaped_mut() {
        shaped.shape.iter_mut().flatten().for_each(|e| normal_expr(e, loc, keep));
    }
}

fn normal_expr(expr: &mut Expr, loc: Loc, keep: bool) {
    use BinOp::*;
    *expr = std::mem::replace(expr, Expr::int(0)).map(&mut |e| {
        let has_own =
            matches!(e.kind, ExprKind::Binary(Add | Sub | Mul | Div | Rem, ..) | ExprKind::Unary(UnOp::Neg, _));
        let own = if has_own && keep { e.loc } else { Loc::NONE };
        e.at(own.or(loc))
    });
}
