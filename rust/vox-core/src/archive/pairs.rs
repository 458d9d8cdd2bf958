//! Tool calls and their results, matched by the order in which they come.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    ops::Range,
};

use vox_format::chunk::Chunk;
use vox_store::{Snapshot, window_ops::Places};
use vox_types::{Error, ItemKind, Result, WindowNo};

use super::Archive;

/// How many picked items lack the other half of their pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Unpaired {
    /// Results whose call wasn't picked.
    pub results: u64,
    /// Calls whose result wasn't picked.
    pub calls: u64,
}

impl Archive {
    /// What picking `parts` would tear apart. A result belongs to the first call of the same tool
    /// before it that has none yet; ids of calls are the producers' matter.
    pub fn unpaired(&self, parts: &[Places]) -> Result<Unpaired> {
        let mut picked: BTreeMap<WindowNo, Vec<Range<u64>>> = BTreeMap::new();
        for part in parts {
            picked.entry(part.window).or_default().extend(part.ordinals.iter().cloned());
        }
        let mut sum = Unpaired::default();
        for (window, ranges) in picked {
            let pairs = self.store.snapshot(|snapshot| pairs(snapshot, window))?;
            let has = |ordinal: u64| ranges.iter().any(|range| range.contains(&ordinal));
            for (call, result) in pairs {
                match (has(call), has(result)) {
                    (true, false) => sum.calls += 1,
                    (false, true) => sum.results += 1,
                    _ => {}
                }
            }
        }
        Ok(sum)
    }
}

/// The ordinals of calls and their results.
fn pairs(snapshot: &Snapshot<'_>, window: WindowNo) -> Result<Vec<(u64, u64)>> {
    let items = snapshot.window(window)?.items;
    let mut waiting: HashMap<u64, VecDeque<u64>> = HashMap::new();
    let mut pairs = Vec::new();
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
            let ordinal = at + (place - from) as u64;
            let calls = waiting.entry(chunk.name().get(place)).or_default();
            match chunk.attributes_at(place).kind()? {
                ItemKind::ToolCall => calls.push_back(ordinal),
                ItemKind::ToolResult => {
                    pairs.extend(calls.pop_front().map(|call| (call, ordinal)));
                }
                _ => {}
            }
        }
        at += (to - from) as u64;
    }
    Ok(pairs)
}
