//! Linking: from a definition in the user's crate to one function without open constants and without calls. Only a `Host` function keeps its calls:
//! they are launched when it runs.

use super::{calls, inline, simplify, tidy};
use crate::bind::BindError;
use crate::definition::{Definition, Source};
use crate::diag::{Diagnostic, Located};
use crate::dtype::DType;
use crate::ir::{ConstValue, Function, FunctionKind, Loc, Name, Place, StmtKind};
use crate::verify::{Known, Moment, verify};

/// Reads the text of a source; its holes stay open.
pub fn load(source: &Source) -> Result<Function, BindError> {
    crate::text::parse_embedded(source.text, source.file).map_err(|errors| {
        let located = errors.into_iter().map(|e| Located {
            kernel: source.path.to_string(),
            level: FunctionKind::InCore,
            place: Some(Place::new(Name::from(source.file), e.line, e.column)),
            diagnostic: Diagnostic::new(
                Loc::NONE,
                format!("the compiled-in text does not parse: {}", e.message),
                e.help,
            ),
            related: vec![],
        });
        BindError(located.collect())
    })
}

/// Fills the type parameters and constants of a function, in the order it declares them.
pub fn fill(function: &mut Function, types: &[DType], consts: &[ConstValue]) -> Result<(), BindError> {
    if types.len() != function.types.len() || consts.len() != function.consts.len() {
        let message = format!(
            "{} types and {} constants given, `{}` has {} and {}",
            types.len(),
            consts.len(),
            function.name,
            function.types.len(),
            function.consts.len()
        );
        let help = "give one for each type parameter and constant of the function";
        return Err(BindError(vec![Diagnostic::new(function.loc, message, help).located(function)]));
    }
    for (param, dtype) in function.types.iter_mut().zip(types) {
        param.value = Some(*dtype);
    }
    for (constant, value) in function.consts.iter_mut().zip(consts) {
        constant.value = Some(value.clone());
    }
    simplify::known_types(function);
    simplify::known_enums(function);
    Ok(())
}

/// Links a definition.
///
/// # Errors
/// Everything that the verifier finds once constants have values and calls are inlined; a function that calls itself through others.
pub fn link(definition: &Definition) -> Result<Function, BindError> {
    Linker::default().link(definition)
}

/// What takes the place of the arguments that a definition and its callees were made with: the element type of their type parameters, and
/// values of constants by name.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Instance {
    pub(super) dtype: DType,
    pub(super) consts: Vec<(&'static str, ConstValue)>,
}

/// Links a function of the collectives library for one element type and chunk.
pub(super) fn link_instance(definition: &Definition, instance: Instance) -> Result<Function, BindError> {
    let mut function = Linker { instance: Some(instance), ..Linker::default() }.link(definition)?;
    let inferred = verify(&function, Moment::Linked).inferred;
    let body = std::mem::take(&mut function.body);
    let known = Known { function: &function, bindings: None, values: &inferred.values };
    function.body = simplify::fold(body, &known);
    tidy::plain_copies(&mut function, &inferred.types);
    Ok(function)
}

impl Instance {
    fn fill(&self, definition: &mut Definition) -> Result<(), BindError> {
        definition.types.iter_mut().for_each(|t| *t = self.dtype);
        if definition.consts.is_empty() {
            return Ok(());
        }
        let template = load(definition.source)?;
        for (constant, value) in template.consts.iter().zip(&mut definition.consts) {
            if let Some((_, own)) = self.consts.iter().find(|(name, _)| *name == &*constant.name) {
                *value = own.clone();
            }
        }
        Ok(())
    }
}

/// What was linked so far, and what is being linked.
#[derive(Default)]
struct Linker {
    /// What every definition is instantiated with, in place of its own arguments.
    instance: Option<Instance>,
    /// The functions that lead to the one that is being linked.
    callers: Vec<&'static str>,
    /// Each instance once: two ways to a function are common, and ways multiply.
    done: Vec<(Definition, Result<Function, BindError>)>,
}

impl Linker {
    fn link(&mut self, definition: &Definition) -> Result<Function, BindError> {
        let mut definition = definition.clone();
        if let Some(instance) = &self.instance {
            instance.fill(&mut definition)?;
        }
        let definition = &definition;
        let same = |d: &Definition| {
            std::ptr::eq(d.source, definition.source) && d.types == definition.types && d.consts == definition.consts
        };
        if let Some((_, linked)) = self.done.iter().find(|(d, _)| same(d)) {
            return linked.clone();
        }
        let linked = self.link_new(definition);
        self.done.push((definition.clone(), linked.clone()));
        linked
    }

    fn link_new(&mut self, definition: &Definition) -> Result<Function, BindError> {
        let source = definition.source;
        let mut function = load(source)?;
        fill(&mut function, &definition.types, &definition.consts)?;
        if self.callers.contains(&source.path) {
            let chain: Vec<String> = self.callers.iter().chain([&source.path]).map(|p| format!("`{p}`")).collect();
            let diagnostic = Diagnostic::new(
                function.loc,
                format!("recursion: {}", chain.join(" calls ")),
                "an `Inline` function is put where it is called: write a loop instead",
            );
            return Err(BindError(vec![diagnostic.located(&function)]));
        }
        self.callers.push(source.path);
        let mut callees = vec![];
        let mut errors = vec![];
        for (index, callee) in definition.callees.iter().enumerate() {
            match self.link(&callee()) {
                Ok(callee) => callees.push(callee),
                Err(error) => {
                    for error in error.0 {
                        let error = called_by(error, &function, index);
                        if !errors.contains(&error) {
                            errors.push(error);
                        }
                    }
                }
            }
        }
        self.callers.pop();
        if !errors.is_empty() {
            return Err(BindError(errors));
        }
        let mut errors = calls::check_calls(&function, &callees);
        if matches!(function.kind, FunctionKind::Orchestration | FunctionKind::Host) {
            // With its calls still there: each level has rules for what stands beside them.
            errors.extend(verify(&function, Moment::Linked).errors);
        }
        if !errors.is_empty() {
            return Err(BindError(errors.into_iter().map(|e| e.located(&function)).collect()));
        }
        if function.kind == FunctionKind::Host {
            calls::settle_results(&mut function, &callees);
        } else {
            inline::inline_calls(&mut function, &callees)?;
        }
        finish(&mut function, Moment::Linked)?;
        Ok(function)
    }
}

/// An error of a callee, with the first call of it.
fn called_by(mut error: Located, caller: &Function, callee: usize) -> Located {
    let mut call = None;
    crate::ir::visit(&caller.body, &mut |stmt| {
        if let StmtKind::Call(found) = &stmt.kind
            && found.callee as usize == callee
        {
            call.get_or_insert(stmt.loc);
        }
    });
    error.diagnostic.related.push((Loc::NONE, format!("called by `{}`", caller.name)));
    error.related.push(call.and_then(|loc| caller.place(loc)).cloned());
    error
}

/// Verifies a function that a pass made, and simplifies it with what the verifier learned.
pub(super) fn finish(function: &mut Function, moment: Moment<'_>) -> Result<(), BindError> {
    // Before, so that messages have the names that people see.
    tidy::renumber(function);
    let verdict = verify(function, moment);
    if !verdict.errors.is_empty() {
        return Err(BindError(verdict.errors.into_iter().map(|e| e.located(function)).collect()));
    }
    let bindings = match moment {
        Moment::Bound(bindings) => Some(bindings),
        _ => None,
    };
    simplify::known_extents(function, &verdict.inferred, bindings);
    simplify::plain_literals(function);
    tidy::merge_queries(function, &verdict.inferred.roots);
    tidy::renumber(function);
    Ok(())
}
