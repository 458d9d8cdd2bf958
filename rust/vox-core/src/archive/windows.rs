//! Lists of windows as Arrow columns.

use std::{ops::ControlFlow, sync::Arc};

use arrow_array::{
    Array, ArrayRef, RecordBatch,
    builder::{
        BooleanBuilder, Int64Builder, ListBuilder, StringBuilder, TimestampMillisecondBuilder,
        UInt32Builder, UInt64Builder,
    },
};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use vox_format::rows::WindowRow;
use vox_store::Snapshot;
use vox_types::{
    Error, Fidelity, LinkKind, Result, SymbolNo, Tier, WindowId, WindowKind, WindowNo,
};

use super::Archive;

/// Which windows a list shows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WindowFilter {
    /// Only of this repository.
    pub repo: Option<String>,
    /// Only of this kind.
    pub kind: Option<WindowKind>,
    /// Only of this tier.
    pub tier: Option<Tier>,
    /// Only changed from this time on, UTC ms.
    pub since: Option<i64>,
    /// Only changed before this time, UTC ms.
    pub until: Option<i64>,
    /// Only with all of these tags.
    pub tags: Vec<String>,
    /// The deleted ones instead of the others.
    pub deleted: bool,
}

/// A filter whose names are looked up.
struct Wanted<'f> {
    filter: &'f WindowFilter,
    repo: Option<SymbolNo>,
    tags: Vec<SymbolNo>,
}

impl<'f> Wanted<'f> {
    /// None if it names what no window has.
    fn of(filter: &'f WindowFilter, snapshot: &Snapshot<'_>) -> Result<Option<Self>> {
        let mut wanted = Self { filter, repo: None, tags: Vec::new() };
        if let Some(repo) = &filter.repo {
            match snapshot.find_symbol(repo)? {
                Some(symbol) => wanted.repo = Some(symbol),
                None => return Ok(None),
            }
        }
        for tag in &filter.tags {
            match snapshot.find_symbol(tag)? {
                Some(symbol) => wanted.tags.push(symbol),
                None => return Ok(None),
            }
        }
        Ok(Some(wanted))
    }

    /// Whether what only the row says is as it should be.
    fn shows(&self, row: &WindowRow) -> bool {
        self.filter.kind.is_none_or(|kind| row.kind == kind as u8)
            && self.tags.iter().all(|tag| row.tags.contains(tag))
    }

    fn needs_row(&self) -> bool {
        self.filter.kind.is_some() || !self.tags.is_empty()
    }

    fn changed_in_time(&self, updated_at: i64) -> bool {
        self.filter.since.is_none_or(|since| updated_at >= since)
            && self.filter.until.is_none_or(|until| updated_at < until)
    }

    /// Deleted windows, the last deleted first.
    fn deleted(&self, snapshot: &Snapshot<'_>) -> Result<Vec<WindowNo>> {
        let mut found = Vec::new();
        for no in 0..snapshot.window_count()? as WindowNo {
            let row = snapshot.window(no)?;
            if let Some(at) = row.deleted_at
                && self.repo.is_none_or(|repo| row.repo == repo)
                && self.filter.tier.is_none_or(|tier| row.tier == tier as u8)
                && self.changed_in_time(row.updated_at)
                && self.shows(&row)
            {
                found.push((at, no));
            }
        }
        found.sort_unstable_by_key(|(at, no)| std::cmp::Reverse((*at, *no)));
        Ok(found.into_iter().map(|(_, no)| no).collect())
    }
}

impl Archive {
    /// Live windows, the newest first: `count` of them from place `start` on.
    pub fn windows(&self, filter: &WindowFilter, start: u64, count: u64) -> Result<RecordBatch> {
        self.store.snapshot(|snapshot| {
            let mut found = Vec::new();
            self.walk(snapshot, filter, start.saturating_add(count), |place, no| {
                if place >= start {
                    found.push(no);
                }
            })?;
            window_columns(snapshot, &found)
        })
    }

    /// What live windows call their repositories, each once.
    pub fn repos(&self) -> Result<Vec<String>> {
        self.store().snapshot(|snapshot| {
            let mut repos = Vec::new();
            for symbol in snapshot.repos()? {
                repos.extend(snapshot.symbol(symbol)?.map(|text| text.into_owned()));
            }
            Ok(repos)
        })
    }

    /// How many windows a list shows.
    pub fn window_count(&self, filter: &WindowFilter) -> Result<u64> {
        self.store.snapshot(|snapshot| self.walk(snapshot, filter, u64::MAX, |_, _| ()))
    }

    /// All windows of the tree that `window` belongs to, parents before children.
    pub fn tree(&self, window: WindowNo) -> Result<RecordBatch> {
        self.store.snapshot(|snapshot| {
            let root = snapshot.window(window)?.root;
            let family = snapshot.family(root)?;
            window_columns(snapshot, &in_tree_order(snapshot, root, &family)?)
        })
    }

    /// One window as columns of one row.
    pub fn window_info(&self, window: WindowNo) -> Result<RecordBatch> {
        self.store.snapshot(|snapshot| window_columns(snapshot, &[window]))
    }

    /// All windows that a list shows, in its order.
    pub(super) fn window_list(&self, filter: &WindowFilter) -> Result<Vec<WindowNo>> {
        self.store.snapshot(|snapshot| {
            let mut found = Vec::new();
            self.walk(snapshot, filter, u64::MAX, |_, no| found.push(no))?;
            Ok(found)
        })
    }

    fn walk(
        &self,
        snapshot: &Snapshot<'_>,
        filter: &WindowFilter,
        end: u64,
        mut take: impl FnMut(u64, WindowNo),
    ) -> Result<u64> {
        let Some(wanted) = Wanted::of(filter, snapshot)? else { return Ok(0) };
        let mut place = 0;
        if filter.deleted {
            for no in wanted.deleted(snapshot)?.into_iter().take(end as usize) {
                take(place, no);
                place += 1;
            }
            return Ok(place);
        }
        snapshot.recent_windows(wanted.repo, filter.tier, |no, updated_at| {
            if place >= end || filter.since.is_some_and(|since| updated_at < since) {
                return Ok(ControlFlow::Break(()));
            }
            if wanted.changed_in_time(updated_at)
                && (!wanted.needs_row() || wanted.shows(&snapshot.window(no)?))
            {
                take(place, no);
                place += 1;
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(place)
    }
}

/// Orders a family so that each window is followed by its children.
fn in_tree_order(
    snapshot: &Snapshot<'_>,
    root: WindowNo,
    family: &[WindowNo],
) -> Result<Vec<WindowNo>> {
    let mut children: std::collections::HashMap<WindowNo, Vec<WindowNo>> = Default::default();
    for no in family {
        if let Some(parent) = snapshot.window(*no)?.parent {
            children.entry(parent).or_default().push(*no);
        }
    }
    let mut ordered = Vec::with_capacity(family.len());
    let mut waiting = vec![root];
    while let Some(no) = waiting.pop() {
        ordered.push(no);
        if let Some(mut below) = children.remove(&no) {
            below.reverse();
            waiting.append(&mut below);
        }
    }
    Ok(ordered)
}

/// The columns of these windows, in their order.
pub fn window_columns(snapshot: &Snapshot<'_>, windows: &[WindowNo]) -> Result<RecordBatch> {
    let mut columns = WindowColumns::default();
    for no in windows {
        columns.push(snapshot, *no)?;
    }
    columns.finish()
}

#[derive(Default)]
struct WindowColumns {
    window: UInt32Builder,
    texts: [StringBuilder; TEXTS.len()],
    times: [TimestampMillisecondBuilder; TIMES.len()],
    numbers: [UInt64Builder; NUMBERS.len()],
    revision: Int64Builder,
    pinned: BooleanBuilder,
    tags: ListBuilder<StringBuilder>,
}

const TEXTS: [&str; 19] = [
    "id",
    "key",
    "title",
    "kind",
    "tier",
    "repo",
    "agent",
    "model_route",
    "parent",
    "link",
    "root",
    "thread_id",
    "trace_id",
    "workspace",
    "git_branch",
    "git_sha_at_open",
    "git_sha_at_close",
    "fidelity",
    "source",
];
const TIMES: [&str; 3] = ["created_at", "updated_at", "deleted_at"];
const NUMBERS: [&str; 4] = ["items", "bytes", "tokens", "trimmed"];

impl WindowColumns {
    fn push(&mut self, snapshot: &Snapshot<'_>, no: WindowNo) -> Result<()> {
        let row = snapshot.window(no)?;
        let id_of = |no| Ok::<_, Error>(WindowId(snapshot.window(no)?.id).to_string());
        let symbol = |no| Ok::<_, Error>(snapshot.symbol(no)?.map(|text| text.into_owned()));
        let name = |text: Option<&'static str>| text.map(str::to_owned);
        let link = match row.parent {
            Some(parent) => snapshot.link(no, parent)?,
            None => None,
        };
        let texts = [
            Some(WindowId(row.id).to_string()),
            Some(row.key.clone()),
            row.title.clone(),
            name(WindowKind::from_number(row.kind).map(WindowKind::name)),
            name(Tier::from_number(row.tier).map(Tier::name)),
            symbol(row.repo)?,
            symbol(row.agent)?,
            symbol(row.model_route)?,
            row.parent.map(id_of).transpose()?,
            name(link.map(LinkKind::name)),
            Some(id_of(row.root)?),
            row.thread_id.clone(),
            row.trace_id.clone(),
            row.workspace.clone(),
            row.git_branch.clone(),
            row.git_sha_at_open.clone(),
            row.git_sha_at_close.clone(),
            name(Fidelity::from_number(row.fidelity).map(Fidelity::name)),
            row.key.split(':').next().map(str::to_owned),
        ];
        self.window.append_value(no);
        for (column, text) in self.texts.iter_mut().zip(texts) {
            column.append_option(text);
        }
        let times = [Some(row.created_at), Some(row.updated_at), row.deleted_at];
        for (column, time) in self.times.iter_mut().zip(times) {
            column.append_option(time);
        }
        let numbers = [row.items, row.bytes, row.tokens, row.trimmed];
        for (column, number) in self.numbers.iter_mut().zip(numbers) {
            column.append_value(number);
        }
        self.revision.append_value(i64::from(row.revision));
        self.pinned.append_value(row.pinned);
        for tag in &row.tags {
            self.tags.values().append_option(symbol(*tag)?);
        }
        self.tags.append(true);
        Ok(())
    }

    fn finish(mut self) -> Result<RecordBatch> {
        let mut fields = vec![Field::new("window", DataType::UInt32, false)];
        let mut columns: Vec<ArrayRef> = vec![Arc::new(self.window.finish())];
        for (name, column) in TEXTS.iter().zip(&mut self.texts) {
            fields.push(Field::new(*name, DataType::Utf8, true));
            columns.push(Arc::new(column.finish()));
        }
        for (name, column) in TIMES.iter().zip(&mut self.times) {
            let utc = DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into()));
            fields.push(Field::new(*name, utc, true));
            columns.push(Arc::new(column.finish().with_timezone("UTC")));
        }
        for (name, column) in NUMBERS.iter().zip(&mut self.numbers) {
            fields.push(Field::new(*name, DataType::UInt64, false));
            columns.push(Arc::new(column.finish()));
        }
        fields.push(Field::new("revision", DataType::Int64, false));
        columns.push(Arc::new(self.revision.finish()));
        fields.push(Field::new("pinned", DataType::Boolean, false));
        columns.push(Arc::new(self.pinned.finish()));
        let tags: ArrayRef = Arc::new(self.tags.finish());
        fields.push(Field::new("tags", tags.data_type().clone(), false));
        columns.push(tags);
        RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
            .map_err(|error| Error::damaged(format!("columns of windows: {error}")))
    }
}
