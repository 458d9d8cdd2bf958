//! Strings that a record holds twice: the result of a tool, say, for the model and for the
//! program around it.

use memchr::memmem;
use vox_types::CutForm;

use super::Cut;

/// Shorter strings cost as much as a cut of them would. Judgement.
const SHORTEST: usize = 48;

/// `cuts`, which are in the order of their places, and one more for each other string of `record`
/// that is exactly the source bytes of one of them.
pub(super) fn with_repeats(record: &[u8], cuts: Vec<Cut>) -> Vec<Cut> {
    let strings: Vec<Cut> = cuts.iter().copied().filter(may_repeat).collect();
    let mut all = cuts;
    for cut in strings {
        let quoted = &record[cut.start - 1..cut.end + 1];
        let finder = memmem::Finder::new(quoted);
        let mut found = Vec::new();
        let mut from = 0;
        // What lies between two cuts is searched; cuts themselves stay as they are.
        for end in all.iter().map(|cut| (cut.start, cut.end)).chain([(record.len(), 0)]) {
            found.extend(finder.find_iter(&record[from..end.0]).map(|at| from + at));
            from = end.1;
        }
        found.retain(|&at| at == 0 || record[at - 1] != b'\\');
        if !found.is_empty() {
            let again = |at| Cut { start: at + 1, end: at + quoted.len() - 1, ..cut };
            all.extend(found.into_iter().map(again));
            all.sort_unstable_by_key(|cut| cut.start);
        }
    }
    all
}

fn may_repeat(cut: &Cut) -> bool {
    matches!(cut.form, CutForm::Text | CutForm::Ascii | CutForm::Verbatim | CutForm::Base64)
        && cut.end - cut.start >= SHORTEST
}

#[cfg(test)]
mod tests {
    use super::super::{Step, Want, WantForm, cut};
    use super::*;

    #[test]
    fn a_long_string_that_occurs_again_is_cut_there_too() {
        let long = format!("two lines\\n{}", "x".repeat(SHORTEST));
        let record = format!(
            r#"{{"a":"{long}","b":"short","c":["short","{long}"],"d":"x{long}","e":"{long}"}}"#
        );
        let want = |key: &str| Want { path: vec![Step::Key(key.into())], form: WantForm::String };
        let apart = cut(record.as_bytes(), &[want("b"), want("c0"), want("a")]).unwrap();
        let places: Vec<(usize, &str)> =
            apart.cuts.iter().map(|cut| (cut.item, &record[cut.start..cut.end])).collect();
        assert_eq!(places, [(2, &long[..]), (0, "short"), (2, &long), (2, &long)]);
    }
}
