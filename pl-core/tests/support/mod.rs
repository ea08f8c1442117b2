//! What several tests share.
#![allow(dead_code, reason = "each test uses a part of it")]

pub mod generate;
pub mod sound;
