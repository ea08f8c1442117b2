//! pl
