//! What is appended at once: plain values, all of one transaction.

use std::ops::Range;

use vox_format::{keys::Domain, raw::Record, rows::CursorRow};
use vox_types::{
    CallNo, ContentHash, CutForm, Fidelity, ItemKind, LinkKind, OverlayKind, QuarantineReason,
    Role, Tier, WindowKind,
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
    /// The bytes of the source, in the order of their places.
    pub raw: Vec<NewStretch>,
    /// Whether the source is read from its start.
    pub restart: bool,
    /// With `restart`: what was read of it before is still there, byte for byte, so that this
    /// isn't another reading, and bytes that are kept already aren't kept again.
    pub unchanged: bool,
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
    /// Joins a tool call and its results, see [`call_number`](vox_types::call_number); 0 is none.
    pub call: CallNo,
    /// Its bytes: a place in [`Batch::blobs`].
    pub content: usize,
    /// What is left of its record.
    pub rest: Option<NewRest>,
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

/// Where the rest of an item's record is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NewRest {
    /// In the raw run that holds the record at this place of the source, if one does.
    Record(u64),
    /// In a blob of its own, as archives of format 1 had it: a place in [`Batch::blobs`].
    Extra(usize),
}

/// A stretch of the source, to be a raw run.
#[derive(Clone, Debug)]
pub struct NewStretch {
    /// What `offset` counts.
    pub domain: Domain,
    /// Where it starts in the source.
    pub offset: u64,
    /// Whether it is the torn tail behind the last whole record.
    pub torn: bool,
    /// Hash of its bytes.
    pub hash: ContentHash,
    /// How many.
    pub length: u32,
    /// The records in it, in order.
    pub records: Vec<Record>,
    /// What blobs give back of it, in the order of the places.
    pub cuts: Vec<NewCut>,
    /// Its bytes without those.
    pub rest: Vec<u8>,
}

/// Bytes of a stretch that a blob gives back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NewCut {
    /// A place in [`Batch::blobs`].
    pub blob: usize,
    /// Bytes of the rest since the cut before.
    pub gap: u32,
    /// How many bytes of the stretch it stands for.
    pub len: u32,
    /// How the blob's bytes stood there.
    pub form: CutForm,
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
    /// What they take: their bodies, and the tables that find those.
    pub stored_bytes: u64,
    /// How much of that is tables.
    pub table_bytes: u64,
    /// Source bytes that were taken into custody, also where equal ones were there.
    pub source_bytes: u64,
    /// What the raw runs take that are new.
    pub run_bytes: u64,
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
        self.table_bytes += other.table_bytes;
        self.source_bytes += other.source_bytes;
        self.run_bytes += other.run_bytes;
    }
}
