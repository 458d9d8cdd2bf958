//! Appending items that vox's own callers make.

use vox_format::{estimate::quick_estimate, preview::preview};
use vox_store::{
    append::{Appended, Batch, NewItem, OwnedBlob, WindowChange, WindowItems},
    blobs::Dictionary,
};
use vox_types::{CallNo, Fidelity, ItemKind, Result, Role};

use super::Archive;

/// An item with its bytes.
#[derive(Clone, Debug)]
pub struct OwnItem {
    /// Who speaks.
    pub role: Role,
    /// What it is.
    pub kind: ItemKind,
    /// Its bytes.
    pub content: Vec<u8>,
    /// UTC ms; none: now.
    pub created_at: Option<i64>,
    /// The tool of a call or result, the model of an answer.
    pub name: Option<String>,
    /// No later item follows from it.
    pub side: bool,
    /// It is another item with its secrets masked.
    pub redacted: bool,
    /// Tokens, if they are known.
    pub token_estimate: Option<u32>,
    /// Joins a tool call and its results; 0 is none.
    pub call: CallNo,
}

impl Archive {
    /// Appends items after the last one of a window, which is made or changed as `window` says.
    /// Durable on return.
    pub fn append(&self, window: WindowChange, items: Vec<OwnItem>) -> Result<Appended> {
        let now = vox_store::now();
        let key = window.key.clone();
        let mut batch = Batch { windows: vec![window], fallback_time: now, ..Batch::default() };
        let items = items.into_iter().enumerate().map(|(content, item)| {
            let new = NewItem {
                role: item.role,
                kind: item.kind,
                fidelity: Fidelity::Recorded,
                redacted: item.redacted,
                side: item.side,
                created_at: Some(item.created_at.unwrap_or(now)),
                name: item.name,
                token_estimate: match item.token_estimate {
                    Some(tokens) => tokens,
                    None => quick_estimate(item.content.len()),
                },
                call: item.call,
                content,
                rest: None,
                preview: preview(&item.content),
            };
            let dictionary = Dictionary::Content;
            batch.blobs.push(OwnedBlob { bytes: item.content, dictionary });
            new
        });
        let items = WindowItems { window: key, at: WindowItems::END, items: items.collect() };
        if !items.items.is_empty() {
            batch.items.push(items);
        }
        self.store.append(batch)
    }
}
