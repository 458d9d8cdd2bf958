//! What a search found.

use vox_format::attributes::Attributes;
use vox_types::{ContentHash, ItemId, WindowId, WindowNo};

/// How far an answer covers what was asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum State {
    /// All of it.
    Complete,
    /// All of it, without the index: hits have no score.
    NotIndexed {
        /// What is the matter with the index, and what to do.
        why: String,
    },
    /// A part: the texts of `searched` of `of` items were looked at.
    Partial {
        /// Items that were searched.
        searched: u64,
        /// Items that should have been.
        of: u64,
    },
    /// All but the newest: `behind` items came after the index was made and weren't looked at.
    Stale {
        /// How many.
        behind: u64,
    },
}

/// A hit as it is listed: references, no text.
#[derive(Clone, PartialEq, Debug)]
pub struct Hit {
    /// The item.
    pub item: ItemId,
    /// The window it is named with: the owner of its run if that is in scope, else the first.
    pub window: WindowNo,
    /// Its place there.
    pub ordinal: u64,
    /// BM25 of the query's words; none where there is no index or the hit isn't in it yet.
    pub score: Option<f32>,
    /// UTC ms.
    pub at: i64,
    /// Role, kind and flags.
    pub attributes: Attributes,
    /// The tool of a call or result, the model of an answer, the media type of an attachment.
    pub name: Option<String>,
    /// How many bytes it is.
    pub bytes: u64,
    /// The hash of its bytes.
    pub content: ContentHash,
    /// How many windows in scope hold this content, in whatever item; records count only if they may
    /// be hits.
    pub windows: u64,
    /// The start of the item as one line.
    pub preview: String,
}

/// What a hit's window is called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WindowLabel {
    /// Its number.
    pub window: WindowNo,
    /// Its lasting id.
    pub id: WindowId,
    /// Its title.
    pub title: Option<String>,
    /// Its repository.
    pub repo: Option<String>,
    /// Its agent.
    pub agent: Option<String>,
    /// Whether it is a sub-agent's.
    pub sub_agent: bool,
    /// Whether it is deleted.
    pub deleted: bool,
}

/// How many hits there are of each value, the most frequent first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Facets {
    /// By repository of the window that names the hit; none: of windows without one.
    pub repo: Vec<(Option<String>, u64)>,
    /// By agent of that window.
    pub agent: Vec<(Option<String>, u64)>,
    /// By role.
    pub role: Vec<(String, u64)>,
    /// By kind.
    pub kind: Vec<(String, u64)>,
    /// By month in UTC, as 2026-01, the latest first.
    pub month: Vec<(String, u64)>,
}

/// Which end of time comes first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TimeOrder {
    /// The newest hit.
    #[default]
    NewestFirst,
    /// The oldest hit.
    OldestFirst,
}
