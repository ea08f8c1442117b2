//! The arguments of a collective against its entry in the table, before anything is launched.

use super::{Collective, Memory};
use crate::host::error::there_are;
use crate::host::{Error, World};
use pl_core::op::{Dim, OpInfo, ParamKind};
use std::sync::Arc;

impl Collective<'_> {
    /// Checks the arguments.
    pub(super) fn check(&self, world: &World) -> Result<(), Error> {
        let info = self.code.info();
        let path = info.path;
        let ranks = world.size();
        if ranks < 2 {
            return Err(Error::usage(
                format!("`{path}` needs at least 2 ranks, this is {}", world.describe()),
                "open the world, or make the subset, with two or more ranks",
            ));
        }
        for (memory, param) in self.memory.iter().zip(info.params) {
            let Some(memory) = memory else { continue };
            check_domain(world, memory, param.name, path)?;
        }
        self.check_types(info)?;
        self.check_shapes(info, ranks)?;
        for (a, b) in info.distinct {
            let window = |i: u8| self.memory[usize::from(i)].as_ref().map(|m| m.window.id);
            if window(*a).is_some() && window(*a) == window(*b) {
                let (a, b) = (info.params[usize::from(*a)].name, info.params[usize::from(*b)].name);
                return Err(Error::usage(
                    format!("`{a}` and `{b}` of `{path}` are the same window"),
                    "allocate a window for each",
                ));
            }
        }
        if info.params.iter().any(|p| p.kind == ParamKind::Peer) && self.root >= ranks as u64 {
            return Err(Error::usage(
                format!("`root` of `{path}` is {}, which is not a rank of {}", self.root, world.describe()),
                there_are(ranks),
            ));
        }
        if let Some(only) = info.only
            && self.reduce != only.value
        {
            return Err(Error::usage(only.message_for(self.reduce), only.help));
        }
        Ok(())
    }

    fn check_types(&self, info: &OpInfo) -> Result<(), Error> {
        for (param, allowed) in info.dtypes {
            let (name, memory) = (info.params[usize::from(*param)].name, &self.memory[usize::from(*param)]);
            if let Some(memory) = memory
                && !allowed.contains(&memory.dtype)
            {
                let list = allowed.iter().map(|d| d.name()).collect::<Vec<_>>().join(", ");
                return Err(Error::usage(
                    format!("`{name}` of `{}` has element type `{}`, expected {list}", info.path, memory.dtype),
                    format!(
                        "make it a window of {}",
                        if allowed.len() > 1 { "one of these types" } else { "this type" }
                    ),
                ));
            }
        }
        for (a, b) in info.alike {
            let (a, b) = (usize::from(*a), usize::from(*b));
            if let (Some(x), Some(y)) = (&self.memory[a], &self.memory[b])
                && x.dtype != y.dtype
            {
                let (a, b) = (info.params[a].name, info.params[b].name);
                return Err(Error::usage(
                    format!("`{a}` of `{}` has element type `{}` and `{b}` has `{}`", info.path, x.dtype, y.dtype),
                    "both have the same element type",
                ));
            }
        }
        Ok(())
    }

    fn check_shapes(&self, info: &OpInfo, ranks: usize) -> Result<(), Error> {
        let mut free: Vec<(&'static str, usize)> = vec![];
        for (param, alternatives) in info.shapes {
            let index = usize::from(*param);
            let Some(memory) = &self.memory[index] else { continue };
            let found = memory.window.shape;
            let chosen = usize::try_from(self.mode).ok().filter(|_| info.lowering.is_some_and(|l| l.by.is_some()));
            let alternatives = match chosen.and_then(|at| alternatives.get(at)) {
                Some(one) => std::slice::from_ref(one),
                None => *alternatives,
            };
            let fits = alternatives.iter().any(|pattern| {
                let mut bound = free.clone();
                let fits = pattern.len() == found.len()
                    && pattern.iter().zip(found).all(|(dim, extent)| matches(*dim, *extent, ranks, &mut bound));
                if fits {
                    free = bound;
                }
                fits
            });
            if !fits {
                let expected: Vec<String> = alternatives.iter().map(|p| show(p, &free)).collect();
                return Err(Error::usage(
                    format!(
                        "`{}` of `{}` has shape {found:?}, expected {} with P = {ranks}",
                        info.params[index].name,
                        info.path,
                        expected.join(" or ")
                    ),
                    "P is the number of ranks of the world that it is called on",
                ));
            }
        }
        Ok(())
    }
}

fn check_domain(world: &World, memory: &Memory<'_>, name: &str, path: &str) -> Result<(), Error> {
    if !Arc::ptr_eq(memory.window.owner, &world.shared) {
        return Err(Error::usage(
            format!("`{name}` of `{path}` is a window of another world"),
            "a window can be used only in the world that made it; make one with this world's `window`",
        ));
    }
    if memory.window.domain != &world.ranks {
        return Err(Error::usage(
            format!(
                "`{name}` of `{path}` is a window of the ranks {:?}, called on {}",
                memory.window.domain,
                world.describe()
            ),
            "a collective is among the ranks of its windows: call it on the world or subset that made them",
        ));
    }
    Ok(())
}

/// Whether an extent is what the table asks for. A name stands for one extent in the whole op.
fn matches(dim: Dim, extent: usize, ranks: usize, free: &mut Vec<(&'static str, usize)>) -> bool {
    let mut named = |name: &'static str, value: usize| match free.iter().find(|(n, _)| *n == name) {
        Some((_, bound)) => *bound == value,
        None => {
            free.push((name, value));
            true
        }
    };
    match dim {
        Dim::World => extent == ranks,
        Dim::Exactly(n) => extent == n as usize,
        Dim::Rounds => extent == 2 * (ranks - 1),
        Dim::Free(name) => named(name, extent),
        Dim::PerRank(name) => extent.is_multiple_of(ranks) && named(name, extent / ranks),
    }
}

/// `[P, S]`, and the value of S where it is known.
fn show(pattern: &[Dim], free: &[(&str, usize)]) -> String {
    let mut dims = vec![];
    let mut known = String::new();
    for dim in pattern {
        let (text, name) = match dim {
            Dim::World => ("P".to_owned(), None),
            Dim::Exactly(n) => (n.to_string(), None),
            Dim::Rounds => ("2 * (P - 1)".to_owned(), None),
            Dim::Free(name) => ((*name).to_owned(), Some(*name)),
            Dim::PerRank(name) => (format!("P * {name}"), Some(*name)),
        };
        dims.push(text);
        if let Some((name, value)) = name.and_then(|name| free.iter().find(|(n, _)| *n == name)) {
            known += &format!(" (with {name} = {value})");
        }
    }
    format!("`[{}]`{known}", dims.join(", "))
}
