//! Compile-fail and compile-pass cases; see `tests/`.
