//! Random functions, right and wrong: nothing panics, and what passed the verifier keeps passing it.

mod support;

use pl_core::bind::{ArgShape, BindError, Bindings, Platform, Program, WindowArg, bind, program};
use pl_core::cost::{Card, RankProgram, cards};
use pl_core::definition::{Definition, Source};
use pl_core::dtype::DType;
use pl_core::ir::*;
use pl_core::op::{EnumKind, ParamKind, TypeArg};
use pl_core::pass::{Library, link};
use pl_core::text::{embed, parse, print};
use pl_core::verify::{Moment, pressure, verify};
use proptest::prelude::*;
use std::cell::RefCell;
use std::sync::Arc;
use support::generate::{Entropy, function, functions};
use support::sound::kernels;

/// A random function in which some arguments are of another kind than their parameters ask for.
fn wrong_functions() -> impl Strategy<Value = Function> {
    (proptest::collection::vec(any::<u32>(), 0..600), proptest::collection::vec(any::<u32>(), 1..40)).prop_map(
        |(words, changes)| {
            let mut wrong = function(&mut Entropy::new(words));
            let mut entropy = Entropy::new(changes);
            let locals = wrong.locals.len();
            change(&mut wrong.body, locals, &mut entropy);
            wrong
        },
    )
}

fn change(block: &mut Block, locals: usize, e: &mut Entropy) {
    for stmt in block.iter_mut() {
        match &mut stmt.kind {
            StmtKind::Op(op) => {
                for arg in &mut op.args {
                    if e.chance(30) {
                        arg.kind = match e.below(4) {
                            0 => ArgKind::Value(Expr::local(LocalId(e.below(locals) as u32))),
                            1 => ArgKind::List((0..e.below(4)).map(|_| Expr::int(e.below(5) as i128 - 1)).collect()),
                            2 => ArgKind::Enum(e.pick(&EnumKind::ALL), EnumValue::Known(e.below(6) as i32 - 1)),
                            _ => ArgKind::Value(Expr::int(i128::MAX)),
                        };
                    }
                }
                if e.chance(20) {
                    op.args.pop();
                }
                if e.chance(20) {
                    op.elem = e.chance(50).then_some(Elem::Known(DType::I8));
                }
                if e.chance(20) {
                    op.dst = Some(LocalId(e.below(locals) as u32));
                }
            }
            StmtKind::Assign { value, .. } if e.chance(30) => *value = Expr::local(LocalId(e.below(locals) as u32)),
            StmtKind::Call(call) if e.chance(30) => call.callee = e.below(9) as u32,
            StmtKind::For { body, .. } => change(body, locals, e),
            StmtKind::While { pre, body, .. } => {
                change(pre, locals, e);
                change(body, locals, e);
            }
            StmtKind::If { then, els, .. } => {
                change(then, locals, e);
                change(els, locals, e);
            }
            _ => {}
        }
    }
    if e.chance(20) {
        let values = (0..e.below(3)).map(|_| Expr::local(LocalId(e.below(locals) as u32))).collect();
        block.push(Stmt { kind: StmtKind::Return(values), loc: Loc::NONE });
    }
}

/// Without calls, and with a type for every constant and type parameter: what linking starts from.
fn without_calls(mut function: Function) -> Function {
    fn drop_calls(block: &mut Block) {
        block.retain(|stmt| !matches!(stmt.kind, StmtKind::Call(_)));
        for stmt in block {
            match &mut stmt.kind {
                StmtKind::For { body, .. } => drop_calls(body),
                StmtKind::While { pre, body, .. } => {
                    drop_calls(pre);
                    drop_calls(body);
                }
                StmtKind::If { then, els, .. } => {
                    drop_calls(then);
                    drop_calls(els);
                }
                _ => {}
            }
        }
    }
    drop_calls(&mut function.body);
    function.callees.clear();
    function
}

fn definition(function: &Function) -> Definition {
    let one = ConstValue::Scalar(Lit::Int(1), ScalarType::Index);
    Definition {
        source: Box::leak(Box::new(Source {
            text: Box::leak(embed(function).into_boxed_str()),
            file: "src/kernel.rs",
            path: Box::leak(function.name.to_string().into_boxed_str()),
        })),
        types: function.types.iter().map(|t| t.value.unwrap_or(DType::F32)).collect(),
        consts: function.consts.iter().map(|c| c.value.clone().unwrap_or(one.clone())).collect(),
        callees: vec![],
    }
}

/// The whole way to a program and its cost; as far as it goes.
fn all_the_way(function: &Function) {
    let Ok(linked) = link(&definition(function)) else { return };
    let shapes: Vec<ArgShape> = linked
        .params
        .iter()
        .enumerate()
        .map(|(i, param)| match &param.ty {
            Type::Tensor(s) => ArgShape::Memory { shape: vec![4; s.shape.len()], window: None },
            Type::Window(s) => ArgShape::Memory {
                shape: vec![4; s.shape.len()],
                window: Some(WindowArg { window: i as u64 / 2, domain: i as u64 / 4, ranks: 4 }),
            },
            _ => ArgShape::Scalar,
        })
        .collect();
    let bindings = match bind(&linked, &shapes) {
        Ok(bindings) => bindings,
        Err(_) => bindings(&linked),
    };
    for tile_bytes in [None, Some(64)] {
        let platform = Platform { name: "test", tile_bytes };
        if let Ok(program) = program(&linked, &bindings, &platform, &Library::default()) {
            let scalars = vec![Some(3); linked.params.len()];
            let _ = cards(&ranks(&program, &scalars, &domains()));
        }
    }
}

fn bindings(function: &Function) -> Bindings {
    Bindings {
        dims: [("NR".into(), 4), ("SIZE".into(), 4)].into(),
        domains: vec![4, 4],
        of: function.params.iter().enumerate().map(|(i, p)| matches!(p.ty, Type::Window(_)).then_some(i % 2)).collect(),
    }
}

/// As many domains of all four ranks as a program may have.
fn domains() -> Vec<Arc<[usize]>> {
    vec![(0..4).collect(); 8]
}

// A callee is a plain function pointer; this gives the definition of the case that runs on this thread.
thread_local! {
    static CALLEE: RefCell<Option<Definition>> = const { RefCell::new(None) };
}

fn callee() -> Definition {
    CALLEE.with_borrow(|callee| callee.clone().expect("the case has a callee"))
}

/// A function all of whose callees are [`CALLEE`].
fn calling(caller: &Function) -> Definition {
    Definition { callees: vec![callee as fn() -> Definition; caller.callees.len()], ..definition(caller) }
}

/// What a function with the parameters of a sound kernel costs.
fn sound_cost(definition: &Definition) -> Result<Vec<Card>, BindError> {
    let linked = link(definition)?;
    let bindings = bind(&linked, &sound_arguments())?;
    let program = program(&linked, &bindings, &Platform { name: "test", tile_bytes: None }, &library())?;
    Ok(cards(&ranks(&program, &[None, None, None, None, Some(3), Some(-2)], &domains())))
}

/// Arguments for a sound kernel on four ranks.
fn sound_arguments() -> [ArgShape; 6] {
    let memory = |shape: &[usize], window| ArgShape::Memory { shape: shape.to_vec(), window };
    let tensor = memory(&[4, 32], None);
    [
        tensor.clone(),
        tensor,
        memory(&[4, 32], Some(WindowArg { window: 0, domain: 0, ranks: 4 })),
        memory(&[4, 1], Some(WindowArg { window: 1, domain: 0, ranks: 4 })),
        ArgShape::Scalar,
        ArgShape::Scalar,
    ]
}

/// The program on each of four ranks.
fn ranks<'a>(program: &'a Program, scalars: &'a [Option<i64>], domains: &'a [Arc<[usize]>]) -> Vec<RankProgram<'a>> {
    let domains = &domains[..program.bindings.domains.len()];
    (0..4).map(|rank| RankProgram { rank, program, scalars, domains }).collect()
}

fn verify_everywhere(function: &Function) {
    for moment in [Moment::Source, Moment::Linked, Moment::Bound(&bindings(function))] {
        let verdict = verify(function, moment);
        assert_eq!(verdict.inferred.types.len(), function.locals.len());
        for error in &verdict.errors {
            assert!(!error.message.is_empty() && !error.message.ends_with('.'), "{error:?}");
        }
        let _ = pressure(function, &verdict.inferred);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_verifier_never_panics(right in functions(), wrong in wrong_functions()) {
        for mut function in [right, wrong] {
            for kind in FunctionKind::ALL {
                function.kind = kind;
                verify_everywhere(&function);
            }
        }
    }

    #[test]
    fn linking_calls_never_panics(mut caller in functions(), wrong in wrong_functions(), kernel in kernels(true)) {
        CALLEE.set(Some(definition(&kernel)));
        for mut caller in [wrong, caller.clone()] {
            for kind in FunctionKind::ALL {
                caller.kind = kind;
                let _ = link(&calling(&caller));
            }
        }
        // Nothing but calls, of which some may fit.
        caller.body.retain(|stmt| matches!(stmt.kind, StmtKind::Call(_)));
        for kind in FunctionKind::ALL {
            caller.kind = kind;
            let _ = link(&calling(&caller));
        }
    }

    #[test]
    fn a_kernel_that_is_called_is_the_kernel(kernel in kernels(true)) {
        CALLEE.set(Some(definition(&kernel)));
        let mut caller = Function::new("steps", FunctionKind::Orchestration);
        caller.dynamic = kernel.dynamic.clone();
        for param in &kernel.params {
            let local = caller.add_local(kernel.local_name(param.local), Loc::NONE);
            caller.params.push(Param { local, ..param.clone() });
        }
        caller.callees.push(kernel.name.clone());
        let args = caller.params.iter().map(|p| Arg { kind: ArgKind::Value(Expr::local(p.local)), loc: Loc::NONE });
        let call = Call { callee: 0, dsts: vec![], args: args.collect(), device: None };
        caller.body.push(Stmt { kind: StmtKind::Call(call), loc: Loc::NONE });
        let text = print(&kernel);
        let alone = sound_cost(&definition(&kernel)).map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
        let called = sound_cost(&calling(&caller)).map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
        prop_assert_eq!(alone, called, "{}", text);
    }

    #[test]
    fn passes_never_panic(function in functions()) {
        all_the_way(&without_calls(function));
    }

    #[test]
    fn sound_kernels_go_all_the_way(kernel in kernels(true)) {
        let text = print(&kernel);
        let errors = verify(&kernel, Moment::Source).errors;
        prop_assert!(errors.is_empty(), "{:?}\n{}", errors, text);
        let linked = link(&definition(&kernel)).map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
        let bindings = bind(&linked, &sound_arguments()).map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
        let platform = Platform { name: "test", tile_bytes: None };
        let program = program(&linked, &bindings, &platform, &library())
            .map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
        let lowered = print(&program.function);
        let read = parse(&lowered);
        prop_assert_eq!(read.as_ref(), Ok(&program.function), "{}", lowered);
        visit(&program.function.body, &mut |stmt| {
            assert!(!matches!(&stmt.kind, StmtKind::Op(op) if op.code.is_composite()), "{lowered}");
        });
        let scalars = [None, None, None, None, Some(3), Some(-2)];
        prop_assert_eq!(cards(&ranks(&program, &scalars, &domains())).len(), 4);
    }

    #[test]
    fn a_linked_function_verifies(function in functions()) {
        let Ok(linked) = link(&definition(&without_calls(function))) else { return Ok(()) };
        prop_assert_eq!(verify(&linked, Moment::Linked).errors, vec![]);
        let read = parse(&print(&linked));
        prop_assert_eq!(read, Ok(linked));
    }
}

/// The collectives library, from its text.
fn library() -> Library {
    const TEXT: &str = include_str!("../filetests/library.txt");
    fn part(name: &str) -> Definition {
        let text = TEXT.replace("\r\n", "\n");
        let parts = text.split("---\n").map(|text| parse(text).expect("it parses"));
        let function = parts.into_iter().find(|f| &*f.name == name).expect("the function stands in the library");
        let callees = match name {
            "reduce_scatter" | "barrier" => vec![(|| part("meet")) as fn() -> Definition, || part("settle")],
            _ => vec![],
        };
        Definition { callees, ..definition(&function) }
    }
    Library::new([
        ("reduce_scatter", (|| part("reduce_scatter")) as fn() -> Definition),
        ("barrier", || part("barrier")),
    ])
}

/// The generator makes what it promises: every op, with arguments of the right kind.
#[test]
fn every_op_is_generated() {
    let mut seen = std::collections::BTreeSet::new();
    let mut word = 1u32;
    for _ in 0..400 {
        let words = std::iter::repeat_with(|| {
            word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            word >> 8
        });
        let function = function(&mut Entropy::new(words.take(400).collect()));
        visit(&function.body, &mut |stmt| {
            let StmtKind::Op(op) = &stmt.kind else { return };
            let info = op.code.info();
            assert_eq!(op.args.len(), info.params.len());
            assert_eq!(op.elem.is_some(), info.type_arg == TypeArg::Required);
            for (arg, param) in op.args.iter().zip(info.params) {
                let is_list = matches!(param.kind, ParamKind::Offsets(_) | ParamKind::Shape(_) | ParamKind::Extents);
                assert_eq!(matches!(arg.kind, ArgKind::List(_)), is_list && arg.kind != ArgKind::Absent);
            }
            seen.insert(op.code);
        });
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), pl_core::op::OpCode::ALL);
}
