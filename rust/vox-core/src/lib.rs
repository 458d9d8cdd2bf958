//! The facade of the core: plain values and Arrow columns in and out.

pub mod archive;
mod chunks;
mod columns;
pub mod exchange;
pub mod filter;
pub mod outline;
pub mod relations;
pub mod search;
pub mod secrets;
pub mod timeline;
pub mod view;
