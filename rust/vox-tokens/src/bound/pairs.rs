//! A bound on one piece of text of a byte-level model.

/// Which two bytes never stay side by side as two tokens, because they merge.
///
/// Every such pair in a piece touches a token of two bytes or more. A token of n bytes touches at
/// most n + 1 pairs and saves n − 1 tokens, which is at least a third of n + 1. So a piece with m
/// such pairs is at most its bytes − ⌈m / 3⌉ tokens.
pub struct Pairs {
    /// One bit for each second byte, by first byte.
    merges: Box<[[u64; 4]; 256]>,
}

impl Pairs {
    /// The pairs of a model: `merges(a, b)` says whether the tokens of the single bytes `a` and `b`
    /// merge wherever they stand side by side within a piece. With ranks that is whether their
    /// joined bytes are a token, with a list of merges whether it has them.
    pub fn new(mut merges: impl FnMut(u8, u8) -> bool) -> Self {
        let mut table = Box::new([[0; 4]; 256]);
        for (first, row) in table.iter_mut().enumerate() {
            for second in 0..=u8::MAX {
                if merges(first as u8, second) {
                    row[usize::from(second >> 6)] |= 1 << (second & 63);
                }
            }
        }
        Self { merges: table }
    }

    /// A bound on the tokens of `piece`, which is no token itself.
    pub fn bound(&self, piece: &[u8]) -> u64 {
        let merging: u64 = piece.windows(2).map(|pair| self.merge(pair[0], pair[1])).sum();
        piece.len() as u64 - merging.div_ceil(3)
    }

    fn merge(&self, first: u8, second: u8) -> u64 {
        self.merges[usize::from(first)][usize::from(second >> 6)] >> (second & 63) & 1
    }
}
