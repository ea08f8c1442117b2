//! The Rust blocks of README.md and of the tutorial, as doctests. What else these pages show is checked by `tests/docs`.

macro_rules! page {
    ($name:ident, $path:literal) => {
        #[doc = include_str!($path)]
        struct $name;
    };
}

page!(Readme, "../README.md");
page!(ReduceScatter, "../docs/tutorial/14-reduce-scatter.md");
