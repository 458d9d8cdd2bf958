//! Previews in blocks of 32, each compressed with LZ4, so that a viewport decodes a few.

use std::ops::Range;

use vox_types::{Error, Result};

use crate::preview::{MAX_PREVIEW, cut};

/// Previews in one block; only the last block of a chunk has fewer.
pub const BLOCK_ITEMS: usize = 32;

/// Bytes set aside for a preview that isn't known yet.
const TYPICAL: usize = 64;

/// Texts in one buffer, as Arrow keeps them: text `i` is `bytes[offsets[i]..offsets[i + 1]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texts {
    offsets: Vec<i32>,
    bytes: Vec<u8>,
}

impl Default for Texts {
    fn default() -> Self {
        Self::with_capacity(0)
    }
}

impl Texts {
    /// No texts, with room for `count` previews.
    pub fn with_capacity(count: usize) -> Self {
        let mut offsets = Vec::with_capacity(count + 1);
        offsets.push(0);
        Self { offsets, bytes: Vec::with_capacity(count * TYPICAL) }
    }

    /// Number of texts.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The text at `index`.
    pub fn get(&self, index: usize) -> Option<&str> {
        let (from, to) = (self.offsets.get(index)?, self.offsets.get(index + 1)?);
        std::str::from_utf8(self.bytes.get(*from as usize..*to as usize)?).ok()
    }

    /// Every text in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    /// Adds `text`.
    pub fn push(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
        self.offsets.push(self.bytes.len() as i32);
    }

    /// The offsets (one more than texts) and the UTF-8 bytes.
    pub fn into_parts(self) -> (Vec<i32>, Vec<u8>) {
        (self.offsets, self.bytes)
    }
}

/// The preview blocks of a chunk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocks<'a> {
    items: usize,
    ends: &'a [[u8; 4]],
    bytes: &'a [u8],
}

impl<'a> Blocks<'a> {
    /// The blocks of `items` previews, which take all of `bytes`.
    pub(crate) fn parse(bytes: &'a [u8], items: usize) -> Result<Self> {
        let count = items.div_ceil(BLOCK_ITEMS);
        let (ends, blocks) = bytes.split_at_checked(count * 4).ok_or_else(cut_off)?;
        let (ends, _) = ends.as_chunks::<4>();
        let mut last = 0;
        for end in ends {
            let end = u32::from_le_bytes(*end);
            if end < last {
                return Err(Error::damaged("the preview blocks of a chunk stand out of order"));
            }
            last = end;
        }
        if last as usize != blocks.len() {
            return Err(cut_off());
        }
        Ok(Self { items, ends, bytes: blocks })
    }

    /// The blocks that are full, as stored: their ends and their bytes.
    fn full(&self) -> (&'a [[u8; 4]], &'a [u8]) {
        let ends = self.ends.get(..self.items / BLOCK_ITEMS).unwrap_or_default();
        let length = ends.last().map_or(0, |end| u32::from_le_bytes(*end) as usize);
        (ends, self.bytes.get(..length).unwrap_or_default())
    }

    /// Writes all blocks as they stand.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.ends.as_flattened());
        out.extend_from_slice(self.bytes);
    }

    fn packed(&self, block: usize) -> Option<&'a [u8]> {
        let end = |index: usize| self.ends.get(index).map(|end| u32::from_le_bytes(*end) as usize);
        let from = if block == 0 { 0 } else { end(block - 1)? };
        self.bytes.get(from..end(block)?)
    }
}

/// Reads previews of one chunk and keeps the block it decompressed last, so that neighbours that
/// are asked for one by one cost one decompression.
#[derive(Clone, Debug)]
pub struct PreviewReader<'a> {
    blocks: Blocks<'a>,
    raw: Vec<u8>,
    current: Option<usize>,
}

impl<'a> PreviewReader<'a> {
    pub(crate) fn new(blocks: Blocks<'a>) -> Self {
        Self { blocks, raw: Vec::new(), current: None }
    }

    /// Appends the previews of `range` to `out`, decoding only the blocks of 32 that hold them.
    pub fn read(&mut self, range: Range<usize>, out: &mut Texts) -> Result<()> {
        let items = self.blocks.items;
        if range.end > items {
            return Err(Error::damaged("a preview beyond the end of its chunk was asked for"));
        }
        let mut at = range.start;
        while at < range.end {
            let block = at / BLOCK_ITEMS;
            let first = block * BLOCK_ITEMS;
            let size = BLOCK_ITEMS.min(items - first);
            let to = range.end.min(first + size);
            self.unpack(block, size)?;
            append(&self.raw, size, at - first..to - first, out)?;
            at = to;
        }
        Ok(())
    }

    fn unpack(&mut self, block: usize, size: usize) -> Result<()> {
        if self.current == Some(block) {
            return Ok(());
        }
        self.current = None;
        let packed = self.blocks.packed(block);
        let (length, packed) = packed.and_then(<[u8]>::split_first_chunk).ok_or_else(cut_off)?;
        let length = usize::from(u16::from_le_bytes(*length));
        self.raw.resize(length, 0);
        match lz4_flex::block::decompress_into(packed, &mut self.raw) {
            Ok(written) if written == length && length >= size => self.current = Some(block),
            _ => return Err(Error::damaged("a preview block can't be decompressed")),
        }
        Ok(())
    }
}

/// Adds the ends and the blocks of `previews` to `out`, after the full blocks of `before`, which
/// are taken over as they stand. Previews longer than [`MAX_PREVIEW`] are cut.
pub(crate) fn write<'t>(
    out: &mut Vec<u8>,
    before: Option<&Blocks<'_>>,
    previews: impl Iterator<Item = &'t str>,
) {
    let (ends, bytes) = before.map(Blocks::full).unwrap_or_default();
    let mut ends = ends.as_flattened().to_vec();
    let mut blocks = bytes.to_vec();
    let mut previews = previews.map(|text| cut(text, MAX_PREVIEW)).peekable();
    while previews.peek().is_some() {
        let texts: Vec<&str> = previews.by_ref().take(BLOCK_ITEMS).collect();
        let mut raw: Vec<u8> = texts.iter().map(|text| text.len() as u8).collect();
        texts.iter().for_each(|text| raw.extend_from_slice(text.as_bytes()));
        blocks.extend_from_slice(&(raw.len() as u16).to_le_bytes());
        blocks.extend_from_slice(&lz4_flex::block::compress(&raw));
        ends.extend_from_slice(&(blocks.len() as u32).to_le_bytes());
    }
    out.extend_from_slice(&ends);
    out.extend_from_slice(&blocks);
}

/// Appends the texts of `range` in a decompressed block of `size` texts.
fn append(raw: &[u8], size: usize, range: Range<usize>, out: &mut Texts) -> Result<()> {
    let (lengths, texts) = raw.split_at_checked(size).ok_or_else(cut_off)?;
    let sum = |lengths: &[u8]| lengths.iter().map(|&length| usize::from(length)).sum::<usize>();
    let from = sum(&lengths[..range.start]);
    let to = from + sum(&lengths[range.clone()]);
    if to + sum(&lengths[range.end..]) != texts.len() {
        return Err(Error::damaged("the lengths in a preview block don't add up"));
    }
    let not_text = || Error::damaged("a preview is no UTF-8");
    let text = std::str::from_utf8(&texts[from..to]).map_err(|_| not_text())?;
    let (mark, start) = (out.offsets.len(), out.bytes.len());
    let mut end = 0;
    for &length in &lengths[range] {
        end += usize::from(length);
        if !text.is_char_boundary(end) {
            out.offsets.truncate(mark);
            return Err(not_text());
        }
        out.offsets.push((start + end) as i32);
    }
    out.bytes.extend_from_slice(text.as_bytes());
    Ok(())
}

fn cut_off() -> Error {
    Error::damaged("the previews of a chunk are cut off")
}
