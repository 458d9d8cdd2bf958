//! What becomes of delimiters when a text is split.

use std::ops::Range;

use serde::Deserialize;

/// Where a delimiter goes. Splitting `a-b--c` at `-`:
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
pub enum Behaviour {
    /// `a` `b` `c`
    Removed,
    /// `a` `-` `b` `-` `-` `c`
    Isolated,
    /// `a-` `b-` `-` `c`
    MergedWithPrevious,
    /// `a` `-b` `-` `-c`
    MergedWithNext,
    /// `a` `-` `b` `--` `c`
    Contiguous,
}

/// Puts stretches together as a [`Behaviour`] says. They come one after the other and cover a
/// text.
pub struct Splitter<F> {
    behaviour: Behaviour,
    piece: F,
    /// A piece that may still grow, and whether its last stretch is a delimiter.
    open: Option<(Range<usize>, bool)>,
}

impl<F: FnMut(Range<usize>)> Splitter<F> {
    /// Gives each piece that isn't empty to `piece`.
    pub fn new(behaviour: Behaviour, piece: F) -> Self {
        Self { behaviour, piece, open: None }
    }

    /// The next stretch, and whether it is a delimiter.
    pub fn add(&mut self, stretch: Range<usize>, delimiter: bool) {
        let grows = match (self.behaviour, &self.open) {
            (Behaviour::Removed, _) => {
                if !delimiter {
                    self.close();
                    self.open = Some((stretch, false));
                }
                return;
            }
            (Behaviour::Isolated, _) | (_, None) => false,
            (Behaviour::MergedWithPrevious, Some((_, last))) => delimiter && !last,
            (Behaviour::MergedWithNext, Some((_, last))) => *last && !delimiter,
            (Behaviour::Contiguous, Some((_, last))) => *last == delimiter,
        };
        if let (true, Some((open, last))) = (grows, &mut self.open) {
            open.end = stretch.end;
            *last = delimiter;
        } else {
            self.close();
            self.open = Some((stretch, delimiter));
        }
    }

    /// Gives the last piece.
    pub fn close(&mut self) {
        if let Some((piece, _)) = self.open.take()
            && !piece.is_empty()
        {
            (self.piece)(piece);
        }
    }
}
