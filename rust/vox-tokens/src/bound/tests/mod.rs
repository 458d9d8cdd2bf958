//! Bounds against what they bound.

mod models;
mod normal;
mod stream;
