//! The bytes of a vox archive: encoders and bounds-checked decoders, no input or output.
//!
//! `contracts/archive-format.md` is the specification; each module implements one part of it.
//! Decoders take any bytes and answer damage with an error, never with a panic.

pub mod attributes;
pub mod chunk;
pub mod cursor;
pub mod estimate;
pub mod forms;
pub mod keys;
pub mod leaf;
pub mod name;
pub mod packed;
pub mod preview;
pub mod preview_blocks;
pub mod producers;
pub mod ranges;
pub mod raw;
pub mod rows;
pub mod segment;
