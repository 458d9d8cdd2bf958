//! Purging: the one way by which content leaves an archive before nothing uses it.
//!
//! Only what was trimmed or whose window was deleted can be purged, and only after a grace period;
//! what is pinned can't, and neither can a row that another window keeps. A purged item keeps its
//! row: place, role, kind, times, length and hash. Its content goes with the next collection that
//! finds it unused; a tombstone keeps a source from bringing it back unasked.
//!
//! Every transaction looks anew at what may go, so what is restored or pinned meanwhile stays, and
//! each leaves the archive whole: a purge that was interrupted is run again.

mod items;
mod plan;
mod ranges;
pub(crate) mod tombstones;
mod windows;

use vox_format::rows::Event;
use vox_types::{Code, Error, ItemId, Result, WindowNo};

use self::{
    items::Tally,
    plan::{Plan, plan},
};
use crate::{Store, events, gc::DAY, meta::now};

/// How long something stays trimmed or deleted before it may be purged, in days. Judgement.
pub const GRACE_DAYS: u32 = 14;

/// What to purge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Only of these windows; of all if empty.
    pub windows: Vec<WindowNo>,
    /// Trimmed items.
    pub trimmed: bool,
    /// Windows that were deleted, as a whole.
    pub deleted: bool,
    /// How long ago they must have been trimmed or deleted, in milliseconds.
    pub grace: i64,
    /// The time, UTC ms.
    pub at: i64,
    /// Why, for the log and the tombstones.
    pub why: String,
    /// Say what would go and change nothing.
    pub dry_run: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            windows: Vec::new(),
            trimmed: false,
            deleted: false,
            grace: i64::from(GRACE_DAYS) * DAY,
            at: now(),
            why: String::new(),
            dry_run: true,
        }
    }
}

impl Options {
    /// Windows that are named without saying what of them: both.
    fn both(&self) -> bool {
        !self.windows.is_empty() && !self.trimmed && !self.deleted
    }

    fn trimmed(&self) -> bool {
        self.trimmed || self.both()
    }

    fn deleted(&self) -> bool {
        self.deleted || self.both()
    }

    fn is_old(&self, since: i64) -> bool {
        self.grace <= 0 || self.at.checked_sub(since).is_some_and(|age| age >= self.grace)
    }
}

/// What became of a purge. In a dry run: what would.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Purged {
    /// Whether nothing was changed.
    pub dry_run: bool,
    /// Items that were purged.
    pub items: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Windows that were purged as a whole.
    pub windows: u64,
    /// Items that stay because another window keeps them.
    pub kept_shared: u64,
    /// Items that stay because they, or their window, are pinned.
    pub pinned_items: u64,
    /// Windows that stay because they are pinned.
    pub pinned_windows: u64,
    /// Items that were trimmed or deleted too recently.
    pub recent_items: u64,
    /// Windows that were deleted too recently.
    pub recent_windows: u64,
}

impl Purged {
    fn of(plan: &Plan, dry_run: bool) -> Self {
        Self {
            dry_run,
            pinned_items: plan.pinned_items,
            pinned_windows: plan.pinned_windows,
            recent_items: plan.recent_items,
            recent_windows: plan.recent_windows,
            ..Self::default()
        }
    }
}

impl Store {
    /// Purges what `options` name and what may be purged. Durable on return.
    ///
    /// Errors: `invalid_argument` if nothing is named, or a window is that is pinned or neither
    /// deleted nor has trimmed items; `not_found` for a window that isn't there.
    pub fn purge(&self, options: &Options) -> Result<Purged> {
        if options.windows.is_empty() && !options.trimmed && !options.deleted {
            let sentence = "say what to purge: windows, trimmed items, deleted windows";
            return Err(Error::new(Code::InvalidArgument, sentence));
        }
        if options.dry_run {
            return self.plan_purge(options);
        }
        self.check_writable()?;
        let mut done = self.plan_purge(options)?;
        (done.dry_run, done.items, done.bytes, done.windows) = (false, 0, 0, 0);
        let mut from = Some(ItemId(0));
        while let Some(item) = from {
            let options = options.clone();
            let (next, tally) = self.write(move |generation, txn| {
                let tables = &generation.tables;
                let plan = plan(tables, txn, &options)?;
                let mut tally = Tally::default();
                let why = (options.at, &options.why[..]);
                let next = items::purge(tables, txn, &plan.items, item, why, &mut tally)?;
                if tally.items > 0 {
                    let what = Event::Purged { items: tally.items, why: options.why.clone() };
                    events::append(tables, txn, now(), None, what)?;
                }
                Ok((next, tally))
            })?;
            done.items += tally.items;
            done.bytes += tally.bytes;
            from = next;
        }
        let options = options.clone();
        done.windows = self.write(move |generation, txn| {
            let plan = plan(&generation.tables, txn, &options)?;
            let why = (options.at, &options.why[..]);
            windows::purge(&generation.tables, txn, &plan.windows, why)
        })?;
        Ok(done)
    }

    /// What a purge would do.
    fn plan_purge(&self, options: &Options) -> Result<Purged> {
        let plan = self.read(|tables, txn| plan(tables, txn, options))?;
        let mut done = Purged::of(&plan, true);
        let count = |set| {
            let mut tally = Tally::default();
            let mut from = Some(ItemId(0));
            while let Some(item) = from {
                from = self.read(|tables, txn| items::count(tables, txn, set, item, &mut tally))?;
            }
            Ok::<_, Error>(tally)
        };
        let items = count(&plan.items)?;
        (done.items, done.bytes) = (items.items, items.bytes);
        done.kept_shared = count(&plan.shared)?.items;
        done.windows = plan.windows.len() as u64;
        Ok(done)
    }
}
