//! Sums over the items of a window, and the chain of its path.

use std::collections::HashMap;

use vox_types::{ChainHash, ItemId, WindowNo};

use super::{
    extents::Extents,
    items::Tallies,
    report::{Finding, Kind, Reporter},
    windows::{Window, Windows},
};

/// The sums that a window's row holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RollUps {
    pub items: u64,
    pub bytes: u64,
    pub tokens: u64,
    pub records: u64,
    pub trimmed: u64,
}

/// Walks along each window's extents: every stretch must go on where the path is. Gives what the
/// roll-ups should be where they aren't.
pub(super) fn check(
    report: &mut Reporter,
    windows: &Windows,
    extents: &Extents,
    tallies: &Tallies,
    trimmed: &HashMap<WindowNo, u64>,
) -> Vec<(WindowNo, RollUps)> {
    let mut corrections = Vec::new();
    let sources = ["extents", "runs", "chunks", "overlays"];
    if !report.complete(&sources, "roll-ups and chains of windows") {
        return corrections;
    }
    for window in &windows.0 {
        let trimmed = trimmed.get(&window.no).copied().unwrap_or_default();
        let Some((sums, chain)) = walk(report, window, extents, tallies, trimmed) else { continue };
        let key = window.no.to_be_bytes();
        let stored = RollUps {
            items: window.items,
            bytes: window.bytes,
            tokens: window.tokens,
            records: window.records,
            trimmed: window.trimmed,
        };
        if stored != sums {
            let message = format!("its row says {stored:?}, a recount {sums:?}");
            report.add(Finding::new("windows", Kind::Count, message).key(&key).repairable());
            corrections.push((window.no, sums));
        }
        if chain.0 != window.chain {
            let message = "its chain isn't that of its last item";
            report.add(Finding::new("windows", Kind::Chain, message).key(&key));
        }
    }
    corrections
}

fn walk(
    report: &mut Reporter,
    window: &Window,
    extents: &Extents,
    tallies: &Tallies,
    trimmed: u64,
) -> Option<(RollUps, ChainHash)> {
    let mut sums = RollUps { items: 0, bytes: 0, tokens: 0, records: 0, trimmed };
    let mut chain = ChainHash::ROOT;
    for (_, extent) in extents.of(window.no) {
        let before = tallies.get(ItemId::new(extent.run, extent.first).0)?;
        let after = tallies.get(ItemId::new(extent.run, extent.end_position()).0)?;
        if before.chain != chain {
            let key = vox_format::keys::ordinal(window.no, extent.ordinal);
            let message = format!(
                "item {} doesn't follow from the path of window {}",
                ItemId::new(extent.run, extent.first),
                window.no
            );
            report.add(Finding::new("extents", Kind::Chain, message).key(&key));
        }
        chain = after.chain;
        sums.items = sums.items.saturating_add(extent.count.into());
        sums.bytes = sums.bytes.saturating_add(after.bytes.saturating_sub(before.bytes));
        sums.records = sums.records.saturating_add(after.records.saturating_sub(before.records));
        sums.tokens = sums.tokens.saturating_add(after.tokens.saturating_sub(before.tokens));
    }
    Some((sums, chain))
}
