//! Batches made of random numbers and of what the archive already holds.

use proptest::prelude::*;
use vox_format::rows::{CursorRow, UsageRow};
use vox_store::{
    append::{
        Batch, NewItem, NewQuarantine, NewRest, NewUsage, OwnedBlob, WindowChange, WindowItems,
    },
    blobs::Dictionary,
};
use vox_types::{Fidelity, ItemKind, LinkKind, QuarantineReason, Role};

use super::{Identity, Model};

/// An item in random numbers.
#[derive(Clone, Debug)]
pub struct RawItem {
    role: usize,
    kind: usize,
    side: bool,
    content: (u8, usize),
    time: Option<i64>,
    extra: Option<u8>,
    name: Option<u8>,
    tokens: u32,
}

/// A part of a batch. Numbers pick among what there is, modulo how many there are.
#[derive(Clone, Debug)]
pub enum Part {
    /// Says something of a window that may be new.
    Say {
        key: u8,
        title: Option<u8>,
        repo: Option<u8>,
        created_at: Option<i64>,
        parent: Option<u8>,
    },
    /// Sends items from `back` before the end on, and new ones; in two pieces.
    Append { window: usize, back: usize, items: Vec<RawItem>, cut: usize },
    /// Sends many items at once.
    Long { window: usize, count: usize },
    /// Sends the beginning of a window under a new key, with side items between.
    Fork {
        of: usize,
        count: usize,
        replays: bool,
        later: i64,
        between: Vec<(usize, RawItem)>,
        items: Vec<RawItem>,
    },
    /// A new window that shares a beginning; its parent may get items in the same batch.
    Sibling { of: usize, shares: usize, parent_gets: Vec<RawItem>, items: Vec<RawItem> },
    /// Sends a window with another item at `at`.
    Rewrite { window: usize, at: usize, resent: usize, items: Vec<RawItem> },
    /// A report of a provider.
    Usage { window: usize, key: u8, input: u64, output: u64 },
    /// How far a source was read, and what was set aside.
    Source { path: u8, offset: u64, restart: bool, aside: Vec<(u64, Option<u8>)> },
    /// Items for a place past the end.
    Gap { window: usize },
}

fn item() -> impl Strategy<Value = RawItem> {
    let size = prop_oneof![12 => 0usize..40, 1 => 1000usize..6000, 1 => Just(70_000)];
    (
        (0usize..4, 0usize..3, prop::bool::weighted(0.25), (0u8..4, size)),
        (
            prop::option::weighted(0.8, 0i64..3),
            prop::option::weighted(0.6, 0u8..6),
            prop::option::of(0u8..3),
            0u32..50,
        ),
    )
        .prop_map(|((role, kind, side, content), (time, extra, name, tokens))| RawItem {
            role,
            kind,
            side,
            content,
            time,
            extra,
            name,
            tokens,
        })
}

pub fn part() -> impl Strategy<Value = Part> {
    let items = || prop::collection::vec(item(), 0..6);
    let between = prop::collection::vec((0usize..8, item()), 0..3);
    prop_oneof![
        3 => (0u8..6, prop::option::of(0u8..3), prop::option::of(0u8..3), prop::option::of(0i64..900), prop::option::of(0u8..6))
            .prop_map(|(key, title, repo, created_at, parent)| Part::Say { key, title, repo, created_at, parent }),
        6 => (0usize..9, 0usize..4, items(), 0usize..6)
            .prop_map(|(window, back, items, cut)| Part::Append { window, back, items, cut }),
        1 => (0usize..9, 300usize..1100).prop_map(|(window, count)| Part::Long { window, count }),
        4 => (0usize..9, 0usize..12, any::<bool>(), prop_oneof![Just(0i64), 1i64..5], between, items())
            .prop_map(|(of, count, replays, later, between, items)| Part::Fork { of, count, replays, later, between, items }),
        3 => (0usize..9, 0usize..12, items(), items())
            .prop_map(|(of, shares, parent_gets, items)| Part::Sibling { of, shares, parent_gets, items }),
        3 => (0usize..9, 0usize..12, 0usize..4, items())
            .prop_map(|(window, at, resent, items)| Part::Rewrite { window, at, resent, items }),
        1 => (0usize..9, 0u8..4, 0u64..3, 0u64..3)
            .prop_map(|(window, key, input, output)| Part::Usage { window, key, input, output }),
        2 => (0u8..2, 0u64..20, prop::bool::weighted(0.3), prop::collection::vec((0u64..5, prop::option::of(0u8..4)), 0..3))
            .prop_map(|(path, offset, restart, aside)| Part::Source { path, offset, restart, aside }),
        1 => (0usize..9).prop_map(|window| Part::Gap { window }),
    ]
}

/// Builds one batch. `step` keeps the times of different steps apart.
pub struct Builder<'m> {
    pub model: &'m Model,
    pub step: i64,
    pub batch: Batch,
}

impl Builder<'_> {
    pub fn add(&mut self, part: &Part) {
        match part {
            Part::Say { key, title, repo, created_at, parent } => {
                self.batch.windows.push(WindowChange {
                    key: format!("w{key}"),
                    title: title.map(|title| format!("title {title}")),
                    repo: repo.map(|repo| format!("repo {repo}")),
                    created_at: *created_at,
                    parent: parent.map(|parent| format!("w{parent}")),
                    link: Some(LinkKind::SpawnedBy),
                    ..WindowChange::default()
                })
            }
            Part::Append { window, back, items, cut } => {
                let Some(no) = self.window(*window) else { return };
                let has = self.model.windows[no].places.len();
                let from = has - (*back).min(has);
                let mut all = self.copied(no, from..has, 0);
                all.extend(items.iter().map(|item| self.fresh(item)).collect::<Vec<_>>());
                let rest = all.split_off((*cut).min(all.len()));
                let at = from + all.len();
                self.send(self.key(no), from, all);
                self.send(self.key(no), at, rest);
            }
            Part::Long { window, count } => {
                let Some(no) = self.window(*window) else { return };
                let raw = |i: usize| RawItem {
                    role: i % 2,
                    kind: 0,
                    side: i.is_multiple_of(7),
                    content: (0, i % 5),
                    time: Some(0),
                    extra: None,
                    name: None,
                    tokens: 1,
                };
                let items = (0..*count).map(|i| self.fresh(&raw(i))).collect();
                self.send(self.key(no), self.model.windows[no].places.len(), items);
            }
            Part::Fork { of, count, replays, later, between, items } => {
                let Some(no) = self.window(*of) else { return };
                let count = (*count).min(self.model.windows[no].places.len());
                let key = self.new_key("fork");
                let change =
                    WindowChange { key: key.clone(), replays: *replays, ..WindowChange::default() };
                self.batch.windows.push(change);
                let mut all = self.copied(no, 0..count, *later);
                for (place, item) in between {
                    let side = RawItem { side: true, ..item.clone() };
                    let side = self.fresh(&side);
                    all.insert((*place).min(all.len()), side);
                }
                all.extend(items.iter().map(|item| self.fresh(item)).collect::<Vec<_>>());
                if *replays {
                    let at = self.time(0);
                    all.iter_mut().for_each(|item| item.created_at = item.created_at.or(Some(at)));
                }
                self.send(key, 0, all);
            }
            Part::Sibling { of, shares, parent_gets, items } => {
                let Some(no) = self.window(*of) else { return };
                let key = self.new_key("sibling");
                let has = self.model.windows[no].places.len();
                self.batch.windows.push(WindowChange {
                    key: key.clone(),
                    parent: Some(self.key(no)),
                    link: Some(LinkKind::ForkedFrom),
                    shares: *shares as u64,
                    ..WindowChange::default()
                });
                let items = items.iter().map(|item| self.fresh(item)).collect();
                self.send(key, *shares, items);
                let parent_gets = parent_gets.iter().map(|item| self.fresh(item)).collect();
                self.send(self.key(no), has, parent_gets);
            }
            Part::Rewrite { window, at, resent, items } => {
                let Some(no) = self.window(*window) else { return };
                let has = self.model.windows[no].places.len();
                let at = (*at).min(has);
                let from = at - (*resent).min(at);
                let mut all = self.copied(no, from..at, 0);
                all.extend(items.iter().map(|item| self.fresh(item)).collect::<Vec<_>>());
                self.send(self.key(no), from, all);
            }
            Part::Usage { window, key, input, output } => {
                let Some(no) = self.window(*window) else { return };
                let row = UsageRow {
                    key: format!("r{key}"),
                    input: *input,
                    output: *output,
                    ..UsageRow::default()
                };
                self.batch.usage.push(NewUsage { window: self.key(no), model: None, row });
            }
            Part::Source { path, offset, restart, aside } => {
                let path = format!("/source/{path}").into_bytes();
                let stands = self.model.cursors.get(&path).map_or(0, |cursor| cursor.offset);
                // Now and then somebody else has gone on.
                self.batch.start = if *offset == 0 { stands + 1 } else { stands };
                self.batch.cursor = Some(CursorRow {
                    path,
                    offset: *offset,
                    records: 3,
                    items: 2,
                    quarantined: aside.len() as u64,
                    ..CursorRow::default()
                });
                self.batch.restart |= restart;
                for (offset, content) in aside {
                    let blob = content.map(|content| self.blob(vec![content; 30]));
                    let reason = QuarantineReason::Malformed;
                    let new = NewQuarantine { offset: *offset, length: 30, reason, blob };
                    self.batch.quarantine.push(new);
                }
            }
            Part::Gap { window } => {
                let Some(no) = self.window(*window) else { return };
                let at = self.model.windows[no].places.len() + 1;
                self.send(self.key(no), at, Vec::new());
            }
        }
    }

    fn window(&self, pick: usize) -> Option<usize> {
        let count = self.model.windows.len();
        let no = pick.checked_rem(count)?;
        self.model.newest(&self.model.windows[no].key)
    }

    fn key(&self, no: usize) -> String {
        self.model.windows[no].key.clone()
    }

    fn new_key(&self, what: &str) -> String {
        format!("{what} {}.{}", self.step, self.batch.windows.len())
    }

    fn time(&self, more: i64) -> i64 {
        1000 + 10 * self.step + more
    }

    fn send(&mut self, window: String, at: usize, items: Vec<NewItem>) {
        self.batch.items.push(WindowItems { window, at: at as u64, items });
    }

    fn blob(&mut self, bytes: Vec<u8>) -> usize {
        self.batch.blobs.push(OwnedBlob { bytes, dictionary: Dictionary::Content });
        self.batch.blobs.len() - 1
    }

    fn copied(&mut self, no: usize, ordinals: std::ops::Range<usize>, later: i64) -> Vec<NewItem> {
        let mut before = None;
        ordinals
            .map(|ordinal| {
                let time = self.model.time(no, ordinal).map(|at| at + later);
                // A time that follows from the item before may as well be left out.
                let created_at = time.filter(|_| ordinal.is_multiple_of(2) || time != before);
                before = time;
                let identity = self.model.identity(no, ordinal).clone();
                let extra =
                    ordinal.is_multiple_of(3).then(|| self.blob(format!("copied {later}").into()));
                self.item(identity, created_at, extra, ordinal as u32)
            })
            .collect()
    }

    fn fresh(&mut self, raw: &RawItem) -> NewItem {
        let (letter, size) = raw.content;
        let identity = Identity {
            role: Role::ALL[raw.role % Role::ALL.len()],
            kind: [ItemKind::Message, ItemKind::ToolCall, ItemKind::Record][raw.kind % 3],
            side: raw.side,
            content: vec![b'a' + letter; size],
        };
        let extra = raw.extra.map(|extra| self.blob(format!("rest {extra}").into()));
        let mut item = self.item(identity, raw.time.map(|time| self.time(time)), extra, raw.tokens);
        item.name = raw.name.map(|name| format!("tool {name}"));
        item
    }

    fn item(
        &mut self,
        identity: Identity,
        created_at: Option<i64>,
        extra: Option<usize>,
        token_estimate: u32,
    ) -> NewItem {
        let Identity { role, kind, side, content } = identity;
        let call = super::call_of(&content);
        let preview = String::from_utf8_lossy(&content[..content.len().min(120)]).into_owned();
        let content = self.blob(content);
        NewItem {
            role,
            kind,
            fidelity: Fidelity::Recorded,
            redacted: false,
            side,
            created_at,
            name: None,
            token_estimate,
            call,
            content,
            rest: extra.map(NewRest::Extra),
            preview,
        }
    }
}
