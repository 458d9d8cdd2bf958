//! History: clips, commands and prompts that a person may want again.

use serde::{Deserialize, Serialize};

use super::is_zero;

/// What an entry is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HistoryKind {
    /// Something that was copied.
    Clip,
    /// A command that was run.
    Command,
    /// Something that was said to a model.
    Chat,
}

impl HistoryKind {
    /// The name used in keys, answers and options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Clip => "clip",
            Self::Command => "command",
            Self::Chat => "chat",
        }
    }
}

/// The head of the entries of one kind and repository in `history_entries`, under the first 16
/// bytes of BLAKE3 of their window's key.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HistoryGroupRow {
    /// What its entries are.
    pub kind: HistoryKind,
    /// The repository; empty: none.
    #[serde(default)]
    pub repo: String,
    /// One more than the number of its last entry; 0 if it never had one.
    #[serde(default)]
    pub next: u64,
    /// How many entries it has.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub entries: u64,
    /// Sum of their lengths.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub bytes: u64,
    /// How many entries it ever had: the ordinal of the next in the window.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub items: u64,
}

/// A row of `history_entries`, under its group's 16 bytes and its number. Numbers ascend over all
/// groups.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HistoryRow<C> {
    /// UTC milliseconds.
    pub at: i64,
    /// Its bytes.
    pub content: C,
    /// Their length.
    pub bytes: u64,
    /// Its place in the window.
    pub ordinal: u64,
    /// Where it came from, such as a shell or a program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// UTC milliseconds, if it is pinned: no cap removes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pinned_at: Option<i64>,
}
