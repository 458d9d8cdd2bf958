//! The chunks of items that are asked for one after the other.

use vox_format::chunk::Chunk;
use vox_store::Snapshot;
use vox_types::{Code, Error, ItemId, Result};

/// The chunk that was read last: the next item most often stands in it too.
pub(crate) struct Chunks<'s, 't> {
    snapshot: &'s Snapshot<'t>,
    open: Option<(u32, u32, Chunk<'t>)>,
}

impl<'s, 't> Chunks<'s, 't> {
    /// Reads chunks of `snapshot`.
    pub(crate) fn of(snapshot: &'s Snapshot<'t>) -> Self {
        Self { snapshot, open: None }
    }

    /// The chunk that holds `item`, and its place there.
    pub(crate) fn at(&mut self, item: ItemId) -> Result<(&Chunk<'t>, usize)> {
        let holds = |(run, first, chunk): &(u32, u32, Chunk<'t>)| {
            let place = item.position().checked_sub(*first)? as usize;
            (*run == item.run() && place < chunk.len()).then_some(place)
        };
        let missing = || Error::new(Code::NotFound, format!("there is no item {item}"));
        if self.open.as_ref().and_then(holds).is_none() {
            let found = self.snapshot.chunk(item.run(), item.position())?;
            let (first, bytes) = found.ok_or_else(missing)?;
            self.open = Some((item.run(), first, Chunk::parse(bytes)?));
        }
        let open = self.open.as_ref().ok_or_else(missing)?;
        let place = holds(open).ok_or_else(missing)?;
        Ok((&open.2, place))
    }
}
