//! Functions: parameters, locals, constants, and what can be asked of them.

use super::{Block, FunctionKind, Lit, Loc, LocalId, Mode, Name, Place, ScalarType, Type};
use crate::bind::Bindings;
use crate::dtype::DType;
use crate::fault::Lints;
use crate::op::EnumKind;

/// A parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// The local that the parameter is.
    pub local: LocalId,
    /// How it may be used.
    pub mode: Mode,
    /// Its type.
    pub ty: Type,
}

/// A local variable.
#[derive(Clone, Debug)]
pub struct Local {
    /// Its name, unique in the function.
    pub name: Name,
    /// Where it is declared.
    pub loc: Loc,
}

impl PartialEq for Local {
    fn eq(&self, other: &Local) -> bool {
        self.name == other.name
    }
}

/// A constant that the user's crate fills in.
#[derive(Clone, Debug, PartialEq)]
pub struct Const {
    /// Its name in the function.
    pub name: Name,
    /// Whether it depends on a generic argument of the function.
    pub generic: bool,
    /// Its value, once it is filled in.
    pub value: Option<ConstValue>,
}

/// The value of a constant.
#[derive(Clone, Debug, PartialEq)]
pub enum ConstValue {
    /// A scalar; an index, a truth value or an element.
    Scalar(Lit, ScalarType),
    /// An enum value.
    Enum(EnumKind, i32),
}

/// A type parameter bounded by `pl::Element`.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeParam {
    /// Its name.
    pub name: Name,
    /// Its type, once it is filled in.
    pub value: Option<DType>,
}

/// One function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: Name,
    /// Its level.
    pub kind: FunctionKind,
    /// The names declared in `dynamic(…)`, with their locations.
    pub dynamic: Vec<(Name, Loc)>,
    /// The lints that are allowed in it, and in all that it calls. Once calls are inlined, [`Place::allow`] tells for each line.
    pub allow: Lints,
    /// Constants.
    pub consts: Vec<Const>,
    /// Type parameters.
    pub types: Vec<TypeParam>,
    /// The names of the `Inline` functions it calls; empty after linking.
    pub callees: Vec<Name>,
    /// Parameters.
    pub params: Vec<Param>,
    /// The types it returns: none, one, or those of a tuple.
    pub returns: Vec<(Type, Loc)>,
    /// Locals, parameters among them.
    pub locals: Vec<Local>,
    /// The body.
    pub body: Block,
    /// The function's own location (its name).
    pub loc: Loc,
    /// What the locations mean at run time; empty in the macro.
    pub places: Vec<Place>,
}

/// Functions are equal when they do the same: locations and places do not count.
impl PartialEq for Function {
    fn eq(&self, other: &Function) -> bool {
        let names = |f: &Function| f.dynamic.iter().map(|d| d.0.clone()).collect::<Vec<_>>();
        let returns = |f: &Function| f.returns.iter().map(|r| r.0.clone()).collect::<Vec<_>>();
        self.name == other.name
            && self.kind == other.kind
            && names(self) == names(other)
            && self.allow == other.allow
            && self.consts == other.consts
            && self.types == other.types
            && self.callees == other.callees
            && self.params == other.params
            && returns(self) == returns(other)
            && self.locals == other.locals
            && self.body == other.body
    }
}

impl Function {
    /// An empty function.
    pub fn new(name: impl Into<Name>, kind: FunctionKind) -> Function {
        Function {
            name: name.into(),
            kind,
            dynamic: vec![],
            allow: Lints::NONE,
            consts: vec![],
            types: vec![],
            callees: vec![],
            params: vec![],
            returns: vec![],
            locals: vec![],
            body: vec![],
            loc: Loc::NONE,
            places: vec![],
        }
    }

    /// Adds a local. A name that is taken gets a suffix `.1`, `.2`, …
    pub fn add_local(&mut self, name: &str, loc: Loc) -> LocalId {
        let id = LocalId(self.locals.len() as u32);
        let taken = |n: &str| self.locals.iter().any(|l| &*l.name == n);
        let name: Name = if taken(name) {
            let stem = name.split('.').next().unwrap_or(name);
            (1..).map(|i| format!("{stem}.{i}")).find(|n| !taken(n)).unwrap_or_default().into()
        } else {
            name.into()
        };
        self.locals.push(Local { name, loc });
        id
    }

    /// Adds a local of an inlined function: its name is made unique by its number, which [`crate::pass`] takes away again.
    pub(crate) fn add_inlined_local(&mut self, name: &str, loc: Loc) -> LocalId {
        let id = LocalId(self.locals.len() as u32);
        let stem = name.split('.').next().unwrap_or(name);
        self.locals.push(Local { name: format!("{stem}.{}", id.0).into(), loc });
        id
    }

    /// The local's name.
    pub fn local_name(&self, id: LocalId) -> &str {
        self.locals.get(id.0 as usize).map_or("?", |l| &l.name)
    }

    /// The parameter that a local is, if it is one.
    pub fn param_of(&self, id: LocalId) -> Option<&Param> {
        self.params.iter().find(|p| p.local == id)
    }

    /// The constant of this name.
    pub fn constant(&self, name: &str) -> Option<&Const> {
        self.consts.iter().find(|c| &*c.name == name)
    }

    /// Whether `name` was declared in `dynamic(…)`.
    pub fn is_dynamic(&self, name: &str) -> bool {
        self.dynamic.iter().any(|(n, _)| &**n == name)
    }

    /// The place that a location stands for, at run time.
    pub fn place(&self, loc: Loc) -> Option<&Place> {
        self.places.get(loc.0 as usize)
    }

    /// The value of a name: that of a dim from `bindings`, or that of an integer constant.
    pub fn value_of_name(&self, name: &str, bindings: Option<&Bindings>) -> Option<i128> {
        if let Some(value) = bindings.and_then(|b| b.dims.get(name)) {
            return Some(i128::from(*value));
        }
        match self.constant(name)?.value {
            Some(ConstValue::Scalar(Lit::Int(value), _)) => Some(value),
            _ => None,
        }
    }
}
