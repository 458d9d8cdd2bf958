//! A chunk: up to 512 items of a run as columns. See "runs, chunks" in
//! `contracts/archive-format.md`.

use std::ops::Range;

use vox_types::{
    BlobRef, CallNo, ChainHash, ContentHash, Error, Fidelity, ItemKind, Rest, Result, Role,
    SymbolNo,
};

use crate::{
    attributes::Attributes,
    cursor::{put_layout, take_array, take_one_layout},
    packed::{self, Column},
    preview_blocks::{self, Blocks, PreviewReader, Texts},
};

/// The layout of chunks.
const LAYOUT: u8 = 3;
/// The layout without numbers of calls.
const WITHOUT_CALLS: u8 = 2;
/// The layout of format 1, which names extras only.
const FORMAT_1: u8 = 1;

/// Most items of one chunk.
pub const MAX_ITEMS: usize = 512;

/// An item as a chunk holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemRow {
    /// The blob of the item bytes.
    pub content: BlobRef,
    /// What is left of its source record.
    pub rest: Option<Rest>,
    /// UTC milliseconds.
    pub created_at: i64,
    /// Length of the item bytes.
    pub byte_len: u64,
    /// Who speaks.
    pub role: Role,
    /// What the item is.
    pub kind: ItemKind,
    /// How vox knows it.
    pub fidelity: Fidelity,
    /// Whether the source had blanked it out.
    pub redacted: bool,
    /// Whether it stands on no parent chain.
    pub side: bool,
    /// Whether nothing but its hash and its place is left.
    pub purged: bool,
    /// The tool of a call or result, the model of an answer; 0 is none.
    pub name: SymbolNo,
    /// Tokens, roughly; 0 is unknown.
    pub token_estimate: u32,
    /// Joins a tool call and its results, see [`vox_types::call_number`]; 0 is none.
    pub call: CallNo,
    /// The start of the item as one line, see [`crate::preview`].
    pub preview: String,
}

impl ItemRow {
    fn attributes(&self) -> Attributes {
        Attributes::new(self.role, self.kind, self.fidelity, self.redacted, self.side)
            .with_purged(self.purged)
    }
}

/// The chunk of `rows`. `chain_before` is the chain hash of the last item before them on their
/// path that isn't a side item. Previews over 120 bytes are cut.
///
/// # Panics
///
/// With more than [`MAX_ITEMS`] rows.
pub fn encode_chunk(chain_before: &ChainHash, rows: &[ItemRow]) -> Vec<u8> {
    let mut out = header(chain_before, rows.len());
    write_columns(&mut out, &rows.iter().map(columns_of).collect::<Vec<_>>());
    preview_blocks::write(&mut out, None, rows.iter().map(|row| row.preview.as_str()));
    out
}

/// A chunk, read in place. Any bytes can be given to [`Chunk::parse`]; damage shows as an error,
/// there or later, or as wrong values, which the hashes reveal.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'a> {
    format_1: bool,
    chain_before: ChainHash,
    columns: [Column<'a>; COLUMNS],
    previews: Blocks<'a>,
}

const COLUMNS: usize = 8;
const CONTENT: usize = 0;
const REST: usize = 1;
const CREATED_AT: usize = 2;
const BYTE_LEN: usize = 3;
const ATTRIBUTES: usize = 4;
const NAME: usize = 5;
const TOKEN_ESTIMATE: usize = 6;
const CALL: usize = 7;

impl<'a> Chunk<'a> {
    /// The chunk in `bytes`; checks lengths and bounds.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        Self::parse_layout(bytes, &[LAYOUT, WITHOUT_CALLS])
    }

    /// The chunk of an archive of format 1 in `bytes`, for migrating it.
    pub fn parse_format_1(bytes: &'a [u8]) -> Result<Self> {
        Self::parse_layout(bytes, &[FORMAT_1])
    }

    fn parse_layout(bytes: &'a [u8], layouts: &[u8]) -> Result<Self> {
        let mut rest = bytes;
        let (layout, items) = take_one_layout(&mut rest, layouts, "a chunk")?;
        if items > MAX_ITEMS {
            return Err(Error::damaged(format!(
                "a chunk claims {items} items; it may have at most {MAX_ITEMS}"
            )));
        }
        let chain_before = ChainHash(take_array(&mut rest, "the chain before a chunk")?);
        let mut columns = [Column::zeros(items); COLUMNS];
        let stored = if layout == LAYOUT { COLUMNS } else { CALL };
        for column in &mut columns[..stored] {
            *column = Column::take(&mut rest, items)?;
        }
        let previews = Blocks::parse(rest, items)?;
        Ok(Self { format_1: layout == FORMAT_1, chain_before, columns, previews })
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.columns[CONTENT].len()
    }

    /// Whether it holds no item.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The chain hash of the last item before the chunk that isn't a side item.
    pub fn chain_before(&self) -> ChainHash {
        self.chain_before
    }

    /// Blob references of the item bytes.
    pub fn content(&self) -> Column<'a> {
        self.columns[CONTENT]
    }

    /// The blob of the item's bytes.
    pub fn content_at(&self, index: usize) -> BlobRef {
        BlobRef(self.columns[CONTENT].get(index))
    }

    /// Where the rest of the item's source record stands.
    pub fn rest_at(&self, index: usize) -> Option<Rest> {
        let number = self.columns[REST].get(index);
        if self.format_1 {
            number.checked_sub(1).map(|blob| Rest::Extra(BlobRef(blob)))
        } else {
            Rest::from_number(number)
        }
    }

    /// UTC milliseconds as two's complement.
    pub fn created_at(&self) -> Column<'a> {
        self.columns[CREATED_AT]
    }

    /// Lengths of the item bytes.
    pub fn byte_len(&self) -> Column<'a> {
        self.columns[BYTE_LEN]
    }

    /// Role, kind, fidelity and flags, to be read through [`Attributes`].
    pub fn attributes(&self) -> Column<'a> {
        self.columns[ATTRIBUTES]
    }

    /// Role, kind, fidelity and flags of one item.
    pub fn attributes_at(&self, index: usize) -> Attributes {
        Attributes(self.columns[ATTRIBUTES].get(index) as u16)
    }

    /// Symbols of names; 0 is none.
    pub fn name(&self) -> Column<'a> {
        self.columns[NAME]
    }

    /// Token estimates; 0 is unknown.
    pub fn token_estimate(&self) -> Column<'a> {
        self.columns[TOKEN_ESTIMATE]
    }

    /// Numbers of calls; 0 is none.
    pub fn call(&self) -> Column<'a> {
        self.columns[CALL]
    }

    /// Appends the previews of `range` to `out`, decoding only the blocks of 32 that hold them.
    pub fn previews(&self, range: Range<usize>, out: &mut Texts) -> Result<()> {
        self.preview_reader().read(range, out)
    }

    /// A reader of previews for many small ranges.
    pub fn preview_reader(&self) -> PreviewReader<'a> {
        PreviewReader::new(self.previews)
    }

    /// The chain hashes of the first `count` items. `content_hash` gives the hash of a blob.
    pub fn chains(
        &self,
        count: usize,
        mut content_hash: impl FnMut(BlobRef) -> Result<ContentHash>,
    ) -> Result<Vec<ChainHash>> {
        let mut parent = self.chain_before;
        (0..count.min(self.len()))
            .map(|index| {
                let attributes = self.attributes_at(index);
                let content = content_hash(self.content_at(index))?;
                let chain = parent.child(attributes.role(), attributes.kind()?, &content);
                if !attributes.side() {
                    parent = chain;
                }
                Ok(chain)
            })
            .collect()
    }

    /// The item at `index`.
    pub fn row(&self, index: usize) -> Result<ItemRow> {
        self.rows_of(index..index + 1)?
            .pop()
            .ok_or_else(|| Error::damaged("an item beyond the end of its chunk was asked for"))
    }

    /// All items.
    pub fn rows(&self) -> Result<Vec<ItemRow>> {
        self.rows_of(0..self.len())
    }

    /// The items of `range`.
    pub fn rows_of(&self, range: Range<usize>) -> Result<Vec<ItemRow>> {
        let mut previews = Texts::with_capacity(range.len());
        self.previews(range.clone(), &mut previews)?;
        range
            .zip(previews.iter())
            .map(|(index, preview)| {
                let attributes = self.attributes_at(index);
                Ok(ItemRow {
                    content: self.content_at(index),
                    rest: self.rest_at(index),
                    created_at: self.created_at().get(index) as i64,
                    byte_len: self.byte_len().get(index),
                    role: attributes.role(),
                    kind: attributes.kind()?,
                    fidelity: attributes.fidelity()?,
                    redacted: attributes.redacted(),
                    side: attributes.side(),
                    purged: attributes.purged(),
                    name: narrow(self.name().get(index), "a name")?,
                    token_estimate: narrow(self.token_estimate().get(index), "a token estimate")?,
                    call: narrow(self.call().get(index), "a call")?,
                    preview: preview.to_owned(),
                })
            })
            .collect()
    }

    /// The chunk with `moved(blob)` in place of each blob it refers to, in the layout of this
    /// format. Previews are taken over as they stand.
    pub fn with_blobs(&self, mut moved: impl FnMut(BlobRef) -> Result<BlobRef>) -> Result<Vec<u8>> {
        let rows: Result<Vec<_>> = (0..self.len())
            .map(|index| {
                let mut values = self.columns.map(|column| column.get(index));
                values[CONTENT] = moved(self.content_at(index))?.0;
                values[REST] = Rest::number(match self.rest_at(index) {
                    Some(Rest::Extra(blob)) => Some(Rest::Extra(moved(blob)?)),
                    rest => rest,
                });
                Ok(values)
            })
            .collect();
        let mut out = header(&self.chain_before, self.len());
        write_columns(&mut out, &rows?);
        self.previews.write(&mut out);
        Ok(out)
    }

    /// The chunk with `rows` after its items. Full preview blocks are taken over as they stand.
    ///
    /// # Panics
    ///
    /// When it would have more than [`MAX_ITEMS`] items.
    pub fn extend(&self, rows: &[ItemRow]) -> Result<Vec<u8>> {
        let mut out = header(&self.chain_before, self.len() + rows.len());
        let before = (0..self.len()).map(|index| {
            let mut values = self.columns.map(|column| column.get(index));
            values[REST] = Rest::number(self.rest_at(index));
            values
        });
        write_columns(&mut out, &before.chain(rows.iter().map(columns_of)).collect::<Vec<_>>());
        let mut open = Texts::default();
        let full = self.len() / preview_blocks::BLOCK_ITEMS * preview_blocks::BLOCK_ITEMS;
        self.previews(full..self.len(), &mut open)?;
        let previews = open.iter().chain(rows.iter().map(|row| row.preview.as_str()));
        preview_blocks::write(&mut out, Some(&self.previews), previews);
        Ok(out)
    }
}

fn narrow(value: u64, what: &str) -> Result<u32> {
    u32::try_from(value).map_err(|_| Error::damaged(format!("an item has {what} of {value}")))
}

fn header(chain_before: &ChainHash, items: usize) -> Vec<u8> {
    assert!(items <= MAX_ITEMS, "a chunk holds at most {MAX_ITEMS} items, not {items}");
    let mut out = Vec::new();
    put_layout(&mut out, LAYOUT, items as u16);
    out.extend_from_slice(&chain_before.0);
    out
}

fn columns_of(row: &ItemRow) -> [u64; COLUMNS] {
    let mut values = [0; COLUMNS];
    values[CONTENT] = row.content.0;
    values[REST] = Rest::number(row.rest);
    values[CREATED_AT] = row.created_at as u64;
    values[BYTE_LEN] = row.byte_len;
    values[ATTRIBUTES] = u64::from(row.attributes().0);
    values[NAME] = u64::from(row.name);
    values[TOKEN_ESTIMATE] = u64::from(row.token_estimate);
    values[CALL] = u64::from(row.call);
    values
}

fn write_columns(out: &mut Vec<u8>, rows: &[[u64; COLUMNS]]) {
    for column in 0..COLUMNS {
        let values = rows.iter().map(|row| row[column]);
        match column {
            CREATED_AT => packed::write_signed(out, values.map(|value| value as i64)),
            _ => packed::write(out, values),
        }
    }
}
