//! Which result belongs to which call.

use std::collections::{HashMap, VecDeque};

/// A call or a result of a window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Half {
    pub ordinal: u64,
    pub is_call: bool,
    /// The number that joins both; 0 is none.
    pub call: u64,
    /// The tool.
    pub name: u64,
}

/// The ordinals of calls and their results, in the order of the calls; `halves` ascend.
///
/// A result with a number belongs to the first call before it with the same number that has none
/// yet, else to the last one before it, else to the first after it. Of those that are left, where
/// not both have a number, a result belongs to the first call of its tool before it that has none.
pub(super) fn matched(halves: &[Half]) -> Vec<(u64, u64)> {
    let mut call_of = by_number(halves);
    by_order(halves, &mut call_of);
    let pairs = call_of.iter().enumerate().filter_map(|(result, call)| Some(((*call)?, result)));
    let mut pairs: Vec<_> =
        pairs.map(|(call, result)| (halves[call].ordinal, halves[result].ordinal)).collect();
    pairs.sort_unstable();
    pairs
}

/// For each half that is a result the place of its call, by numbers alone.
fn by_number(halves: &[Half]) -> Vec<Option<usize>> {
    #[derive(Default)]
    struct Same {
        unanswered: VecDeque<usize>,
        last: Option<usize>,
        early: Vec<usize>,
    }
    let mut call_of = vec![None; halves.len()];
    let mut all: HashMap<u64, Same> = HashMap::new();
    for (place, half) in halves.iter().enumerate().filter(|(_, half)| half.call != 0) {
        let same = all.entry(half.call).or_default();
        if !half.is_call {
            match same.unanswered.pop_front().or(same.last) {
                Some(call) => call_of[place] = Some(call),
                None => same.early.push(place),
            }
            continue;
        }
        same.last = Some(place);
        if same.early.is_empty() {
            same.unanswered.push_back(place);
        }
        for result in same.early.drain(..) {
            call_of[result] = Some(place);
        }
    }
    call_of
}

/// Adds calls of results that numbers don't tell.
fn by_order(halves: &[Half], call_of: &mut [Option<usize>]) {
    let mut answered = vec![false; halves.len()];
    call_of.iter().flatten().for_each(|call| answered[*call] = true);
    // By tool: calls without a number, and calls with one.
    let mut waiting: HashMap<u64, [VecDeque<usize>; 2]> = HashMap::new();
    for (place, half) in halves.iter().enumerate() {
        let [plain, numbered] = waiting.entry(half.name).or_default();
        let has_number = half.call != 0;
        if half.is_call {
            if !answered[place] {
                (if has_number { numbered } else { plain }).push_back(place);
            }
            continue;
        }
        if call_of[place].is_some() {
            continue;
        }
        let from = match (plain.front(), numbered.front()) {
            (Some(one), Some(other)) if !has_number && other < one => numbered,
            (None, Some(_)) if !has_number => numbered,
            _ => plain,
        };
        call_of[place] = from.pop_front();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn halves() -> impl Strategy<Value = Vec<Half>> {
        let half = (any::<bool>(), 0u64..4, 0u64..3);
        prop::collection::vec(half, 0..24).prop_map(|halves| {
            let half = |(place, (is_call, call, name))| Half {
                ordinal: place as u64 * 3,
                is_call,
                call,
                name,
            };
            halves.into_iter().enumerate().map(half).collect()
        })
    }

    /// The rules as they are said, each by looking at everything.
    fn slowly(halves: &[Half]) -> Vec<(u64, u64)> {
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        let results = || (0..halves.len()).filter(|place| !halves[*place].is_call);
        for result in results().filter(|place| halves[*place].call != 0) {
            let same =
                |call: &usize| halves[*call].is_call && halves[*call].call == halves[result].call;
            let without = |call: &usize| pairs.iter().all(|pair| pair.0 != *call);
            let before: Vec<usize> = (0..result).filter(same).collect();
            let call = before.iter().copied().find(without);
            let call = call.or(before.last().copied());
            let call = call.or_else(|| (result..halves.len()).find(same));
            pairs.extend(call.map(|call| (call, result)));
        }
        for result in results() {
            if pairs.iter().any(|pair| pair.1 == result) {
                continue;
            }
            let call = (0..result).find(|call| {
                let (a, b) = (halves[*call], halves[result]);
                a.is_call
                    && a.name == b.name
                    && (a.call == 0 || b.call == 0)
                    && pairs.iter().all(|pair| pair.0 != *call)
            });
            pairs.extend(call.map(|call| (call, result)));
        }
        let mut found: Vec<_> = pairs
            .into_iter()
            .map(|(call, result)| (halves[call].ordinal, halves[result].ordinal))
            .collect();
        found.sort_unstable();
        found
    }

    proptest! {
        #[test]
        fn calls_and_results_are_matched_as_the_rules_say(halves in halves()) {
            prop_assert_eq!(matched(&halves), slowly(&halves));
        }
    }

    #[test]
    fn results_find_their_calls_whatever_their_order() {
        let half = |ordinal, is_call, call| Half { ordinal, is_call, call, name: 1 };
        let parallel = [
            half(0, true, 7),
            half(1, true, 8),
            half(2, false, 8),
            half(3, false, 7),
            half(4, false, 7),
        ];
        assert_eq!(matched(&parallel), [(0, 3), (0, 4), (1, 2)]);
    }
}
