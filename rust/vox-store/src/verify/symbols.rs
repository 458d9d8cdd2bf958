//! Interned text.

use super::{
    image::Image,
    rebuilt::Rows,
    report::{Finding, Kind, Reporter},
};
use crate::spine::windows::short_hash;

/// The numbers that have a text.
#[derive(Default)]
pub(super) struct Symbols(Vec<u32>);

impl Symbols {
    /// Whether `number` is a symbol, or 0 for none.
    pub fn has(&self, number: u64) -> bool {
        let known = |number: u32| number == 0 || self.0.binary_search(&number).is_ok();
        u32::try_from(number).is_ok_and(known)
    }
}

/// Reads every symbol; gives also what `symbol_ids` should hold.
pub(super) fn read(image: &Image<'_>, report: &mut Reporter) -> (Symbols, Rows<16, 4>) {
    let mut numbers = Vec::new();
    let mut ids: Rows<16, 4> = Vec::new();
    image.rows("symbols", report, |report, key, value| {
        let mut fault = |kind, message: String| {
            report.add(Finding::new("symbols", kind, message).key(key));
        };
        let Some(number) = key.try_into().map(u32::from_be_bytes).ok().filter(|no| *no > 0) else {
            return fault(Kind::Malformed, "the key is no number of a symbol".into());
        };
        let next = numbers.last().map_or(1, |last: &u32| last.saturating_add(1));
        if number != next {
            fault(Kind::Missing, format!("symbol {next} should come next, not {number}"));
        }
        numbers.push(number);
        match std::str::from_utf8(&value) {
            Ok(text) if !text.is_empty() => ids.push((short_hash(text), number.to_le_bytes())),
            Ok(_) => fault(Kind::Malformed, format!("symbol {number} is empty")),
            Err(_) => fault(Kind::Malformed, format!("symbol {number} isn't UTF-8")),
        }
    });
    ids.sort_unstable();
    for pair in ids.windows(2) {
        if let [(one, first), (two, second)] = pair
            && one == two
        {
            let (first, second) = (u32::from_le_bytes(*first), u32::from_le_bytes(*second));
            let message = format!("symbols {first} and {second} are the same text");
            report.add(Finding::new("symbols", Kind::Conflict, message));
        }
    }
    (Symbols(numbers), ids)
}
