//! What windows show, without any number of the archive: windows by their keys, items by their
//! bytes.

use std::collections::{BTreeMap, BTreeSet};

use vox_format::{chunk::Chunk, rows::UsageRow};
use vox_store::{Snapshot, Store};
use vox_types::{ItemKind, OverlayKind, Role, WindowNo};

/// An item as a window shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShownItem {
    pub role: Role,
    pub kind: ItemKind,
    pub side: bool,
    pub content: String,
    pub created_at: i64,
    pub name: String,
}

/// A window as it is shown.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ShownWindow {
    pub title: Option<String>,
    pub kind: u8,
    pub tier: u8,
    pub tags: BTreeSet<String>,
    pub repo: String,
    pub agent: String,
    pub model_route: String,
    pub git_sha_at_open: Option<String>,
    pub git_sha_at_close: Option<String>,
    pub parent: Option<String>,
    pub created_at: i64,
    pub updated_at: i64,
    pub deleted: bool,
    pub items: Vec<ShownItem>,
    pub committed: BTreeMap<u64, i64>,
    pub trimmed: BTreeSet<u64>,
    pub pinned: BTreeSet<u64>,
}

/// All that windows show, and what was reported.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Spine {
    pub windows: BTreeMap<String, ShownWindow>,
    pub usage: BTreeMap<String, UsageRow>,
}

pub fn spine(store: &Store) -> Spine {
    store.snapshot(|snapshot| Ok(of(snapshot))).unwrap()
}

fn of(snapshot: &Snapshot<'_>) -> Spine {
    let mut spine = Spine::default();
    for no in 0..snapshot.window_count().unwrap() as WindowNo {
        let row = snapshot.window(no).unwrap();
        assert_eq!(row.revision, 0, "{} was rewritten", row.key);
        let said = |kind| -> BTreeMap<u64, i64> {
            let ranges = snapshot.overlays(no, kind, 0..row.items).unwrap();
            let each = ranges.iter().flat_map(|range| {
                (range.first..range.end()).map(move |ordinal| (ordinal, range.value))
            });
            each.collect()
        };
        let text = |no| snapshot.symbol(no).unwrap().unwrap_or_default().into_owned();
        let parent = row.parent.map(|no| snapshot.window(no).unwrap().key);
        let shown = ShownWindow {
            title: row.title.clone(),
            kind: row.kind,
            tier: row.tier,
            tags: row.tags.iter().map(|tag| text(*tag)).collect(),
            repo: text(row.repo),
            agent: text(row.agent),
            model_route: text(row.model_route),
            git_sha_at_open: row.git_sha_at_open.clone(),
            git_sha_at_close: row.git_sha_at_close.clone(),
            parent,
            created_at: row.created_at,
            updated_at: row.updated_at,
            deleted: row.deleted_at.is_some(),
            items: (0..row.items).map(|ordinal| item(snapshot, no, ordinal)).collect(),
            committed: said(OverlayKind::Committed),
            trimmed: said(OverlayKind::Trimmed).into_keys().collect(),
            pinned: said(OverlayKind::Pinned).into_keys().collect(),
        };
        assert_eq!(row.trimmed, shown.trimmed.len() as u64);
        for usage in snapshot.usage(no).unwrap() {
            // Symbols are numbered as they come.
            let usage = UsageRow { model: u32::from(usage.model != 0), ..usage };
            assert!(spine.usage.insert(usage.key.clone(), usage).is_none());
        }
        spine.windows.insert(row.key, shown);
    }
    spine
}

fn item(snapshot: &Snapshot<'_>, window: WindowNo, ordinal: u64) -> ShownItem {
    let id = snapshot.item_at(window, ordinal).unwrap().unwrap();
    let (first, bytes) = snapshot.chunk(id.run(), id.position()).unwrap().unwrap();
    let mut rows = Chunk::parse(bytes).unwrap().rows().unwrap();
    let item = rows.swap_remove((id.position() - first) as usize);
    assert_eq!(item.rest, None);
    let content = snapshot.blob(item.content).unwrap();
    ShownItem {
        role: item.role,
        kind: item.kind,
        side: item.side,
        content: String::from_utf8_lossy(&content).into_owned(),
        created_at: item.created_at,
        name: snapshot.symbol(item.name).unwrap().unwrap_or_default().into_owned(),
    }
}
