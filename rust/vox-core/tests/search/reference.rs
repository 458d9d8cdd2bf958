//! What a search should find, by looking at every item of every window.

use std::collections::{BTreeMap, BTreeSet};

use vox_core::{archive::Archive, search::SearchRequest};
use vox_format::{attributes::Attributes, chunk::Chunk, rows::WindowRow};
use vox_search::{
    matcher::{Matcher, Scratch},
    query::{self, Field, FieldFilter, Query},
};
use vox_store::Snapshot;
use vox_types::{ContentHash, ItemId, ItemKind, LinkKind, OverlayKind, Role, Tier, WindowNo};

/// A hit, and the windows in scope that show it.
#[derive(Clone, Debug)]
pub struct Expected {
    pub at: i64,
    pub content: ContentHash,
    pub attributes: Attributes,
    pub owner: WindowNo,
    /// Windows in scope that show it, with its ordinal there.
    pub windows: BTreeMap<WindowNo, u64>,
}

impl Expected {
    /// The window that it is named with.
    pub fn window(&self) -> WindowNo {
        let first = *self.windows.keys().next().unwrap();
        if self.windows.contains_key(&self.owner) { self.owner } else { first }
    }
}

/// Hits, and for each content the windows in scope that hold it, in hits or not.
pub struct Found {
    pub hits: BTreeMap<ItemId, Expected>,
    pub holders: BTreeMap<ContentHash, BTreeSet<WindowNo>>,
}

pub fn search(archive: &Archive, request: &SearchRequest) -> Found {
    let query = query::parse(&request.query, request.now).unwrap();
    let matcher = query.text.as_ref().map(|node| Matcher::new(node).unwrap());
    let mut found = Found { hits: BTreeMap::new(), holders: BTreeMap::new() };
    archive
        .store()
        .snapshot(|snapshot| {
            for no in 0..snapshot.window_count()? as WindowNo {
                let row = snapshot.window(no)?;
                for ordinal in 0..row.items {
                    if !shows(snapshot, &query, request, no, &row, ordinal) {
                        continue;
                    }
                    let item = snapshot.item_at(no, ordinal)?.unwrap();
                    let (first, bytes) = snapshot.chunk(item.run(), item.position())?.unwrap();
                    let chunk = Chunk::parse(bytes)?;
                    let item_row = chunk.row((item.position() - first) as usize)?;
                    let content = snapshot.content_hash(item_row.content)?;
                    if !item_row.purged && (item_row.kind != ItemKind::Record || records(&query)) {
                        found.holders.entry(content).or_default().insert(no);
                    }
                    let name = snapshot.symbol(item_row.name)?.map(|name| name.into_owned());
                    let facts = Item {
                        role: item_row.role,
                        kind: item_row.kind,
                        name,
                        at: item_row.created_at,
                        redacted: item_row.redacted,
                    };
                    if item_row.purged || !facts.passes(&query) {
                        continue;
                    }
                    let mut text = snapshot.blob(item_row.content)?;
                    if item_row.kind == ItemKind::Attachment && str::from_utf8(&text).is_err() {
                        text.clear();
                    }
                    let matches =
                        |matcher: &Matcher| matcher.matches(&text, &mut Scratch::default());
                    if matcher.as_ref().is_none_or(matches) {
                        let hit = found.hits.entry(item).or_insert(Expected {
                            at: item_row.created_at,
                            content,
                            attributes: chunk.attributes_at((item.position() - first) as usize),
                            owner: snapshot.run(item.run())?.window,
                            windows: BTreeMap::new(),
                        });
                        hit.windows.insert(no, ordinal);
                    }
                }
            }
            Ok(())
        })
        .unwrap();
    found
}

/// Whether records may be hits.
fn records(query: &Query) -> bool {
    let named = |filter: &FieldFilter| {
        let named = filter.values.iter().any(|value| value == "record");
        filter.field == Field::Kind && named && !filter.negated
    };
    let excluded = |filter: &FieldFilter| {
        let named = filter.values.iter().any(|value| value == "record");
        filter.field == Field::Kind && named && filter.negated
    };
    query.filters.iter().any(named) && !query.filters.iter().any(excluded)
}

struct Item {
    role: Role,
    kind: ItemKind,
    name: Option<String>,
    at: i64,
    redacted: bool,
}

/// Whether one of the values is so.
fn any(filter: &FieldFilter, is: impl Fn(&str) -> bool) -> bool {
    filter.values.iter().any(|value| is(value)) != filter.negated
}

/// Of states all must be so, or none.
fn states(filter: &FieldFilter, is: impl Fn(&str) -> Option<bool>) -> bool {
    filter.values.iter().all(|value| is(value).is_none_or(|so| so != filter.negated))
}

impl Item {
    fn passes(&self, query: &Query) -> bool {
        let of_tool = matches!(self.kind, ItemKind::ToolCall | ItemKind::ToolResult);
        let of_model = !of_tool && self.kind != ItemKind::Attachment;
        let called = |value: &str| {
            self.name.as_ref().is_some_and(|name| name.to_lowercase() == value.to_lowercase())
        };
        (self.kind != ItemKind::Record || records(query))
            && query.since.is_none_or(|since| self.at >= since)
            && query.before.is_none_or(|before| self.at < before)
            && query.filters.iter().all(|filter| match filter.field {
                Field::Role => any(filter, |value| value == self.role.name()),
                Field::Kind => any(filter, |value| value == self.kind.name()),
                Field::Tool => any(filter, |value| of_tool && called(value)),
                Field::Model => any(filter, |value| of_model && called(value)),
                Field::Is => states(filter, |value| (value == "redacted").then_some(self.redacted)),
                _ => true,
            })
    }
}

/// Whether a window in scope shows what stands at `ordinal` of it.
fn shows(
    snapshot: &Snapshot<'_>,
    query: &Query,
    request: &SearchRequest,
    no: WindowNo,
    row: &WindowRow,
    ordinal: u64,
) -> bool {
    let symbol = |no| snapshot.symbol(no).unwrap().map(|text| text.to_lowercase());
    let repo = symbol(row.repo).unwrap_or_default();
    let agent = symbol(row.agent).unwrap_or_default();
    let tags: Vec<String> = row.tags.iter().filter_map(|tag| symbol(*tag)).collect();
    let said = |kind| {
        let ranges = snapshot.overlays(no, kind, ordinal..ordinal + 1).unwrap();
        ranges.iter().any(|range| range.first <= ordinal && ordinal < range.end())
    };
    let sub_agent = {
        let (mut at, mut found) = (no, false);
        while let Some(parent) = snapshot.window(at).unwrap().parent {
            found |= snapshot.link(at, parent).unwrap() == Some(LinkKind::SpawnedBy);
            at = parent;
        }
        found
    };
    let chosen = |field| query.filters.iter().any(|f| f.field == field && !f.negated);
    let says = |state: &str| {
        query.filters.iter().any(|f| f.field == Field::Is && f.values.iter().any(|v| v == state))
    };
    let by_default = chosen(Field::In)
        || (request.sub_agents || says("subagent") || !sub_agent)
            && (request.repos.is_empty()
                || chosen(Field::Repo)
                || request.repos.iter().any(|wanted| wanted.to_lowercase() == repo));
    let deleted = row.deleted_at.is_some();
    by_default
        && (!deleted
            || query.filters.iter().any(|f| f.field == Field::Is && !f.negated && says("deleted")))
        && query.filters.iter().all(|filter| match filter.field {
            Field::Repo => any(filter, |value| {
                repo.trim_end_matches(".git").rsplit('/').next() == Some(value) && !repo.is_empty()
            }),
            Field::Agent => any(filter, |value| agent == value.to_lowercase()),
            Field::Tag => any(filter, |value| tags.contains(&value.to_lowercase())),
            Field::Title => any(filter, |value| {
                let title = row.title.as_deref().unwrap_or_default().to_lowercase();
                title.contains(&value.to_lowercase())
            }),
            Field::Tier => {
                any(filter, |value| Tier::from_number(row.tier).unwrap().name() == value)
            }
            Field::In => any(filter, |value| value == row.key),
            Field::Is => states(filter, |value| match value {
                "pinned" => Some(row.pinned || said(OverlayKind::Pinned)),
                "trimmed" => Some(said(OverlayKind::Trimmed)),
                "deleted" => Some(deleted),
                "subagent" => Some(sub_agent),
                _ => None,
            }),
            _ => true,
        })
}
