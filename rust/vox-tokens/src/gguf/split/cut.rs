//! Where a text may be cut so that both parts are split as the whole is.

use super::{Before, Set, Stage, look::look};
use crate::{
    encoding::CUTS_TRIED,
    split::{Engine, Pattern, Splitter},
};

/// What a stage does where a text could be cut.
#[derive(PartialEq)]
enum Effect {
    /// It always cuts there.
    Cuts,
    /// It doesn't, and does the same to both sides as to the whole.
    Nothing,
    /// Neither is sure.
    Unknown,
}

/// The first place after `from` where `bytes` may be cut: the pieces of both parts, one after the
/// other, are those of the whole. Only ASCII around it is looked at, so bytes needn't be UTF-8.
pub fn cut(stages: &[Stage], bytes: &[u8], from: usize) -> Option<usize> {
    let lines = stages.contains(&Stage::Lines);
    let places = bytes.get(from..)?.windows(3).enumerate();
    let likely = places.filter_map(|(at, window)| {
        let [before, here, after] = *window else { return None };
        let word = here == b' ' && after.is_ascii_alphabetic() || here.is_ascii_digit();
        let place = before.is_ascii_alphabetic() && word
            || lines && before.is_ascii_alphanumeric() && here == b'\n';
        place.then_some((from + at + 1, [before, here, after]))
    });
    likely.take(CUTS_TRIED).find(|(_, around)| parts(stages, *around)).map(|(place, _)| place)
}

/// The first place after `from` behind a word and before a space.
pub fn between_words(bytes: &[u8], from: usize) -> Option<usize> {
    let mut pairs = bytes.get(from..)?.windows(2);
    let at = pairs.position(|pair| pair[0].is_ascii_alphanumeric() && pair[1] == b' ')?;
    Some(from + at + 1)
}

/// Whether all that `stages` do together cuts between the first and the second of three bytes.
fn parts(stages: &[Stage], around: [u8; 3]) -> bool {
    let decides = stages.iter().map(|stage| effect(stage, around));
    decides.into_iter().find(|effect| *effect != Effect::Nothing) == Some(Effect::Cuts)
}

fn effect(stage: &Stage, around: [u8; 3]) -> Effect {
    let has =
        |set: &Set| around.map(|byte| set.has(look(char::from(byte).encode_utf8(&mut [0; 4]), 0)));
    let blank = around[1] == b' ';
    match stage {
        Stage::Pattern(pattern) => {
            let numbers = [Pattern::Number, Pattern::Numbers, Pattern::ThreeNumbers];
            if Splitter::new(*pattern, Engine::LlamaCpp).cut(&around, 0) == Some(1) {
                Effect::Cuts
            } else if *pattern == Pattern::DeepSeekCjk || blank && numbers.contains(pattern) {
                Effect::Nothing
            } else {
                Effect::Unknown
            }
        }
        Stage::Each(set) => match has(set) {
            [false, false, false] => Effect::Nothing,
            [false, false, true] => Effect::Unknown,
            _ => Effect::Cuts,
        },
        Stage::Runs(before, set) => match has(set) {
            [false, false, false] => Effect::Nothing,
            [false, false, true] if blank && *before != Before::Nothing => Effect::Cuts,
            [true, false, _] | [false, true, _] => Effect::Cuts,
            _ => Effect::Unknown,
        },
        Stage::FirstOf(sets) => {
            let has: Vec<[bool; 3]> = sets.iter().map(has).collect();
            if has.iter().any(|has| has[0] && has[1]) {
                Effect::Unknown
            } else if has.iter().any(|has| has[0] || has[1]) {
                Effect::Cuts
            } else if has.iter().any(|has| has[2]) {
                Effect::Unknown
            } else {
                Effect::Nothing
            }
        }
        Stage::Lines if around[1] == b'\n' => Effect::Cuts,
        // What they look for has no letter before a digit, a space or a newline, and what they
        // count from the right is all on that side.
        Stage::Lines
        | Stage::ThreeDigits
        | Stage::FromRight
        | Stage::Thousands
        | Stage::Sentinels
        | Stage::Images => Effect::Nothing,
        Stage::LastSpace | Stage::Indents if around[1] != b'\n' => Effect::Nothing,
        Stage::LastSpace | Stage::Indents => Effect::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use proptest::prelude::*;

    use super::cut;
    use crate::gguf::{
        registry,
        split::{Stage, split},
    };

    /// The names of all ways of cutting, as the contract lists them.
    fn names() -> Vec<&'static str> {
        let contract = include_str!("../../../../../contracts/gguf.md");
        let rest = contract.split("A file without it is `default`.").nth(1);
        let list = rest.and_then(|rest| rest.split("##").next()).expect("the list is there");
        list.split('`').skip(1).step_by(2).collect()
    }

    fn pieces(stages: &[Stage], text: &str) -> Vec<String> {
        let mut pieces = Vec::new();
        let _ = split(stages, text, &mut |piece| {
            pieces.push(piece.to_owned());
            ControlFlow::Continue(())
        });
        pieces
    }

    /// Words, numbers and spaces, with what stages treat apart between them.
    fn text() -> impl Strategy<Value = String> {
        let common = prop::sample::select(vec!["a", "Z", "1", " ", "ab", "A1", "x y", "s", "\n"]);
        let rare = prop::sample::select(vec![
            "\r",
            "\t",
            "  ",
            ".",
            "/",
            "$",
            "é",
            "ſ",
            "漢",
            "か",
            "²",
            "\u{a0}",
            "'s",
            "IMGIMGABZ",
            "<sentinel:12>",
            "123456",
            "ไทย",
            "،",
            "…",
            "\u{3000}",
        ]);
        let part = prop_oneof![3 => common, 1 => rare];
        prop::collection::vec(part, 0..30).prop_map(|parts| parts.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn both_parts_have_the_pieces_of_the_whole(text in text(), from in 0..20_usize) {
            for name in names() {
                let stages = registry::pre(name).expect("it is known").stages;
                let Some(place) = cut(stages, text.as_bytes(), from) else { continue };
                prop_assert!(place > from);
                let (before, after) = text.split_at(place);
                let parts = [pieces(stages, before), pieces(stages, after)].concat();
                prop_assert_eq!(parts, pieces(stages, &text), "{} at {}", name, place);
            }
        }
    }

    #[test]
    fn every_way_of_cutting_knows_a_place_in_lines_of_words_and_numbers() {
        let names = names();
        assert!(names.len() > 70);
        let text = "some words and number1\nand more2 of them\n".repeat(9);
        let without = |name: &&&str| {
            cut(registry::pre(name).expect("it is known").stages, text.as_bytes(), 0).is_none()
        };
        assert_eq!(names.iter().filter(without).collect::<Vec<_>>(), Vec::<&&str>::new());
    }
}
