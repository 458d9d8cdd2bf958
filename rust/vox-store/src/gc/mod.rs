//! Collecting what nothing uses any more.
//!
//! Mark, then sweep: [`mark`] walks over every root in short read transactions and counts;
//! [`condemned`] remembers since when a blob is unused; [`sweep`] removes those that have been for
//! longer than the grace period, some thousands in a transaction, each looked at again in the
//! transaction that removes it. [`runs`] deletes source bytes that nothing names; their contents are
//! unused from then on. Whatever is interrupted goes on with the next collection.
//!
//! Memory: eight bytes and four bits for each blob, eight bytes for each segment, and eight for
//! each blob that turns out unused for the first time, and about 20 for each raw run: about 170 MB for 10 million blobs if all are
//! unused, 90 MB if few are.

mod condemned;
mod mark;
mod places;
mod runs;
mod steps;
mod sweep;

use heed::RwTxn;
use vox_format::segment::Group;
use vox_types::{Code, Error, Result};

pub(crate) use condemned::decode as decode_condemned;

use self::{mark::Marks, places::Bits, steps::Source};
use crate::{
    Store, blobs,
    env::Generation,
    fault::Fallible,
    leases::{self, LeaseRow},
    meta::{self, now},
};

/// How long a blob stays after it was first found unused, in days. Judgement.
pub const GRACE_DAYS: u32 = 14;

/// A day in milliseconds.
pub(crate) const DAY: i64 = 86_400_000;

/// How to collect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Say what would go and change nothing.
    pub dry_run: bool,
    /// How long a blob must have been unused, in milliseconds; 0 removes it at once.
    pub grace: i64,
    /// The time, UTC ms; the system's if none.
    pub at: Option<i64>,
}

impl Default for Options {
    fn default() -> Self {
        Self { dry_run: false, grace: i64::from(GRACE_DAYS) * DAY, at: None }
    }
}

/// What became of a collection. In a dry run: what would.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Collected {
    /// Whether nothing was changed.
    pub dry_run: bool,
    /// Items that were looked at.
    pub items: u64,
    /// Blobs that were looked at.
    pub blobs: u64,
    /// Blobs with content that nothing uses.
    pub unused: u64,
    /// Of those, blobs whose grace period isn't over.
    pub waiting: u64,
    /// Blobs whose content was removed.
    pub removed: u64,
    /// Bytes of that content.
    pub removed_raw_bytes: u64,
    /// Bytes that it took.
    pub removed_bytes: u64,
    /// Raw runs that nothing named and that were deleted. Contents that only they referred to are
    /// unused for the next collection.
    pub removed_raw_runs: u64,
    /// Leases that dead processes had left.
    pub leases_cleared: u64,
    /// Imports that run: nothing is removed before they have ended.
    pub held_back_by: Vec<LeaseRow>,
}

/// Attempts when the archive is compacted meanwhile. Judgement.
const ATTEMPTS: usize = 3;

impl Store {
    /// Removes the content of blobs that nothing has used for longer than the grace period.
    ///
    /// Errors: `damaged` if something refers to content that isn't there, or if the counts that
    /// are kept aren't what a recount gives; nothing is removed then.
    pub fn collect(&self, options: &Options) -> Result<Collected> {
        if !options.dry_run {
            self.check_writable()?;
        }
        let mut attempt = 1;
        loop {
            match collect(self, &*self.current()?, options) {
                Err(error) if error.code == Code::Conflict && attempt < ATTEMPTS => attempt += 1,
                done => return done,
            }
        }
    }
}

fn collect(store: &Store, generation: &Generation, options: &Options) -> Result<Collected> {
    let now = options.at.unwrap_or_else(now);
    let mut done = Collected { dry_run: options.dry_run, ..Collected::default() };
    if options.dry_run {
        done.held_back_by = store.leases()?;
    } else {
        (done.leases_cleared, done.held_back_by) = write_to(store, generation, |txn| {
            let cleared = leases::clear_dead(&generation.tables, txn)?;
            Ok((cleared, leases::alive(&generation.tables, txn)?))
        })?;
    }
    let mut marks = mark::mark(generation)?;
    let verdicts = condemned::judge(Source::Steps(generation), &marks, now, options.grace)?;
    done.items = marks.items;
    done.blobs = marks.places.len() as u64 - marks.places.gone.count();
    done.waiting = verdicts.waiting;
    done.unused = verdicts.waiting + verdicts.doomed.count();
    if options.dry_run {
        (done.removed_raw_bytes, done.removed_bytes) = sizes(generation, &marks, &verdicts.doomed)?;
        done.removed = verdicts.doomed.count();
        done.removed_raw_runs = marks.unnamed_runs.len() as u64;
        return Ok(done);
    }
    condemned::write(store, generation, &verdicts, now)?;
    if done.held_back_by.is_empty() {
        let swept = sweep::sweep(store, generation, &mut marks, &verdicts.doomed)?;
        done.removed = swept.blobs;
        done.removed_raw_bytes = swept.raw_bytes;
        done.removed_bytes = swept.stored_bytes;
        done.held_back_by = swept.held_back_by;
    }
    if done.held_back_by.is_empty() {
        (done.removed_raw_runs, done.held_back_by) = runs::delete(store, generation, &marks)?;
    }
    Ok(done)
}

/// Raw and stored bytes of what is `doomed`.
fn sizes(generation: &Generation, marks: &Marks, doomed: &Bits) -> Result<(u64, u64)> {
    let (mut raw, mut stored) = (0, 0);
    let mut place = 0;
    let tables = &generation.tables;
    let source = Source::Steps(generation);
    for table in [tables.segments, tables.tails] {
        source.rows(table, |_, _, value| {
            let group = Group::parse(value)?;
            let first = place;
            place += group.len();
            let goes = |i: usize| first + i < marks.places.len() && doomed.has(first + i);
            if !(0..group.len()).any(goes) {
                return Ok(());
            }
            raw += (0..group.len())
                .filter(|i| goes(*i))
                .map(|i| u64::from(group.raw_len(i)))
                .sum::<u64>();
            stored += value.len().saturating_sub(blobs::without(value, goes)?.len()) as u64;
            Ok(())
        })?;
    }
    Ok((raw, stored))
}

/// Runs `work` in a write transaction of its own, unless another generation has taken the place of
/// this one.
fn write_to<T>(
    store: &Store,
    generation: &Generation,
    mut work: impl FnMut(&mut RwTxn<'_>) -> Fallible<T>,
) -> Result<T> {
    store.check_writable()?;
    generation.write(|txn| {
        if meta::is_superseded(&generation.tables, txn)? {
            let sentence = "the archive was compacted meanwhile; repeat the collection";
            return Err(Error::new(Code::Conflict, sentence).into());
        }
        work(txn)
    })
}
