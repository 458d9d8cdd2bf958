//! What is appended at once: plain values, all of one transaction.

use std::ops::Range;

use vox_format::rows::CursorRow;
use vox_types::{
    Fidelity, ItemKind, LinkKind, OverlayKind, QuarantineReason, Role, Tier, WindowKind,
};

use crate::blobs::Dictionary;

/// Everything that one write adds.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Bytes that items, extras and quarantined stretches are made of.
    pub blobs: Vec<OwnedBlob>,
    /// Windows that are new, or what became known of them.
    pub windows: Vec<WindowChange>,
    /// Items, by window.
    pub items: Vec<WindowItems>,
    /// What is said of items, in this order, when all are written.
    pub overlays: Vec<NewOverlay>,
    /// Reports of providers.
    pub usage: Vec<NewUsage>,
    /// Blobs that rows of a producer name: places in `blobs`, each of which counts a reference.
    pub owned: Vec<usize>,
    /// How far the source has been read. Its counts are those of this batch; unless `restart`
    /// they are added to what was counted before.
    pub cursor: Option<CursorRow>,
    /// Stretches of the source that were set aside.
    pub quarantine: Vec<NewQuarantine>,
    /// Whether the source is read from its start.
    pub restart: bool,
    /// Where in the source this batch begins. Unless `restart` the cursor must stand there, so
    /// that of two importers one is refused, and nothing is passed over after a failure.
    pub start: u64,
    /// The time of items that have none and follow none, UTC ms.
    pub fallback_time: i64,
    /// Whether what was purged and comes again is brought back.
    pub restore_purged: bool,
}

/// The bytes of a blob.
#[derive(Clone, Debug)]
pub struct OwnedBlob {
    /// The raw bytes.
    pub bytes: Vec<u8>,
    /// What they are like.
    pub dictionary: Dictionary,
}

/// A window, or what became known of it since; fields that are none change nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are the fields of WindowRow")]
pub struct WindowChange {
    pub key: String,
    pub kind: Option<WindowKind>,
    pub title: Option<String>,
    pub repo: Option<String>,
    pub workspace: Option<String>,
    pub agent: Option<String>,
    pub model_route: Option<String>,
    pub thread_id: Option<String>,
    pub trace_id: Option<String>,
    pub git_sha_at_open: Option<String>,
    pub git_sha_at_close: Option<String>,
    pub git_branch: Option<String>,
    pub fidelity: Option<Fidelity>,
    pub created_at: Option<i64>,
    pub tier: Option<Tier>,
    /// Tags that it gets.
    pub tags: Vec<String>,
    /// Key of the window it came from.
    pub parent: Option<String>,
    /// How it came from there.
    pub link: Option<LinkKind>,
    /// How many of the parent's first items it shares.
    pub shares: u64,
    /// Its beginning may repeat items of other windows with other times.
    pub replays: bool,
}

/// Items of one window.
#[derive(Clone, Debug)]
pub struct WindowItems {
    /// Key of the window.
    pub window: String,
    /// The ordinal of the first, or [`END`](Self::END).
    pub at: u64,
    /// In their order.
    pub items: Vec<NewItem>,
}

impl WindowItems {
    /// After the last item, wherever that is: nothing is compared.
    pub const END: u64 = u64::MAX;
}

/// One item.
#[derive(Clone, Debug)]
pub struct NewItem {
    /// Who speaks.
    pub role: Role,
    /// What it is.
    pub kind: ItemKind,
    /// How vox knows it.
    pub fidelity: Fidelity,
    /// A secret was taken out of it.
    pub redacted: bool,
    /// No later item follows from it.
    pub side: bool,
    /// UTC ms; none: the time of the item before it.
    pub created_at: Option<i64>,
    /// The tool of a call or result, the model of an answer, the media type of an attachment.
    pub name: Option<String>,
    /// 0 if unknown.
    pub token_estimate: u32,
    /// Its bytes: a place in [`Batch::blobs`].
    pub content: usize,
    /// What is left of its record: a place in [`Batch::blobs`].
    pub extra: Option<usize>,
    /// Its start as one line.
    pub preview: String,
}

/// Something that is said of items of one window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewOverlay {
    /// Key of the window.
    pub window: String,
    /// What is said.
    pub kind: OverlayKind,
    /// Of which items.
    pub ordinals: Range<u64>,
    /// Its value; none: nothing more.
    pub value: Option<i64>,
    /// Whether items of which something was said already are left alone.
    pub only_new: bool,
}

/// A report of a provider on one response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewUsage {
    /// Key of the window.
    pub window: String,
    /// The model.
    pub model: Option<String>,
    /// The report; its `model` is taken from the field above.
    pub row: vox_format::rows::UsageRow,
}

/// A stretch of the source that is no record.
#[derive(Clone, Debug)]
pub struct NewQuarantine {
    /// Where it starts.
    pub offset: u64,
    /// How many bytes of the source.
    pub length: u64,
    /// Why it was set aside.
    pub reason: QuarantineReason,
    /// Its bytes, as far as they were kept: a place in [`Batch::blobs`].
    pub blob: Option<usize>,
}

/// What became of a batch.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Appended {
    /// Windows that are new.
    pub windows: u64,
    /// Items that are new.
    pub added: u64,
    /// Items that were found on the same path of another window and are shared with it.
    pub shared: u64,
    /// Items that this window had already.
    pub known: u64,
    /// Items that were purged before and stay so.
    pub purged: u64,
    /// Items that were purged before and are back.
    pub restored: u64,
    /// Windows that were rewritten by their producer and go on under a new revision.
    pub diverged: u64,
    /// Reports of usage that were new or larger.
    pub usage: u64,
    /// Fields of windows that were there, and stretches of their items, of which something else is
    /// said now.
    pub changed: u64,
    /// Blobs that are new.
    pub blobs: u64,
    /// Their raw bytes.
    pub raw_bytes: u64,
    /// Their stored bytes.
    pub stored_bytes: u64,
}

impl std::ops::AddAssign for Appended {
    fn add_assign(&mut self, other: Self) {
        self.windows += other.windows;
        self.added += other.added;
        self.shared += other.shared;
        self.known += other.known;
        self.purged += other.purged;
        self.restored += other.restored;
        self.diverged += other.diverged;
        self.usage += other.usage;
        self.changed += other.changed;
        self.blobs += other.blobs;
        self.raw_bytes += other.raw_bytes;
        self.stored_bytes += other.stored_bytes;
    }
}
