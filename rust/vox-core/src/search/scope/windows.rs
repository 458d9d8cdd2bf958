//! What must be so about a window for its items to be hits.

use std::ops::Range;

use vox_format::rows::{OverlayRange, WindowRow};
use vox_search::query::{Field, Query};
use vox_store::Snapshot;
use vox_types::{OverlayKind, Result, Tier, WindowNo};

use super::names::{self, Names};
use crate::{archive::find_window, search::SearchRequest};

/// Which windows, and which of their items, a query admits by what can change.
#[derive(Clone, Debug, Default)]
pub(super) struct WindowFilter {
    repos: Names,
    agents: Names,
    tags: Names,
    /// The windows that are named; none: all.
    only: Option<Vec<WindowNo>>,
    never: Vec<WindowNo>,
    /// Stretches of titles in lower case: one of the first must be in it, none of the others.
    titles: Vec<String>,
    other_titles: Vec<String>,
    /// Bits of tiers.
    tiers: Option<u8>,
    deleted: Option<bool>,
    sub_agents: Option<bool>,
    pinned: Option<bool>,
    trimmed: Option<bool>,
    /// Whether something must and must not be so.
    contradictory: bool,
    /// Whether the request chose the repositories.
    scoped: bool,
}

impl WindowFilter {
    /// What `query`, or where it says nothing `request`, says of windows.
    pub(super) fn of(
        query: &Query,
        request: &SearchRequest,
        snapshot: &Snapshot<'_>,
    ) -> Result<Self> {
        let mut filter = Self::default();
        for condition in &query.filters {
            let (values, negated) = (&condition.values, condition.negated);
            match condition.field {
                Field::Repo => {
                    let symbols = names::symbols(snapshot, values, names::is_repo)?;
                    filter.repos.add(symbols, negated);
                }
                Field::Agent => {
                    let symbols = names::symbols(snapshot, values, names::is_called)?;
                    filter.agents.add(symbols, negated);
                }
                Field::Tag => {
                    let symbols = names::symbols(snapshot, values, names::is_called)?;
                    filter.tags.add(symbols, negated);
                }
                Field::In => {
                    let windows = values.iter().map(|value| find_window(snapshot, value));
                    let windows: Vec<WindowNo> = windows.collect::<Result<_>>()?;
                    match negated {
                        true => filter.never.extend(windows),
                        false => filter.only.get_or_insert_default().extend(windows),
                    }
                }
                Field::Title => {
                    let titles = values.iter().map(|value| value.to_lowercase());
                    match negated {
                        true => filter.other_titles.extend(titles),
                        false => filter.titles.extend(titles),
                    }
                }
                Field::Tier => {
                    let mut bits = 0;
                    for value in values {
                        bits |= 1 << Tier::from_name(value)? as u8;
                    }
                    let bits = if negated { !bits } else { bits };
                    filter.tiers = Some(filter.tiers.unwrap_or(!0) & bits);
                }
                Field::Is => {
                    for value in values {
                        let state = match value.as_str() {
                            "pinned" => &mut filter.pinned,
                            "trimmed" => &mut filter.trimmed,
                            "subagent" => &mut filter.sub_agents,
                            "deleted" => &mut filter.deleted,
                            _ => continue,
                        };
                        filter.contradictory |= state.is_some_and(|said| said == negated);
                        *state = Some(!negated);
                    }
                }
                Field::Role | Field::Kind | Field::Tool | Field::Model => {}
            }
        }
        if filter.only.is_none() {
            if !request.repos.is_empty() && !filter.repos.chosen() {
                let symbols =
                    names::symbols(snapshot, &request.repos, |text, value| text == value)?;
                filter.repos.add(symbols, false);
                filter.scoped = true;
            }
            if !request.sub_agents {
                filter.sub_agents = filter.sub_agents.or(Some(false));
            }
        }
        Ok(filter)
    }

    /// Whether items of a window may be hits at all; `sub_agent` is asked only if it matters.
    pub(super) fn admits(
        &self,
        no: WindowNo,
        row: &WindowRow,
        sub_agent: impl FnOnce() -> Result<bool>,
    ) -> Result<bool> {
        let title = || row.title.as_ref().map(|title| title.to_lowercase()).unwrap_or_default();
        let has = |titles: &[String]| {
            let title = title();
            titles.iter().any(|part| title.contains(part.as_str()))
        };
        let admitted = !self.contradictory
            && row.deleted_at.is_some() == self.deleted.unwrap_or(false)
            && self.only.as_ref().is_none_or(|only| only.contains(&no))
            && !self.never.contains(&no)
            && self.tiers.is_none_or(|tiers| tiers >> row.tier & 1 == 1)
            && self.repos.admit(row.repo)
            && self.agents.admit(row.agent)
            && self.tags.admit_some(&row.tags)
            && (self.titles.is_empty() || has(&self.titles))
            && (self.other_titles.is_empty() || !has(&self.other_titles))
            && !(self.trimmed == Some(true) && row.trimmed == 0)
            && !(self.pinned == Some(false) && row.pinned);
        match self.sub_agents {
            Some(wanted) if admitted => Ok(sub_agent()? == wanted),
            _ => Ok(admitted),
        }
    }

    /// Whether only windows of the repositories of the request are admitted, as the query doesn't say
    /// where to look.
    pub(super) fn scoped(&self) -> bool {
        self.scoped
    }

    /// The windows that are named, if only such may hold hits.
    pub(super) fn only(&self) -> Option<&[WindowNo]> {
        self.only.as_deref()
    }

    /// The ordinals, of those below `items`, that a window which is admitted shows.
    pub(super) fn ordinals(
        &self,
        no: WindowNo,
        row: &WindowRow,
        items: u64,
        snapshot: &Snapshot<'_>,
    ) -> Result<Vec<Range<u64>>> {
        let mut shown = vec![Range { start: 0, end: items }];
        if let Some(trimmed) = self.trimmed
            && row.trimmed > 0
        {
            let ranges = snapshot.overlays(no, OverlayKind::Trimmed, 0..items)?;
            shown = cut(&shown, &ranges, trimmed);
        }
        // What stands in a pinned window is pinned.
        if let Some(pinned) = self.pinned
            && !row.pinned
        {
            let ranges = snapshot.overlays(no, OverlayKind::Pinned, 0..items)?;
            shown = cut(&shown, &ranges, pinned);
        }
        Ok(shown)
    }
}

/// The parts of `shown` that stand in `ranges`, or those that don't. Both ascend.
fn cut(shown: &[Range<u64>], ranges: &[OverlayRange], inside: bool) -> Vec<Range<u64>> {
    let mut parts = Vec::new();
    let mut first = 0;
    for part in shown {
        let mut at = part.start;
        first += ranges[first..].iter().take_while(|range| range.end() <= part.start).count();
        for range in ranges[first..].iter().take_while(|range| range.first < part.end) {
            let within = range.first.max(part.start)..range.end().min(part.end);
            parts.push(if inside { within.clone() } else { at..within.start });
            at = within.end;
        }
        if !inside {
            parts.push(at..part.end);
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}
