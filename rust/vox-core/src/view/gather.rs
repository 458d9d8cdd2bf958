//! Collects the columns of stretches from their chunks.

use vox_format::{
    chunk::Chunk,
    preview_blocks::{PreviewReader, Texts},
};
use vox_types::{ChainHash, Code, Error, ItemId, Result};

use super::{batch::Columns, source::ItemSource, stretch::Stretch};

/// Most rows of one batch: their previews fit Arrow's 32-bit offsets.
const MAX_ROWS: u64 = 1 << 24;

/// Rows that room is set aside for before they are read; damaged extents may claim any number.
const RESERVED: u64 = 1 << 16;

/// Columns of items, not yet in Arrow's form; signed numbers as two's complement.
pub(super) struct Gathered {
    pub items: Vec<u64>,
    pub attributes: Vec<u64>,
    pub created_at: Vec<u64>,
    pub byte_len: Vec<u64>,
    pub token_estimate: Vec<u64>,
    pub name: Vec<u64>,
    pub call: Vec<u64>,
    pub previews: Texts,
    pub content_hash: Vec<u8>,
    pub chain_hash: Vec<u8>,
}

/// Reads the columns of `stretches`.
pub(super) fn gather(
    source: &impl ItemSource,
    stretches: &[Stretch],
    want: Columns,
) -> Result<Gathered> {
    let rows: u64 = stretches.iter().map(|stretch| u64::from(stretch.count)).sum();
    if rows > MAX_ROWS {
        return Err(Error::new(
            Code::TooLarge,
            format!("{rows} rows in one batch; ask for at most {MAX_ROWS} at a time"),
        ));
    }
    let rows = rows.min(RESERVED) as usize;
    let column = || Vec::with_capacity(rows);
    let mut out = Gathered {
        items: column(),
        attributes: column(),
        created_at: column(),
        byte_len: column(),
        token_estimate: column(),
        name: column(),
        call: column(),
        previews: Texts::with_capacity(if want.preview { rows } else { 0 }),
        content_hash: Vec::new(),
        chain_hash: Vec::new(),
    };
    let mut open: Option<OpenChunk<'_>> = None;
    for stretch in stretches {
        let mut at = stretch.position;
        let mut left = stretch.count;
        while left > 0 {
            let chunk = match open.take().filter(|chunk| chunk.holds(stretch.run, at)) {
                Some(chunk) => open.insert(chunk),
                None => open.insert(OpenChunk::read(source, stretch.run, at)?),
            };
            let first = (at - chunk.first) as usize;
            let count = (chunk.chunk.len() - first).min(left as usize);
            chunk.take(source, first..first + count, want, &mut out)?;
            left -= count as u32;
            at = at.wrapping_add(count as u32);
        }
    }
    Ok(out)
}

struct OpenChunk<'a> {
    run: u32,
    first: u32,
    chunk: Chunk<'a>,
    previews: PreviewReader<'a>,
    chains: Vec<ChainHash>,
}

impl<'a> OpenChunk<'a> {
    fn read(source: &'a impl ItemSource, run: u32, position: u32) -> Result<Self> {
        let missing =
            || Error::damaged(format!("no chunk holds the item {}", ItemId::new(run, position)));
        let (first, bytes) = source.chunk(run, position)?.ok_or_else(missing)?;
        let chunk = Chunk::parse(bytes)?;
        let previews = chunk.preview_reader();
        let open = Self { run, first, chunk, previews, chains: Vec::new() };
        if open.holds(run, position) { Ok(open) } else { Err(missing()) }
    }

    fn holds(&self, run: u32, position: u32) -> bool {
        let offset = position.checked_sub(self.first);
        self.run == run && offset.is_some_and(|offset| (offset as usize) < self.chunk.len())
    }

    fn take(
        &mut self,
        source: &impl ItemSource,
        range: std::ops::Range<usize>,
        want: Columns,
        out: &mut Gathered,
    ) -> Result<()> {
        let chunk = &self.chunk;
        let first = ItemId::new(self.run, self.first).0;
        out.items.extend(range.clone().map(|index| first + index as u64));
        chunk.attributes().fill(range.clone(), &mut out.attributes);
        chunk.created_at().fill(range.clone(), &mut out.created_at);
        chunk.byte_len().fill(range.clone(), &mut out.byte_len);
        chunk.token_estimate().fill(range.clone(), &mut out.token_estimate);
        chunk.name().fill(range.clone(), &mut out.name);
        chunk.call().fill(range.clone(), &mut out.call);
        if want.preview {
            self.previews.read(range.clone(), &mut out.previews)?;
        }
        if want.content_hash {
            for index in range.clone() {
                let hash = source.content_hash(chunk.content_at(index))?;
                out.content_hash.extend_from_slice(&hash.0);
            }
        }
        if want.chain_hash {
            if self.chains.len() < range.end {
                let count = if self.chains.is_empty() { range.end } else { chunk.len() };
                self.chains = chunk.chains(count, |blob| source.content_hash(blob))?;
            }
            let chains = self.chains.get(range).unwrap_or_default();
            chains.iter().for_each(|chain| out.chain_hash.extend_from_slice(&chain.0));
        }
        Ok(())
    }
}
