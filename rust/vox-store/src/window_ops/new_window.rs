//! A window that its user makes out of others.

use heed::RwTxn;
use vox_format::rows::{Event, WindowRow};
use vox_types::{Code, Error, WindowId, WindowNo};

use crate::{
    events,
    fault::Fallible,
    spine::{lineage, windows},
    tables::Tables,
};

/// What a user says of a window that is to be made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewWindow {
    /// What it is called, once and for all; no other window may have this key.
    pub key: String,
    /// A label for people; none: that of the window it comes from.
    pub title: Option<String>,
}

/// Makes a window with the facts of `like`; its items are to follow.
pub(super) fn create(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    now: i64,
    new: &NewWindow,
    like: &WindowRow,
) -> Fallible<(WindowNo, WindowRow)> {
    if new.key.is_empty() {
        return Err(Error::new(Code::InvalidArgument, "a window needs a key").into());
    }
    if let Some(other) = windows::by_key(tables, txn, &new.key)? {
        return Err(Error::new(
            Code::Conflict,
            format!("window {other} has the key {:?} already; choose another", new.key),
        )
        .into());
    }
    let no = windows::next_no(tables, txn)?;
    let row = WindowRow {
        id: WindowId::derive(&new.key, 0).0,
        key: new.key.clone(),
        title: new.title.clone().or_else(|| like.title.clone()),
        kind: like.kind,
        repo: like.repo,
        agent: like.agent,
        model_route: like.model_route,
        routed: like.routed,
        source_route: like.source_route,
        workspace: like.workspace.clone(),
        git_branch: like.git_branch.clone(),
        git_sha_at_open: like.git_sha_at_open.clone(),
        git_sha_at_close: like.git_sha_at_close.clone(),
        fidelity: like.fidelity,
        tags: like.tags.clone(),
        root: no,
        created_at: now,
        updated_at: now,
        ..WindowRow::default()
    };
    windows::put(tables, txn, no, None, &row)?;
    events::append(tables, txn, now, Some(no), Event::WindowCreated {})?;
    lineage::adopt_awaiting(tables, txn, now, no, &new.key)?;
    Ok((no, row))
}
