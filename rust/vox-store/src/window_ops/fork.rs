//! Forking a window at an item.

use vox_format::rows::Event;
use vox_types::{ChainHash, Code, Error, LinkKind, Result, WindowNo};

use super::{NewWindow, marks, new_window};
use crate::{
    Store, events,
    meta::now,
    spine::{chains, extents, lineage, overlays, sums, windows},
};

impl Store {
    /// Makes a window that begins with the first `count` items of `from`, as they look there, and
    /// goes its own way from then on. Nothing is copied but places. Durable on return.
    ///
    /// `not_found` if there is no such window, `invalid_argument` if it has fewer items,
    /// `conflict` if the key is taken.
    pub fn fork(&self, from: WindowNo, count: u64, new: NewWindow) -> Result<WindowNo> {
        self.write(move |generation, txn| {
            let tables = &generation.tables;
            let at = now();
            let origin = marks::window(tables, txn, from)?;
            if count > origin.items {
                let message = format!("window {from} has {} items, not {count}", origin.items);
                return Err(Error::new(Code::InvalidArgument, message).into());
            }
            let (no, old) = new_window::create(tables, txn, at, &new, &origin)?;
            extents::share(tables, txn, from, no, count)?;
            let chain = if count == origin.items {
                ChainHash(origin.chain)
            } else {
                match chains::last_on_path(tables, txn, from, count)? {
                    Some(item) => chains::of_item(tables, txn, item)?,
                    None => ChainHash::ROOT,
                }
            };
            let shared = sums::of_beginning(tables, txn, from, &origin, count)?;
            let mut row = old.clone();
            row.chain = chain.0;
            row.items = count;
            row.bytes = shared.bytes;
            row.tokens = shared.tokens;
            row.records = shared.records;
            row.trimmed = overlays::copy_beginning(tables, txn, from, no, count)?;
            windows::put(tables, txn, no, Some(&old), &row)?;
            if windows::adopt(tables, txn, no, from)? {
                let link = LinkKind::ForkedFrom;
                lineage::write(tables, txn, at, no, from, link, count)?;
            }
            events::append(tables, txn, at, Some(no), Event::Forked { from, count })?;
            Ok(no)
        })
    }
}
