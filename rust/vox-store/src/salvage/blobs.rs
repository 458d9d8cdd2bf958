//! Blobs whose bytes have their hash.

use std::collections::HashMap;

use rayon::prelude::*;
use vox_format::{
    cursor::u32_at,
    keys,
    leaf::Leaf,
    preview::preview,
    segment::{GONE, Group},
};
use vox_types::{BlobRef, ContentHash, Result};

use super::{report::Report, source::Source};
use crate::{
    blobs::decompress,
    cores,
    exchange::{Builder, blob_name},
    verify::preview_digest,
};

/// What is known of a blob: 48 bytes.
#[derive(Clone, Copy)]
pub struct Saved {
    /// The hash of its content.
    pub hash: ContentHash,
    /// How long its content is.
    pub length: u32,
    /// Digest of the preview of its content.
    pub preview: u32,
    /// Whether its content had been removed before.
    pub gone: bool,
}

impl Saved {
    /// How lines name it.
    pub fn name(&self) -> String {
        blob_name(&self.hash.0, self.gone)
    }
}

/// The blobs that were saved, by their references in the damaged archive.
#[derive(Default)]
pub struct Blobs {
    groups: Vec<(u64, Vec<Option<Saved>>)>,
}

impl Blobs {
    /// The blob, if it was saved.
    pub fn get(&self, blob: BlobRef) -> Option<&Saved> {
        let behind = self.groups.partition_point(|(first, _)| *first <= blob.0);
        let (first, slots) = self.groups.get(behind.checked_sub(1)?)?;
        slots.get(usize::try_from(blob.0 - first).ok()?)?.as_ref()
    }
}

/// Groups that are looked at together on all cores. Judgement.
const ROUND: usize = 64;

/// Copies every blob whose bytes have their hash.
pub fn copy(source: &Source, report: &mut Report, builder: &mut Builder) -> Result<Blobs> {
    let holds = holds(source, report)?;
    let mut rows = Vec::new();
    for (key, at) in source.keys("segments", report) {
        match <[u8; 8]>::try_from(key.as_slice()).map(u64::from_be_bytes) {
            Ok(segment) if segment < 1 << 48 => rows.push((segment << 16, "segments", key, at)),
            _ => report.lost("segments", &key, "the key is no number of a segment"),
        }
    }
    for (key, at) in source.keys("tails", report) {
        match keys::split_tail(&key).filter(|(segment, _)| *segment < 1 << 48) {
            Some((segment, slot)) => {
                rows.push((segment << 16 | u64::from(slot), "tails", key, at));
            }
            None => report.lost("tails", &key, "the key is no place in a segment"),
        }
    }
    // A closed segment has all its blobs in one value.
    rows.sort_by_key(|(first, table, ..)| (*first, *table == "tails"));
    rows.dedup_by_key(|(first, ..)| *first);
    let mut blobs = Blobs::default();
    for round in rows.chunks(ROUND) {
        let look = || {
            let groups = round.par_iter().map(|(.., at)| source.value(*at).map(|v| examine(&v)));
            groups.collect::<Vec<_>>()
        };
        for ((first, table, key, _), group) in round.iter().zip(cores::on_all(look)?) {
            let Some(slots) = group else {
                report.lost(table, key, "its value can't be read");
                continue;
            };
            let before = blobs.groups.last().map_or(0, |(first, slots)| first + slots.len() as u64);
            if before > *first {
                report.lost(table, key, "it stands within another group");
                continue;
            }
            let mut known = Vec::with_capacity(slots.len());
            for (slot, found) in slots.into_iter().enumerate() {
                let (saved, content) = match found {
                    Ok(found) => found,
                    Err(message) => {
                        *report.lost.entry("blobs").or_default() += 1;
                        report.lost(table, key, format!("blob {slot}: {message}"));
                        known.push(None);
                        continue;
                    }
                };
                known.push(Some(saved));
                match content {
                    Some(content) => {
                        let held = holds.get(&(first + slot as u64));
                        let held = held.filter(|(prefix, _)| *prefix == saved.hash.prefix());
                        let held = held.map_or(0, |(_, holds)| *holds);
                        let held = u32::try_from(held.clamp(0, i32::MAX.into())).unwrap_or(0);
                        builder.add(content, held)?;
                        report.saved("blobs", 1);
                    }
                    None => builder.gone(saved.hash, saved.length)?,
                }
            }
            blobs.groups.push((*first, known));
        }
    }
    Ok(blobs)
}

type Found = std::result::Result<(Saved, Option<Vec<u8>>), String>;

fn examine(value: &[u8]) -> Vec<Found> {
    let Ok(group) = Group::parse(value) else {
        return vec![Err("the table of the group can't be read".into())];
    };
    // The frame that was decompressed last: others may stand in it too.
    let mut frame: Option<(&[u8], Option<Vec<u8>>)> = None;
    let examine = |number: usize| {
        let placed = group.placed(number).map_err(|error| error.message)?;
        let (hash, length, gone) = (placed.hash, placed.raw_len, placed.codec == GONE);
        let saved = Saved { hash, length, preview: 0, gone };
        if gone {
            return Ok((saved, None));
        }
        if frame.as_ref().is_none_or(|(of, _)| !std::ptr::eq(*of, placed.frame)) {
            let raw = u32::try_from(placed.frame_len).ok();
            let raw = raw.and_then(|len| decompress(placed.codec, placed.frame, len).ok());
            frame = Some((placed.frame, raw));
        }
        let range = placed.at as usize..(placed.at + u64::from(placed.raw_len)) as usize;
        let content = frame.as_ref().and_then(|(_, raw)| raw.as_ref()?.get(range));
        let content = content.ok_or("it can't be decompressed")?;
        if ContentHash::of(content) != hash {
            return Err("its content doesn't have its hash".into());
        }
        let preview = preview_digest(preview(content).as_bytes());
        Ok((Saved { preview, ..saved }, Some(content.to_vec())))
    };
    (0..group.len().min(1 << 16)).map(examine).collect()
}

/// The prefix and holds of each blob that is held, by its reference.
fn holds(source: &Source, report: &mut Report) -> Result<HashMap<u64, (u64, i64)>> {
    let mut held: HashMap<u64, (u64, i64)> = HashMap::new();
    let mut add = |prefix: u64, payload: u64, holds: i64| {
        if holds != 0 {
            let (_, sum) = held.entry(payload).or_insert((prefix, 0));
            *sum = sum.saturating_add(holds);
        }
    };
    source.rows("blob_recent", report, |_, key, value| {
        if let Some((prefix, payload)) = keys::split_wide_pair(key).filter(|_| value.len() == 8) {
            add(prefix, payload, i64::from(u32_at(&value, 1) as i32));
        }
        Ok(())
    })?;
    source.rows("blob_levels", report, |report, key, value| {
        match Leaf::parse(&value) {
            Ok(leaf) => {
                leaf.entries().for_each(|entry| add(entry.prefix, entry.payload, entry.holds));
            }
            Err(error) => report.lost("blob_levels", key, error.message),
        }
        Ok(())
    })?;
    Ok(held)
}
