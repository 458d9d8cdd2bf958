//! Checking an archive, and making anew what can be.
//!
//! Everything is read with the page reader of `vox-pages`, which distrusts every byte, and never
//! through LMDB's memory map: no damage crashes the process. What is checked:
//!
//! - **pages**: every page of the file, that each is used or free exactly once, and that every
//!   table is there;
//! - **blobs**: segments are contiguous and tails continue them; the tables of each group agree
//!   with its bodies; each body decompresses to content that has its hash (all of them, or a
//!   sample);
//! - **index of blobs**: leaves are sorted and keyed by their first prefix; every live blob has its
//!   entry; references equal a recount over items, raw runs, quarantine and
//!   producers' rows; no hold is negative;
//! - **raw runs**: records and cuts lie within them and name blobs that are there; each is put
//!   together and has its hash, unless something of it was purged; those of a file follow each other;
//! - **runs**: positions are contiguous in full chunks; lengths, chains, names, content and record
//!   of every item are there and agree with their blobs; previews are the start of their item (where
//!   its content was decompressed);
//! - **index of chains**: every item has its entry, with the chain hash that its path gives;
//! - **windows**: ids, closed lists, symbols and sources; extents are contiguous from ordinal 0, lie
//!   within their runs, and each goes on where the path is; the chain is that of the last item;
//!   roll-ups equal a recount; the owner of a run has all its items; parents and roots agree and
//!   nobody is their own ancestor; overlays lie within their window and don't overlap;
//! - **derived indexes** over symbols, windows, extents and usage equal what they are made of;
//! - **events** have no gap and can be read; **cursors**, **quarantine**, **links**, **awaited**
//!   parents, **usage** and **names** can be read and name what is there; so can **condemned** blobs,
//!   **tombstones** and **leases**. What was purged counts no reference; what wasn't has its content.
//! - **producers' rows** (sessions, chat, history) follow each other, add up with their heads, and
//!   name contents that are there.
//!
//! Not covered by any hash and so not provable: free text in rows (titles, paths, event details),
//! times, and numbers that nothing else repeats.
//!
//! Memory stays at about 40 bytes per blob, 9 per item, a few hundred per window and 40 per raw
//! run, and 128 MB of content hashes.

mod blobs;
mod bodies;
mod chunks;
mod extents;
mod hashes;
mod image;
mod index;
mod items;
mod keeping;
mod lineage;
mod links;
mod log;
mod meta;
mod names;
mod overlays;
mod producers;
mod raw;
mod rebuilt;
mod repair;
mod report;
mod roll_ups;
mod runs;
mod sample;
mod slots;
mod sources;
mod symbols;
mod usage;
mod windows;

use std::path::Path;

use vox_pages::PageFile;
use vox_types::{Code, Error, Result, WindowNo};

pub(crate) use bodies::preview_digest;
pub(crate) use chunks::is_binary_preview;
pub(crate) use repair::rebuild;
pub use repair::{Repaired, repair};
pub use report::{Finding, Kind, MOST_FINDINGS, REPAIRABLE, Report, Verdict};

use self::{
    blobs::Blobs,
    image::Image,
    items::{Items, Tallies},
    rebuilt::Rebuilt,
    report::Reporter,
    roll_ups::RollUps,
};
use crate::{Store, cores, env};

/// How thoroughly to check.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Options {
    /// Decompress and hash only so many blobs, chosen by chance but the same each time; all
    /// without. Everything else is checked in any case.
    pub sample: Option<u64>,
}

/// Checks an open archive as its last commit left it; writers go on meanwhile.
pub fn verify(store: &Store, options: &Options) -> Result<Report> {
    loop {
        let generation = store.current()?;
        // No page of the snapshot is reused while this lives.
        let reading = generation.read()?;
        let report = verify_file(&generation.data_file(), options);
        drop(reading);
        match report {
            // Its files were removed before this one could be opened, for others took their place.
            Err(error) if error.code == Code::NotFound && generation.successor()?.is_some() => {}
            report => return report,
        }
    }
}

/// Checks the archive in the folder `path` without opening it: for one that can't be opened any
/// more. Nobody may write to it meanwhile.
pub fn verify_archive(path: &Path, options: &Options) -> Result<Report> {
    let current = match env::read_current(path)? {
        Some(current) => Some(current),
        // Lost, as everything can be in a damaged archive.
        None => env::in_use(path)?,
    };
    match current {
        Some(current) if current.format == env::FORMAT => {
            verify_file(&current.folder(path).join("data.mdb"), options)
        }
        Some(current) => Err(env::other_format(path, current.format)),
        None => Err(Error::new(Code::NotFound, format!("{} holds no archive", path.display()))),
    }
}

/// Checks a data file. Nobody may write to it meanwhile.
///
/// Errors: the file can't be read at all, is of something else, or of another version of LMDB.
/// Damage is no error; it stands in the report.
pub fn verify_file(path: &Path, options: &Options) -> Result<Report> {
    let file = match PageFile::open(path) {
        Ok(file) => file,
        Err(error) if error.code == Code::Damaged => {
            let mut report = Reporter::default();
            report.add(Finding::new("pages", Kind::Structure, error.message));
            return Ok(report.finish(path.to_path_buf(), 0));
        }
        Err(error) => return Err(error),
    };
    let mut report = Reporter::default();
    image::check_pages(&file, &mut report);
    examine(&file, &mut report, options)?;
    Ok(report.finish(path.to_path_buf(), file.meta().txnid))
}

/// What the derived tables should hold.
struct Examined {
    blobs: Blobs,
    items: Items,
    rebuilt: Rebuilt,
    roll_ups: Vec<(WindowNo, RollUps)>,
}

/// Checks everything but the pages themselves.
fn examine(file: &PageFile, report: &mut Reporter, options: &Options) -> Result<Examined> {
    cores::on_all(|| examine_tables(file, report, options))
}

fn examine_tables(file: &PageFile, report: &mut Reporter, options: &Options) -> Examined {
    let image = Image::of(file, report);
    let archive_id = meta::check(&image, report);
    let mut rebuilt = Rebuilt::default();
    let (symbols, symbol_ids) = symbols::read(&image, report);
    rebuilt.symbol_ids = symbol_ids;
    let cursors = sources::read_cursors(&image, report);
    let windows = windows::read(&image, report, &symbols, &cursors, &mut rebuilt);
    let mut runs = runs::read(&image, report, &windows);
    let extents = extents::read(&image, report, &windows, &mut runs);
    rebuilt.run_windows = extents.run_windows();
    extents::check_owners(report, &runs);

    let mut blobs = blobs::read(&image, report, options.sample.is_none());
    if let Some(size) = options.sample {
        sample::check(&image, report, &mut blobs, &archive_id, size);
    }
    let raw_runs = raw::read(&image, report, &mut blobs, options.sample.is_none());
    raw::check_files(&image, report, &cursors, &raw_runs);
    raw::check_samples(&image, report, &raw_runs);
    let mut tallies = Tallies::at(extents.bounds());
    let walk = chunks::Walk {
        image: &image,
        blobs: &mut blobs,
        raw_runs: &raw_runs,
        symbols: &symbols,
        runs: &mut runs,
        tallies: &mut tallies,
        items: Items::default(),
        at: None,
    };
    let mut items = walk.run(report);
    sources::check_quarantine(&image, report, &cursors, &mut blobs);
    producers::check(&image, report, &mut blobs);
    index::check_blobs(&image, report, &mut blobs);
    index::check_chains(&image, report, &mut items);

    let trimmed = overlays::check(&image, report, &windows, &extents);
    let roll_ups = roll_ups::check(report, &windows, &extents, &tallies, &trimmed);
    lineage::check(report, &windows);
    rebuilt.usage_owners = usage::check(&image, report, &windows, &symbols);
    rebuilt.compare(&image, report);
    links::check_links(&image, report, &windows);
    links::check_awaited(&image, report, &windows, &rebuilt);
    names::check(&image, report, &blobs, &windows, &runs);
    keeping::check(&image, report, &mut blobs);
    log::check(&image, report, &windows);
    Examined { blobs, items, rebuilt, roll_ups }
}
