//! Where the texts of items stand.

use rayon::prelude::*;
use roaring::RoaringTreemap;
use vox_format::chunk::Chunk;
use vox_store::{Snapshot, cores};
use vox_types::{BlobRef, Code, Error, ItemId, ItemKind, Result, RunNo};

use crate::{
    archive::Archive,
    search::scope::{Scope, Stretch},
};

/// Items whose places are read in one read transaction. Judgement: some milliseconds.
const ITEMS_AT_ONCE: u32 = 1 << 17;

/// An item and the blob of its bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Place {
    /// The blob.
    pub blob: BlobRef,
    /// The item.
    pub item: ItemId,
}

/// Places of items in the order of their blobs: those of one content stand together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    /// The generation that the references are of.
    pub generation: u64,
    /// In order.
    pub all: Vec<Place>,
    /// Those of the items that are attachments, which may be no text.
    pub attachments: RoaringTreemap,
}

/// Which of the items in scope are looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Only {
    /// All.
    All,
    /// Records, if they are admitted at all.
    Records,
    /// Those that count as holding their content, admitted or not.
    Holders,
}

impl Places {
    /// Of the items in `stretches` that `scope` admits.
    pub(crate) fn of_stretches(
        archive: &Archive,
        scope: &Scope,
        stretches: &[Stretch],
        only: Only,
    ) -> Result<Self> {
        if only == Only::Records && !scope.items.admits_records() {
            return Ok(Self::default());
        }
        let parts = in_parts(stretches);
        Self::gather(archive, &parts, |snapshot, part, found| {
            part.iter().try_for_each(|stretch| in_stretch(snapshot, scope, stretch, only, found))
        })
    }

    /// Of `items`, those of them that `scope` admits.
    pub(crate) fn of_items(
        archive: &Archive,
        scope: &Scope,
        items: &RoaringTreemap,
    ) -> Result<Self> {
        let items: Vec<u64> = items.iter().collect();
        let parts: Vec<&[u64]> = items.chunks(ITEMS_AT_ONCE as usize / 8).collect();
        Self::gather(archive, &parts, |snapshot, part, found| {
            let mut chunks = crate::chunks::Chunks::of(snapshot);
            for &item in *part {
                let item = ItemId(item);
                if scope.shown.window_of(item).is_some() {
                    let (chunk, index) = chunks.at(item)?;
                    found.add(scope, chunk, index, item)?;
                }
            }
            Ok(())
        })
    }

    fn gather<P: Sync>(
        archive: &Archive,
        parts: &[P],
        work: impl Fn(&Snapshot<'_>, &P, &mut Found) -> Result<()> + Sync,
    ) -> Result<Self> {
        let read = |part: &P| {
            archive.store().snapshot(|snapshot| {
                let mut found = Found::default();
                work(snapshot, part, &mut found)?;
                Ok((snapshot.version().0, found))
            })
        };
        let found: Vec<(u64, Found)> = match parts {
            [] => Vec::new(),
            [part] => vec![read(part)?],
            _ => cores::on_all(|| parts.par_iter().map(read).collect::<Result<_>>())??,
        };
        let generation = found.first().map_or(0, |(generation, _)| *generation);
        if found.iter().any(|(other, _)| *other != generation) {
            return Err(moved());
        }
        let mut places = Self { generation, ..Self::default() };
        for (_, mut part) in found {
            places.all.append(&mut part.places);
            places.attachments.extend(part.attachments);
        }
        places.sort()?;
        Ok(places)
    }

    fn sort(&mut self) -> Result<()> {
        match self.all.len() {
            0..10_000 => self.all.sort_unstable(),
            _ => cores::on_all(|| self.all.par_sort_unstable())?,
        }
        Ok(())
    }

    /// These and `others`, each item once.
    pub(crate) fn and(mut self, mut others: Self) -> Result<Self> {
        if self.all.is_empty() || others.all.is_empty() {
            return Ok(if self.all.is_empty() { others } else { self });
        }
        if self.generation != others.generation {
            return Err(moved());
        }
        self.all.append(&mut others.all);
        self.attachments |= others.attachments;
        self.sort()?;
        self.all.dedup();
        Ok(self)
    }

    /// The places of one content.
    pub(crate) fn of_blob(&self, blob: BlobRef) -> &[Place] {
        let start = self.all.partition_point(|place| place.blob < blob);
        let end = start + self.all[start..].partition_point(|place| place.blob == blob);
        &self.all[start..end]
    }

    /// The items.
    pub(crate) fn items(&self) -> RoaringTreemap {
        let mut items: Vec<u64> = self.all.iter().map(|place| place.item.0).collect();
        items.sort_unstable();
        items.into_iter().collect()
    }
}

/// The items longer than `longest` bytes in stretches of runs: run, first position, and the one
/// after the last.
pub(crate) fn longer_than(
    archive: &Archive,
    stretches: &[(RunNo, u32, u32)],
    longest: u64,
) -> Result<RoaringTreemap> {
    let stretch = |&(run, first, end): &(RunNo, u32, u32)| Stretch { run, first, end, window: 0 };
    let parts = in_parts(&stretches.iter().map(stretch).collect::<Vec<_>>());
    let read = |part: &Vec<Stretch>| {
        archive.store().snapshot(|snapshot| {
            let mut found = Vec::new();
            for stretch in part {
                let mut position = stretch.first;
                while position < stretch.end {
                    let (first, chunk) = chunk_at(snapshot, stretch.run, position)?;
                    let end = end_in(&chunk, first, position, stretch)?;
                    let indexes = (position - first) as usize..(end - first) as usize;
                    if chunk.byte_len().most() > longest {
                        let long = indexes.filter(|i| chunk.byte_len().get(*i) > longest);
                        found.extend(long.map(|i| ItemId::new(stretch.run, first + i as u32).0));
                    }
                    position = end;
                }
            }
            Ok(found)
        })
    };
    let found: Vec<Vec<u64>> = match &parts[..] {
        [] => return Ok(RoaringTreemap::new()),
        [part] => vec![read(part)?],
        _ => cores::on_all(|| parts.par_iter().map(read).collect::<Result<_>>())??,
    };
    Ok(found.into_iter().flatten().collect())
}

/// The archive was written anew meanwhile, and its blobs stand elsewhere.
pub(super) fn moved() -> Error {
    Error::new(Code::Conflict, "the archive was compacted meanwhile; search again")
}

/// What was found in one part.
#[derive(Default)]
struct Found {
    places: Vec<Place>,
    attachments: Vec<u64>,
}

impl Found {
    fn add(&mut self, scope: &Scope, chunk: &Chunk<'_>, index: usize, item: ItemId) -> Result<()> {
        let attributes = chunk.attributes_at(index);
        let (at, name) = (chunk.created_at().get(index) as i64, chunk.name().get(index) as u32);
        if scope.items.admits(attributes, at, name) {
            self.places.push(Place { blob: chunk.content_at(index), item });
            if attributes.kind()? == ItemKind::Attachment {
                self.attachments.push(item.0);
            }
        }
        Ok(())
    }
}

fn in_stretch(
    snapshot: &Snapshot<'_>,
    scope: &Scope,
    stretch: &Stretch,
    only: Only,
    found: &mut Found,
) -> Result<()> {
    let mut position = stretch.first;
    while position < stretch.end {
        let (first, chunk) = chunk_at(snapshot, stretch.run, position)?;
        let end = end_in(&chunk, first, position, stretch)?;
        for index in (position - first) as usize..(end - first) as usize {
            let item = ItemId::new(stretch.run, first + index as u32);
            let attributes = chunk.attributes_at(index);
            match only {
                Only::Records if attributes.kind()? != ItemKind::Record => {}
                Only::All | Only::Records => found.add(scope, &chunk, index, item)?,
                Only::Holders if scope.items.counts(attributes) => {
                    found.places.push(Place { blob: chunk.content_at(index), item });
                }
                Only::Holders => {}
            }
        }
        position = end;
    }
    Ok(())
}

/// The chunk that holds `position` of `run`, and the position of its first item.
fn chunk_at<'t>(snapshot: &Snapshot<'t>, run: RunNo, position: u32) -> Result<(u32, Chunk<'t>)> {
    let found = snapshot.chunk(run, position)?;
    let (first, bytes) = found.ok_or_else(|| missing(run, position))?;
    Ok((first, Chunk::parse(bytes)?))
}

/// The position after the last one of `stretch` in `chunk`, which holds `position`.
fn end_in(chunk: &Chunk<'_>, first: u32, position: u32, stretch: &Stretch) -> Result<u32> {
    let end = first.saturating_add(chunk.len() as u32).min(stretch.end);
    if end > position { Ok(end) } else { Err(missing(stretch.run, position)) }
}

fn missing(run: RunNo, position: u32) -> Error {
    Error::damaged(format!("no chunk holds the item {}", ItemId::new(run, position)))
}

/// `stretches` in parts of about as many items as are read at once; long ones are divided.
fn in_parts(stretches: &[Stretch]) -> Vec<Vec<Stretch>> {
    let mut parts = Vec::new();
    let (mut part, mut room) = (Vec::new(), ITEMS_AT_ONCE);
    for stretch in stretches {
        let mut rest = *stretch;
        while rest.first < rest.end {
            let end = rest.end.min(rest.first.saturating_add(room));
            part.push(Stretch { end, ..rest });
            room -= end - rest.first;
            rest.first = end;
            if room == 0 {
                parts.push(std::mem::take(&mut part));
                room = ITEMS_AT_ONCE;
            }
        }
    }
    if !part.is_empty() {
        parts.push(part);
    }
    parts
}
