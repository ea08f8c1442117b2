//! `Host` functions: dispatch loops, and window buffers.
//!
//! The dispatches of a loop are launched together when it ends, and every rank takes part in a launch once. What the loop shows is judged
//! here; which devices its expressions name is known only when it runs.

use super::Checker;
use crate::diag::Diagnostic;
use crate::ir::{
    Call, Elem, Expr, ExprKind, FunctionKind, Loc, LocalId, Op, ScalarType, Shaped, Stmt, StmtKind, Type, dispatches,
    visit,
};
use crate::op::{OpCode, ParamKind, ResultKind, Space};
use crate::poly::{Comparison, Poly};

/// The name that stands for the number of ranks where extents and ranges are compared.
const WORLD: &str = "pld::world_size()";

const LOOP: &str = "dispatch to every rank once: `for r in 0..pld::world_size() { step(…, device = r); }`";

/// What the innermost loop around a statement is.
#[derive(Clone, Copy)]
enum Within {
    /// There is no `for`.
    Function,
    /// A `for` that does not dispatch itself.
    For,
    /// A `for` that dispatches.
    Launch(Loc),
    /// A `while` in one that dispatches.
    While(Loc),
}

/// How many dispatches an iteration makes.
#[derive(Clone, Copy, Default)]
struct Count {
    least: u32,
    most: u32,
    /// A branch that decides whether there is one.
    branch: Option<Loc>,
    /// Whether several branches decide, so that what they have in common is not seen here.
    open: bool,
}

/// A dispatch that every path has made.
#[derive(Clone)]
struct Dispatched {
    device: Expr,
    loc: Loc,
}

impl Checker<'_> {
    /// A call has a device in a `Host` function, and nowhere else.
    pub(super) fn check_device(&mut self, call: &Call, loc: Loc) {
        let name = self.function.callees.get(call.callee as usize).cloned().unwrap_or_else(|| "?".into());
        match (&call.device, self.function.kind) {
            (None, FunctionKind::Host) => {
                let help = format!("say on which device it runs: `{name}(…, device = r)`");
                self.error(loc, format!("`{name}` is called without a device"), help);
            }
            (Some(device), FunctionKind::Host) => {
                let device = device.clone().at(device.loc.or(loc));
                self.expect_scalar(&device, &ScalarType::Index, "the device");
            }
            (Some(device), level) => {
                let message = format!("`{name}` is called with a device in an {} function", level.name());
                let help = "leave it out: the call runs on the device that runs this function; a `Host` function dispatches to devices";
                self.error(device.loc.or(loc), message, help);
            }
            (None, _) => {}
        }
    }

    pub(super) fn check_host(&mut self) {
        let function = self.function;
        self.check_dispatches(&function.body, Within::Function);
        visit(&function.body, &mut |stmt| {
            if let StmtKind::Op(op) = &stmt.kind
                && op.code.is_composite()
            {
                self.check_windows(op, stmt.loc);
            }
        });
        self.check_buffers();
    }

    /// What the host hands to a collective is memory that every rank has.
    fn check_windows(&mut self, op: &Op, loc: Loc) {
        let info = op.code.info();
        for (arg, param) in op.args.iter().zip(info.params) {
            let Some(id) = arg.as_local() else { continue };
            // Where only a window will do, it was reported.
            let any = matches!(param.kind, ParamKind::Memory(_, Space::Any));
            if any && matches!(self.type_of(id), Some(Type::Tensor(_))) {
                let message = format!(
                    "`{}` of `{}` is the tensor `{}`, a `Host` function passes windows",
                    param.name,
                    info.path,
                    self.name_of(id)
                );
                let help = "every rank has its part of a window: let a kernel store into one first";
                self.error(arg.loc.or(loc), message, help);
            }
        }
    }

    /// Checks the dispatches and loops of a block.
    fn check_dispatches(&mut self, block: &[Stmt], within: Within) {
        for stmt in block {
            match (&stmt.kind, within) {
                (StmtKind::Call(call), Within::Function) => {
                    let name = self.callee(call);
                    self.error(stmt.loc, format!("`{name}` is dispatched outside of a loop over the ranks"), LOOP);
                }
                // A loop is between: of what stands in the `for` itself, it is the launch.
                (StmtKind::Call(call), Within::For | Within::While(_)) => {
                    let name = self.callee(call);
                    let help = "an iteration over the ranks dispatches once: put the `while` into the kernel, or around the loop";
                    self.error(stmt.loc, format!("`{name}` is dispatched in a `while` inside of a `for`"), help);
                }
                (StmtKind::Op(op), Within::Launch(_) | Within::While(_)) => self.check_in_launch(op, stmt.loc),
                (StmtKind::For { var, start, end, step, body }, _) if dispatches(body) => {
                    match within {
                        Within::Launch(outer) | Within::While(outer) => self.report(
                            Diagnostic::new(
                                stmt.loc,
                                "a loop that dispatches stands in another one",
                                "the dispatches of a loop are launched together when it ends: put one loop after the other",
                            )
                            .with(outer, "the other one begins here"),
                        ),
                        _ => self.check_launch(stmt.loc, *var, [start, end, step], body),
                    }
                    self.check_dispatches(body, Within::Launch(stmt.loc));
                }
                (StmtKind::For { body, .. }, Within::Function) => self.check_dispatches(body, Within::For),
                (StmtKind::While { pre, body, .. }, within) => {
                    let within = if let Within::Launch(loc) = within { Within::While(loc) } else { within };
                    self.check_dispatches(pre, within);
                    self.check_dispatches(body, within);
                }
                (kind, within) => kind.blocks().iter().for_each(|nested| self.check_dispatches(nested, within)),
            }
        }
    }

    fn callee(&self, call: &Call) -> String {
        self.function.callees.get(call.callee as usize).map_or("?".into(), |n| n.to_string())
    }

    /// Ops that all ranks take part in do not stand among the dispatches to single ones.
    fn check_in_launch(&mut self, op: &Op, loc: Loc) {
        let path = op.code.path();
        if op.code.is_composite() {
            self.error(
                loc,
                format!("`{path}` in a loop that dispatches"),
                "all ranks take part in it, and the dispatches of the loop run when it ends: put it before or after the loop",
            );
        } else if op.code.info().result == ResultKind::Buffer {
            self.error(
                loc,
                format!("`{path}` in a loop that dispatches"),
                "a window buffer is memory on every rank: allocate it once, before the loop",
            );
        }
    }

    /// Checks the loop whose iterations dispatch.
    fn check_launch(&mut self, loc: Loc, var: LocalId, range: [&Expr; 3], body: &[Stmt]) {
        let count = self.count(body);
        if count.least == 0
            && !count.open
            && let Some(branch) = count.branch
        {
            self.error(
                branch,
                "an iteration of the loop over the ranks may end without a dispatch",
                "every rank takes part in a launch: dispatch on the other side too, or decide in the kernel",
            );
        }
        let mut reported = self.check_twice(body, &mut vec![]);
        let mut devices = vec![];
        visit(body, &mut |stmt| {
            if let StmtKind::Call(Call { device: Some(device), .. }) = &stmt.kind {
                devices.push((device, device.loc.or(stmt.loc)));
            }
        });
        let mut changing = vec![var];
        visit(body, &mut |stmt| {
            stmt.kind.for_each_dst(&mut |id| changing.push(id));
            if let StmtKind::For { var, .. } = stmt.kind {
                changing.push(var);
            }
        });
        let mut counted = vec![];
        visit(&self.function.body, &mut |stmt| {
            if let StmtKind::For { var, .. } = stmt.kind {
                counted.push(var);
            }
        });
        for (device, at) in &devices {
            let mut changes = false;
            device.walk(&mut |e| changes |= e.as_local().is_some_and(|id| changing.contains(&id)));
            let wrong = self.errors.iter().any(|error| error.loc == *at);
            if !changes && !wrong {
                let shown = self.show(device);
                let mut outer = false;
                device.walk(&mut |e| outer |= e.as_local().is_some_and(|id| counted.contains(&id)));
                let mut message = format!("every iteration dispatches to device `{shown}`");
                // The loop over the ranks is another one, around this.
                let help = if outer {
                    message += ", which a loop around it counts";
                    "a loop that dispatches has one dispatch for each rank: dispatch an `Orchestration` function that loops, on the device"
                        .into()
                } else {
                    format!("every rank takes part in a launch once: `device = {}`", self.name_of(var))
                };
                self.error(*at, message, help);
                reported = true;
            }
        }
        // A range and a device that only together name every rank are left to the run.
        let plain = count.most == 1 && devices.iter().all(|(device, _)| device.as_local() == Some(var));
        if plain && !reported {
            self.check_range(loc, range);
        }
    }

    /// The range of a loop each of whose iterations dispatches to the rank that it counts.
    fn check_range(&mut self, loc: Loc, [start, end, step]: [&Expr; 3]) {
        let constant = |checker: &Self, e: &Expr| checker.rank_poly(e).and_then(|p| p.as_constant());
        let (first, past, by) = (constant(self, start), constant(self, end), constant(self, step));
        if let Some(first @ 1..) = first {
            let at = start.loc.or(loc);
            let left_out = if first == 1 { "rank 0".into() } else { format!("ranks 0 to {}", first - 1) };
            self.error(at, format!("the loop over the ranks begins at {first}, and leaves out {left_out}"), LOOP);
        }
        if let Some(by @ 2..) = by {
            self.error(
                step.loc.or(loc),
                format!("the loop over the ranks goes in steps of {by}, and leaves out ranks"),
                LOOP,
            );
        }
        let at = end.loc.or(loc);
        if past == Some(0) {
            self.error(at, "the loop over the ranks has no iteration", LOOP);
        } else if let (Some(end_poly), Some(world)) = (self.rank_poly(end), self.world_poly())
            && let Some(beyond) = end_poly.minus(&world).and_then(|d| d.as_constant())
        {
            let shown = self.show(end);
            if beyond < 0 {
                self.error(
                    at,
                    format!("the loop over the ranks ends before `{shown}`, and leaves out the last ones"),
                    LOOP,
                );
            } else if beyond > 0 {
                self.error(at, format!("the loop over the ranks goes on to `{shown}`, past the last rank"), LOOP);
            }
        }
    }

    fn count(&self, block: &[Stmt]) -> Count {
        let mut all = Count::default();
        for stmt in block {
            let one = match &stmt.kind {
                StmtKind::Call(_) => Count { least: 1, most: 1, ..Count::default() },
                StmtKind::If { cond, then, els } => match self.known().truth(cond) {
                    Some(true) => self.count(then),
                    Some(false) => self.count(els),
                    None => {
                        let (a, b) = (self.count(then), self.count(els));
                        let branch = a.branch.filter(|_| a.least == 0).or(b.branch.filter(|_| b.least == 0));
                        Count {
                            least: a.least.min(b.least),
                            most: a.most.max(b.most),
                            branch: if a.least == b.least && a.most == b.most {
                                a.branch.or(b.branch)
                            } else {
                                branch.or(Some(stmt.loc))
                            },
                            open: a.open || b.open,
                        }
                    }
                },
                _ => continue,
            };
            all.open |= one.open || (all.branch.is_some() && one.branch.is_some());
            all.least += one.least;
            all.most += one.most;
            all.branch = all.branch.or(one.branch);
        }
        all
    }

    /// Finds two dispatches to one device on one path; `before` are those that every path to the block has made.
    fn check_twice(&mut self, block: &[Stmt], before: &mut Vec<Dispatched>) -> bool {
        let mut found = false;
        for stmt in block {
            match &stmt.kind {
                StmtKind::Call(call) => {
                    let Some(device) = &call.device else { continue };
                    if let Some(first) = before.iter().find(|d| d.device == *device).cloned() {
                        let shown = self.show(device);
                        self.report(
                            Diagnostic::new(
                                stmt.loc,
                                format!("an iteration dispatches twice to `device = {shown}`"),
                                "a device runs one function in a launch: write an `Orchestration` function that calls both",
                            )
                            .with(first.loc, "the first is here"),
                        );
                        found = true;
                    } else {
                        before.push(Dispatched { device: device.clone(), loc: stmt.loc });
                    }
                }
                StmtKind::If { cond, then, els } => {
                    let decided = self.known().truth(cond);
                    let (mut a, mut b) = (before.clone(), before.clone());
                    found |= decided != Some(false) && self.check_twice(then, &mut a);
                    found |= decided != Some(true) && self.check_twice(els, &mut b);
                    *before = match decided {
                        Some(true) => a,
                        Some(false) => b,
                        None => a.into_iter().filter(|x| b.iter().any(|y| x.device == y.device)).collect(),
                    };
                }
                _ => {}
            }
        }
        found
    }

    /// The polynomial of an index expression in which the number of ranks is a name.
    fn rank_poly(&self, expr: &Expr) -> Option<Poly> {
        let mut known = true;
        let resolved = expr.clone().map(&mut |e| match &e.kind {
            ExprKind::Local(id) if self.ranks.get(id.0 as usize) == Some(&true) => Expr::name(WORLD).at(e.loc),
            ExprKind::Local(id) => match self.values.get(id.0 as usize).and_then(Option::as_ref) {
                Some(value) => value.clone().at(e.loc),
                None => {
                    known = false;
                    e
                }
            },
            ExprKind::Extent(..) | ExprKind::Cast(..) => {
                known = false;
                e
            }
            _ => e,
        });
        if known { self.poly(&resolved) } else { None }
    }

    fn world_poly(&self) -> Option<Poly> {
        self.poly(&Expr::name(WORLD))
    }

    /// The buffers of a function: each is used, for one window, that fits it.
    fn check_buffers(&mut self) {
        let function = self.function;
        let mut buffers: Vec<(LocalId, &Expr, Loc)> = vec![];
        let mut windows: Vec<(LocalId, &Op, Loc)> = vec![];
        let mut used = vec![false; function.locals.len()];
        let mut copies: Vec<(LocalId, LocalId)> = vec![];
        visit(&function.body, &mut |stmt| {
            stmt.kind.for_each_expr(&mut |e| {
                e.walk(&mut |e| {
                    if let Some(used) = e.as_local().and_then(|id| used.get_mut(id.0 as usize)) {
                        *used = true;
                    }
                });
            });
            match &stmt.kind {
                StmtKind::Op(op) if op.code == OpCode::AllocWindowBuffer => {
                    if let (Some(dst), Some(bytes)) = (op.dst, op.args.first().and_then(|a| a.exprs().first())) {
                        buffers.push((dst, bytes, stmt.loc));
                    }
                }
                StmtKind::Op(op) if op.code == OpCode::Window => {
                    if let Some(buffer) = op.args.first().and_then(|a| a.as_local()) {
                        windows.push((buffer, op, stmt.loc));
                    }
                }
                StmtKind::Assign { dst, value } => copies.extend(value.as_local().map(|id| (*dst, id))),
                _ => {}
            }
        });
        // The buffer that a name stands for, where it is only ever one.
        let buffer_of = |mut id: LocalId| {
            while self.assignments.get(id.0 as usize) == Some(&1) {
                match copies.iter().find(|(dst, _)| *dst == id) {
                    Some((_, source)) if *source != id => id = *source,
                    _ => return buffers.iter().find(|(b, ..)| *b == id).copied(),
                }
            }
            None
        };
        let mut errors = vec![];
        for (local, _, loc) in &buffers {
            if !used[local.0 as usize] {
                errors.push(Diagnostic::new(
                    *loc,
                    format!("the window buffer `{}` is never used", self.name_of(*local)),
                    "make it a window: `pld::window::<f32>(buffer, [..])`, or remove it",
                ));
            }
        }
        let mut first: Vec<(LocalId, Shaped, Loc)> = vec![];
        for (name, op, loc) in windows {
            let Some((buffer, bytes, allocated)) = buffer_of(name) else { continue };
            let Some(crate::ir::ArgKind::List(shape)) = op.args.get(1).map(|a| &a.kind) else { continue };
            let Some(elem) = &op.elem else { continue };
            let extents = shape.iter().map(|e| Some(e.clone())).collect();
            let window = Shaped { elem: elem.clone(), shape: extents };
            match first.iter().find(|(b, ..)| *b == buffer) {
                Some((_, other, at)) if self.windows_differ(other, &window) => {
                    let show = |shaped: &Shaped| self.show_type(&Type::Window(shaped.clone()));
                    errors.push(
                        Diagnostic::new(
                            loc,
                            format!(
                                "the window buffer `{}` is one for `{}` and for `{}`",
                                self.name_of(buffer),
                                show(other),
                                show(&window)
                            ),
                            "a buffer holds one window: allocate another for the other",
                        )
                        .with(*at, "the first window is made here"),
                    );
                    continue;
                }
                Some(_) => {}
                None => first.push((buffer, window, loc)),
            }
            errors.extend(self.too_small(buffer, bytes, allocated, elem, shape, loc));
        }
        errors.into_iter().for_each(|e| self.report(e));
    }

    fn windows_differ(&self, a: &Shaped, b: &Shaped) -> bool {
        let differ = |(a, b): (&Option<Expr>, &Option<Expr>)| {
            let (Some(a), Some(b)) = (a, b) else { return false };
            let (Some(a), Some(b)) = (self.rank_poly(a), self.rank_poly(b)) else { return false };
            a.compare(&b, &|name| self.function.is_dynamic(name)) == Comparison::Differ
        };
        a.elem != b.elem || a.shape.len() != b.shape.len() || a.shape.iter().zip(&b.shape).any(differ)
    }

    /// A buffer that does not hold the window that is made of it.
    fn too_small(
        &self,
        buffer: LocalId,
        bytes: &Expr,
        allocated: Loc,
        elem: &Elem,
        shape: &[Expr],
        loc: Loc,
    ) -> Option<Diagnostic> {
        let Elem::Known(dtype) = elem else { return None };
        let size = Expr::int(dtype.bytes() as i128);
        let needed = shape.iter().cloned().fold(size, |n, e| Expr::binary(crate::ir::BinOp::Mul, n, e));
        let (has, needs) = (self.rank_poly(bytes)?, self.rank_poly(&needed)?);
        let lacking = needs.minus(&has)?.as_constant().filter(|lacking| *lacking > 0)?;
        let name = self.name_of(buffer);
        let message = match (has.as_constant(), needs.as_constant()) {
            (Some(has), Some(needs)) => format!("the window needs {needs} bytes, the buffer `{name}` has {has}"),
            _ => format!("the window needs {lacking} bytes more than the buffer `{name}` has"),
        };
        let help = format!("allocate the product of the extents times {} bytes of `{dtype}`", dtype.bytes());
        Some(Diagnostic::new(loc, message, help).with(allocated, "it is allocated here"))
    }
}
