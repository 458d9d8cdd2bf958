//! Bounds for models whose tokenizer isn't at hand.

use std::sync::LazyLock;

use super::{Form, Symbols};

/// What is assumed of a tokenizer. As the column `form` of `contracts/models.toml`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Assumption {
    /// No token is less than a byte of the text.
    Bytes,
    /// No token is less than a byte of the text in normal form C.
    Nfc,
    /// No token is less than a byte of the text in normal form KC.
    Nfkc,
    /// Every token is a character of the text or more, or a byte of one; a space is one character,
    /// and one more may stand before the text.
    SentencePiece,
}

impl Assumption {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Bytes, Self::Nfc, Self::Nfkc, Self::SentencePiece];

    /// As in the contract.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Nfc => "nfc",
            Self::Nfkc => "nfkc",
            Self::SentencePiece => "sentencepiece",
        }
    }

    /// The symbols of a text at most, if it holds.
    pub fn symbols(self) -> Symbols {
        static NFC: LazyLock<Symbols> = LazyLock::new(|| Symbols::normalized_bytes(Form::Nfc));
        static NFKC: LazyLock<Symbols> = LazyLock::new(|| Symbols::normalized_bytes(Form::Nfkc));
        match self {
            Self::Bytes => Symbols::bytes(),
            Self::Nfc => NFC.clone(),
            Self::Nfkc => NFKC.clone(),
            Self::SentencePiece => Symbols::bytes().with_start(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Assumption;

    fn bounds(text: &str) -> [u64; 4] {
        Assumption::ALL.map(|assumption| assumption.symbols().bound(text))
    }

    #[test]
    fn plain_text_is_its_bytes() {
        assert_eq!(bounds("two words"), [9, 9, 9, 10]);
    }

    #[test]
    fn what_normalising_makes_longer_is_bounded_as_that() {
        // U+0344 is two marks in every normal form, U+FDFA eighteen letters in the compatible ones.
        assert_eq!(bounds("\u{344}"), [2, 4, 4, 3]);
        assert_eq!(bounds("\u{fdfa}"), [3, 3, 33, 4]);
    }
}
