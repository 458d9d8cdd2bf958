//! Searching texts where they stand: compressed, in the archive.
//!
//! What is asked of the items themselves is looked at before any text. Texts are read in the order
//! in which they stand, each content once, on all cores, in many short read transactions; those
//! that were written last come first, so that a search which ends early has seen the newest.

mod places;

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    time::Instant,
};

use roaring::RoaringTreemap;
use vox_search::matcher::{Matcher, Scratch};
use vox_store::{Scanner, cores};
use vox_types::{Code, Result};

pub(crate) use self::places::{Only, Place, Places, longer_than};
use crate::archive::Archive;

/// Segments that one thread reads in one read transaction. Judgement: up to two megabytes of
/// compressed texts, some milliseconds.
const SEGMENTS: u64 = 32;
/// Contents that it reads at most, for those that stand in a long tail.
const CONTENTS: usize = 1 << 13;

/// What reading texts came to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scanned {
    /// The items whose texts match.
    pub hits: RoaringTreemap,
    /// How many items were looked at.
    pub searched: u64,
    /// How many should have been.
    pub of: u64,
}

/// Which of the items at `places` have a text that matches. Items whose text was purged meanwhile
/// don't, and of those whose text is damaged it isn't known: they aren't searched.
///
/// Errors: `conflict` if the archive was written anew since the places were read.
pub(crate) fn search(
    archive: &Archive,
    places: &Places,
    matcher: &Matcher,
    deadline: Option<Instant>,
) -> Result<Scanned> {
    let parts = in_parts(&places.all);
    let left = AtomicUsize::new(parts.len());
    let searched = AtomicU64::new(0);
    let failed = AtomicBool::new(false);
    let hits: Mutex<RoaringTreemap> = Mutex::default();
    let empty = matcher.matches(b"", &mut Scratch::default());
    let work = || -> Result<()> {
        let mut scratch = Scratch::default();
        let mut found = Vec::new();
        loop {
            let taken =
                left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1));
            let Ok(before) = taken else { break };
            let late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
            if late || failed.load(Ordering::Relaxed) {
                break;
            }
            let part = parts[before - 1];
            let done = archive.store().snapshot(|snapshot| {
                if snapshot.version().0 != places.generation {
                    return Err(places::moved());
                }
                let mut texts = snapshot.scanner();
                let mut done = 0;
                for content in part.chunk_by(|a, b| a.blob == b.blob) {
                    let items = content.iter().map(|place| place.item.0);
                    let attached = !places.attachments.is_empty()
                        && items.clone().any(|item| places.attachments.contains(item));
                    let Some(verdict) = look(&mut texts, content, attached, matcher, &mut scratch)?
                    else {
                        continue;
                    };
                    done += content.len() as u64;
                    found.extend(items.filter(|item| {
                        let is_text = verdict.is_text || !places.attachments.contains(*item);
                        if is_text { verdict.matches } else { empty }
                    }));
                }
                Ok(done)
            });
            match done {
                Ok(done) => searched.fetch_add(done, Ordering::Relaxed),
                Err(error) => {
                    failed.store(true, Ordering::Relaxed);
                    return Err(error);
                }
            };
            found.sort_unstable();
            let mut hits = hits.lock().unwrap_or_else(PoisonError::into_inner);
            hits.extend(found.drain(..));
        }
        Ok(())
    };
    match parts.len() {
        0 | 1 => work()?,
        _ => cores::on_all(|| rayon::broadcast(|_| work()).into_iter().collect::<Result<()>>())??,
    }
    Ok(Scanned {
        hits: hits.into_inner().unwrap_or_else(PoisonError::into_inner),
        searched: searched.into_inner(),
        of: places.all.len() as u64,
    })
}

/// What a content is found to be.
struct Verdict {
    matches: bool,
    /// Whether attachments of this content have a text: it is UTF-8.
    is_text: bool,
}

/// Looks at the content of `places`, an attachment's or not; none if it can't be read.
fn look(
    texts: &mut Scanner<'_>,
    places: &[Place],
    attached: bool,
    matcher: &Matcher,
    scratch: &mut Scratch,
) -> Result<Option<Verdict>> {
    match texts.read(places[0].blob) {
        Ok(Some(text)) => Ok(Some(Verdict {
            matches: matcher.matches(text, scratch),
            is_text: !attached || str::from_utf8(text).is_ok(),
        })),
        Ok(None) => Ok(Some(Verdict { matches: false, is_text: true })),
        Err(error) if error.code == Code::Damaged => Ok(None),
        Err(error) => Err(error),
    }
}

/// `places` in parts that are read at once; the places of one content stay together.
fn in_parts(places: &[Place]) -> Vec<&[Place]> {
    let mut parts = Vec::new();
    let mut rest = places;
    while let Some(first) = rest.first() {
        let far = |place: &Place| place.blob.segment() >= first.blob.segment() + SEGMENTS;
        let mut end = rest.partition_point(|place| !far(place)).min(CONTENTS);
        while end < rest.len() && rest[end].blob == rest[end - 1].blob {
            end += 1;
        }
        let (part, after) = rest.split_at(end);
        parts.push(part);
        rest = after;
    }
    parts
}
