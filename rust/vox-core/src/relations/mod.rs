//! What later items of a window refer to: by how many of them the names of an item are used again,
//! and which file a tool call and its result are about. `contracts/relations.md` says it exactly.
//!
//! What was found is kept beside the archive, so that a window which grew costs its new items.

mod folder;
mod kept;
mod mentions;
mod names;
mod past;
mod reading;
mod touches;

use vox_types::{Code, Error, Result, WindowNo};

use self::{
    folder::Folder,
    kept::{Kept, Stamp, Whose},
    mentions::Mentions,
    past::Standing,
    touches::Touches,
};
use crate::archive::Archive;

/// What the items of a window are to each other, in the order of their ordinals.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Relations {
    /// By how many later items the names of each are used again.
    pub mentions: Vec<u32>,
    /// The ordinal of the last of those items; an item's own if there are none.
    pub last_uses: Vec<u32>,
    /// For each item the place in `paths` of the file that it is about, if it is a tool call or
    /// the result of one; -1 for none.
    pub touched: Vec<i32>,
    /// Files, in the order in which they are first named.
    pub paths: Vec<String>,
    /// How many items needn't be read, as what they are was kept.
    pub known: u64,
    /// Whether all of it is kept now.
    pub kept: bool,
}

/// A window at one moment.
struct Now {
    whose: Whose,
    items: u64,
    stamp: Option<Stamp>,
}

impl Archive {
    /// What the items of a window are to each other. Reads only: no write transaction is begun.
    ///
    /// Errors: `not_found` for a window that there isn't; `damaged` for one whose rows can't be
    /// read. An item whose bytes can't be read counts as an empty one.
    pub fn relations(&self, window: WindowNo) -> Result<Relations> {
        let folder = Folder::of(self.store().path());
        let now = self.window_now(window)?;
        let (Kept { mut purged, mut mentions, mut touches, .. }, mut kept) =
            self.kept_relations(&folder, window, &now)?.unwrap_or_default();
        let known = mentions.counts.len() as u64;
        if !kept {
            let stretches = self
                .store()
                .snapshot(|snapshot| reading::stretches(snapshot, window, known, now.items))?;
            let whole = reading::read(self, &stretches, |item| {
                purged += u64::from(item.purged);
                mentions.add(&item.names);
                touches.add(item.kind, item.tool, item.call, item.file);
            })?;
            if let (true, true, Some(stamp)) = (whole, self.store().writable(), now.stamp) {
                let new = Kept { stamp, purged, mentions, touches };
                // Where nothing can be written, it is found out again the next time.
                kept = self.keep_relations(&folder, &now, &new)?;
                Kept { mentions, touches, .. } = new;
            }
        }
        let Touches { files: touched, paths, .. } = touches;
        let Mentions { counts, last_uses, .. } = mentions;
        Ok(Relations { mentions: counts, last_uses, touched, paths, known, kept })
    }

    /// Removes all that is kept of names: some may be of what was purged.
    pub(crate) fn forget_relations(&self) -> Result<()> {
        let folder = Folder::of(self.store().path());
        folder.clear().map_err(|error| {
            let error = Error::io(&error, folder.path());
            let says = format!(
                "{}; what was purged is out of the archive, but this folder may hold hashes of its \
                 names: remove it",
                error.message
            );
            Error::new(error.code, says)
        })
    }

    /// Removes what takes too much room, and what was left by whoever was killed.
    pub(crate) fn tidy_relations(&self) {
        // What can't be removed now takes some room until the next time.
        let _ = Folder::of(self.store().path()).tidy();
    }

    fn window_now(&self, window: WindowNo) -> Result<Now> {
        self.store().snapshot(|snapshot| {
            let row = snapshot.window(window)?;
            if row.items > u64::from(u32::MAX) {
                let says = format!(
                    "the window has {} items; what {} or more are to each other isn't looked for",
                    row.items,
                    1_u64 << 32
                );
                return Err(Error::new(Code::TooLarge, says));
            }
            let whose = Whose { archive: snapshot.archive_id()?, window: row.id };
            let stamp = match snapshot.last_event()? {
                Some(event) => past::stamp(snapshot, event)?,
                None => None,
            };
            Ok(Now { whose, items: row.items, stamp })
        })
    }

    /// What is kept of a window, if it can be believed, and whether that is all there is.
    fn kept_relations(
        &self,
        folder: &Folder,
        window: WindowNo,
        now: &Now,
    ) -> Result<Option<(Kept, bool)>> {
        let file = folder.read(&now.whose.window, kept::most_bytes(now.items));
        let Some(kept) = file.and_then(|file| Kept::decode(&file, &now.whose)) else {
            return Ok(None);
        };
        Ok(match past::standing(self, window, now, &kept)? {
            Standing::Past => None,
            Standing::Behind => Some((kept, false)),
            Standing::Current => Some((kept, true)),
        })
    }

    /// Writes what was found; whether it is there now.
    fn keep_relations(&self, folder: &Folder, now: &Now, new: &Kept) -> Result<bool> {
        let written = folder.write(&now.whose.window, &new.encode(&now.whose));
        if !written.unwrap_or(false) {
            return Ok(false);
        }
        // Whoever purged after this look at the log clears the folder after it.
        if self.store().snapshot(|snapshot| past::purged_since(snapshot, new.stamp.event))? {
            let _ = folder.remove(&now.whose.window);
            return Ok(false);
        }
        Ok(true)
    }
}
