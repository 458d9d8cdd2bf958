//! Where a text may be cut so that both parts are split as the whole is.

use super::{Pattern, Splitter};

impl Splitter {
    /// The first place after `from` where `bytes` may be cut: the pieces of both parts, one after
    /// the other, are those of the whole. Only ASCII around it is looked at, so it is one in any
    /// normal form, and for bytes that aren't UTF-8. None if there is no such place.
    pub fn cut(self, bytes: &[u8], from: usize) -> Option<usize> {
        // Stages that cut out one class of characters leave the rest in one piece.
        let spaces_part = match self.pattern {
            Pattern::DeepSeekCjk => return None,
            Pattern::ExaoneMoe | Pattern::Number | Pattern::Numbers | Pattern::ThreeNumbers => {
                false
            }
            _ => true,
        };
        let around = bytes.get(from..)?.windows(3).position(|around| match around {
            // A number after a word is a piece of its own.
            [before, after, _] if before.is_ascii_alphabetic() && after.is_ascii_digit() => true,
            // A space goes with the word after it.
            [before, b' ', after] => {
                spaces_part && before.is_ascii_alphabetic() && after.is_ascii_alphabetic()
            }
            _ => false,
        });
        around.map(|around| from + around + 1)
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use proptest::prelude::*;

    use super::super::{Engine, PUBLISHED, Pattern, Splitter};

    fn pieces(splitter: Splitter, text: &str) -> Vec<Vec<u8>> {
        let mut pieces = Vec::new();
        let _ = splitter.for_each(text, |piece| {
            pieces.push(piece.to_vec());
            ControlFlow::<()>::Continue(())
        });
        pieces
    }

    /// Words, numbers and spaces, with what patterns treat apart between them.
    fn text() -> impl Strategy<Value = String> {
        let common = prop::sample::select(vec!["a", "Z", "1", " ", "ab", "A1", "x y", "s", "'"]);
        let rare = prop::sample::select(vec![
            "\n", "\r", "\t", "  ", ".", "/", "_", "é", "e\u{301}", "ſ", "漢", "か", "²", "\u{a0}",
            "'s", "'LL", "़", "🙂", "\u{3000}", "DŽ", "ʰ",
        ]);
        let part = prop_oneof![3 => common, 1 => rare];
        prop::collection::vec(part, 0..30).prop_map(|parts| parts.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn both_parts_have_the_pieces_of_the_whole(text in text(), from in 0..20_usize) {
            for (pattern, _) in PUBLISHED {
                for engine in [Engine::Unicode16, Engine::LlamaCpp] {
                    let splitter = Splitter::new(*pattern, engine);
                    let Some(place) = splitter.cut(text.as_bytes(), from) else { continue };
                    prop_assert!(place > from);
                    let (before, after) = text.split_at(place);
                    let parts = [pieces(splitter, before), pieces(splitter, after)].concat();
                    prop_assert_eq!(parts, pieces(splitter, &text), "{:?} at {}", pattern, place);
                }
            }
        }
    }

    #[test]
    fn prose_and_base64_can_be_cut_and_one_word_can_not() {
        for (pattern, _) in PUBLISHED {
            let splitter = Splitter::new(*pattern, Engine::Unicode16);
            if *pattern == Pattern::DeepSeekCjk {
                continue;
            }
            assert_eq!(splitter.cut(b"ab12", 0), Some(2));
            assert_eq!(splitter.cut(b"abcdefgh", 3), None);
            assert_eq!(splitter.cut(b"ab", 7), None);
        }
    }
}
