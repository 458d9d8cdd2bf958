//! What a user says of whole windows: title, tags, pinned, deleted.

use std::collections::BTreeSet;

use heed::{RoTxn, RwTxn};
use vox_format::rows::{Event, Title, WindowRow};
use vox_types::{Code, Error, Result, WindowNo};

use super::marks;
use crate::{
    Snapshot, Store, events,
    fault::Fallible,
    meta::now,
    spine::{
        symbols::{self, Interner},
        windows,
    },
    tables::Tables,
};

/// A change of what is said of a window.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Label {
    /// A title that imports leave alone; none gives it back to the source.
    Rename(Option<String>),
    /// Files it under these tags.
    Tag(Vec<String>),
    /// Takes these tags away.
    Untag(Vec<String>),
    /// Keeps it through tiering and collection.
    Pin,
    /// Takes that back.
    Unpin,
    /// Leaves it out of lists.
    Delete,
    /// Takes that back; `purged` if it was purged since.
    Undelete,
}

/// The longest tag and title in characters. Judgement.
const LONGEST_TAG: usize = 100;
const LONGEST_TITLE: usize = 1000;

impl Store {
    /// Changes what is said of `windows`, of all or of none. With `below` the windows that came
    /// from them change too; of deleted ones only those that were deleted at the same time. Gives
    /// the windows that weren't so before. Durable on return.
    ///
    /// `not_found` if there is no such window, `invalid_argument` for a tag or title that can't be
    /// one, `purged` for a window that can't be undeleted.
    pub fn label(
        &self,
        windows: Vec<WindowNo>,
        below: bool,
        label: Label,
    ) -> Result<Vec<WindowNo>> {
        check(&label)?;
        self.write(move |generation, txn| {
            let tables = &generation.tables;
            let at = now();
            let mut changed = Vec::new();
            let mut interner = Interner::default();
            for no in affected(tables, txn, &windows, below, &label)? {
                if apply(tables, txn, &mut interner, no, at, &label)? {
                    changed.push(no);
                }
            }
            Ok(changed)
        })
    }
}

impl Snapshot<'_> {
    /// The windows that [`Store::label`] would change now.
    pub fn would_label(
        &self,
        windows: &[WindowNo],
        below: bool,
        label: &Label,
    ) -> Result<Vec<WindowNo>> {
        check(label)?;
        self.with(|tables, txn| {
            let mut changed = Vec::new();
            for no in affected(tables, txn, windows, below, label)? {
                let row = marks::window(tables, txn, no)?;
                if changes(tables, txn, &row, label)? {
                    changed.push(no);
                }
            }
            Ok(changed)
        })
    }
}

fn check(label: &Label) -> Result<()> {
    let refuse = |message: String| Err(Error::new(Code::InvalidArgument, message));
    match label {
        Label::Tag(tags) | Label::Untag(tags) => {
            for tag in tags {
                let trimmed = tag.trim() == tag && !tag.is_empty();
                if !trimmed || tag.chars().any(|c| c.is_control() || c == ',') {
                    return refuse(format!(
                        "{tag:?} is no tag: a tag isn't empty, has no comma and no control \
                         character, and neither begins nor ends with a space"
                    ));
                }
                if tag.chars().count() > LONGEST_TAG {
                    return refuse(format!("a tag has at most {LONGEST_TAG} characters"));
                }
            }
        }
        Label::Rename(Some(title)) if title.chars().count() > LONGEST_TITLE => {
            return refuse(format!("a title has at most {LONGEST_TITLE} characters"));
        }
        _ => {}
    }
    Ok(())
}

/// `windows`, and with `below` those that came from them, each once.
fn affected(
    tables: &Tables,
    txn: &RoTxn<'_>,
    windows: &[WindowNo],
    below: bool,
    label: &Label,
) -> Fallible<Vec<WindowNo>> {
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    for &no in windows {
        let row = marks::window(tables, txn, no)?;
        if seen.insert(no) {
            all.push(no);
        }
        if !below {
            continue;
        }
        let mut waiting = vec![no];
        let family = family(tables, txn, row.root)?;
        while let Some(parent) = waiting.pop() {
            for (child, below) in family.iter().filter(|(_, row)| row.parent == Some(parent)) {
                waiting.push(*child);
                let with_it = *label != Label::Undelete || below.deleted_at == row.deleted_at;
                if with_it && seen.insert(*child) {
                    all.push(*child);
                }
            }
        }
    }
    Ok(all)
}

fn family(
    tables: &Tables,
    txn: &RoTxn<'_>,
    root: WindowNo,
) -> Fallible<Vec<(WindowNo, WindowRow)>> {
    let members = windows::family(tables, txn, root)?.into_iter();
    members.map(|no| Ok((no, windows::expect(tables, txn, no)?))).collect()
}

/// Whether `label` would change a window; an error if it can't.
fn changes(tables: &Tables, txn: &RoTxn<'_>, row: &WindowRow, label: &Label) -> Fallible<bool> {
    let has = |tag: &String| -> Fallible<bool> {
        Ok(symbols::find(tables, txn, tag)?.is_some_and(|tag| row.tags.contains(&tag)))
    };
    let have = |tags: &[String]| tags.iter().map(has).collect::<Fallible<Vec<bool>>>();
    Ok(match label {
        Label::Rename(Some(title)) => !row.renamed || row.title.as_ref() != Some(title),
        Label::Rename(None) => row.renamed,
        Label::Tag(tags) => have(tags)?.contains(&false),
        Label::Untag(tags) => have(tags)?.contains(&true),
        Label::Pin => !row.pinned,
        Label::Unpin => row.pinned,
        Label::Delete => row.deleted_at.is_none(),
        Label::Undelete if row.purged_at.is_some() => {
            return Err(Error::new(
                Code::Purged,
                format!("the window {:?} was purged; nothing of it is left to restore", row.key),
            )
            .into());
        }
        Label::Undelete => row.deleted_at.is_some(),
    })
}

fn apply(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    interner: &mut Interner,
    no: WindowNo,
    at: i64,
    label: &Label,
) -> Fallible<bool> {
    let old = marks::window(tables, txn, no)?;
    if !changes(tables, txn, &old, label)? {
        return Ok(false);
    }
    let mut row = old.clone();
    let what = match label {
        Label::Rename(title) => {
            rename(&mut row, title.clone());
            let title = |row: &WindowRow| Title { title: row.title.clone(), renamed: row.renamed };
            Event::Renamed { from: title(&old), to: title(&row) }
        }
        Label::Tag(tags) => {
            let mut added = Vec::new();
            for tag in tags {
                let tag = interner.intern(tables, txn, Some(tag))?;
                if let Err(place) = row.tags.binary_search(&tag) {
                    row.tags.insert(place, tag);
                    added.push(tag);
                }
            }
            Event::Tagged { added, removed: Vec::new() }
        }
        Label::Untag(tags) => {
            let mut removed = Vec::new();
            for tag in tags {
                if let Some(tag) = symbols::find(tables, txn, tag)?
                    && let Ok(place) = row.tags.binary_search(&tag)
                {
                    row.tags.remove(place);
                    removed.push(tag);
                }
            }
            Event::Tagged { added: Vec::new(), removed }
        }
        Label::Pin => {
            row.pinned = true;
            Event::Pinned {}
        }
        Label::Unpin => {
            row.pinned = false;
            Event::Unpinned {}
        }
        Label::Delete => {
            row.deleted_at = Some(at);
            Event::Deleted {}
        }
        Label::Undelete => {
            let deleted_at = row.deleted_at.take().unwrap_or_default();
            Event::Undeleted { deleted_at }
        }
    };
    windows::put(tables, txn, no, Some(&old), &row)?;
    events::append(tables, txn, at, Some(no), what)?;
    Ok(true)
}

/// Gives a window its user's title, or with none that of its source.
fn rename(row: &mut WindowRow, title: Option<String>) {
    match title {
        Some(title) => {
            let before = row.title.replace(title);
            if !row.renamed {
                row.source_title = before;
            }
            row.renamed = true;
        }
        None => {
            row.title = row.source_title.take();
            row.renamed = false;
        }
    }
}
