//! Binding: dims from the arguments' shapes, checks that need them, and the program that an engine runs.

use crate::diag::{Diagnostic, Located};
use crate::ir::{Function, Loc, Name, StmtKind, Type};
use crate::pass::{Library, lower};
use crate::poly::Poly;
use crate::verify::{Inferred, Moment, check_tile_memory, verify};
use core::fmt;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// The values that a launch gives to a kernel's names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bindings {
    /// Dynamic dims.
    pub dims: BTreeMap<Name, i64>,
    /// The number of ranks of each domain that the arguments' windows belong to.
    pub domains: Vec<usize>,
    /// For each parameter: the domain of its window, as an index into `domains`; `None` where it is no window.
    pub of: Vec<Option<usize>>,
}

impl Bindings {
    /// The domain of a parameter's window: its index, and its number of ranks.
    pub fn domain(&self, param: usize) -> Option<(usize, usize)> {
        let domain = self.of.get(param).copied().flatten()?;
        Some((domain, *self.domains.get(domain)?))
    }
}

/// What binding needs to know of a platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Platform {
    /// Its name: `sim`, `a2a3sim`, …
    pub name: &'static str,
    /// Usable on-chip memory for tiles, in bytes; `None` without a limit.
    pub tile_bytes: Option<usize>,
}

/// A function that is linked, lowered, verified and bound: what an engine runs.
#[derive(Debug)]
pub struct Program {
    /// The lowered function: primitives only, no calls.
    pub function: Function,
    /// Types of its locals.
    pub inferred: Inferred,
    /// Its dims.
    pub bindings: Bindings,
    /// Whatever the engine wants to keep with it (its plan).
    pub plan: OnceLock<Arc<dyn std::any::Any + Send + Sync>>,
}

/// Everything that was wrong at bind, at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindError(pub Vec<Located>);

impl fmt::Display for BindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n\n")?;
            }
            write!(f, "{error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for BindError {}

/// An argument's shape, as far as binding needs it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ArgShape {
    /// A tensor or window: its extents, and which window it is.
    Memory {
        /// Extents.
        shape: Vec<usize>,
        /// Which window it is; `None` for a tensor.
        window: Option<WindowArg>,
    },
    /// A scalar.
    Scalar,
}

/// A window among the arguments. Its numbers tell the windows and the domains of one call apart, and mean nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WindowArg {
    /// The number of the window.
    pub window: u64,
    /// The number of its domain.
    pub domain: u64,
    /// The number of ranks of that domain.
    pub ranks: usize,
}

/// Solves for the dims of a linked function, and tells the domains of its windows.
///
/// # Errors
/// Arguments whose rank or extents do not fit their parameters, dims on which two arguments disagree, and windows that are the same where an op
/// forbids it.
pub fn bind(function: &Function, args: &[ArgShape]) -> Result<Bindings, BindError> {
    let mut binder = Binder { function, bindings: domains(args), from: BTreeMap::new(), errors: vec![] };
    if args.len() != function.params.len() {
        binder.error(
            function.loc,
            format!("{} arguments, `{}` has {} parameters", args.len(), function.name, function.params.len()),
            "pass one argument per parameter",
        );
    }
    let equations = binder.equations(args);
    while binder.solve(&equations) {}
    binder.check(&equations);
    binder.check_windows(args);
    if binder.errors.is_empty() {
        Ok(binder.bindings)
    } else {
        Err(BindError(binder.errors.into_iter().map(|e| e.located(function)).collect()))
    }
}

/// Bindings that know the domains of the windows, and no dims yet.
fn domains(args: &[ArgShape]) -> Bindings {
    let mut bindings = Bindings::default();
    let mut numbers: Vec<u64> = vec![];
    for arg in args {
        let domain = match arg {
            ArgShape::Memory { window: Some(window), .. } => {
                Some(numbers.iter().position(|n| *n == window.domain).unwrap_or_else(|| {
                    numbers.push(window.domain);
                    bindings.domains.push(window.ranks);
                    numbers.len() - 1
                }))
            }
            _ => None,
        };
        bindings.of.push(domain);
    }
    bindings
}

/// One extent of one argument.
struct Equation<'a> {
    parameter: &'a str,
    loc: Loc,
    axis: usize,
    extent: &'a crate::ir::Expr,
    value: i64,
}

struct Binder<'a> {
    function: &'a Function,
    bindings: Bindings,
    /// Which parameter bound a dim.
    from: BTreeMap<Name, (String, Loc)>,
    errors: Vec<Diagnostic>,
}

impl<'a> Binder<'a> {
    fn error(&mut self, loc: Loc, message: String, help: impl Into<String>) {
        self.errors.push(Diagnostic::new(loc, message, help));
    }

    fn equations(&mut self, args: &[ArgShape]) -> Vec<Equation<'a>> {
        let mut equations = vec![];
        let function = self.function;
        for (param, arg) in function.params.iter().zip(args) {
            let parameter = function.local_name(param.local);
            let loc = function.locals.get(param.local.0 as usize).map_or(Loc::NONE, |l| l.loc);
            let declared = crate::text::show_type(function, &param.ty);
            match (param.ty.shaped(), arg) {
                (Some(shaped), ArgShape::Memory { shape, window }) => {
                    if window.is_some() != matches!(param.ty, Type::Window(_)) {
                        let found = if window.is_some() { "a window" } else { "a tensor" };
                        self.error(
                            loc,
                            format!("argument `{parameter}` is {found}, the parameter is `{declared}`"),
                            "pass what it declares",
                        );
                    } else if shape.len() != shaped.shape.len() {
                        self.error(
                            loc,
                            format!(
                                "argument `{parameter}` has shape {shape:?} of rank {}, the parameter is `{declared}` of rank {}",
                                shape.len(),
                                shaped.shape.len()
                            ),
                            "pass memory of the rank that the parameter declares",
                        );
                    } else {
                        for (axis, (extent, value)) in shaped.shape.iter().zip(shape).enumerate() {
                            let Some(extent) = extent else { continue };
                            let value = i64::try_from(*value).unwrap_or(i64::MAX);
                            equations.push(Equation { parameter, loc, axis, extent, value });
                        }
                    }
                }
                (None, ArgShape::Scalar) => {}
                (_, arg) => {
                    let found = if *arg == ArgShape::Scalar { "a scalar" } else { "memory" };
                    self.error(
                        loc,
                        format!("argument `{parameter}` is {found}, the parameter is `{declared}`"),
                        "pass what it declares",
                    );
                }
            }
        }
        equations
    }

    fn poly(&self, extent: &crate::ir::Expr) -> Option<Poly> {
        Poly::of(extent, &|name| self.function.value_of_name(name, Some(&self.bindings)))
    }

    /// Solves what can be solved now; whether that told anything new.
    fn solve(&mut self, equations: &[Equation<'_>]) -> bool {
        let before = self.bindings.dims.len();
        for eq in equations {
            let Some(poly) = self.poly(eq.extent) else { continue };
            let mut unknown: Vec<Name> = vec![];
            poly.names(&mut |n| {
                if !unknown.contains(n) {
                    unknown.push(n.clone());
                }
            });
            let [name] = &unknown[..] else { continue };
            let Some((factor, rest)) = poly.linear_in(name) else { continue };
            let left = i128::from(eq.value) - rest;
            // A value that does not come out even, or negative, is found by `check`.
            let value = left.div_euclid(factor);
            if let Ok(value) = i64::try_from(value)
                && value >= 0
            {
                self.bindings.dims.insert(name.clone(), value);
                self.from.insert(name.clone(), (format!("`{}`", eq.parameter), eq.loc));
            }
        }
        self.bindings.dims.len() > before
    }

    /// Checks every extent against the solution.
    fn check(&mut self, equations: &[Equation<'_>]) {
        for eq in equations {
            let shown = crate::text::show_expr(self.function, eq.extent);
            let Some(declared) = self.poly(eq.extent) else {
                self.error(
                    eq.loc,
                    format!("extent `{shown}` of `{}` cannot be computed", eq.parameter),
                    "extents are integers of 64 bits, and do not divide by zero",
                );
                continue;
            };
            if declared.as_constant() == Some(i128::from(eq.value)) {
                continue;
            }
            let mut sides = vec![];
            eq.extent.walk(&mut |e| {
                if let crate::ir::ExprKind::Name(name) = &e.kind
                    && let Some(value) = self.function.value_of_name(name, Some(&self.bindings))
                {
                    let from = self.from.get(name).map_or(String::new(), |(p, _)| format!(" from argument {p}"));
                    let side = format!("{name} = {value}{from}");
                    if !sides.contains(&side) {
                        sides.push(side);
                    }
                }
            });
            let (message, help) = match declared.as_constant() {
                Some(value) => {
                    let given = if sides.is_empty() { String::new() } else { format!(" ({})", sides.join(", ")) };
                    let is = if value.to_string() == shown { String::new() } else { format!(" = {value}") };
                    (
                        format!(
                            "axis {} of argument `{}` is {}, the parameter declares `{shown}`{is}{given}",
                            eq.axis, eq.parameter, eq.value
                        ),
                        "pass arguments whose shapes agree on every dim",
                    )
                }
                None => (
                    format!(
                        "axis {} of argument `{}` is {}, which gives no value to `{shown}`",
                        eq.axis, eq.parameter, eq.value
                    ),
                    "dims are integers, at least 0",
                ),
            };
            let diagnostic = Diagnostic::new(eq.loc, message, help);
            self.errors.push(diagnostic);
        }
        for (name, loc) in &self.function.dynamic {
            if !self.bindings.dims.contains_key(name) && self.errors.is_empty() {
                let diagnostic = Diagnostic::new(
                    *loc,
                    format!("no argument gives dim `{name}` a value"),
                    "use it in a parameter's shape",
                );
                self.errors.push(diagnostic);
            }
        }
    }

    /// Ops that forbid it are not given the same window twice.
    fn check_windows(&mut self, args: &[ArgShape]) {
        let window = |root: usize| match args.get(root) {
            Some(ArgShape::Memory { window, .. }) => window.map(|w| w.window),
            _ => None,
        };
        let inferred = verify(self.function, Moment::Linked).inferred;
        let mut errors = vec![];
        crate::ir::visit(&self.function.body, &mut |stmt| {
            let StmtKind::Op(op) = &stmt.kind else { return };
            let info = op.code.info();
            for (a, b) in info.distinct {
                let root = |i: u8| inferred.roots.get(op.args.get(usize::from(i))?.as_local()?.0 as usize).copied()?;
                let (Some(x), Some(y)) = (root(*a), root(*b)) else { continue };
                if x != y && window(x).is_some() && window(x) == window(y) {
                    let name = |p: usize| self.function.local_name(self.function.params[p].local);
                    errors.push(Diagnostic::new(
                        stmt.loc,
                        format!(
                            "`{}` and `{}` of `{}` are the same window: it was passed for both `{}` and `{}`",
                            info.params[usize::from(*a)].name,
                            info.params[usize::from(*b)].name,
                            info.path,
                            name(x),
                            name(y)
                        ),
                        "allocate a window for each: `world.window::<…>(…)`",
                    ));
                }
            }
        });
        self.errors.extend(errors);
    }
}

/// Lowers and verifies a linked function for these bindings, and checks its tiles against the platform's memory.
///
/// # Errors
/// What lowering and the verifier find with these values; tiles that do not fit.
pub fn program(
    function: &Function,
    bindings: &Bindings,
    platform: &Platform,
    library: &Library,
) -> Result<Program, BindError> {
    of_lowered(lower(function, bindings, platform, library)?, bindings, platform)
}

/// The second half of [`program`]: verifies a lowered function, and checks its tiles.
///
/// # Errors
/// What the verifier finds with these values; tiles that do not fit.
pub fn of_lowered(lowered: Function, bindings: &Bindings, platform: &Platform) -> Result<Program, BindError> {
    let verdict = verify(&lowered, Moment::Bound(bindings));
    let mut errors = verdict.errors;
    errors.extend(check_tile_memory(&lowered, &verdict.inferred, bindings, platform));
    if errors.is_empty() {
        Ok(Program { function: lowered, inferred: verdict.inferred, bindings: bindings.clone(), plan: OnceLock::new() })
    } else {
        Err(BindError(errors.into_iter().map(|e| e.located(&lowered)).collect()))
    }
}
