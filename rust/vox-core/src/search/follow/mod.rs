//! The search index follows the log of the archive.
//!
//! An index covers everything up to an event. What came since is in the log: items that were
//! appended are read and added, and when anything was purged, its items are taken out. Where there
//! is no index that fits (none, of another format, damaged, of another archive or another past of
//! this one) a new one is built beside and takes the place of the other when it is whole.
//!
//! Nobody waits for anybody: whoever finds another at work leaves it to that one.

mod place;
mod since;
mod texts;

use std::path::Path;

use vox_search::index::{self, Index, Opened, Watermark, Writer};
use vox_store::Snapshot;
use vox_types::{Code, Error, ItemId, Result, RunNo};

pub(super) use self::since::Since;
use self::{place::Build, texts::Reading};
use super::indexed::fault;
use crate::archive::Archive;

/// Items between two commits. Judgement: some seconds of work.
const COMMIT: u64 = 1 << 18;
/// Events without items that may stay behind the index: it is cheaper to read them again.
const IDLE: u64 = 1 << 12;

/// A stretch of a run: the first position, and the one after the last.
type Stretch = (RunNo, u32, u32);

/// How the index stands to the archive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// It covers all that was there when it was called.
    Current,
    /// Someone else writes to it.
    Busy,
    /// A newer vox made it; it is left as it is.
    Newer,
}

/// What following came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Followed {
    /// How the index stands now.
    pub standing: Standing,
    /// Whether it was built anew.
    pub anew: bool,
    /// How many items were added.
    pub added: u64,
    /// Items that can't be found by the index, as their bytes are damaged.
    pub unreadable: u64,
}

impl Followed {
    fn of(standing: Standing) -> Self {
        Self { standing, anew: false, added: 0, unreadable: 0 }
    }
}

/// Opens the search index of the archive in `folder`.
///
/// Errors: those of the system, such as a folder that may not be read.
pub(crate) fn open(folder: &Path) -> Result<Opened> {
    place::open(&place::root(folder))
}

impl Archive {
    /// Lets the search index catch up with the archive; builds one if there is none that fits.
    /// Does nothing if someone else is at it.
    ///
    /// Errors: `read_only`, `disk_full` and those of the system. The archive is never harmed: at
    /// worst there is no index.
    pub fn follow(&self) -> Result<Followed> {
        self.may_index()?;
        loop {
            let index = match open(self.store().path())? {
                Opened::Ready(index) => index,
                Opened::Newer => return Ok(Followed::of(Standing::Newer)),
                Opened::Missing | Opened::Older | Opened::Damaged(_) => return self.reindex(),
            };
            let fault = self.store().snapshot(|now| fault(now, &index.watermark()))?;
            if fault.is_some() {
                return self.reindex();
            }
            if self.is_covered(&index)? {
                return Ok(Followed::of(Standing::Current));
            }
            let Some(mut writer) = index.writer()? else {
                return Ok(Followed::of(Standing::Busy));
            };
            if !index.is_current() {
                continue; // Another one committed before this one began.
            }
            let mut followed = Followed::of(Standing::Current);
            let done = self.go_on(&mut writer, index.watermark(), &mut followed);
            match done.and_then(|all| writer.finish().map(|()| all)) {
                Ok(true) => return Ok(followed),
                Ok(false) => return self.reindex(),
                // Another one took its place meanwhile and removed it.
                Err(error) if index.is_there() => return Err(error),
                Err(_) => {}
            }
        }
    }

    /// Builds the search index anew; searches use the other one until it is whole.
    ///
    /// Errors: as [`Archive::follow`].
    pub fn reindex(&self) -> Result<Followed> {
        self.may_index()?;
        let Some(build) = Build::begin(&place::root(self.store().path()))? else {
            return Ok(Followed::of(Standing::Busy));
        };
        let mut followed = Followed { anew: true, ..Followed::of(Standing::Current) };
        let start = self.store().snapshot(|snapshot| {
            let Some(event) = snapshot.last_event()? else { return Ok(None) };
            let runs = snapshot.runs()?;
            let whole: Vec<Stretch> = runs.iter().map(|(run, row)| (*run, 0, row.len)).collect();
            Ok(Some((watermark(snapshot, event, items_in(&whole))?, whole)))
        })?;
        // Nothing ever happened: there is nothing to index, and nothing to name.
        let Some((watermark, stretches)) = start else { return Ok(followed) };
        let mut writer = index::create(&build.folder())?;
        self.add(&mut writer, &stretches, &mut followed)?;
        writer.commit(watermark)?;
        if !self.go_on(&mut writer, watermark, &mut followed)? {
            return Err(Error::damaged("the log of the archive doesn't tell of all its items"));
        }
        writer.finish()?;
        build.finish()?;
        Ok(followed)
    }

    fn may_index(&self) -> Result<()> {
        if self.store().writable() {
            return Ok(());
        }
        let path = self.store().path().display();
        Err(Error::new(
            Code::ReadOnly,
            format!(
                "{path}: it was opened for reading only, so its search index stays as it is; open it \
                 for writing where its folder may be written to"
            ),
        ))
    }

    /// Whether nothing happened since that the index would have to know.
    fn is_covered(&self, index: &Index) -> Result<bool> {
        let event = index.watermark().event;
        let since = self.store().snapshot(|snapshot| Since::event(snapshot, event, COMMIT))?;
        Ok(since.came.is_empty() && !since.purged && since.last - event < IDLE)
    }

    /// Follows the log from `from` on to its end. False if the log doesn't tell of all items.
    fn go_on(&self, writer: &mut Writer, from: Watermark, followed: &mut Followed) -> Result<bool> {
        let mut at = from;
        loop {
            let (since, next, all) = self.store().snapshot(|snapshot| {
                let since = Since::event(snapshot, at.event, COMMIT)?;
                let items = at.items + since.items();
                let next = watermark(snapshot, since.last, items)?;
                // Only at the end of the log is it known how many there must be.
                let all = match snapshot.last_event()? == Some(since.last) {
                    true => snapshot.runs()?.iter().map(|(_, row)| u64::from(row.len)).sum(),
                    false => items,
                };
                Ok((since, next, all))
            })?;
            if all != next.items {
                return Ok(false);
            }
            if next.event == at.event {
                return Ok(true);
            }
            if since.purged {
                writer.delete(&self.purged()?)?;
            }
            self.add(writer, &since.came, followed)?;
            writer.commit(next)?;
            at = next;
        }
    }

    /// Adds the items of `stretches`.
    fn add(
        &self,
        writer: &mut Writer,
        stretches: &[Stretch],
        followed: &mut Followed,
    ) -> Result<()> {
        let mut reading = Reading::of(stretches);
        while let Some(read) = reading.next(self)? {
            followed.unreadable += read.unreadable;
            for item in &read.items {
                writer.add(&item.document())?;
                followed.added += 1;
            }
        }
        Ok(())
    }

    /// All items that were purged.
    fn purged(&self) -> Result<Vec<ItemId>> {
        self.store().snapshot(|snapshot| {
            let mut purged = Vec::new();
            for (run, row) in snapshot.runs()? {
                texts::each_chunk(snapshot, (run, 0, row.len), |first, chunk, places| {
                    let gone = places.filter(|place| chunk.attributes_at(*place).purged());
                    purged.extend(gone.map(|place| ItemId::new(run, first + place as u32)));
                    Ok(())
                })?;
            }
            Ok(purged)
        })
    }
}

fn watermark(snapshot: &Snapshot<'_>, event: u64, items: u64) -> Result<Watermark> {
    let hash = snapshot.event_hash(event)?;
    let proof = hash.and_then(|hash| hash.0.first_chunk().copied());
    let missing = || Error::damaged(format!("the log has no event {event}"));
    let proof = proof.ok_or_else(missing)?;
    Ok(Watermark { archive: snapshot.archive_id()?, event, proof, items })
}

fn items_in(stretches: &[Stretch]) -> u64 {
    stretches.iter().map(|(_, first, end)| u64::from(end - first)).sum()
}
