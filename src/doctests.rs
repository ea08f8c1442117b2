//! The Rust blocks of README.md and of the tutorial, as doctests. What else these pages show is checked by `tests/docs`.

macro_rules! page {
    ($name:ident, $path:literal) => {
        #[doc = include_str!($path)]
        struct $name;
    };
}

page!(Readme, "../README.md");
page!(Tutorial, "../docs/tutorial/README.md");
page!(HelloRank, "../docs/tutorial/01-hello-rank.md");
page!(ProgrammingModel, "../docs/tutorial/02-programming-model.md");
page!(WindowBuffer, "../docs/tutorial/03-window-buffer.md");
page!(Barrier, "../docs/tutorial/04-barrier.md");
page!(RemoteLoadStore, "../docs/tutorial/05-remote-load-store.md");
page!(PutGet, "../docs/tutorial/06-put-get.md");
page!(DynamicRankCount, "../docs/tutorial/07-dynamic-rank-count.md");
page!(AllreduceMesh, "../docs/tutorial/08-allreduce-mesh.md");
page!(AllreduceTwoPhase, "../docs/tutorial/09-allreduce-two-phase.md");
page!(AllreduceRing, "../docs/tutorial/10-allreduce-ring.md");
page!(AllreduceReveal, "../docs/tutorial/11-allreduce-reveal.md");
page!(Broadcast, "../docs/tutorial/12-broadcast.md");
page!(Allgather, "../docs/tutorial/13-allgather.md");
page!(ReduceScatter, "../docs/tutorial/14-reduce-scatter.md");
page!(AllToAll, "../docs/tutorial/15-all-to-all.md");
page!(PuttingItTogether, "../docs/tutorial/16-putting-it-together.md");
