//! Groups whose frames hold several blobs: taking some of them out.

use vox_format::segment::{self, GONE, Group, MEMBER, Slot, is_joint};
use vox_types::{Error, Result};

use super::codec::{compress_jointly, decompress};

/// The group in `value` without the bodies of the slots that are to be `gone`. Every slot keeps its
/// place; what stays of a frame that loses a blob is compressed anew.
pub fn without(value: &[u8], gone: impl Fn(usize) -> bool) -> Result<Vec<u8>> {
    let group = Group::parse(value)?;
    let mut slots = (0..group.len()).map(|i| group.slot(i)).collect::<Result<Vec<_>>>()?;
    let mut frames = Vec::new();
    let mut head = 0;
    while head < group.len() {
        let members = group.members(head);
        if is_joint(group.codec(head)) && members.clone().any(&gone) {
            let live = |i: &usize| group.codec(*i) != GONE;
            let lens = members.clone().filter(live).map(|i| u64::from(group.raw_len(i)));
            let too_long = |_| Error::damaged("a frame of several blobs claims to be too long");
            let frame_len = u32::try_from(lens.sum::<u64>()).map_err(too_long)?;
            let raw = decompress(group.codec(head), slots[head].body, frame_len)?;
            let (mut at, mut left, mut stay) = (0, Vec::new(), Vec::new());
            for i in members.clone().filter(live) {
                let end = at + group.raw_len(i) as usize;
                if !gone(i) {
                    left.extend_from_slice(&raw[at..end]);
                    stay.push(i);
                }
                at = end;
            }
            if let Some(first) = stay.first() {
                let (codec, body) = compress_jointly(&left)?;
                frames.push((*first, codec, body));
            }
        }
        head = members.end;
    }
    for i in (0..slots.len()).filter(|i| gone(*i)) {
        slots[i] = Slot { codec: GONE, body: &[], ..slots[i] };
    }
    for (head, codec, body) in &frames {
        debug_assert!(slots[*head].codec == MEMBER || is_joint(slots[*head].codec));
        slots[*head] = Slot { codec: *codec, body, ..slots[*head] };
    }
    Ok(segment::encode(&slots))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use vox_format::segment::{JOINT, STORED};
    use vox_types::ContentHash;

    use super::super::codec::contents;
    use super::*;

    /// A group of frames with several blobs and of blobs that stand alone.
    fn group(runs: &[(bool, Vec<String>)]) -> Vec<u8> {
        let frames: Vec<(u8, Vec<u8>)> = runs
            .iter()
            .map(|(_, blobs)| compress_jointly(blobs.concat().as_bytes()).unwrap())
            .collect();
        let mut slots = Vec::new();
        for ((joint, blobs), frame) in runs.iter().zip(&frames) {
            for (place, blob) in blobs.iter().enumerate() {
                let (codec, body) = match (joint, place) {
                    (false, _) => (STORED, blob.as_bytes()),
                    (true, 0) => (frame.0, &frame.1[..]),
                    (true, _) => (MEMBER, &[][..]),
                };
                let hash = ContentHash::of(blob.as_bytes());
                slots.push(Slot { hash, raw_len: blob.len() as u32, codec, body });
            }
        }
        segment::encode(&slots)
    }

    proptest! {
        #[test]
        fn what_is_taken_out_is_gone_and_all_else_stays(
            runs in prop::collection::vec((any::<bool>(), prop::collection::vec("[a-z ]{0,90}", 1..6)), 1..6),
            rounds in prop::collection::vec(prop::collection::vec(any::<prop::sample::Index>(), 0..6), 1..4),
        ) {
            let blobs: Vec<&String> = runs.iter().flat_map(|(_, blobs)| blobs).collect();
            let mut value = group(&runs);
            let mut lost = vec![false; blobs.len()];
            for round in rounds {
                round.iter().for_each(|index| lost[index.index(blobs.len())] = true);
                value = without(&value, |i| lost[i]).unwrap();
                let group = Group::parse(&value).unwrap();
                prop_assert_eq!(group.body_bytes().0 as usize, group.body_bytes().1);
                for (i, blob) in blobs.iter().enumerate() {
                    let placed = group.placed(i).unwrap();
                    prop_assert_eq!(placed.hash, ContentHash::of(blob.as_bytes()));
                    prop_assert!(placed.codec < JOINT + 16 || placed.codec == GONE);
                    match lost[i] {
                        true => prop_assert_eq!(placed.codec, GONE),
                        false => prop_assert_eq!(contents(&placed).unwrap(), blob.as_bytes()),
                    }
                }
            }
        }
    }
}
