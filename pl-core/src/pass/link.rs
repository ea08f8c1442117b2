//! Linking: from a definition in the user's crate to one function without open constants and without calls.

use super::{inline, simplify, tidy};
use crate::bind::BindError;
use crate::definition::{Definition, Source};
use crate::diag::{Diagnostic, Located};
use crate::dtype::DType;
use crate::ir::{ConstValue, Function, Loc, Name, Place};
use crate::verify::{Moment, verify};

/// Reads the text of a source; its holes stay open.
pub fn load(source: &Source) -> Result<Function, BindError> {
    crate::text::parse_embedded(source.text, source.file).map_err(|errors| {
        let located = errors.into_iter().map(|e| Located {
            kernel: source.path.to_string(),
            place: Some(Place { file: Name::from(source.file), line: e.line, column: e.column }),
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
    Ok(())
}

/// Links a definition.
///
/// # Errors
/// Everything that the verifier finds once constants have values and calls are inlined; a function that calls itself through others.
pub fn link(definition: &Definition) -> Result<Function, BindError> {
    link_within(definition, &mut vec![])
}

/// Links a definition that the functions of `callers` lead to.
fn link_within(definition: &Definition, callers: &mut Vec<&'static str>) -> Result<Function, BindError> {
    let source = definition.source;
    let mut function = load(source)?;
    fill(&mut function, &definition.types, &definition.consts)?;
    if callers.contains(&source.path) {
        let chain = callers.iter().chain([&source.path]).map(|p| format!("`{p}`")).collect::<Vec<_>>().join(" calls ");
        let diagnostic = Diagnostic::new(
            function.loc,
            format!("recursion: {chain}"),
            "an `Inline` function is put where it is called: write a loop instead",
        );
        return Err(BindError(vec![diagnostic.located(&function)]));
    }
    callers.push(source.path);
    let mut callees = vec![];
    let mut errors = vec![];
    for callee in &definition.callees {
        match link_within(&callee(), callers) {
            Ok(callee) => callees.push(callee),
            Err(error) => errors.extend(error.0),
        }
    }
    callers.pop();
    if !errors.is_empty() {
        errors.dedup();
        return Err(BindError(errors));
    }
    inline::inline_calls(&mut function, &callees)?;
    finish(&mut function, Moment::Linked)?;
    Ok(function)
}

/// Verifies a function that a pass made, and simplifies it with what the verifier learned.
pub(super) fn finish(function: &mut Function, moment: Moment<'_>) -> Result<(), BindError> {
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
