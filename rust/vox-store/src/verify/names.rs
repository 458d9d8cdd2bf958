//! Roots with a name.

use vox_format::cursor::u64_at;
use vox_types::{BlobRef, ItemId};

use super::{
    blobs::Blobs,
    image::Image,
    report::{Finding, Kind, Reporter},
    runs::Runs,
    windows::Windows,
};

/// Checks that what is named is there.
pub(super) fn check(
    image: &Image<'_>,
    report: &mut Reporter,
    blobs: &Blobs,
    windows: &Windows,
    runs: &Runs,
) {
    image.rows("names", report, |report, key, value| {
        let mut fault = |kind, message: String| {
            report.add(Finding::new("names", kind, message).key(key));
        };
        if std::str::from_utf8(key).is_err() {
            fault(Kind::Malformed, "the name isn't UTF-8".into());
        }
        let there = match value.as_slice() {
            [0, blob @ ..] if blob.len() == 8 => {
                blobs.slots.find(BlobRef(u64_at(blob, 0))).is_some()
            }
            [1, window @ ..] if window.len() == 4 => {
                windows.get(vox_format::cursor::u32_at(window, 0)).is_some()
            }
            [2, item @ ..] if item.len() == 8 => {
                let item = ItemId(u64_at(item, 0));
                runs.get(item.run()).is_some_and(|run| item.position() < run.len)
            }
            _ => {
                return fault(Kind::Malformed, "the row names nothing that can have a name".into());
            }
        };
        if !there {
            fault(Kind::Dangling, "what it names isn't there".into());
        }
    });
}
