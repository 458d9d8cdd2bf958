//! What picking items tears apart: tool calls and their results.

mod matching;

use std::{collections::BTreeMap, ops::Range};

use vox_format::chunk::Chunk;
use vox_store::{Snapshot, window_ops::Places};
use vox_types::{Error, ItemKind, Result, WindowNo};

use self::matching::{Half, matched};
use super::Archive;

/// How many picked items lack the other half of their pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Unpaired {
    /// Results whose call wasn't picked.
    pub results: u64,
    /// Calls of whose results one wasn't picked.
    pub calls: u64,
}

impl Archive {
    /// What picking `parts` would tear apart. Which result belongs to which call is said under
    /// "calls" in `contracts/archive-format.md`.
    pub fn unpaired(&self, parts: &[Places]) -> Result<Unpaired> {
        let mut picked: BTreeMap<WindowNo, Vec<Range<u64>>> = BTreeMap::new();
        for part in parts {
            picked.entry(part.window).or_default().extend(part.ordinals.iter().cloned());
        }
        let mut sum = Unpaired::default();
        for (window, ranges) in picked {
            let pairs = self.store.snapshot(|snapshot| pairs(snapshot, window))?;
            let has = |ordinal: u64| ranges.iter().any(|range| range.contains(&ordinal));
            for of_call in pairs.chunk_by(|a, b| a.0 == b.0) {
                let picked = of_call.iter().filter(|(_, result)| has(*result)).count();
                match of_call.first().is_some_and(|(call, _)| has(*call)) {
                    true => sum.calls += u64::from(picked < of_call.len()),
                    false => sum.results += picked as u64,
                }
            }
        }
        Ok(sum)
    }
}

/// The ordinals of calls and their results, by those of the calls.
fn pairs(snapshot: &Snapshot<'_>, window: WindowNo) -> Result<Vec<(u64, u64)>> {
    let items = snapshot.window(window)?.items;
    let mut halves = Vec::new();
    let mut at = 0;
    while at < items {
        let missing = || Error::damaged(format!("window {window} lacks its item {at}"));
        let extent = snapshot.extent_at(window, at)?.ok_or_else(missing)?;
        let position = extent.position_of(at).ok_or_else(missing)?;
        let (first, bytes) = snapshot.chunk(extent.run, position)?.ok_or_else(missing)?;
        let chunk = Chunk::parse(bytes)?;
        let from = (position - first) as usize;
        let to = chunk.len().min(from + (extent.end() - at) as usize);
        if from >= to {
            return Err(missing());
        }
        for place in from..to {
            let call = chunk.call().get(place);
            let is_call = match chunk.attributes_at(place).kind()? {
                ItemKind::ToolCall => true,
                ItemKind::ToolResult => false,
                // A file that a tool gave.
                ItemKind::Attachment if call != 0 => false,
                _ => continue,
            };
            let name = chunk.name().get(place);
            halves.push(Half { ordinal: at + (place - from) as u64, is_call, call, name });
        }
        at += (to - from) as u64;
    }
    Ok(matched(&halves))
}
