//! The items of an outline, column by column.

use std::ops::Range;

use vox_format::{
    attributes::Attributes,
    chunk::Chunk,
    packed::Column,
    rows::{Extent, OverlayRange},
};
use vox_store::Snapshot;
use vox_types::{Error, ItemId, ItemKind, Result, SymbolNo, WindowNo};

/// An item that isn't taken out of the committed set and has no place in it either.
const NOT_COMMITTED: i64 = -2;

/// An item whose fate nobody set.
const NO_FATE: i8 = -1;

/// Rows that room is set aside for before they are read; a damaged row may claim any number.
const RESERVED: u64 = 1 << 17;

/// What holds of an item or doesn't.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Flag {
    /// It stands on no parent chain.
    Side = 1,
    /// Its user wants it kept.
    Pinned = 2,
    /// The source had blanked it out.
    Redacted = 4,
    /// Nothing but its hash and its place is left.
    Purged = 8,
    /// It is hidden.
    Trimmed = 16,
    /// A source record that is no part of the conversation.
    Record = 32,
}

/// The columns of an outline; all have a row for each item.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OutlineColumns {
    /// Item ids.
    pub items: Vec<u64>,
    /// Blob references of the item bytes: equal for equal bytes.
    pub contents: Vec<u64>,
    /// UTC milliseconds as two's complement.
    pub created_at: Vec<u64>,
    /// Lengths of the item bytes.
    pub byte_len: Vec<u64>,
    /// Tokens, roughly; 0 is unknown.
    pub token_estimate: Vec<u32>,
    /// Places in `name_texts`.
    pub names: Vec<u32>,
    /// Numbers of [`vox_types::Role`].
    pub roles: Vec<u8>,
    /// Numbers of [`ItemKind`].
    pub kinds: Vec<u8>,
    /// Sums of [`Flag`].
    pub flags: Vec<u8>,
    /// Which call a tool call or result belongs to; 0 is none.
    pub calls: Vec<u32>,
    /// Positions in the committed set; −1 taken out of it, −2 neither.
    pub committed: Vec<i64>,
    /// Numbers of the fates that were set by hand; −1 none.
    pub fates: Vec<i8>,
    /// The names that occur, after "" for none.
    pub name_texts: Vec<String>,
}

impl OutlineColumns {
    /// What chunks say of the first `items` items of a window.
    pub(super) fn of(snapshot: &Snapshot<'_>, window: WindowNo, items: u64) -> Result<Self> {
        let mut out = Self { name_texts: vec![String::new()], ..Self::default() };
        out.reserve(items.min(RESERVED) as usize);
        let mut names = Names::of(snapshot)?;
        let mut scratch = Vec::new();
        for extent in snapshot.extents(window)? {
            let left = items.saturating_sub(out.items.len() as u64);
            let end = extent.first.saturating_add(u64::from(extent.count).min(left) as u32);
            let mut at = extent.first;
            while at < end {
                let (first, chunk) = chunk_of(snapshot, &extent, at)?;
                let places = (at - first) as usize..chunk.len().min((end - first) as usize);
                at += places.len() as u32;
                out.take(&chunk, ItemId::new(extent.run, first), places, &mut scratch)?;
                let symbols = scratch.iter();
                let texts = &mut out.name_texts;
                let found = symbols.map(|symbol| names.place(snapshot, *symbol, texts));
                for place in found {
                    out.names.push(place?);
                }
            }
        }
        if (out.items.len() as u64) < items {
            let found = out.items.len();
            let says = format!("window {window} has {items} items, but shows only {found}");
            return Err(Error::damaged(says));
        }
        out.committed.resize(out.items.len(), NOT_COMMITTED);
        out.fates.resize(out.items.len(), NO_FATE);
        Ok(out)
    }

    fn reserve(&mut self, rows: usize) {
        let wide = [&mut self.items, &mut self.contents, &mut self.created_at, &mut self.byte_len];
        wide.into_iter().for_each(|column| column.reserve(rows));
        let words = [&mut self.token_estimate, &mut self.names, &mut self.calls];
        words.into_iter().for_each(|column| column.reserve(rows));
        let bytes = [&mut self.roles, &mut self.kinds, &mut self.flags];
        bytes.into_iter().for_each(|column| column.reserve(rows));
    }

    /// Takes all but the names over from a chunk, and leaves their symbols in `scratch`.
    fn take(
        &mut self,
        chunk: &Chunk<'_>,
        first: ItemId,
        places: Range<usize>,
        scratch: &mut Vec<u64>,
    ) -> Result<()> {
        let column = |column: Column<'_>, scratch: &mut Vec<u64>| {
            scratch.clear();
            column.fill(places.clone(), scratch);
        };
        self.items.extend(places.clone().map(|place| first.0 + place as u64));
        chunk.content().fill(places.clone(), &mut self.contents);
        chunk.created_at().fill(places.clone(), &mut self.created_at);
        chunk.byte_len().fill(places.clone(), &mut self.byte_len);
        column(chunk.token_estimate(), scratch);
        let estimates = scratch.iter().map(|tokens| u32::try_from(*tokens).unwrap_or(u32::MAX));
        self.token_estimate.extend(estimates);
        column(chunk.call(), scratch);
        self.calls.extend(scratch.iter().map(|call| u32::try_from(*call).unwrap_or(0)));
        column(chunk.attributes(), scratch);
        for word in &*scratch {
            let attributes = Attributes(*word as u16);
            let kind = attributes.kind()?;
            self.roles.push(attributes.role() as u8);
            self.kinds.push(kind as u8);
            self.flags.push(flags(attributes, kind));
        }
        column(chunk.name(), scratch);
        Ok(())
    }

    /// Sets a flag of all items in `ranges`.
    pub(super) fn flag(&mut self, flag: Flag, ranges: &[OverlayRange]) {
        for range in ranges {
            within(&mut self.flags, range).iter_mut().for_each(|flags| *flags |= flag as u8);
        }
    }

    /// Takes over what stands in the committed set.
    pub(super) fn commit(&mut self, ranges: &[OverlayRange]) {
        for range in ranges {
            within(&mut self.committed, range).fill(range.value);
        }
    }

    /// Takes over the fates that were set.
    pub(super) fn decide(&mut self, ranges: &[OverlayRange]) {
        for range in ranges {
            let fate = i8::try_from(range.value).unwrap_or(NO_FATE);
            within(&mut self.fates, range).fill(fate);
        }
    }
}

/// The rows of a column that a range is about.
fn within<'c, T>(column: &'c mut [T], range: &OverlayRange) -> &'c mut [T] {
    let place = |ordinal: u64| usize::try_from(ordinal).unwrap_or(usize::MAX).min(column.len());
    let (start, end) = (place(range.first), place(range.end()));
    &mut column[start..end]
}

fn flags(attributes: Attributes, kind: ItemKind) -> u8 {
    let flag = |holds: bool, flag: Flag| u8::from(holds) * flag as u8;
    flag(attributes.side(), Flag::Side)
        | flag(attributes.redacted(), Flag::Redacted)
        | flag(attributes.purged(), Flag::Purged)
        | flag(kind == ItemKind::Record, Flag::Record)
}

fn chunk_of<'t>(snapshot: &Snapshot<'t>, extent: &Extent, at: u32) -> Result<(u32, Chunk<'t>)> {
    let missing =
        || Error::damaged(format!("no chunk holds the item {}", ItemId::new(extent.run, at)));
    let (first, bytes) = snapshot.chunk(extent.run, at)?.ok_or_else(missing)?;
    let chunk = Chunk::parse(bytes)?;
    let holds = at.checked_sub(first).is_some_and(|place| (place as usize) < chunk.len());
    if holds { Ok((first, chunk)) } else { Err(missing()) }
}

/// Where the text of each symbol stands among those that occur; 0 while it doesn't.
struct Names(Vec<u32>);

impl Names {
    fn of(snapshot: &Snapshot<'_>) -> Result<Self> {
        let symbols = snapshot.symbol_count()?.min(u64::from(SymbolNo::MAX)) as usize;
        Ok(Self(vec![0; symbols + 1]))
    }

    fn place(
        &mut self,
        snapshot: &Snapshot<'_>,
        symbol: u64,
        texts: &mut Vec<String>,
    ) -> Result<u32> {
        let missing = || Error::damaged(format!("the symbol {symbol} has no text"));
        let place = usize::try_from(symbol).ok().and_then(|symbol| self.0.get_mut(symbol));
        let place = place.ok_or_else(missing)?;
        if *place == 0 && symbol != 0 {
            *place = texts.len() as u32;
            texts.push(snapshot.symbol(symbol as SymbolNo)?.ok_or_else(missing)?.into_owned());
        }
        Ok(*place)
    }
}
