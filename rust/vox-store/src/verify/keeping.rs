//! What collecting and purging keep: condemned blobs, tombstones, leases.

use vox_format::rows::{self, TombstoneRow};
use vox_types::BlobRef;

use super::{
    blobs::Blobs,
    bodies,
    image::Image,
    report::{Finding, Kind, Reporter},
};
use crate::{gc, leases::LeaseRow};

/// Checks that the rows can be read and the blobs they name are there.
pub(super) fn check(image: &Image<'_>, report: &mut Reporter, blobs: &mut Blobs) {
    let known = report.complete(&["segments", "tails"], "condemned blobs and tombstones");
    image.rows("condemned", report, |report, key, value| {
        let mut fault = |kind, message: String| {
            report.add(Finding::new("condemned", kind, message).key(key));
        };
        match gc::decode_condemned(key, &value) {
            Ok((blob, _)) if known && blobs.slots.find(blob).is_none() => {
                fault(Kind::Dangling, format!("blob {} isn't there", bodies::name(blob)));
            }
            Ok(_) => {}
            Err(error) => fault(Kind::Malformed, error.message),
        }
    });
    image.rows("tombstones", report, |report, key, value| {
        let mut fault = |kind, message: String| {
            report.add(Finding::new("tombstones", kind, message).key(key));
        };
        if key.len() != 32 {
            return fault(Kind::Malformed, "the key is no hash".into());
        }
        let row: TombstoneRow = match rows::decode(&value, "a tombstone") {
            Ok(row) => row,
            Err(error) => return fault(Kind::Malformed, error.message),
        };
        if !row.times.is_sorted_by(|a, b| a < b) {
            fault(Kind::Order, "its times are out of order".into());
        }
        let blob = BlobRef(row.blob);
        let place = blobs.slots.find(blob);
        let hash = place.and_then(|place| blobs.hashes.get(image, &blobs.slots, place));
        match hash {
            None if known => {
                fault(Kind::Dangling, format!("blob {} isn't there", bodies::name(blob)));
            }
            Some(hash) if hash.0 != *key => {
                fault(Kind::Differs, format!("blob {} has another hash", bodies::name(blob)));
            }
            _ => {}
        }
    });
    image.rows("leases", report, |report, key, value| {
        let mut fault = |message: String| {
            report.add(Finding::new("leases", Kind::Malformed, message).key(key));
        };
        if key.len() != 8 {
            fault("the key is no number of a lease".into());
        }
        if let Err(error) = rows::decode::<LeaseRow>(&value, "a lease") {
            fault(error.message);
        }
    });
}
