//! Which items a view shows.

use std::ops::Range;

use vox_format::chunk::Chunk;
use vox_types::{ItemKind, Role, SymbolNo};

/// What a view does with trimmed items.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Trimmed {
    /// Leaves them out.
    #[default]
    Hide,
    /// Shows them among the others.
    Show,
    /// Shows only them.
    Only,
}

/// Which items a view shows; the default shows all but trimmed items and records.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Filter {
    /// Only items of these roles.
    pub roles: Option<Vec<Role>>,
    /// Only items of these kinds.
    pub kinds: Option<Vec<ItemKind>>,
    /// Whether records are shown when `kinds` doesn't say.
    pub records: bool,
    /// Only items from this time on, UTC ms.
    pub since: Option<i64>,
    /// Only items before this time, UTC ms.
    pub until: Option<i64>,
    /// Only items with one of these names.
    pub names: Option<Vec<SymbolNo>>,
    /// Trimmed items.
    pub trimmed: Trimmed,
}

/// Bits of an item's attributes that hold role and kind.
const ROLE_AND_KIND: u64 = 63;

/// A filter made ready to look at chunks. Overlays are not its matter.
#[derive(Clone, Debug)]
pub(crate) struct Matcher {
    /// Bit r + 4k stands for role r and kind k.
    allowed: u64,
    times: Range<i64>,
    before_end_of_time: bool,
    names: Option<Vec<u64>>,
    column: Vec<u64>,
    matches: Vec<u32>,
}

impl Matcher {
    pub(crate) fn new(filter: &Filter) -> Self {
        let role = |role: &Role| filter.roles.as_ref().is_none_or(|roles| roles.contains(role));
        let kind = |kind: &ItemKind| match &filter.kinds {
            Some(kinds) => kinds.contains(kind),
            None => filter.records || *kind != ItemKind::Record,
        };
        let mut allowed = 0;
        for kind in ItemKind::ALL.iter().filter(|value| kind(value)) {
            for role in Role::ALL.iter().filter(|value| role(value)) {
                allowed |= 1 << (*role as u64 | (*kind as u64) << 2);
            }
        }
        let names = filter.names.as_ref().map(|names| {
            let mut names: Vec<u64> = names.iter().map(|&name| u64::from(name)).collect();
            names.sort_unstable();
            names
        });
        Self {
            allowed,
            times: filter.since.unwrap_or(i64::MIN)..filter.until.unwrap_or(i64::MAX),
            before_end_of_time: filter.until.is_some(),
            names,
            column: Vec::new(),
            matches: Vec::new(),
        }
    }

    /// Whether every item matches.
    pub(crate) fn matches_all(&self) -> bool {
        self.allows_all_attributes() && self.allows_all_times() && self.names.is_none()
    }

    /// Whether every item matches that isn't a record.
    pub(crate) fn matches_all_but_records(&self) -> bool {
        let of_records = Role::ALL.iter().map(|role| *role as u64 | (ItemKind::Record as u64) << 2);
        let records = of_records.fold(0, |bits, bit| bits | 1 << bit);
        let all = ItemKind::ALL.len() * Role::ALL.len();
        let others = (self.allowed | records).count_ones() as usize == all;
        others && self.allows_all_times() && self.names.is_none()
    }

    fn allows_all_attributes(&self) -> bool {
        let all = ItemKind::ALL.len() * Role::ALL.len();
        self.allowed.count_ones() as usize == all
    }

    fn allows_all_times(&self) -> bool {
        self.times.start == i64::MIN && !self.before_end_of_time
    }

    /// The indexes of the items of `chunk` in `range` that match, ascending.
    pub(crate) fn matches(&mut self, chunk: &Chunk<'_>, range: Range<usize>) -> &[u32] {
        self.matches.clear();
        let (first, end) = (range.start as u32, range.end.min(chunk.len()) as u32);
        if self.allows_all_attributes() {
            self.matches.extend(first..end);
        } else {
            self.column.clear();
            chunk.attributes().fill(range.clone(), &mut self.column);
            let rows = (first..).zip(&self.column);
            let matching =
                rows.filter(|(_, word)| self.allowed >> (*word & ROLE_AND_KIND) & 1 == 1);
            self.matches.extend(matching.map(|(index, _)| index));
        }
        if !self.allows_all_times() {
            self.column.clear();
            chunk.created_at().fill(range.clone(), &mut self.column);
            self.matches.retain(|&index| {
                let time = self.column[(index - first) as usize] as i64;
                time >= self.times.start && (time < self.times.end || !self.before_end_of_time)
            });
        }
        if let Some(names) = &self.names {
            self.column.clear();
            chunk.name().fill(range, &mut self.column);
            self.matches.retain(|&index| {
                names.binary_search(&self.column[(index - first) as usize]).is_ok()
            });
        }
        &self.matches
    }
}
