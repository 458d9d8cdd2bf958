//! Cursors of source files, and what was set aside of them.

use vox_format::rows::{self, CursorRow, QuarantineRow};
use vox_types::{BlobRef, QuarantineReason};

use super::{
    blobs::Blobs,
    bodies,
    image::Image,
    report::{Finding, Kind, Reporter},
};
use crate::spine::cursors;

/// Keys of cursors, in order.
#[derive(Default)]
pub(super) struct Cursors(Vec<[u8; 16]>);

impl Cursors {
    pub fn has(&self, key: &[u8; 16]) -> bool {
        self.0.binary_search(key).is_ok()
    }
}

/// Reads every cursor.
pub(super) fn read_cursors(image: &Image<'_>, report: &mut Reporter) -> Cursors {
    let mut known = Cursors::default();
    image.rows("cursors", report, |report, key, value| {
        let mut fault = |kind, message: String| {
            report.add(Finding::new("cursors", kind, message).key(key));
        };
        let row: CursorRow = match rows::decode(&value, "a cursor") {
            Ok(row) => row,
            Err(error) => return fault(Kind::Malformed, error.message),
        };
        if cursors::key(&row.path) != key {
            fault(Kind::Differs, "its key isn't that of its path".into());
        }
        if row.blocks.iter().any(|block| block.start > block.end || block.end > row.offset) {
            fault(Kind::Malformed, "its blocks don't lie before its offset".into());
        }
        if let Ok(key) = key.try_into() {
            known.0.push(key);
        }
    });
    known
}

/// Checks every stretch that was set aside, and counts the blobs they own.
pub(super) fn check_quarantine(
    image: &Image<'_>,
    report: &mut Reporter,
    cursors: &Cursors,
    blobs: &mut Blobs,
) {
    image.rows("quarantine", report, |report, key, value| {
        let mut fault = |kind, message: String| {
            report.add(Finding::new("quarantine", kind, message).key(key));
        };
        let parts = key.split_first_chunk::<16>().filter(|(_, place)| place.len() == 16);
        let Some((cursor, place)) = parts else {
            return fault(Kind::Malformed, "the key is no place in a source".into());
        };
        if !cursors.has(cursor) {
            fault(Kind::Dangling, "the cursor of its source isn't there".into());
        }
        let row: QuarantineRow = match rows::decode(&value, "a quarantined stretch") {
            Ok(row) => row,
            Err(error) => return fault(Kind::Malformed, error.message),
        };
        if QuarantineReason::from_name(&row.reason).is_err() {
            fault(Kind::Malformed, format!("{:?} is no reason", row.reason));
        }
        let Some(blob) = row.blob.map(BlobRef) else { return };
        let found = blobs.slots.find(blob);
        match found.and_then(|found| blobs.slots.get_mut(found)) {
            Some(slot) => {
                slot.references = slot.references.saturating_add(1);
                if slot.gone {
                    let name = bodies::name(blob);
                    fault(Kind::Dangling, format!("the content of its blob {name} is gone"));
                }
                if !place.ends_with(&slot.prefix.to_be_bytes()) {
                    fault(Kind::Differs, "its key isn't that of its bytes".into());
                }
                if u64::from(slot.raw_len) != row.kept {
                    let (kept, has) = (row.kept, slot.raw_len);
                    fault(Kind::Differs, format!("{kept} bytes were kept, but its blob has {has}"));
                }
            }
            None => {
                let name = bodies::name(blob);
                fault(Kind::Dangling, format!("it names blob {name}, which isn't there"));
            }
        }
    });
}
