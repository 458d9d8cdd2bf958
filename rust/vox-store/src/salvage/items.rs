//! The items of runs: which can be saved, and their rows.

use std::collections::BTreeMap;

use vox_format::{
    chunk::{Chunk, ItemRow},
    keys,
    preview_blocks::Texts,
    rows::{self, RunRow},
};
use vox_types::{ChainHash, ContentHash, Rest, Result, RunNo, WindowNo};

use super::{
    blobs::{Blobs, Saved},
    raw::RawRuns,
    report::Report,
    source::{At, Source},
};
use crate::verify::{is_binary_preview, preview_digest};

/// An item that can be saved. Its row has no blob references yet.
#[derive(Clone)]
pub struct Item {
    /// The row.
    pub row: ItemRow,
    /// Its content.
    pub content: Saved,
    /// What is left of its record, where that is a blob.
    pub extra: Option<Saved>,
    /// Whether its preview has to be made anew.
    pub without_preview: bool,
}

/// A run of the damaged archive.
#[derive(Default)]
pub struct Run {
    /// The window that its row names as its owner.
    pub owner: Option<WindowNo>,
    /// How many items its row counts.
    pub len: u32,
    chain: Option<ChainHash>,
    /// First position, length and place of each chunk, in order, without overlaps.
    chunks: Vec<(u32, u32, At)>,
    /// Positions that can be saved, as ascending ranges: first and end.
    pub there: Vec<(u32, u32)>,
}

impl Run {
    /// The first position at or behind `position` that can be saved, and the end of the stretch
    /// that it stands in.
    pub fn next_there(&self, position: u32) -> Option<(u32, u32)> {
        let behind = self.there.partition_point(|(_, end)| *end <= position);
        self.there.get(behind).map(|(first, end)| (position.max(*first), *end))
    }
}

/// What items need to be looked at.
pub struct Items<'s> {
    source: &'s Source,
    blobs: &'s Blobs,
    raw: &'s RawRuns,
    /// Texts of symbols by number.
    symbols: &'s BTreeMap<u32, String>,
    /// Every run that has a row or chunks.
    pub runs: BTreeMap<RunNo, Run>,
    /// The chunk that was read last: run, first position and items.
    open: Option<(RunNo, u32, Vec<Option<Item>>)>,
}

impl<'s> Items<'s> {
    /// Looks at every run and chunk.
    pub fn read(
        source: &'s Source,
        blobs: &'s Blobs,
        raw: &'s RawRuns,
        symbols: &'s BTreeMap<u32, String>,
        report: &mut Report,
    ) -> Result<Self> {
        let mut runs: BTreeMap<RunNo, Run> = BTreeMap::new();
        source.rows("runs", report, |report, key, value| {
            let no = <[u8; 4]>::try_from(key).map(u32::from_be_bytes);
            match (no, rows::decode::<RunRow>(&value, "a run")) {
                (Ok(no), Ok(row)) => {
                    let (owner, chain) = (Some(row.window), Some(ChainHash(row.chain)));
                    runs.insert(no, Run { owner, len: row.len, chain, ..Run::default() });
                }
                _ => report.lost("runs", key, "the row is no run"),
            }
            Ok(())
        })?;
        for (key, at) in source.keys("chunks", report) {
            let Some((run, first)) = keys::split_pair(&key) else {
                report.lost("chunks", &key, "the key is no place in a run");
                continue;
            };
            let value = source.value(at);
            let len = value.as_deref().and_then(|value| parse(value).ok()).map_or(0, |c| c.len());
            let run = runs.entry(run).or_default();
            let free = run.chunks.last().is_none_or(|(before, len, _)| before + len <= first);
            if len == 0 || !free || first.checked_add(len as u32).is_none() {
                report.lost("chunks", &key, "the chunk can't be read");
                continue;
            }
            run.chunks.push((first, len as u32, at));
        }
        let mut items = Self { source, blobs, raw, symbols, runs, open: None };
        let all: Vec<RunNo> = items.runs.keys().copied().collect();
        for run in all {
            items.look_at(run);
        }
        Ok(items)
    }

    /// Finds what can be saved of a run.
    fn look_at(&mut self, no: RunNo) {
        let chunks = self.runs.get(&no).map(|run| run.chunks.clone()).unwrap_or_default();
        let mut there: Vec<(u32, u32)> = Vec::new();
        for (first, _, _) in chunks {
            self.open = None;
            let items = self.chunk(no, first);
            let saved = items.iter().enumerate().filter(|(_, item)| item.is_some());
            for position in saved.map(|(index, _)| first + index as u32) {
                match there.last_mut() {
                    Some((_, end)) if *end == position => *end += 1,
                    _ => there.push((position, position + 1)),
                }
            }
        }
        if let Some(run) = self.runs.get_mut(&no) {
            run.there = there;
        }
    }

    /// The item at `position`, which can be saved.
    pub fn get(&mut self, no: RunNo, position: u32) -> Option<Item> {
        let run = self.runs.get(&no)?;
        let behind = run.chunks.partition_point(|(first, ..)| *first <= position);
        let (first, ..) = *run.chunks.get(behind.checked_sub(1)?)?;
        self.chunk(no, first).get((position - first) as usize)?.clone()
    }

    /// The items of the chunk that starts at `first`; none where one can't be saved.
    fn chunk(&mut self, no: RunNo, first: u32) -> &[Option<Item>] {
        let read = self.open.as_ref().is_some_and(|(run, start, _)| (*run, *start) == (no, first));
        if !read {
            let items = self.read_chunk(no, first).unwrap_or_default();
            self.open = Some((no, first, items));
        }
        self.open.as_ref().map_or(&[], |(_, _, items)| items.as_slice())
    }

    fn read_chunk(&self, no: RunNo, first: u32) -> Option<Vec<Option<Item>>> {
        let run = self.runs.get(&no)?;
        let place = run.chunks.iter().position(|(start, ..)| *start == first)?;
        let (_, len, at) = *run.chunks.get(place)?;
        let value = self.source.value(at)?;
        let chunk = parse(&value).ok()?;
        let after = match run.chunks.get(place + 1) {
            Some((next, _, at)) if *next == first + len => {
                self.source.value(*at).and_then(|value| Some(parse(&value).ok()?.chain_before()))
            }
            None if first + len == run.len => run.chain,
            _ => None,
        };
        let proven = after.is_some() && self.chain_of(&chunk) == after;
        let mut previews = Texts::with_capacity(chunk.len());
        let readable = chunk.previews(0..chunk.len(), &mut previews).is_ok();
        let items = (0..chunk.len()).map(|index| {
            let preview = previews.get(index).filter(|_| readable);
            self.item(&chunk, index, preview, proven)
        });
        Some(items.collect())
    }

    /// The chain before `position` in the damaged archive, if what it is made of was saved.
    pub fn chain_before(&self, no: RunNo, position: u32) -> Option<ChainHash> {
        let run = self.runs.get(&no)?;
        let behind = run.chunks.partition_point(|(first, ..)| *first <= position);
        let Some(place) = behind.checked_sub(1) else {
            return run.chain.filter(|_| run.len == position);
        };
        let (first, len, at) = *run.chunks.get(place)?;
        if position - first > len {
            return None;
        }
        let value = self.source.value(at)?;
        self.chain_within(&parse(&value).ok()?, (position - first) as usize)
    }

    /// The chain behind a chunk, as its rows say it.
    fn chain_of(&self, chunk: &Chunk<'_>) -> Option<ChainHash> {
        self.chain_within(chunk, chunk.len())
    }

    /// The chain behind the first `count` items of a chunk.
    fn chain_within(&self, chunk: &Chunk<'_>, count: usize) -> Option<ChainHash> {
        let mut chain = chunk.chain_before();
        for index in 0..count {
            let attributes = chunk.attributes_at(index);
            let content = self.blobs.get(chunk.content_at(index))?;
            if !attributes.side() {
                chain = chain.child(attributes.role(), attributes.kind().ok()?, &content.hash);
            }
        }
        Some(chain)
    }

    /// An item whose content is there and, unless the chain proves it, looks as its row says.
    fn item(
        &self,
        chunk: &Chunk<'_>,
        index: usize,
        preview: Option<&str>,
        proven: bool,
    ) -> Option<Item> {
        let attributes = chunk.attributes_at(index);
        let content = *self.blobs.get(chunk.content_at(index))?;
        if content.gone && !attributes.purged() {
            return None;
        }
        let looks_so = u64::from(content.length) == chunk.byte_len().get(index);
        let shown = preview.filter(|preview| {
            let length = content.length.into();
            let digest = preview_digest(preview.as_bytes());
            content.gone
                || attributes.purged()
                || digest == content.preview
                || is_binary_preview(preview, length)
        });
        let looks_right = looks_so && shown.is_some();
        if !proven && !looks_right {
            return None;
        }
        let extra = match chunk.rest_at(index) {
            Some(Rest::Extra(blob)) => self.blobs.get(blob).copied(),
            _ => None,
        };
        let name = u32::try_from(chunk.name().get(index)).unwrap_or(0);
        Some(Item {
            row: ItemRow {
                content: vox_types::BlobRef(0),
                rest: chunk.rest_at(index).filter(|rest| match rest {
                    Rest::Record(record) => self.raw.has(*record),
                    Rest::Extra(_) => false,
                }),
                created_at: chunk.created_at().get(index) as i64,
                byte_len: content.length.into(),
                role: attributes.role(),
                kind: attributes.kind().ok()?,
                fidelity: attributes.fidelity().ok()?,
                redacted: attributes.redacted(),
                side: attributes.side(),
                purged: attributes.purged(),
                name: if self.symbols.contains_key(&name) { name } else { 0 },
                token_estimate: u32::try_from(chunk.token_estimate().get(index)).unwrap_or(0),
                call: u32::try_from(chunk.call().get(index)).unwrap_or(0),
                preview: shown.unwrap_or_default().to_owned(),
            },
            content,
            extra,
            without_preview: shown.is_none(),
        })
    }

    /// The text of a symbol.
    pub fn symbol(&self, no: u32) -> Option<&str> {
        self.symbols.get(&no).map(String::as_str)
    }
}

impl Item {
    /// The hash of its content.
    pub fn hash(&self) -> ContentHash {
        self.content.hash
    }
}

fn parse(value: &[u8]) -> Result<Chunk<'_>> {
    Chunk::parse(value).or_else(|_| Chunk::parse_format_1(value))
}
