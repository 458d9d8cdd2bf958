//! Cutting the items out of their records.

use rayon::prelude::*;
use vox_frame::{Cut, Records, cut};
use vox_store::cores;
use vox_types::{Code, CutForm, Error, Result};

use super::import::{Body, DraftItem};

/// A record's items, and where their bytes stand in it.
#[derive(Default)]
pub(super) struct Apart {
    /// Each with its bytes.
    pub items: Vec<(DraftItem, Vec<u8>)>,
    /// What can be had back from them, in the order of the places. `item` counts those above.
    pub cuts: Vec<Cut>,
    /// Whether the record is an item as a whole, and nothing is cut out of it beside.
    pub whole: bool,
}

/// Cuts the items out of their records, on all cores: one for each record, in their order.
pub(super) fn take_apart(records: &Records, drafts: Vec<DraftItem>) -> Result<Vec<Apart>> {
    let mut by_record: Vec<Vec<DraftItem>> = vec![Vec::new(); records.len()];
    for draft in drafts {
        by_record[draft.record].push(draft);
    }
    let take = |(i, drafts): (usize, Vec<DraftItem>)| match records.get(i) {
        _ if drafts.is_empty() => Ok(Apart::default()),
        Some(record) => take_record_apart(record.bytes, record.offset, drafts),
        None => Err(Error::new(Code::InvalidArgument, "an item names a record that isn't there")),
    };
    let by_record = by_record.into_par_iter().enumerate().with_min_len(16);
    cores::on_all(|| by_record.map(take).collect())?
}

fn take_record_apart(record: &[u8], offset: u64, drafts: Vec<DraftItem>) -> Result<Apart> {
    let (mut wants, mut owners) = (Vec::new(), Vec::new());
    for (place, draft) in drafts.iter().enumerate() {
        if let Body::At(want) = &draft.body {
            wants.push(want.clone());
            owners.push(place);
        }
    }
    let is_whole = |draft: &DraftItem| matches!(draft.body, Body::Record);
    let whole = drafts.iter().position(is_whole).filter(|_| wants.is_empty());
    let (mut found, cuts) = match whole {
        Some(item) => {
            let (end, form) = (record.len(), CutForm::Verbatim);
            (Vec::new(), vec![Cut { start: 0, end, item, form }])
        }
        None => {
            let mut apart = cut(record, &wants)?;
            apart.cuts.iter_mut().for_each(|cut| cut.item = owners[cut.item]);
            (apart.items, apart.cuts)
        }
    };
    let mut found = found.drain(..);
    let mut items = Vec::with_capacity(drafts.len());
    for draft in drafts {
        let bytes = match &draft.body {
            Body::Record => record.to_vec(),
            Body::Bytes(bytes) => bytes.clone(),
            Body::At(want) => match found.next().flatten() {
                Some(bytes) => bytes.into_owned(),
                None => {
                    return Err(Error::new(
                        Code::InvalidArgument,
                        format!("the record at byte {offset} has nothing at {:?}", want.path),
                    ));
                }
            },
        };
        items.push((draft, bytes));
    }
    Ok(Apart { items, cuts, whole: whole.is_some() })
}
