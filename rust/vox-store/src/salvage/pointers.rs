//! Rows that name items or their places: overlays, links and names.

use std::collections::BTreeMap;

use vox_format::{cursor::u64_at, keys, name::Target, rows::OverlayRange};
use vox_types::{LinkKind, OverlayKind, Result, WindowNo};

use super::{blobs, others::Saving, parts::Window, placing::Placing, report::Report};
use crate::committed;

impl Saving<'_> {
    /// What depends on where items stand: overlays, links and names.
    pub fn placed(&self, placing: &mut Placing<'_, '_>, report: &mut Report) -> Result<()> {
        let windows = std::mem::take(&mut placing.windows);
        let nothing = Window::default();
        let of = |window: WindowNo| windows.get(&window).unwrap_or(&nothing);
        let mut behind: BTreeMap<(WindowNo, u8), u64> = BTreeMap::new();
        let mut ranges = Vec::new();
        if !self.left_out.contains("overlays") {
            self.source.rows("overlays", report, |report, key, value| {
                let decoded = keys::split_overlay(key).and_then(|(window, kind, first)| {
                    Some((window, kind, OverlayRange::decode(first, &value).ok()?))
                });
                let Some((window, kind, range)) = decoded.filter(|(_, kind, range)| {
                    let fate = OverlayKind::Fate as u8;
                    OverlayKind::from_number(*kind).is_some()
                        && (*kind != fate || (0..4).contains(&range.value))
                }) else {
                    report.lost("overlays", key, "the row is no range of an overlay");
                    return Ok(());
                };
                let mut kept = 0;
                for (first, count) in of(window).ordinals(range.first, range.count) {
                    let end = behind.entry((window, kind)).or_default();
                    if first >= *end {
                        *end = first + count;
                        kept += count;
                        ranges.push((
                            window,
                            kind,
                            OverlayRange { first, count, value: range.value },
                        ));
                    }
                }
                if kept != range.count {
                    report.lost("overlays", key, "items that it was about are lost");
                }
                Ok(())
            })?;
        }
        ranges.sort_by_key(|(window, kind, range)| (*window, *kind, range.first));
        let table = placing.builder.generation().tables.overlays;
        report.saved("overlays", ranges.len() as u64);
        for (window, kind, range) in ranges {
            let key = keys::overlay(window, kind, range.first);
            placing.builder.put(table, key.to_vec(), range.encode().to_vec())?;
        }
        self.each("links", placing.builder, report, |_, key, value| {
            let fits = keys::split_link(key).filter(|(from, link, to)| {
                let known = LinkKind::from_number(*link).is_some();
                known && self.has(*from) && self.has(*to) && value.len() == 8
            });
            let Some((_, _, to)) = fits else { return Ok(None) };
            let before = of(to).ordinals(0, u64_at(value, 0));
            let ordinal = before.last().map_or(0, |(first, count)| first + count);
            Ok(Some((key.to_vec(), ordinal.to_le_bytes().to_vec())))
        })?;
        self.names(placing, report)?;
        placing.windows = windows;
        Ok(())
    }

    fn names(&self, placing: &mut Placing<'_, '_>, report: &mut Report) -> Result<()> {
        if self.left_out.contains("names") {
            return Ok(());
        }
        let table = placing.builder.generation().tables.names;
        self.source.rows("names", report, |report, key, value| {
            let target = match Target::decode(&value) {
                Ok(Target::Blob(blob)) => match self.blobs.get(blob).map(blobs::Saved::name) {
                    Some(name) => Some(Target::Blob(placing.builder.found(&name)?)),
                    None => None,
                },
                Ok(Target::Window(window)) => self.has(window).then_some(Target::Window(window)),
                Ok(Target::Item(item)) => placing.find(item).map(Target::Item),
                Err(_) => None,
            };
            let name = std::str::from_utf8(key).ok();
            // A committed set names items by their places.
            let stands = name.is_some_and(|name| match committed::window_of(name) {
                Some(window) => {
                    self.unmoved.contains(&window) && matches!(target, Some(Target::Blob(_)))
                }
                None => true,
            });
            match target.filter(|_| stands) {
                Some(target) => {
                    report.saved("names", 1);
                    placing.builder.put(table, key.to_vec(), target.encode())
                }
                None => {
                    report.lost("names", key, "what it names is lost");
                    Ok(())
                }
            }
        })
    }
}
