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
        if self.runs { self.check_signal(info) } else { Ok(()) }
    }

    /// A signal that the caller gave is zero in every cell: the collective counts from there, and what a cell holds too much lets a wait pass early.
    fn check_signal(&self, info: &OpInfo) -> Result<(), Error> {
        let signal = info.param("signal").and_then(|i| self.memory.get(i)?.as_ref());
        let Some(Memory { window, .. }) = signal else { return Ok(()) };
        let path = info.path;
        let mut cells = vec![0_i32; window.shape.iter().product()];
        for (part, rank) in window.domain.iter().enumerate() {
            let bytes = bytemuck::cast_slice_mut(&mut cells);
            let read = window.owner.engine.read(window.id, part, bytes);
            read.map_err(|e| Error::of_window(e, &format!("`signal` of `{path}`")))?;
            let Some(at) = cells.iter().position(|cell| *cell != 0) else { continue };
            let cell = indices(at, window.shape);
            return Err(Error::usage(
                format!("`signal` of `{path}` is not zero: `signal{cell:?}` of rank {rank} is {}", cells[at]),
                "a collective begins with zero in every cell, and leaves it so: `world.reset(&signal)` before it",
            ));
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
                let expected: Vec<String> = alternatives.iter().map(|pattern| show(pattern)).collect();
                return Err(Error::usage(
                    format!(
                        "`{}` of `{}` has shape {found:?}, expected {} ({})",
                        info.params[index].name,
                        info.path,
                        expected.join(" or "),
                        known(alternatives, &free, ranks)
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

/// The indices of an element of an array in C order.
fn indices(mut at: usize, shape: &[usize]) -> Vec<usize> {
    let mut indices = vec![0; shape.len()];
    for (index, extent) in indices.iter_mut().zip(shape).rev() {
        (*index, at) = (at % extent, at / extent);
    }
    indices
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

/// `[P, S]`
fn show(pattern: &[Dim]) -> String {
    let dim = |dim: &Dim| match dim {
        Dim::World => "P".to_owned(),
        Dim::Exactly(n) => n.to_string(),
        Dim::Rounds => "2 * (P - 1)".to_owned(),
        Dim::Free(name) => (*name).to_owned(),
        Dim::PerRank(name) => format!("P * {name}"),
    };
    format!("`[{}]`", pattern.iter().map(dim).collect::<Vec<_>>().join(", "))
}

/// `P = 3, S = 5`: what the names in patterns stand for, as far as it is known.
fn known(patterns: &[&[Dim]], free: &[(&'static str, usize)], ranks: usize) -> String {
    let mut values = vec![("P", ranks)];
    for dim in patterns.iter().copied().flatten() {
        let (Dim::Free(name) | Dim::PerRank(name)) = dim else { continue };
        if let Some(value) = free.iter().find(|(n, _)| n == name)
            && !values.contains(value)
        {
            values.push(*value);
        }
    }
    values.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
}
