//! Rust that the language does not have: each is reported at its token, with what to write instead.

use crate::context::{Context, path_text, text_of};
use crate::names;
use crate::places::{Range, edges};
use pl_core::op::OpCode;
use syn::Expr;
use syn::visit::Visit;

/// The variable that an expression takes something of.
pub fn subject(expr: &Expr) -> Option<&syn::Ident> {
    match expr {
        Expr::Path(e) => e.path.get_ident(),
        Expr::Field(e) => subject(&e.base),
        Expr::MethodCall(e) => subject(&e.receiver),
        Expr::Index(e) => subject(&e.expr),
        Expr::Try(e) => subject(&e.expr),
        Expr::Await(e) => subject(&e.base),
        Expr::Reference(e) => subject(&e.expr),
        Expr::Paren(e) => subject(&e.expr),
        Expr::Group(e) => subject(&e.expr),
        _ => None,
    }
}

/// What is said of an expression that the language does not have: where, what, and what to write instead.
pub fn expression(expr: &Expr) -> (Range, String, String) {
    let whole = edges(expr);
    let at = |token: &dyn Fn() -> Range, message: &str, help: &str| (token(), message.to_owned(), help.to_owned());
    match expr {
        Expr::Match(e) => at(
            &|| Range::of(&e.match_token),
            "a kernel has no `match`",
            "write `if … { … } else if … { … } else { … }`",
        ),
        Expr::Closure(_) => {
            at(&|| whole, "a kernel has no closures", "write the code where it is used, or in an Inline function")
        }
        Expr::Reference(e) => (
            whole,
            "a kernel has no references".into(),
            format!("write `{}`: every value is passed as it is", text_of(&*e.expr)),
        ),
        Expr::RawAddr(_) => at(&|| whole, "a kernel has no pointers", "name the value itself"),
        Expr::Try(e) => {
            at(&|| Range::of(&e.question_token), "a kernel has no `?`", "remove it: no op returns a `Result`")
        }
        Expr::Return(e) => at(
            &|| Range::of(&e.return_token),
            "`return` in the middle of a kernel",
            "put the rest into `else`, and the value at the end",
        ),
        Expr::Async(e) => at(
            &|| Range::of(&e.async_token),
            "a kernel has no `async`",
            "a `pld::system::wait` blocks only its own rank",
        ),
        Expr::Await(e) => {
            at(&|| Range::of(&e.await_token), "a kernel has no `.await`", "wait for a signal with `pld::system::wait`")
        }
        Expr::Unsafe(e) => at(&|| Range::of(&e.unsafe_token), "a kernel has no `unsafe`", "remove the block"),
        Expr::TryBlock(_) => at(&|| whole, "a kernel has no `try` block", "remove it: no op returns a `Result`"),
        Expr::Const(_) => {
            at(&|| whole, "a kernel has no `const` block", "declare a `const` beside the kernel and name it")
        }
        Expr::Macro(e) => {
            let name = text_of(&e.mac.path);
            let help = match name.as_str() {
                "println" | "print" | "eprintln" | "eprint" | "dbg" => {
                    "a device does not print: store what you want to see into a tensor"
                }
                "assert" | "assert_eq" | "assert_ne" | "debug_assert" | "panic" | "unreachable" | "todo"
                | "unimplemented" => "a kernel does not panic: check values on the host",
                _ => "write out what the macro stands for",
            };
            (
                Range::of(&e.mac.path).to(Range::of(&e.mac.bang_token)),
                format!("a kernel has no macros, found `{name}!`"),
                help.into(),
            )
        }
        Expr::Loop(e) => at(
            &|| Range::of(&e.loop_token),
            "a kernel has no `loop`",
            "write `while condition { … }`, or `for i in 0..n { … }`",
        ),
        Expr::Break(e) => at(
            &|| Range::of(&e.break_token),
            "a kernel has no `break`",
            "put the condition into `while`, or the rest of the body into `if`",
        ),
        Expr::Continue(e) => at(
            &|| Range::of(&e.continue_token),
            "a kernel has no `continue`",
            "put the rest of the loop's body into `if`",
        ),
        Expr::Struct(e) => {
            at(&|| Range::of(&e.path), "a kernel has no struct literals", "use one variable for each field")
        }
        Expr::Array(_) => at(
            &|| whole,
            "an array stands only as offsets, indices or a shape of an op",
            "write it where it is used: `pl::load(x, [0, 0], [1, SIZE])`",
        ),
        Expr::Repeat(_) => at(&|| whole, "a kernel has no repeated arrays", "write the list out: `[0, 0]`"),
        Expr::Tuple(_) => at(
            &|| whole,
            "a tuple stands only as the values that a function returns",
            "use one variable for each value",
        ),
        Expr::Index(e) => (
            whole,
            "a kernel does not index".into(),
            format!("read one element: `pl::read({}, [{}])`", text_of(&*e.expr), text_of(&*e.index)),
        ),
        Expr::Field(e) => {
            let help = match &e.member {
                syn::Member::Unnamed(_) => "take a tuple apart where it is returned: `let (a, b) = …`".to_owned(),
                syn::Member::Named(_) => {
                    "a kernel's values have no fields; extents are names declared in `dynamic(…)`".to_owned()
                }
            };
            (Range::of(&e.member), format!("a kernel has no fields, found `.{}`", text_of(&e.member)), help)
        }
        Expr::MethodCall(e) => {
            (Range::one(e.method.span()), format!("a kernel has no method `{}`", e.method), method_help(e))
        }
        Expr::Range(_) => at(&|| whole, "a range stands only in the head of a `for`", "write `for i in a..b { … }`"),
        Expr::Let(_) => at(&|| whole, "a kernel has no `let` in conditions", "compare the values: `if a == b { … }`"),
        Expr::ForLoop(_) | Expr::While(_) => at(&|| whole, "a loop gives no value", "assign to a variable in it"),
        Expr::Assign(_) => at(&|| whole, "an assignment gives no value", "write it as a statement of its own"),
        Expr::Block(syn::ExprBlock { label: Some(label), .. }) => {
            at(&|| Range::of(label), "a kernel has no labels", "remove it")
        }
        Expr::Infer(_) => at(&|| whole, "`_` is not a value", "write the value"),
        _ => at(
            &|| whole,
            "a kernel has no such expression",
            "see the reference of the language in the documentation of `pl`",
        ),
    }
}

fn method_help(call: &syn::ExprMethodCall) -> String {
    let name = call.method.to_string();
    let receiver = text_of(&*call.receiver);
    let arguments: Vec<String> = call.args.iter().map(text_of).collect();
    let written = std::iter::once(receiver).chain(arguments).collect::<Vec<_>>().join(", ");
    let op = names::ops().map(OpCode::path).find(|path| path.ends_with(&format!("::{name}")));
    match name.as_str() {
        "min" | "max" => format!("write `pl::{name}({written})`"),
        "rev" => "ranges count up: compute the index, `n - 1 - i`".into(),
        "step_by" => "write `pl::range(start, end, step)`".into(),
        "len" | "shape" | "dim" | "size" => "extents have names: declare them in `dynamic(…)`, or use constants".into(),
        "clone" | "to_owned" => format!("write `{written}`: values are copied as they are"),
        "into" | "try_into" => "scalars are cast with `as`, tiles with `pl::cast::<f32>(tile)`".into(),
        _ => match op {
            Some(path) => format!("ops are functions: `{path}({written})`"),
            None => "ops are functions: `pl::add(a, b)`".into(),
        },
    }
}

/// Rejects attributes in the body, but for the levels of lints, and what only rustfmt reads.
pub fn attributes(cx: &mut Context, body: &syn::Block) {
    struct Attributes<'a>(&'a mut Context);
    impl<'ast> Visit<'ast> for Attributes<'_> {
        /// Items are reported themselves.
        fn visit_item(&mut self, _: &'ast syn::Item) {}

        fn visit_attribute(&mut self, attr: &'ast syn::Attribute) {
            let lint = ["allow", "expect", "warn", "deny"].iter().any(|level| attr.path().is_ident(level));
            if !lint && path_text(attr.path()) != "rustfmt::skip" {
                self.0.error(
                    Range::of(attr),
                    format!("the attribute `{}` in a kernel", text_of(attr.path())),
                    "only `allow`, `expect`, `warn` and `deny` may stand there; `cfg` goes on whole functions",
                );
            }
        }
    }
    Attributes(cx).visit_block(body);
}
