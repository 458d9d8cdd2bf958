//! What later items of a window refer to: by how many of them the names of an item are used again,
//! and which file a tool call and its result are about. `contracts/relations.md` says it exactly.

mod mentions;
mod names;
mod reading;
mod touches;

use vox_types::{Code, Error, Result, WindowNo};

use self::{mentions::Mentions, touches::Touches};
use crate::archive::Archive;

/// What the items of a window are to each other, in the order of their ordinals.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Relations {
    /// By how many later items the names of each are used again.
    pub mentions: Vec<u32>,
    /// For each item the place in `paths` of the file that it is about, if it is a tool call or
    /// the result of one; -1 for none.
    pub touched: Vec<i32>,
    /// Files, in the order in which they are first named.
    pub paths: Vec<String>,
}

impl Archive {
    /// What the items of a window are to each other.
    ///
    /// Errors: `not_found` for a window that there isn't; `damaged` for one whose rows can't be
    /// read. An item whose bytes can't be read counts as an empty one.
    pub fn relations(&self, window: WindowNo) -> Result<Relations> {
        let stretches = self.store().snapshot(|snapshot| {
            let items = snapshot.window(window)?.items;
            if items > u64::from(u32::MAX) {
                let says = format!("the window has {items} items; at most {} can be", u32::MAX);
                return Err(Error::new(Code::TooLarge, says));
            }
            reading::stretches(snapshot, window, 0, items)
        })?;
        let (mut mentions, mut touches) = (Mentions::default(), Touches::default());
        reading::read(self, &stretches, |item| {
            mentions.add(&item.names);
            touches.add(item.kind, item.tool, item.call, item.file);
        })?;
        let Touches { files: touched, paths, .. } = touches;
        Ok(Relations { mentions: mentions.counts, touched, paths })
    }
}
