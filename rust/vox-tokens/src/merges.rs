//! A vocabulary with all merges that matter: also those that come before what forms their parts,
//! which the fast way can't do.

use aho_corasick::AhoCorasick;
use vox_bpe::{Bpe, Scratch, Vocabulary};
use vox_types::{Code, Error, Result};

/// A vocabulary, and what else is needed to encode every piece with it.
pub struct Merges {
    vocabulary: Vocabulary,
    late: Option<Late>,
}

/// Merges that come before what forms their parts. Pieces in which they may happen go through the
/// same vocabulary with all merges in order.
struct Late {
    texts: AhoCorasick,
    ordered: Vocabulary,
}

impl Merges {
    /// A vocabulary without late merges.
    pub fn new(vocabulary: Vocabulary) -> Self {
        Self { vocabulary, late: None }
    }

    /// A vocabulary, and another one, of all merges, for pieces that have one of the `texts`.
    ///
    /// # Errors
    ///
    /// `unsupported` if there are more of these texts than can be looked for.
    pub fn with_late(
        vocabulary: Vocabulary,
        texts: &[Vec<u8>],
        ordered: Vocabulary,
    ) -> Result<Self> {
        let texts = AhoCorasick::new(texts).map_err(|error| {
            let says =
                format!("{} merges come before what forms their parts: {error}", texts.len());
            Error::new(Code::Unsupported, says)
        })?;
        Ok(Self { vocabulary, late: Some(Late { texts, ordered }) })
    }

    /// The vocabulary for pieces in which nothing late happens.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// What counts and encodes pieces.
    pub fn engine(&self) -> Engine<'_> {
        Engine {
            plain: Bpe::new(&self.vocabulary),
            late: self.late.as_ref().map(|late| (&late.texts, Bpe::new(&late.ordered))),
        }
    }
}

/// Counts and encodes pieces. Made once for a text or for many.
pub struct Engine<'m> {
    plain: Bpe<'m>,
    late: Option<(&'m AhoCorasick, Bpe<'m>)>,
}

impl Engine<'_> {
    /// How many tokens a piece is.
    #[inline]
    pub fn count(&self, piece: &[u8], scratch: &mut Scratch) -> usize {
        self.late(piece).unwrap_or(&self.plain).count(piece, scratch)
    }

    /// The ids of a piece's tokens, appended to `ids`.
    pub fn encode(&self, piece: &[u8], scratch: &mut Scratch, ids: &mut Vec<u32>) {
        self.late(piece).unwrap_or(&self.plain).encode(piece, scratch, ids);
    }

    /// As [`Engine::count`]; but where that takes merging, and nothing late may happen, what `bound`
    /// says of the piece.
    pub fn bound(
        &self,
        piece: &[u8],
        scratch: &mut Scratch,
        bound: impl FnOnce(&[u8]) -> usize,
    ) -> usize {
        match self.late(piece) {
            Some(ordered) => ordered.count(piece, scratch),
            None if self.plain.is_token(piece) => 1,
            None => bound(piece),
        }
    }

    /// What encodes a piece in which something late may happen; none for others.
    #[inline]
    fn late(&self, piece: &[u8]) -> Option<&Bpe<'_>> {
        self.late.as_ref().filter(|(texts, _)| texts.is_match(piece)).map(|(_, ordered)| ordered)
    }
}
