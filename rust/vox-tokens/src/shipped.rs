//! The encodings that vox has with it.

use std::sync::{Arc, Once};

use vox_types::Result;
use vox_vocabularies::{CL100K_BASE, O200K_BASE, P50K_BASE};

use crate::{
    Fingerprint, Tokenizer,
    bpe::Vocabulary,
    byte_level::{ByteLevel, Normal},
    merges::Merges,
    split::{Engine, Pattern, Splitter},
};

/// The names of the encodings that [`shipped`] knows, newest first.
pub const SHIPPED: [&str; 3] = ["o200k_base", "cl100k_base", "p50k_base"];

/// The tokenizer of an encoding of OpenAI's, as tiktoken's `encode_ordinary` has it; none if vox
/// has no encoding of that name.
///
/// # Errors
///
/// `malformed` if the program is for a machine of another byte order than it was built on.
pub fn shipped(name: &str) -> Result<Option<Tokenizer>> {
    // Each vocabulary is read through once in a process, however many tokenizers use it.
    static WARM: [Once; 3] = [const { Once::new() }; 3];
    let (shipped, pattern, warm) = match name {
        "o200k_base" => (O200K_BASE, Pattern::O200k, &WARM[0]),
        "cl100k_base" => (CL100K_BASE, Pattern::Cl100k, &WARM[1]),
        "p50k_base" => (P50K_BASE, Pattern::Gpt2, &WARM[2]),
        _ => return Ok(None),
    };
    let vocabulary = Vocabulary::open(Arc::new(shipped.tables))?;
    warm.call_once(|| vocabulary.warm());
    let mut hash = blake3::Hasher::new_derive_key("vox tokenizer: ranks and pattern of tiktoken");
    hash.update(&shipped.source).update(name.as_bytes());
    let merges = Arc::new(Merges::new(vocabulary));
    let encoding = ByteLevel::new(Normal::None, Splitter::new(pattern, Engine::Unicode16), merges);
    Ok(Some(Tokenizer::new(Fingerprint(hash.finalize().into()), Arc::new(encoding))))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "It's naïve: 1234 tokens\n\n  of 漢字 🙂 aaaaaaaaaaaaaaa <|endoftext|>";

    fn ids(name: &str) -> Vec<u32> {
        shipped(name).unwrap().unwrap().encode(TEXT.as_bytes())
    }

    #[test]
    fn each_gives_the_ids_that_tiktoken_gives() {
        assert_eq!(
            ids("o200k_base"),
            [
                15834, 153475, 737, 25, 220, 7633, 19, 20290, 279, 220, 328, 82867, 95, 8134,
                26192, 261, 117525, 45037, 3545, 464, 91, 419, 1440, 919, 91, 29
            ]
        );
        assert_eq!(
            ids("cl100k_base"),
            [
                2181, 596, 95980, 588, 25, 220, 4513, 19, 11460, 271, 220, 315, 6704, 120, 95,
                19113, 28584, 264, 70540, 29558, 5418, 83739, 8862, 728, 428, 91, 29
            ]
        );
        assert_eq!(
            ids("p50k_base"),
            [
                1026, 338, 41492, 25, 1105, 2682, 16326, 628, 220, 286, 10545, 120, 95, 27764, 245,
                32485, 257, 24794, 24794, 24794, 7252, 1279, 91, 437, 1659, 5239, 91, 29
            ]
        );
    }

    #[test]
    fn counts_and_bounds_are_of_the_same_tokens() {
        for name in SHIPPED {
            let tokenizer = shipped(name).unwrap().unwrap();
            let count = ids(name).len() as u64;
            assert_eq!(tokenizer.count(TEXT.as_bytes()), count);
            assert_eq!(tokenizer.count(TEXT.as_bytes()), count, "as remembered");
            assert!((count..2 * count).contains(&tokenizer.tight_bound(TEXT.as_bytes())));
            assert!(tokenizer.with(|worker| worker.count(TEXT, 5)) > 5);
        }
    }

    #[test]
    fn all_are_fast() {
        for vocabulary in [O200K_BASE, CL100K_BASE, P50K_BASE] {
            assert!(Vocabulary::open(Arc::new(vocabulary.tables)).unwrap().is_fast());
        }
    }
}
