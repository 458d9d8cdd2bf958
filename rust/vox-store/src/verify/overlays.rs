//! What was said of items afterwards.

use std::collections::HashMap;

use vox_format::{keys, rows::OverlayRange};
use vox_types::{OverlayKind, WindowNo};

use super::{
    extents::Extents,
    image::Image,
    report::{Finding, Kind, Reporter},
    windows::Windows,
};

/// Values of [`OverlayKind::Fate`].
const FATES: std::ops::Range<i64> = 0..4;

/// Checks every range; gives how many items of each window are trimmed.
pub(super) fn check(
    image: &Image<'_>,
    report: &mut Reporter,
    windows: &Windows,
    extents: &Extents,
) -> HashMap<WindowNo, u64> {
    let mut trimmed: HashMap<WindowNo, u64> = HashMap::new();
    let mut last: Option<(WindowNo, u8, u64)> = None;
    let sized = report.complete(&["extents"], "the ends of overlays");
    image.rows("overlays", report, |report, key, value| {
        let mut fault = |kind, message: String| {
            report.add(Finding::new("overlays", kind, message).key(key));
        };
        let decoded = keys::split_overlay(key).and_then(|(window, kind, first)| {
            Some((window, kind, OverlayRange::decode(first, &value).ok()?))
        });
        let Some((window, number, range)) = decoded else {
            return fault(Kind::Malformed, "the row is no range of an overlay".into());
        };
        let kind = OverlayKind::from_number(number);
        if kind.is_none() {
            fault(Kind::Malformed, format!("{number} is no overlay"));
        }
        if kind == Some(OverlayKind::Fate) && !FATES.contains(&range.value) {
            fault(Kind::Malformed, format!("{} is no fate", range.value));
        }
        if windows.get(window).is_none() {
            fault(Kind::Dangling, format!("window {window} isn't there"));
        }
        let end = range.end();
        let items = extents.items(window);
        if range.count == 0 || sized && end > items {
            let (first, count) = (range.first, range.count);
            let message =
                format!("it is about {count} items from {first} on; the window has {items}");
            fault(Kind::Count, message);
        }
        let overlaps = |(owner, kind, end): &(WindowNo, u8, u64)| {
            (*owner, *kind) == (window, number) && *end > range.first
        };
        if last.as_ref().is_some_and(overlaps) {
            fault(Kind::Order, "it overlaps the range before it".into());
        }
        last = Some((window, number, end));
        if kind == Some(OverlayKind::Trimmed) {
            let sum = trimmed.entry(window).or_default();
            *sum = sum.saturating_add(range.count);
        }
    });
    trimmed
}
