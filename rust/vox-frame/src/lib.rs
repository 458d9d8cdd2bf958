//! Source files to records, and records to item bytes.
//!
//! A [`Framer`] streams a file of JSON values and sets aside, with their places, the stretches
//! that aren't any. [`cut`] takes item bytes out of a record and [`restore`] puts them back.
//! Nothing here knows what a record means.

mod again;
mod aside;
mod blocks;
mod compressed;
mod cut;
mod framer;
mod limits;
mod records;
mod resync;
mod scan;
mod source;
mod strings;

pub use again::{is_compressed_file, read_again, read_stored};
pub use blocks::{BLOCK_BYTES, Block, block_hashes, unchanged_prefix};
pub use cut::{Cut, CutRecord, Step, Want, WantForm, cut, rest_of_extra, restore};
pub use framer::Framer;
pub use limits::Limits;
pub use records::{Quarantined, Record, Records};
pub use scan::{MAX_DEPTH, Scanned, Scanner};
