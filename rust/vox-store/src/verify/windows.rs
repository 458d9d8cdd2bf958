//! The rows of windows, each by itself, and the indexes that follow from them.

use vox_format::{
    keys,
    rows::{self, WindowRow},
};
use vox_types::{Fidelity, Tier, WindowId, WindowKind, WindowNo};

use super::{
    image::Image,
    rebuilt::Rebuilt,
    report::{Finding, Kind, Reporter},
    sources::Cursors,
    symbols::Symbols,
};
use crate::spine::windows::short_hash;

/// What other checks need of a window.
pub(super) struct Window {
    pub no: WindowNo,
    pub id: WindowId,
    pub parent: Option<WindowNo>,
    pub root: WindowNo,
    pub run: Option<u32>,
    pub chain: [u8; 32],
    pub items: u64,
    pub bytes: u64,
    pub tokens: u64,
    pub records: u64,
    pub trimmed: u64,
}

/// Every window, by number.
#[derive(Default)]
pub(super) struct Windows(pub Vec<Window>);

impl Windows {
    pub fn get(&self, no: WindowNo) -> Option<&Window> {
        self.place(no).and_then(|place| self.0.get(place))
    }

    pub fn place(&self, no: WindowNo) -> Option<usize> {
        self.0.binary_search_by_key(&no, |window| window.no).ok()
    }
}

/// Reads every row.
pub(super) fn read(
    image: &Image<'_>,
    report: &mut Reporter,
    symbols: &Symbols,
    cursors: &Cursors,
    rebuilt: &mut Rebuilt,
) -> Windows {
    let mut windows = Windows::default();
    let mut names: Vec<([u8; 16], u32, WindowNo)> = Vec::new();
    image.rows("windows", report, |report, key, value| {
        let Ok(no) = key.try_into().map(u32::from_be_bytes) else {
            let message = "the key is no number of a window";
            return report.add(Finding::new("windows", Kind::Malformed, message).key(key));
        };
        let row: WindowRow = match rows::decode(&value, "a window") {
            Ok(row) => row,
            Err(error) => {
                return report
                    .add(Finding::new("windows", Kind::Malformed, error.message).key(key));
            }
        };
        check_row(report, key, &row, symbols, cursors);
        let value = no.to_le_bytes();
        rebuilt.window_ids.push((row.id, value));
        names.push((short_hash(&row.key), row.revision, no));
        if row.deleted_at.is_none() {
            let key = keys::recency(row.repo, row.tier, row.updated_at, no);
            rebuilt.by_recency.push((key, []));
        }
        rebuilt.by_root.push((keys::lineage(row.root, row.parent, no), []));
        windows.0.push(Window {
            no,
            id: WindowId(row.id),
            parent: row.parent,
            root: row.root,
            run: row.run,
            chain: row.chain,
            items: row.items,
            bytes: row.bytes,
            tokens: row.tokens,
            records: row.records,
            trimmed: row.trimmed,
        });
    });
    check_ids(report, rebuilt);
    // Of one key the newest revision stays, which comes last.
    names.sort_unstable();
    for (key, _, no) in names {
        match rebuilt.window_keys.last_mut() {
            Some((last, newest)) if *last == key => *newest = no.to_le_bytes(),
            _ => rebuilt.window_keys.push((key, no.to_le_bytes())),
        }
    }
    windows
}

fn check_row(
    report: &mut Reporter,
    key: &[u8],
    row: &WindowRow,
    symbols: &Symbols,
    cursors: &Cursors,
) {
    let mut fault = |kind, message: String| {
        report.add(Finding::new("windows", kind, message).key(key));
    };
    let id = WindowId::derive(&row.key, row.revision);
    if id.0 != row.id {
        let found = WindowId(row.id);
        fault(Kind::Differs, format!("its id is {found}, but key and revision give {id}"));
    }
    let closed = [
        ("kind", row.kind, WindowKind::from_number(row.kind).is_some()),
        ("tier", row.tier, Tier::from_number(row.tier).is_some()),
        ("fidelity", row.fidelity, Fidelity::from_number(row.fidelity).is_some()),
    ];
    for (what, number, _) in closed.into_iter().filter(|(_, _, known)| !known) {
        fault(Kind::Differs, format!("its {what} is {number}, which is none"));
    }
    let named = [
        ("repo", row.repo),
        ("agent", row.agent),
        ("model_route", row.model_route),
        ("source_route", row.source_route),
    ];
    for (what, symbol) in named.into_iter().filter(|(_, symbol)| !symbols.has((*symbol).into())) {
        fault(Kind::Dangling, format!("its {what} is symbol {symbol}, which isn't there"));
    }
    for tag in row.tags.iter().filter(|tag| **tag == 0 || !symbols.has((**tag).into())) {
        fault(Kind::Dangling, format!("its tag is symbol {tag}, which isn't there"));
    }
    if !row.tags.is_sorted_by(|one, next| one < next) {
        fault(Kind::Order, format!("its tags are {:?}, which don't ascend", row.tags));
    }
    if row.source_title.is_some() && !row.renamed {
        fault(Kind::Differs, "it keeps a title of its source, though its user gave it none".into());
    }
    if row.source_route != 0 && !row.routed {
        fault(Kind::Differs, "it keeps a model of its source, though its user chose none".into());
    }
    if let Some(source) = row.source
        && !cursors.has(&source)
    {
        fault(Kind::Dangling, "the cursor of its source isn't there".into());
    }
}

fn check_ids(report: &mut Reporter, rebuilt: &mut Rebuilt) {
    rebuilt.window_ids.sort_unstable();
    for pair in rebuilt.window_ids.windows(2) {
        if let [(one, first), (two, second)] = pair
            && one == two
        {
            let (first, second) = (u32::from_le_bytes(*first), u32::from_le_bytes(*second));
            let message = format!("windows {first} and {second} have the same id");
            report.add(Finding::new("windows", Kind::Conflict, message).key(&second.to_be_bytes()));
        }
    }
}
