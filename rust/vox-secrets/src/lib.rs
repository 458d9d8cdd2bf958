//! Finds what looks like a secret in a text, and masks it.
//!
//! [`Rules`] are data: `contracts/secrets/rules.toml`, which is compiled in. A [`Scanner`] finds
//! the [`Span`]s of a text that they describe; [`Masked`] is the text with each span replaced by
//! the name of its rule. The text itself is never changed.

mod mask;
mod plausible;
mod rules;
mod scanner;

pub use mask::Masked;
pub use rules::{Rule, Rules};
pub use scanner::{Scanner, Span};
