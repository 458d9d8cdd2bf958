//! Batches of items as Arrow columns.

use arrow_array::{ArrayRef, RecordBatch};
use vox_types::{CallNo, Error, ItemId, OverlayKind, Result, WindowNo};

use super::{
    gather::{Gathered, gather},
    source::ItemSource,
    stretch::{Ordinals, Stretch, stretches, stretches_of_items},
};
use crate::columns::{
    arrays, closed,
    overlays::OverlayColumn,
    schema::{Rows, schema},
};

/// Columns of a batch beside the ones that are always there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Columns {
    /// `preview`: the start of each item as one line.
    pub preview: bool,
    /// `content_hash`, 32 bytes: read from the blobs' segments.
    pub content_hash: bool,
    /// `chain_hash`, 32 bytes: computed from the start of the chunk.
    pub chain_hash: bool,
}

impl Columns {
    /// What a viewport shows.
    pub const WITH_PREVIEW: Self = Self { preview: true, content_hash: false, chain_hash: false };
    /// Numbers, roles, kinds, names and overlays only.
    pub const METADATA: Self = Self { preview: false, content_hash: false, chain_hash: false };
}

/// Rows with larger gaps between them have their overlays looked up apart.
const GAP: u64 = 256;

/// The items of `window` at `ordinals`, in their order.
///
/// Columns: `ordinal` u64, `item` u64 (run << 32 | position), `role`, `kind`, `fidelity`
/// (dictionaries), `created_at` (ms, UTC), `byte_len` u64, `token_estimate` u64 (0 unknown),
/// `name` (dictionary, null for none), `call` u32 (joins a call and its results; 0 none), `redacted`, `side`, `pinned` (bool), `committed` i64
/// (null unless committed), `trimmed_at` (ms, UTC; null unless trimmed), and those of `want`.
///
/// A range that reaches past the last item gives fewer rows; a list with such an ordinal is
/// `not_found`; more than 2²⁴ rows are `too_large`.
pub fn items(
    source: &impl ItemSource,
    window: WindowNo,
    ordinals: &Ordinals,
    want: Columns,
) -> Result<RecordBatch> {
    let stretches = stretches(source, window, ordinals)?;
    let gathered = gather(source, &stretches, want)?;
    let mut ordinals = Vec::with_capacity(gathered.items.len());
    for stretch in &stretches {
        ordinals.extend(stretch.ordinal..stretch.ordinal + u64::from(stretch.count));
    }
    let rows = ordinals.len();
    let [trimmed, pinned, committed] = overlays(source, window, &stretches, &ordinals)?;
    let (committed, is_committed) = committed.into_values(rows);
    let (trimmed_at, is_trimmed) = trimmed.into_values(rows);
    let overlays = [
        arrays::flags(pinned.set(rows)),
        arrays::signed(committed, is_committed),
        arrays::nullable_times(trimmed_at, is_trimmed),
    ];
    let mut columns = Vec::with_capacity(18);
    columns.push(arrays::numbers(ordinals));
    finish(source, Rows::OfWindow, columns, gathered, overlays, want)
}

/// The numbers of the items of `window` at `ordinals`, in their order; as for [`items`], of any
/// number of them.
pub fn item_ids(
    source: &impl ItemSource,
    window: WindowNo,
    ordinals: &Ordinals,
) -> Result<Vec<ItemId>> {
    let stretches = stretches(source, window, ordinals)?;
    let ids = |stretch: &Stretch| {
        let run = stretch.run;
        (stretch.position..stretch.position + stretch.count).map(move |at| ItemId::new(run, at))
    };
    Ok(stretches.iter().flat_map(ids).collect())
}

/// Items named by their ids, in the order given, which may come from any windows: the columns of
/// [`items`] without `ordinal` and overlays, which belong to a window.
pub fn items_by_id(
    source: &impl ItemSource,
    items: &[ItemId],
    want: Columns,
) -> Result<RecordBatch> {
    let gathered = gather(source, &stretches_of_items(items), want)?;
    finish(source, Rows::ById, Vec::with_capacity(14), gathered, [], want)
}

/// The columns of [`items_by_id`] after `window` u32.
pub(crate) fn timeline_items(
    source: &impl ItemSource,
    items: &[ItemId],
    windows: Vec<WindowNo>,
    want: Columns,
) -> Result<RecordBatch> {
    let gathered = gather(source, &stretches_of_items(items), want)?;
    let columns = vec![arrays::small_numbers(windows)];
    finish(source, Rows::OfTimeline, columns, gathered, [], want)
}

fn finish(
    source: &impl ItemSource,
    rows: Rows,
    mut columns: Vec<ArrayRef>,
    gathered: Gathered,
    overlays: impl IntoIterator<Item = ArrayRef>,
    want: Columns,
) -> Result<RecordBatch> {
    let attributes = &gathered.attributes;
    let name = arrays::symbols(&gathered.name, |symbol| {
        let missing = || Error::damaged(format!("the symbol {symbol} has no text"));
        source.symbol(symbol)?.ok_or_else(missing)
    })?;
    columns.extend([
        arrays::numbers(gathered.items),
        closed::roles(attributes)?,
        closed::kinds(attributes)?,
        arrays::times(gathered.created_at),
        arrays::numbers(gathered.byte_len),
        arrays::numbers(gathered.token_estimate),
        name,
        arrays::small_numbers(calls(gathered.call)?),
        closed::fidelities(attributes)?,
        arrays::bits(attributes, 8),
        arrays::bits(attributes, 9),
        arrays::bits(attributes, 10),
    ]);
    columns.extend(overlays);
    if want.preview {
        columns.push(arrays::texts(gathered.previews)?);
    }
    if want.content_hash {
        columns.push(arrays::hashes(gathered.content_hash));
    }
    if want.chain_hash {
        columns.push(arrays::hashes(gathered.chain_hash));
    }
    RecordBatch::try_new(schema(rows, want), columns)
        .map_err(|error| Error::new(vox_types::Code::Internal, format!("a batch: {error}")))
}

fn calls(numbers: Vec<u64>) -> Result<Vec<CallNo>> {
    let call = |number| {
        u32::try_from(number).map_err(|_| Error::damaged(format!("an item has a call of {number}")))
    };
    numbers.into_iter().map(call).collect()
}

/// Trimmed, pinned and committed of every row.
fn overlays(
    source: &impl ItemSource,
    window: WindowNo,
    stretches: &[Stretch],
    ordinals: &[u64],
) -> Result<[OverlayColumn; 3]> {
    let mut columns = [const { OverlayColumn::new() }; 3];
    let end = |stretch: &Stretch| stretch.ordinal + u64::from(stretch.count);
    let near = |a: &Stretch, b: &Stretch| end(a) <= b.ordinal && b.ordinal - end(a) <= GAP;
    let mut row = 0;
    for span in stretches.chunk_by(near) {
        let rows = span.iter().map(|stretch| stretch.count as usize).sum::<usize>();
        let range = span[0].ordinal..end(&span[span.len() - 1]);
        let kinds = [OverlayKind::Trimmed, OverlayKind::Pinned, OverlayKind::Committed];
        for (kind, column) in kinds.into_iter().zip(&mut columns) {
            let ranges = source.overlays(window, kind, range.clone())?;
            column.apply(ordinals, row..row + rows, &ranges);
        }
        row += rows;
    }
    Ok(columns)
}
