//! Cutting text into pieces before merging, as llama.cpp does.
//!
//! llama.cpp has some patterns that only it cuts by, and applies several one after the other: a
//! list of stages, each applied to the pieces of the one before. The stages that are published
//! patterns are those of [`crate::split`].

mod cut;
mod ideographs;
mod look;
mod sets;
mod stage;

use std::ops::ControlFlow;

pub use cut::{between_words, cut};
pub use sets::{Before, Set};
pub use stage::Stage;

pub use ideographs::{AFMOE, DEEPSEEK_IDEOGRAPHS, DEEPSEEK_LETTERS, DEEPSEEK_SYMBOLS, YOUTU};

/// Receives pieces, and says whether to go on.
pub type Each<'f, 't> = dyn FnMut(&'t str) -> ControlFlow<()> + 'f;

/// Hands each piece of `text` to `each`, until it says to stop.
pub fn split<'t>(stages: &[Stage], text: &'t str, each: &mut Each<'_, 't>) -> ControlFlow<()> {
    match stages {
        [] => each(text),
        [stage] => stage.split(text, each),
        [stage, rest @ ..] => stage.split(text, &mut |piece| split(rest, piece, each)),
    }
}
