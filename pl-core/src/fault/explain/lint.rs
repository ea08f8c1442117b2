//! What was odd about a launch that went well.

use super::*;

impl Lint {
    /// What there is to say of it.
    pub fn explain(&self) -> Explanation {
        let Lint { site, ranks, data } = self;
        let who = match ranks[..] {
            [rank] => format!("rank {rank}"),
            _ => format!("ranks {}", stuck::ranges(ranks)),
        };
        let here = Part::new(site);
        let (explanation, help) = match data {
            LintData::SetOverwrote { cell, lost, notify } => (
                Explanation::warning(format!("a `Set` overwrote what was in {cell}, and no wait had seen it"))
                    .part(here.label(format!("{who} set it here")))
                    .part(Part::new(notify).label(format!("rank {} {} here", notify.rank, lost.past()))),
                "let the owner wait for a value before the next one is set, or count with `AtomicAdd`",
            ),
            LintData::SetAddMixed { cell, notify } => (
                Explanation::warning(format!(
                    "{cell} was set as well as added to: what stays depends on which came last"
                ))
                .part(here.label(format!("{who} did the one here")))
                .part(Part::new(notify).label(format!("rank {} did the other here", notify.rank))),
                "use one of the two for a cell: to clear one that is added to, take back what was added",
            ),
            LintData::StaleWait { cell, initial, notify } => (
                Explanation::warning(format!(
                    "a wait passed by what an earlier launch had left: {cell} was {initial} already"
                ))
                .part(here.label(format!("{who} did not wait here for a notify of this launch")))
                .part(Part::new(notify).label(format!("rank {} notified it here", notify.rank))),
                "clear the signal with `world.reset` before the launch, or let the kernel take its credits back, as the builtins do",
            ),
            LintData::OutUnwritten { memory, missing, elements, .. } => (
                Explanation::warning(format!(
                    "{missing} of {elements} elements of the `Out` tensor `{memory}` were never written"
                ))
                .part(here.label(format!("this is the kernel of {who}"))),
                "store into all of it, or take it as `InOut`, which keeps what it held",
            ),
            LintData::OrderDependent => (
                Explanation::warning("the result may depend on the order in which ranks run")
                    .part(here.label(format!("`{}` of {who}: other ranks change this meanwhile", site.op))),
                "wait for a value with `pld::system::wait`; let one rank add floats, or add in a fixed order",
            ),
        };
        explanation.help(format!("{help}; where it is meant, `allow({})` of the kernel says so", data.kind().word()))
    }
}

/// With the word `warning` in front.
impl Display for Lint {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", crate::explain::Severity::Warning.label(), self.explain())
    }
}
