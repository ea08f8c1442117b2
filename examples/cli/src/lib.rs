//! The command line that the examples share.
