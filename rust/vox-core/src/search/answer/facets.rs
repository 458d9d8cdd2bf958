//! How many hits there are of each value.

use std::{cmp::Reverse, collections::HashMap};

use roaring::RoaringTreemap;
use vox_format::attributes::Attributes;
use vox_store::Snapshot;
use vox_types::{ItemKind, Result, Role, SymbolNo, WindowNo};

use super::walk;
use crate::{
    archive::Archive,
    search::{Facets, scope::Shown},
};

/// Days of 24 hours in milliseconds.
const DAY: i64 = 86_400_000;

/// The facets of `items`, each with the window that names it.
pub(super) fn count(archive: &Archive, shown: &Shown, items: &RoaringTreemap) -> Result<Facets> {
    let rows = walk::each(archive, items, |chunk, index, item| {
        let month = month_of(chunk.created_at().get(index) as i64);
        (shown.window_of(item), chunk.attributes_at(index), month)
    })?;
    let mut windows: HashMap<WindowNo, u64> = HashMap::new();
    let mut months: HashMap<(i64, u8), u64> = HashMap::new();
    let mut attributes = [0u64; 64];
    for (window, row, month) in rows {
        if let Some(window) = window {
            *windows.entry(window).or_default() += 1;
        }
        *months.entry(month).or_default() += 1;
        attributes[usize::from(row.0 & 63)] += 1;
    }
    let mut roles = vec![0; Role::ALL.len()];
    let mut kinds = vec![0; ItemKind::ALL.len()];
    for (bits, count) in (0..).zip(attributes).filter(|(_, count)| *count > 0) {
        roles[Attributes(bits).role() as usize] += count;
        kinds[Attributes(bits).kind()? as usize] += count;
    }
    let (repo, agent) = archive.store().snapshot(|snapshot| of_windows(snapshot, &windows))?;
    let mut month: Vec<((i64, u8), u64)> = months.into_iter().collect();
    month.sort_unstable_by_key(|(month, _)| Reverse(*month));
    Ok(Facets {
        repo,
        agent,
        role: named(Role::ALL.iter().map(|role| role.name()).zip(roles)),
        kind: named(ItemKind::ALL.iter().map(|kind| kind.name()).zip(kinds)),
        month: month.into_iter().map(|((y, m), count)| (format!("{y:04}-{m:02}"), count)).collect(),
    })
}

/// Values with their counts.
type Counts = Vec<(Option<String>, u64)>;

/// By repository and by agent.
fn of_windows(
    snapshot: &Snapshot<'_>,
    windows: &HashMap<WindowNo, u64>,
) -> Result<(Counts, Counts)> {
    let mut repos: HashMap<SymbolNo, u64> = HashMap::new();
    let mut agents: HashMap<SymbolNo, u64> = HashMap::new();
    for (window, count) in windows {
        let row = snapshot.window(*window)?;
        *repos.entry(row.repo).or_default() += count;
        *agents.entry(row.agent).or_default() += count;
    }
    let counts = |symbols: HashMap<SymbolNo, u64>| -> Result<Counts> {
        let texts = symbols.into_iter().map(|(symbol, count)| {
            Ok((snapshot.symbol(symbol)?.map(|text| text.into_owned()), count))
        });
        let mut counts: Counts = texts.collect::<Result<_>>()?;
        counts.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        Ok(counts)
    };
    Ok((counts(repos)?, counts(agents)?))
}

/// The names that were counted, the most frequent first.
fn named<'n>(counts: impl Iterator<Item = (&'n str, u64)>) -> Vec<(String, u64)> {
    let mut counts: Vec<(String, u64)> = counts
        .filter(|(_, count)| *count > 0)
        .map(|(name, count)| (name.to_owned(), count))
        .collect();
    counts.sort_by_key(|(_, count)| Reverse(*count));
    counts
}

/// The year and month of a time in UTC, by the proleptic Gregorian calendar: Howard Hinnant's
/// `civil_from_days`, which counts years from March.
fn month_of(at: i64) -> (i64, u8) {
    let days = at.div_euclid(DAY) + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (year + era * 400 + i64::from(month <= 2), month as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_month_of_a_time_is_that_of_its_day_in_utc() {
        for (at, month) in [
            (0, (1970, 1)),
            (-1, (1969, 12)),
            (1_709_164_800_000, (2024, 2)),
            (1_709_251_199_999, (2024, 2)),
            (1_709_251_200_000, (2024, 3)),
            (1_767_225_599_999, (2025, 12)),
            (4_107_542_400_000, (2100, 3)),
            (-62_135_596_800_001, (0, 12)),
        ] {
            assert_eq!(month_of(at), month, "{at}");
        }
    }

    #[test]
    fn months_follow_each_other_day_by_day() {
        let mut before = month_of(-200_000 * DAY);
        for day in -199_999..200_000 {
            let month = month_of(day * DAY);
            let (year, next) =
                if before.1 == 12 { (before.0 + 1, 1) } else { (before.0, before.1 + 1) };
            assert!(month == before || month == (year, next), "day {day}");
            before = month;
        }
    }
}
