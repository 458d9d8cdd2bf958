//! Decompressing and hashing blobs, on all cores.

use vox_format::{
    preview::preview,
    segment::{GONE, Group, Slot},
};
use vox_types::{BlobRef, ContentHash};

use super::{
    blobs::Blobs,
    report::{Finding, Kind, Reporter},
};
use crate::blobs::decompress;

/// For each live blob of a group, or for the `wanted` slots: its slot, and the digest of its
/// preview or what is wrong with it.
pub(super) fn check(value: &[u8], wanted: Option<&[usize]>) -> Vec<(usize, Result<u32, String>)> {
    let Ok(group) = Group::parse(value) else { return Vec::new() };
    let all = (0..group.len()).filter(|slot| group.codec(*slot) != GONE);
    let look_at = |number: usize| {
        let slot = group.slot(number).map_err(|error| error.message);
        (number, slot.and_then(|slot| check_slot(&slot)))
    };
    match wanted {
        Some(wanted) => wanted.iter().copied().map(look_at).collect(),
        None => all.map(look_at).collect(),
    }
}

fn check_slot(slot: &Slot<'_>) -> Result<u32, String> {
    let raw = decompress(slot.codec, slot.body, slot.raw_len).map_err(|error| error.message)?;
    let hash = ContentHash::of(&raw);
    if hash != slot.hash {
        return Err(format!("its content has the hash {hash:?}, but it claims {:?}", slot.hash));
    }
    Ok(preview_digest(preview(&raw).as_bytes()))
}

/// A digest to compare previews by; never 0. FNV-1a.
pub(crate) fn preview_digest(preview: &[u8]) -> u32 {
    let mix = |state: u32, byte: &u8| (state ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
    preview.iter().fold(0x811c_9dc5, mix).max(1)
}

/// Takes over what [`check`] found of the group at place `group`.
pub(super) fn take(
    blobs: &mut Blobs,
    report: &mut Reporter,
    group: usize,
    outcomes: Vec<(usize, Result<u32, String>)>,
) {
    let Some(span) = blobs.slots.group(group).copied() else { return };
    report.count("bodies", outcomes.len() as u64);
    for (offset, outcome) in outcomes {
        match outcome {
            Ok(digest) => {
                if let Some(slot) = blobs.slots.get_mut(span.start + offset) {
                    slot.preview = digest;
                }
            }
            Err(fault) => {
                let number = usize::from(span.first_slot) + offset;
                let message = format!("blob {}: {fault}", written(span.segment, number));
                report.add(Finding::new(span.table(), Kind::Content, message).key(&span.key()));
            }
        }
    }
}

/// How a blob is written in messages.
pub(super) fn name(blob: BlobRef) -> String {
    written(blob.segment(), usize::from(blob.slot()))
}

fn written(segment: u64, slot: usize) -> String {
    format!("{segment}:{slot}")
}
