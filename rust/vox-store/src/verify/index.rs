//! The two hash indexes: their leaves, and every entry of them.

use vox_format::{
    cursor::u32_at,
    keys,
    leaf::{Entry, Leaf},
};
use vox_types::{BlobRef, ItemId};

use super::{
    blobs::Blobs,
    bodies,
    image::Image,
    items::Items,
    report::{Finding, Kind, Reporter},
};
use crate::index::LEAF_ENTRIES;

/// Where the entry of an index stands.
struct Spot<'a> {
    table: &'static str,
    key: &'a [u8],
}

impl Spot<'_> {
    /// An entry that counts uses of a blob is the last trace of content that is lost: that is
    /// beyond repair.
    fn no_blob(&self, report: &mut Reporter, entry: &Entry) {
        let name = bodies::name(BlobRef(entry.payload));
        let message = format!("it names blob {name}, which isn't there");
        let finding = Finding::new(self.table, Kind::Dangling, message).key(self.key);
        let used = (entry.references, entry.holds) != (0, 0);
        report.add(if used { finding.beyond_repair() } else { finding });
    }

    fn fault(&self, report: &mut Reporter, kind: Kind, message: impl Into<String>) {
        report.add(Finding::new(self.table, kind, message).key(self.key));
    }
}

/// Shows every entry of an index to `visit`.
fn entries(
    image: &Image<'_>,
    report: &mut Reporter,
    [recent, levels]: [&'static str; 2],
    mut visit: impl FnMut(&mut Reporter, &Spot<'_>, Entry),
) {
    image.rows(recent, report, |report, key, value| {
        let spot = Spot { table: recent, key };
        match keys::split_wide_pair(key).filter(|_| value.len() == 8) {
            Some((prefix, payload)) => {
                let word = |at| i64::from(u32_at(&value, at) as i32);
                let entry = Entry { prefix, payload, references: word(0), holds: word(1) };
                visit(report, &spot, entry);
            }
            None => spot.fault(report, Kind::Malformed, "the row is no entry of an index"),
        }
    });
    let mut last: Option<(u8, u64)> = None;
    image.rows(levels, report, |report, key, value| {
        let spot = Spot { table: levels, key };
        let Some((level, first)) = keys::split_leaf(key).filter(|(level, _)| *level > 0) else {
            return spot.fault(report, Kind::Malformed, "the key is no place of a leaf");
        };
        let leaf = match Leaf::parse(&value) {
            Ok(leaf) if !leaf.is_empty() => leaf,
            Ok(_) => return spot.fault(report, Kind::Malformed, "the leaf is empty"),
            Err(error) => return spot.fault(report, Kind::Malformed, error.message),
        };
        if value.get(1) != Some(&0) {
            spot.fault(report, Kind::Malformed, "the reserved byte of a leaf isn't 0");
        }
        if leaf.entry(0).prefix != first {
            spot.fault(report, Kind::Order, "the key isn't the first prefix of the leaf");
        }
        if last.is_some_and(|(before, prefix)| before == level && prefix >= first) {
            spot.fault(report, Kind::Order, "the leaf before it reaches into this one");
        }
        let too_long = leaf.len() > LEAF_ENTRIES
            && leaf.entry(LEAF_ENTRIES).prefix != leaf.entry(LEAF_ENTRIES - 1).prefix;
        if too_long {
            spot.fault(report, Kind::Count, format!("the leaf has {} entries", leaf.len()));
        }
        let place = |at: usize| (leaf.entry(at).prefix, leaf.entry(at).payload);
        if (1..leaf.len()).any(|at| place(at - 1) >= place(at)) {
            spot.fault(report, Kind::Order, "its entries are out of order");
        }
        last = Some((level, leaf.entry(leaf.len() - 1).prefix));
        for entry in leaf.entries() {
            visit(report, &spot, entry);
        }
    });
}

/// The table in which an entry that isn't there would be looked for.
fn home(image: &Image<'_>, [recent, levels]: [&'static str; 2]) -> &'static str {
    if image.is_empty(levels) { recent } else { levels }
}

/// Checks that the index names every blob, with its references, and nothing else.
pub(super) fn check_blobs(image: &Image<'_>, report: &mut Reporter, blobs: &mut Blobs) {
    let tables = ["blob_recent", "blob_levels"];
    let known = report.complete(&["segments", "tails"], "the index of blobs");
    entries(image, report, tables, |report, spot, entry| {
        let place = blobs.slots.find(BlobRef(entry.payload));
        let Some(slot) = place.and_then(|place| blobs.slots.get_mut(place)) else {
            if known {
                spot.no_blob(report, &entry);
            }
            return;
        };
        if slot.prefix != entry.prefix {
            let name = bodies::name(BlobRef(entry.payload));
            return spot.fault(report, Kind::Differs, format!("blob {name} has another hash"));
        }
        if slot.gone {
            // Nobody finds it; a collection that goes on removes it.
            return;
        }
        slot.indexed = true;
        slot.indexed_references = slot.indexed_references.saturating_add(narrow(entry.references));
        slot.holds = slot.holds.saturating_add(narrow(entry.holds));
    });
    let sources = ["chunks", "runs", "raw_runs", "quarantine", "segments", "tails"];
    let counted = report.complete(&sources, "references of blobs");
    let table = home(image, tables);
    for (blob, slot) in blobs.slots.iter().filter(|(_, slot)| known && !slot.gone) {
        let mut fault = |kind, message: String| {
            let message = format!("blob {}: {message}", bodies::name(blob));
            let key = keys::wide_pair(slot.prefix, blob.0);
            report.add(Finding::new(table, kind, message).key(&key));
        };
        if !slot.indexed {
            fault(Kind::Missing, "the index doesn't name it".into());
        } else if counted && i64::from(slot.indexed_references) != i64::from(slot.references) {
            let (claimed, found) = (slot.indexed_references, slot.references);
            fault(Kind::Count, format!("the index counts {claimed} references; it has {found}"));
        }
        if slot.holds < 0 {
            fault(Kind::Count, format!("the index counts {} holds", slot.holds));
        }
    }
}

/// Checks that the index names every item, and nothing else.
pub(super) fn check_chains(image: &Image<'_>, report: &mut Reporter, items: &mut Items) {
    let tables = ["chain_recent", "chain_levels"];
    let known = report.complete(&["chunks", "runs", "segments", "tails"], "the index of chains");
    entries(image, report, tables, |report, spot, entry| {
        if (entry.references, entry.holds) != (0, 0) {
            spot.fault(report, Kind::Count, "an entry of chains has counts");
        }
        let item = ItemId(entry.payload);
        match items.mark(item).filter(|_| known) {
            Some(prefix) if prefix != entry.prefix => {
                spot.fault(report, Kind::Differs, format!("item {item} has another chain hash"));
            }
            None if known => {
                spot.fault(
                    report,
                    Kind::Dangling,
                    format!("it names item {item}, which isn't there"),
                );
            }
            _ => {}
        }
    });
    let table = home(image, tables);
    for (item, prefix, _) in items.iter().filter(|(_, _, indexed)| known && !indexed) {
        let message = format!("the index doesn't name item {item}");
        let key = keys::wide_pair(prefix, item.0);
        report.add(Finding::new(table, Kind::Missing, message).key(&key));
    }
}

fn narrow(number: i64) -> i32 {
    number.clamp(i32::MIN.into(), i32::MAX.into()) as i32
}
