//! From ordinals of a window to places in runs.

use std::ops::Range;

use vox_types::{Code, Error, ItemId, Result, RunNo, WindowNo};

use super::source::{Extent, ItemSource};

/// Which items of a window.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ordinals {
    /// All in a range; what lies past the last item is left out.
    Range(Range<u64>),
    /// Exactly these, in this order.
    List(Vec<u64>),
}

impl Ordinals {
    /// How many, if all exist.
    pub fn len(&self) -> usize {
        match self {
            Self::Range(range) => range.end.saturating_sub(range.start) as usize,
            Self::List(list) => list.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Consecutive items of a run, with their place in the window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stretch {
    /// Ordinal of the first item.
    pub ordinal: u64,
    pub run: RunNo,
    pub position: u32,
    pub count: u32,
}

/// The places of `ordinals`, in their order.
pub(super) fn stretches(
    source: &impl ItemSource,
    window: WindowNo,
    ordinals: &Ordinals,
) -> Result<Vec<Stretch>> {
    let mut resolver = Resolver { source, window, extent: None, out: Vec::new() };
    match ordinals {
        Ordinals::Range(range) => {
            resolver.push(range.clone())?;
        }
        Ordinals::List(list) => {
            for part in list.chunk_by(|a, b| a.checked_add(1) == Some(*b)) {
                let last = part[part.len() - 1];
                if resolver.push(part[0]..last.saturating_add(1))? <= last {
                    return Err(Error::new(
                        Code::NotFound,
                        format!("the window ends before ordinal {last}"),
                    ));
                }
            }
        }
    }
    Ok(resolver.out)
}

/// The places of items named by their ids; neighbours in a run become one stretch.
pub(super) fn stretches_of_items(items: &[ItemId]) -> Vec<Stretch> {
    items
        .chunk_by(|a, b| a.run() == b.run() && a.position().checked_add(1) == Some(b.position()))
        .map(|items| Stretch {
            ordinal: 0,
            run: items[0].run(),
            position: items[0].position(),
            count: items.len() as u32,
        })
        .collect()
}

struct Resolver<'s, S> {
    source: &'s S,
    window: WindowNo,
    extent: Option<Extent>,
    out: Vec<Stretch>,
}

impl<S: ItemSource> Resolver<'_, S> {
    /// Adds the places of `range`; returns where the window ended, or the end of the range.
    fn push(&mut self, range: Range<u64>) -> Result<u64> {
        let mut at = range.start;
        while at < range.end {
            let Some((extent, position)) = self.extent_at(at)? else { break };
            let count = u64::from(extent.end_position() - position).min(range.end - at) as u32;
            self.out.push(Stretch { ordinal: at, run: extent.run, position, count });
            at += u64::from(count);
        }
        Ok(at)
    }

    /// The extent that holds `ordinal`, and the item's position in its run.
    fn extent_at(&mut self, ordinal: u64) -> Result<Option<(Extent, u32)>> {
        let place = |extent: Extent| Some((extent, extent.position_of(ordinal)?));
        if let Some(found) = self.extent.and_then(place) {
            return Ok(Some(found));
        }
        self.extent = self.source.extent_at(self.window, ordinal)?;
        match self.extent.map(place) {
            Some(None) => Err(beyond(self.window, ordinal)),
            found => Ok(found.flatten()),
        }
    }
}

fn beyond(window: WindowNo, ordinal: u64) -> Error {
    Error::damaged(format!("an extent of window {window} doesn't hold ordinal {ordinal}"))
}
