//! Decompressing and hashing blobs, on all cores.

use vox_format::{
    preview::preview,
    segment::{GONE, Group, Placed},
};
use vox_types::{BlobRef, ContentHash};

use super::{
    blobs::Blobs,
    report::{Finding, Kind, Reporter},
};
use crate::blobs::decompress;

/// For each live blob of a group, or for the `wanted` slots, which are in order: its slot, and the
/// digest of its preview or what is wrong with it.
pub(super) fn check(value: &[u8], wanted: Option<&[usize]>) -> Vec<(usize, Result<u32, String>)> {
    let Ok(group) = Group::parse(value) else { return Vec::new() };
    let all: Vec<usize> = match wanted {
        Some(wanted) => wanted.to_vec(),
        None => (0..group.len()).filter(|slot| group.codec(*slot) != GONE).collect(),
    };
    // The frame that was decompressed last: others may stand in it too.
    let mut frame: Option<Unpacked<'_>> = None;
    let look_at = |number: usize| {
        let outcome = group.placed(number).map_err(|error| error.message).and_then(|placed| {
            let same = |(of, _): &&Unpacked<'_>| std::ptr::eq(*of, placed.frame);
            if frame.as_ref().filter(same).is_none() {
                frame = Some((placed.frame, unpack(&placed)));
            }
            match &frame {
                Some((_, Ok(raw))) => check_content(&placed, raw),
                Some((_, Err(fault))) => Err(fault.clone()),
                None => Err("it has no frame".into()),
            }
        });
        (number, outcome)
    };
    all.into_iter().map(look_at).collect()
}

/// A frame, and what it holds or what is wrong with it.
type Unpacked<'a> = (&'a [u8], Result<Vec<u8>, String>);

fn unpack(placed: &Placed<'_>) -> Result<Vec<u8>, String> {
    let len = u32::try_from(placed.frame_len).map_err(|_| "its frame is too long".to_owned())?;
    decompress(placed.codec, placed.frame, len).map_err(|error| error.message)
}

fn check_content(placed: &Placed<'_>, frame: &[u8]) -> Result<u32, String> {
    let end = placed.at + u64::from(placed.raw_len);
    let raw = frame.get(placed.at as usize..end as usize).ok_or("it ends behind its frame")?;
    let hash = ContentHash::of(raw);
    if hash != placed.hash {
        return Err(format!("its content has the hash {hash:?}, but it claims {:?}", placed.hash));
    }
    Ok(preview_digest(preview(raw).as_bytes()))
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
