//! What a rank executes where that is unrolled, as text.

use super::super::{Act, Doing, FoldSource, Part, Plan, Reg, Target, Unrolled};
use super::{Known, Named};
use crate::machine::Place;
use core::fmt::{self, Display, Formatter};

/// A plan, and what one rank makes of it. `Display` prints both.
#[derive(Debug)]
pub struct OfRank<'p> {
    plan: &'p Plan,
    rank: usize,
}

impl Plan {
    /// The plan as the rank with this number in its domain executes it, to be printed.
    pub fn of_rank(&self, rank: usize) -> OfRank<'_> {
        OfRank { plan: self, rank }
    }
}

impl Display for OfRank<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let OfRank { plan, rank } = *self;
        write!(f, "{plan}")?;
        let ranks = plan.domains.first().copied().unwrap_or(1);
        let of_window = Place { rank, ranks, domain: 0 };
        let place = |window| if window { of_window } else { Place::default() };
        let places: Vec<Place> = plan.memories.iter().map(|memory| place(memory.window)).collect();
        let Some(unrolled) = plan.unrolled(&places) else { return Ok(()) };
        writeln!(f, "for rank {rank} this is, with what is known before it runs:")?;
        let at_once = |act: &Act| match act.does {
            Doing::Pass(pass) => 2 * unrolled.passes[pass as usize].times,
            Doing::Fold(fold) => unrolled.folds[fold as usize].length,
            _ => 0,
        };
        let mut known = Known::new();
        let mut at = 0;
        while let Some(act) = unrolled.acts.get(at) {
            write!(f, "{at:5}  ")?;
            known.extend(unrolled.sets[act.sets.0 as usize..act.sets.1 as usize].iter().copied());
            plan.forget(act, &mut known);
            plan.write_act(f, unrolled, act, &known)?;
            let behind = &unrolled.acts[at + 1..][..at_once(act)];
            let of = if behind.is_empty() { std::slice::from_ref(act) } else { behind };
            f.write_str("  ; ")?;
            for (i, act) in of.iter().enumerate() {
                write!(f, "{}{}", if i > 0 { ", " } else { "" }, act.pc)?;
            }
            writeln!(f)?;
            at += 1 + behind.len();
        }
        Ok(())
    }
}

impl Plan {
    /// Forgets the registers to which an act gives values that only a run knows.
    fn forget(&self, act: &Act, known: &mut Known) {
        match act.does {
            // What is known in the loop is set there.
            Doing::Head { .. } | Doing::Next { .. } => known.clear(),
            _ => {
                let lost = self.assigns(self.code[act.pc as usize]);
                known.retain(|reg, _| !lost.contains(&Some(*reg)));
            }
        }
    }

    fn write_act(&self, f: &mut Formatter<'_>, unrolled: &Unrolled, act: &Act, known: &Known) -> fmt::Result {
        let reg = |reg: Reg| Named(self, reg, known);
        match act.does {
            Doing::Scalar(inst) | Doing::Other(inst) => self.write_inst(f, inst, known),
            Doing::Op(op) => self.write_op(f, op, known),
            Doing::Notify(signal) | Doing::Wait(signal) => {
                let signal = &unrolled.signals[signal as usize].signal;
                self.write_op(f, signal.op, known)?;
                if signal.axes.is_empty() {
                    write!(f, ": cell {}", signal.first)?;
                }
                signal.owner.map_or(Ok(()), |owner| write!(f, " of rank {owner}"))
            }
            Doing::Pass(pass) => {
                let pass = &unrolled.passes[pass as usize];
                write!(f, "{} = {}", self.boxed(&pass.to), self.boxed(&pass.from))
            }
            Doing::Fold(fold) => {
                let fold = &unrolled.folds[fold as usize];
                match &fold.into {
                    Target::Box(_, to) => write!(f, "{}", self.boxed(to))?,
                    Target::Tile(tile) => write!(f, "{}", self.tiles[*tile as usize].name)?,
                }
                write!(f, " = {:?} of ", fold.op)?;
                for (i, FoldSource { part, .. }) in fold.sources.iter().enumerate() {
                    write!(f, "{}{}", if i > 0 { ", " } else { "" }, self.boxed(part))?;
                }
                Ok(())
            }
            Doing::Head { counter, end, var, exit } => {
                write!(f, "{} = {}, or from {} on go to {exit}", reg(var), reg(counter), reg(end))
            }
            Doing::Next { counter, step, body, .. } => {
                write!(f, "{0} = {0} + {1}, go to {body}", reg(counter), reg(step))
            }
            Doing::Leave => write!(f, "go on at {} above", act.pc),
            Doing::End => f.write_str("end"),
        }
    }

    fn boxed(&self, part: &Part) -> Boxed<'_> {
        Boxed { plan: self, part: *part }
    }
}

/// A box: its memory, whose that is, and which elements they are.
struct Boxed<'p> {
    plan: &'p Plan,
    part: Part,
}

impl Display for Boxed<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Part { memory, owner, runs, .. } = &self.part;
        let info = &self.plan.memories[*memory as usize];
        write!(f, "{}", info.name)?;
        if info.window {
            write!(f, " of rank {owner}")?;
        }
        match runs.rows().filter(|rows| rows.is_one()) {
            Some(_) => write!(f, "[{}..{}]", runs.base(), runs.end()),
            None => write!(f, "[{}..{}, {} elements]", runs.base(), runs.end(), runs.elements()),
        }
    }
}
