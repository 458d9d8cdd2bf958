//! The rows of windows.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use vox_format::rows::{self, WindowRow};
use vox_types::{ChainHash, Fidelity, Result, Tier, WindowId, WindowKind, WindowNo};

use super::{parts::Window, paths::plausible, report::Report, source::Source};
use crate::{exchange::Builder, exchange::hex};

/// Reads the rows of windows that can be read.
pub fn read(source: &Source, report: &mut Report) -> Result<BTreeMap<WindowNo, WindowRow>> {
    let mut found = BTreeMap::new();
    source.rows("windows", report, |report, key, value| {
        let no = <[u8; 4]>::try_from(key).map(u32::from_be_bytes);
        match (no, rows::decode::<WindowRow>(&value, "a window")) {
            (Ok(no), Ok(row)) => {
                found.insert(no, row);
            }
            _ => report.lost("windows", key, "the row is no window"),
        }
        Ok(())
    })?;
    let most = plausible(found.keys().copied());
    for no in found.split_off(&most.saturating_add(1)).into_keys() {
        report.lost("windows", &no.to_be_bytes(), "its number is far from all others");
    }
    Ok(found)
}

/// What the rows of windows are checked against.
pub struct Known<'k> {
    /// Texts of symbols by number.
    pub symbols: &'k BTreeMap<u32, String>,
    /// Keys of the cursors that are kept.
    pub cursors: &'k BTreeSet<[u8; 16]>,
    /// The items of windows.
    pub placed: &'k BTreeMap<WindowNo, Window>,
    /// The archive, in words.
    pub archive: &'k str,
}

/// Writes a row for each window up to the last that has a row or items. What is lost is made up,
/// what can't be so is mended. Gives their keys.
pub fn write(
    mut found: BTreeMap<WindowNo, WindowRow>,
    known: &Known<'_>,
    builder: &mut Builder,
    report: &mut Report,
) -> Result<Vec<String>> {
    let last = found.keys().chain(known.placed.keys()).max().copied();
    let Some(last) = last else { return Ok(Vec::new()) };
    let mut ids = HashSet::new();
    for no in 0..=last {
        let row = match found.remove(&no) {
            Some(row) => row,
            None => {
                report.made_up.push(no);
                made_up(no, known)
            }
        };
        let row = mended(no, row, known, &mut ids, report);
        found.insert(no, row);
    }
    set_roots(&mut found, report);
    let table = builder.generation().tables.windows;
    for (no, row) in &found {
        builder.put(table, no.to_be_bytes().to_vec(), rows::encode(row)?)?;
    }
    report.saved("windows", found.len() as u64);
    Ok(found.into_values().map(|row| row.key).collect())
}

fn made_up(no: WindowNo, known: &Known<'_>) -> WindowRow {
    let (from, to) = known.placed.get(&no).and_then(|window| window.times).unwrap_or_default();
    WindowRow {
        key: format!("salvaged:{}:{no}", known.archive),
        title: Some(format!("Window {no}, whose name was lost")),
        kind: WindowKind::Archived as u8,
        fidelity: Fidelity::Unknown as u8,
        root: no,
        created_at: from,
        updated_at: to,
        ..WindowRow::default()
    }
}

fn mended(
    no: WindowNo,
    old: WindowRow,
    known: &Known<'_>,
    ids: &mut HashSet<[u8; 16]>,
    report: &mut Report,
) -> WindowRow {
    let nothing = Window::default();
    let placed = known.placed.get(&no).unwrap_or(&nothing);
    let symbol = |symbol: u32| if known.symbols.contains_key(&symbol) { symbol } else { 0 };
    let mut row = old.clone();
    while !ids.insert(WindowId::derive(&row.key, row.revision).0) {
        row.key = format!("salvaged:{}:{no}:{}", known.archive, row.key);
    }
    row.id = WindowId::derive(&row.key, row.revision).0;
    row.kind = WindowKind::from_number(row.kind).unwrap_or(WindowKind::Archived) as u8;
    row.tier = Tier::from_number(row.tier).unwrap_or(Tier::Hot) as u8;
    row.fidelity = Fidelity::from_number(row.fidelity).unwrap_or(Fidelity::Unknown) as u8;
    (row.repo, row.agent) = (symbol(row.repo), symbol(row.agent));
    (row.model_route, row.source_route) = (symbol(row.model_route), symbol(row.source_route));
    row.source_route *= u32::from(row.routed);
    row.tags.retain(|tag| *tag > 0 && known.symbols.contains_key(tag));
    let made_up = report.made_up.last() == Some(&no);
    if !made_up
        && (row.id, row.kind, row.tier, row.fidelity) != (old.id, old.kind, old.tier, old.fidelity)
        || (row.repo, row.agent) != (old.repo, old.agent)
        || (row.model_route, row.source_route) != (old.model_route, old.source_route)
        || row.tags != old.tags
    {
        report.lost("windows", &no.to_be_bytes(), "what it says of itself was damaged in part");
    }
    row.source = row.source.filter(|source| known.cursors.contains(source));
    row.run = row.run.filter(|run| placed.runs.contains(run)).or(placed.runs.last().copied());
    row.chain = placed.chain.0;
    row.items = placed.items;
    if row.items == 0 {
        row.chain = ChainHash::ROOT.0;
    }
    row
}

/// Parents that aren't there or are below their child are given up; roots follow from parents.
fn set_roots(found: &mut BTreeMap<WindowNo, WindowRow>, report: &mut Report) {
    let mut roots: BTreeMap<WindowNo, WindowNo> = BTreeMap::new();
    let all: Vec<WindowNo> = found.keys().copied().collect();
    for no in all {
        let mut path = vec![no];
        let root = loop {
            let at = path.last().copied().unwrap_or(no);
            if let Some(root) = roots.get(&at) {
                break *root;
            }
            match found.get(&at).and_then(|row| row.parent) {
                None => break at,
                Some(parent) if found.contains_key(&parent) && !path.contains(&parent) => {
                    path.push(parent);
                }
                Some(_) => {
                    if let Some(row) = found.get_mut(&at) {
                        row.parent = None;
                    }
                    report.lost("windows", &at.to_be_bytes(), "its parent isn't there");
                    break at;
                }
            }
        };
        for passed in path {
            roots.insert(passed, root);
        }
    }
    for (no, root) in roots {
        if let Some(row) = found.get_mut(&no) {
            row.root = root;
        }
    }
}

/// How an archive is called in made-up keys.
pub fn word(archive_id: &[u8]) -> String {
    hex(archive_id.get(..4).unwrap_or_default())
}
