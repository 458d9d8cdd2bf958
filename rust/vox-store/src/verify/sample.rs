//! A random sample of the blobs, the same for the same archive and size.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use super::{blobs::Blobs, bodies, image::Image, report::Reporter};

/// Groups read at a time.
const ROUND: usize = 64;

/// Decompresses and hashes `size` blobs. `archive_id` and `size` decide which.
pub(super) fn check(
    image: &Image<'_>,
    report: &mut Reporter,
    blobs: &mut Blobs,
    archive_id: &[u8],
    size: u64,
) {
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for index in choose(archive_id, size, blobs.slots.len()) {
        let group = blobs.slots.group_of(index);
        let gone = blobs.slots.get(index).is_none_or(|slot| slot.gone);
        if let Some(span) = blobs.slots.group(group)
            && !gone
        {
            groups.entry(group).or_default().push(index - span.start);
        }
    }
    report.sampled = Some(groups.values().map(|slots| slots.len() as u64).sum());
    let groups: Vec<(usize, Vec<usize>)> = groups.into_iter().collect();
    for round in groups.chunks(ROUND) {
        let look_at = |(group, wanted): &(usize, Vec<usize>)| {
            let span = blobs.slots.group(*group)?;
            let value = image.get(span.table(), &span.key())?;
            Some((*group, bodies::check(&value, Some(wanted))))
        };
        let outcomes: Vec<_> = round.par_iter().filter_map(look_at).collect();
        for (group, outcomes) in outcomes {
            bodies::take(blobs, report, group, outcomes);
        }
    }
}

/// `size` different numbers below `of`, or all of them. R. W. Floyd's algorithm.
fn choose(archive_id: &[u8], size: u64, of: usize) -> BTreeSet<usize> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(archive_id).update(&size.to_le_bytes());
    let mut random = hasher.finalize_xof();
    let size = usize::try_from(size).unwrap_or(usize::MAX).min(of);
    let mut chosen = BTreeSet::new();
    for last in of - size..of {
        let mut bytes = [0; 8];
        random.fill(&mut bytes);
        let number = (u64::from_le_bytes(bytes) % (last as u64 + 1)) as usize;
        if !chosen.insert(number) {
            chosen.insert(last);
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::choose;

    #[test]
    fn a_sample_has_its_size_and_depends_on_archive_and_size() {
        let sample = choose(b"archive one", 20, 1000);
        assert_eq!(sample.len(), 20);
        assert!(sample.iter().all(|number| *number < 1000));
        assert_eq!(sample, choose(b"archive one", 20, 1000));
        assert_ne!(sample, choose(b"archive two", 20, 1000));
        assert!(choose(b"archive one", 21, 1000) != sample);
        assert_eq!(choose(b"x", 50, 7).len(), 7);
        assert!(choose(b"x", 5, 0).is_empty());
    }
}
