//! The named databases of an archive.

use heed::{Database, RoTxn, RwTxn, WithoutTls, types::Bytes};
use vox_types::{Code, Error, Result};

use crate::fault::Fallible;

/// A named database; keys and values are decoded by `vox-format`.
pub type Table = Database<Bytes, Bytes>;

macro_rules! tables {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {
        /// Every named database, described in `contracts/archive-format.md`.
        #[derive(Clone, Copy)]
        #[expect(missing_docs, reason = "the format document describes each")]
        pub struct Tables { $(pub $name: Table),+ }

        impl Tables {
            /// The names, in the order of the format document.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),+];

            /// All of them, in the order of their names.
            pub fn all(&self) -> [Table; Self::NAMES.len()] {
                [$(self.$name),+]
            }

            /// The one called `name`.
            pub(crate) fn named(&self, name: &str) -> Result<Table> {
                match name {
                    $(stringify!($name) => Ok(self.$name),)+
                    _ => Err(Error::new(Code::Internal, format!("there is no table {name}"))),
                }
            }

            /// Makes what is missing.
            pub fn create(env: &heed::Env<WithoutTls>, txn: &mut RwTxn<'_>) -> heed::Result<Self> {
                Ok(Self { $($name: env.create_database(txn, Some(stringify!($name)))?),+ })
            }

            /// Opens all, or names the one that is missing.
            pub fn open(env: &heed::Env<WithoutTls>, txn: &RoTxn<'_, WithoutTls>) -> heed::Result<Result<Self>> {
                Ok(Ok(Self { $($name: match env.open_database(txn, Some(stringify!($name)))? {
                    Some(table) => table,
                    None => return Ok(Err(Error::damaged(concat!("the table ", stringify!($name), " is missing")))),
                }),+ }))
            }
        }
    };
}

tables! {
    meta,
    segments,
    tails,
    blob_recent,
    blob_levels,
    chain_recent,
    chain_levels,
    symbols,
    symbol_ids,
    runs,
    chunks,
    windows,
    extents,
    overlays,
    window_ids,
    window_keys,
    by_recency,
    by_root,
    run_windows,
    awaited,
    links,
    usage,
    usage_owners,
    events,
    cursors,
    quarantine,
    names,
    raw_runs,
    raw_files,
    raw_samples,
    tombstones,
    condemned,
    leases,
    session_events,
    chat_conversations,
    chat_messages,
    history_entries,
}

/// The number after the last of a table whose keys are `u32`, or `first` if it is empty. `what`
/// names a row in the error.
pub(crate) fn next_number(table: Table, txn: &RoTxn<'_>, first: u32, what: &str) -> Fallible<u32> {
    let Some((key, _)) = table.last(txn)? else { return Ok(first) };
    let last = key.try_into().map(u32::from_be_bytes);
    let last = last.map_err(|_| Error::damaged(format!("the key of {what} isn't 4 bytes long")))?;
    let full = || Error::new(Code::TooLarge, format!("the archive has no number left for {what}"));
    Ok(last.checked_add(1).ok_or_else(full)?)
}
