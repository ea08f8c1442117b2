//! Communication domains: which windows an op reaches peers through, and whose ranks these are. They are known once the function is bound.

use super::Checker;
use crate::diag::Diagnostic;
use crate::ir::{Arg, ArgKind, Loc, LocalId, Op};
use crate::op::{OpInfo, ParamKind, Space};

impl Checker<'_> {
    /// The parameters whose windows an op reaches peers through. A window that stands where a tensor may stand is own memory only.
    fn windows_of<'o>(&self, op: &'o Op) -> Vec<(usize, &'o Arg)> {
        let params = op.code.info().params.iter();
        let shared = params.zip(&op.args).filter(|(p, _)| matches!(p.kind, ParamKind::Memory(_, Space::Window)));
        shared.filter_map(|(_, arg)| Some(((*self.roots.get(arg.as_local()?.0 as usize)?)?, arg))).collect()
    }

    /// The domain of an op's windows, and its number of ranks.
    pub(super) fn domain_of(&self, op: &Op) -> Option<(usize, usize)> {
        let bindings = self.bindings()?;
        self.windows_of(op).iter().find_map(|(param, _)| bindings.domain(*param))
    }

    /// The number of ranks of the domain whose context is the op's argument.
    pub(super) fn context_ranks(&self, op: &Op) -> Option<usize> {
        let param = (*self.contexts.get(op.args.first()?.as_local()?.0 as usize)?)?;
        self.bindings()?.domain(param).map(|(_, ranks)| ranks)
    }

    /// Gives a local the context of a parameter's window: it stays with one domain.
    pub(super) fn assign_context(&mut self, dst: LocalId, param: Option<usize>, loc: Loc) {
        let (Some(new), Some(slot)) = (param, self.contexts.get_mut(dst.0 as usize)) else { return };
        let old = *slot.get_or_insert(new);
        let Some(bindings) = self.bindings() else { return };
        let (Some((first, _)), Some((second, _))) = (bindings.domain(old), bindings.domain(new)) else { return };
        if first != second {
            let name = |param: usize| self.name_of(self.function.params[param].local);
            let message = format!(
                "`{}` is the context of `{}` and is assigned that of `{}`, a window of another domain",
                self.name_of(dst),
                name(old),
                name(new)
            );
            self.error(loc, message, "a name stays with one domain: use a new name with `let`");
        }
    }

    /// The windows that an op reaches peers through are of one domain, and a collective has two ranks to work with.
    pub(super) fn check_domains(&mut self, op: &Op, info: &OpInfo, loc: Loc) {
        let Some(bindings) = self.bindings() else { return };
        let windows = self.windows_of(op);
        let name = |param: usize| self.name_of(self.function.params[param].local);
        let known = windows.iter().filter_map(|(param, arg)| Some((*param, bindings.domain(*param)?, arg.loc)));
        let known: Vec<(usize, (usize, usize), Loc)> = known.collect();
        let Some(&(first, (domain, ranks), _)) = known.first() else { return };
        if let Some(&(other, (_, others), at)) = known.iter().find(|(_, (d, _), _)| *d != domain) {
            let message = format!(
                "`{}` and `{}` of `{}` are windows of two domains, of {ranks} and of {others} ranks",
                name(first),
                name(other),
                info.path
            );
            self.error(at.or(loc), message, "pass windows that one world, or one subset of it, has allocated");
        } else if info.lowering.is_some() && ranks < 2 {
            let message =
                format!("`{}` needs at least 2 ranks, the domain of `{}` has {ranks}", info.path, name(first));
            self.error(loc, message, "open the world, or make the subset, with two or more ranks");
        }
    }

    /// A peer that is known must be a rank of the domain.
    pub(super) fn check_peer(&mut self, op: &Op, arg: &Arg, at: Loc) {
        let (Some((_, ranks)), ArgKind::Value(expr)) = (self.domain_of(op), &arg.kind) else { return };
        let window = self.windows_of(op).first().map_or("?", |(p, _)| self.name_of(self.function.params[*p].local));
        if let Some(peer) = self.resolved_poly(expr).and_then(|p| p.as_constant())
            && peer >= ranks as i128
        {
            self.fault(Diagnostic::new(
                at,
                format!("peer {peer} is not a rank of the domain of `{window}`, which has {ranks}"),
                "ranks are 0 to nranks - 1: compare with `pld::nranks(ctx)`",
            ));
        }
    }
}
