//! The named databases of an archive.

use heed::{Database, RoTxn, RwTxn, WithoutTls, types::Bytes};
use vox_types::{Error, Result};

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
}
