//! What a vocabulary is made from.

/// The tokens and merges of a vocabulary, as its publisher says them.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// The bytes of each token, by id. Ids that no token has, and tokens that byte-pair encoding
    /// never gives (control tokens), are empty.
    pub tokens: Vec<Vec<u8>>,
    /// The ids that merging starts from: a token for each of the 256 bytes, or one for each
    /// character that the vocabulary knows. None may be the beginning of another.
    pub symbols: Vec<u32>,
    /// What merges into what, and what comes first.
    pub merging: Merging,
    /// A piece that is a token as a whole is that token, even where no merge leads to it
    /// (`ignore_merges` of a tokenizer.json).
    pub whole_pieces: bool,
}

/// The order of merges.
#[derive(Clone, Debug, Default)]
pub enum Merging {
    /// Any two tokens merge whose joined bytes are a token, in the order of its id (tiktoken).
    #[default]
    Ranks,
    /// The ids of the left part, the right part and what they become, first merge first (the
    /// `merges` of a tokenizer.json). Of a pair that stands twice the first counts.
    List(Vec<[u32; 3]>),
}

impl Source {
    /// A vocabulary of ranks whose symbols are its tokens of one byte.
    pub fn ranks(tokens: Vec<Vec<u8>>) -> Self {
        let symbols =
            (0..).zip(&tokens).filter(|(_, token)| token.len() == 1).map(|(id, _)| id).collect();
        Self { tokens, symbols, merging: Merging::Ranks, whole_pieces: false }
    }
}
