//! Cutting where the script changes, as SentencePiece did it when training.

use std::sync::LazyLock;

use super::Pieces;

/// Number of a script. 0 is that of no script: white space within, and unassigned characters.
type Script = u8;
const ANY: Script = 0;

/// The scripts of Unicode 9.0, by their names there.
const NAMES: &str = "Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum \
    Bassa_Vah Batak Bengali Bhaiksuki Bopomofo Brahmi Braille Buginese Buhid Canadian_Aboriginal \
    Carian Caucasian_Albanian Chakma Cham Cherokee Common Coptic Cuneiform Cypriot Cyrillic \
    Deseret Devanagari Duployan Egyptian_Hieroglyphs Elbasan Ethiopic Georgian Glagolitic Gothic \
    Grantha Greek Gujarati Gurmukhi Han Hangul Hanunoo Hatran Hebrew Hiragana Imperial_Aramaic \
    Inherited Inscriptional_Pahlavi Inscriptional_Parthian Javanese Kaithi Kannada Katakana \
    Kayah_Li Kharoshthi Khmer Khojki Khudawadi Lao Latin Lepcha Limbu Linear_A Linear_B Lisu \
    Lycian Lydian Mahajani Malayalam Mandaic Manichaean Marchen Meetei_Mayek Mende_Kikakui \
    Meroitic_Cursive Meroitic_Hieroglyphs Miao Modi Mongolian Mro Multani Myanmar Nabataean \
    New_Tai_Lue Newa Nko Ogham Ol_Chiki Old_Hungarian Old_Italic Old_North_Arabian Old_Permic \
    Old_Persian Old_South_Arabian Old_Turkic Oriya Osage Osmanya Pahawh_Hmong Palmyrene \
    Pau_Cin_Hau Phags_Pa Phoenician Psalter_Pahlavi Rejang Runic Samaritan Saurashtra Sharada \
    Shavian Siddham SignWriting Sinhala Sora_Sompeng Sundanese Syloti_Nagri Syriac Tagalog \
    Tagbanwa Tai_Le Tai_Tham Tai_Viet Takri Tamil Tangut Telugu Thaana Thai Tibetan Tifinagh \
    Tirhuta Ugaritic Vai Warang_Citi Yi";

/// First and last code point of each stretch of one script, in order.
static STRETCHES: LazyLock<Vec<(u32, u32, Script)>> = LazyLock::new(|| {
    let mut stretches = Vec::new();
    for (number, name) in (1..).zip(NAMES.split_whitespace()) {
        let merged = if matches!(name, "Hiragana" | "Katakana") { "Han" } else { name };
        let number = match NAMES.split_whitespace().position(|other| other == merged) {
            Some(place) => place as Script + 1,
            None => number,
        };
        let pattern = format!("[\\p{{sc={name}}}&&\\p{{age=9.0}}]");
        let class = regex_syntax::parse(&pattern).map(regex_syntax::hir::Hir::into_kind);
        if let Ok(regex_syntax::hir::HirKind::Class(regex_syntax::hir::Class::Unicode(class))) =
            class
        {
            stretches
                .extend(class.ranges().iter().map(|r| (r.start().into(), r.end().into(), number)));
        }
    }
    stretches.sort_unstable();
    stretches
});

static HAN: LazyLock<Script> = LazyLock::new(|| raw('\u{4e00}'));

fn raw(c: char) -> Script {
    let code = c.into();
    let after = STRETCHES.partition_point(|&(first, _, _)| first <= code);
    match after.checked_sub(1).map(|at| STRETCHES[at]) {
        Some((_, last, script)) if code <= last => script,
        _ => ANY,
    }
}

fn script(c: char) -> Script {
    match c {
        ' ' => ANY,
        // The long vowel mark of kana.
        '\u{30fc}' => *HAN,
        c => raw(c),
    }
}

/// Cuts each piece before a character whose script is another than that of the last one that had
/// one. What comes before the first character with a script is dropped, as the library drops it.
pub fn split(pieces: &mut Pieces) {
    let mut parts = Vec::with_capacity(pieces.pieces.len());
    for piece in &pieces.pieces {
        let mut last = None;
        let mut open = None;
        for (at, c) in pieces.text[piece.clone()].char_indices() {
            let script = script(c);
            if script == ANY {
                continue;
            }
            if last != Some(script) {
                let at = piece.start + at;
                if let Some(open) = open.replace(at) {
                    parts.push(open..at);
                }
            }
            last = Some(script);
        }
        if let Some(open) = open {
            parts.push(open..piece.end);
        }
    }
    pieces.pieces = parts;
}
