//! The two meta pages, from which everything else is found.
//!
//! Transaction n writes meta page n mod 2, so that one of them is whole at any time.

use crate::{
    bytes::{u16_at, u32_at, u64_at},
    database::TreeRecord,
    page::{FLAG_META, FLAGS_AT, HEADER},
};

/// Bytes of a meta page that are in use: page header and `MDB_meta`.
pub(crate) const META_LEN: usize = HEADER + 136;

/// The page sizes that LMDB can have chosen.
pub(crate) const PAGE_SIZES: [u32; 7] = [512, 1024, 2048, 4096, 8192, 16384, 32768];

const MAGIC: u32 = 0xBEEF_C0DE;
const VERSION: u32 = 1;
const FLAG_INTEGER_KEY: u16 = 0x08;

/// One snapshot of the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Meta {
    /// The transaction that wrote it.
    pub txnid: u64,
    /// The last page in use or in the free list.
    pub last_page: u64,
    /// Bytes of a page.
    pub page_size: u32,
    /// Bytes of the memory map that the writer asked for.
    pub map_size: u64,
    /// The tree of free pages.
    pub free: TreeRecord,
    /// The tree of named databases.
    pub main: TreeRecord,
}

/// Why a meta page can't be used.
#[derive(Clone, Debug)]
pub(crate) enum MetaFault {
    /// It isn't a meta page of LMDB at all.
    Foreign(String),
    /// It is one of another format.
    OtherFormat(String),
    /// It contradicts itself.
    Broken(String),
}

impl MetaFault {
    pub(crate) fn message(&self) -> &str {
        match self {
            Self::Foreign(text) | Self::OtherFormat(text) | Self::Broken(text) => text,
        }
    }
}

impl Meta {
    /// Reads meta page `number` (0 or 1) from its first [`META_LEN`] bytes.
    pub(crate) fn parse(bytes: &[u8], number: u64) -> Result<Self, MetaFault> {
        let short = || MetaFault::Foreign(format!("the file ends within meta page {number}"));
        if bytes.len() < META_LEN {
            return Err(short());
        }
        let body = bytes.get(HEADER..META_LEN).ok_or_else(short)?;
        known_format(bytes, body)?;
        let word = |at| u64_at(body, at).ok_or_else(short);
        let free = TreeRecord::parse(body.get(24..72).unwrap_or_default()).ok_or_else(short)?;
        let main = TreeRecord::parse(body.get(72..120).unwrap_or_default()).ok_or_else(short)?;
        let meta = Self {
            txnid: word(128)?,
            last_page: word(120)?,
            page_size: free.pad,
            map_size: word(16)?,
            free,
            main,
        };
        if u64_at(bytes, 0) != Some(number) {
            return Err(MetaFault::Broken("it carries the number of another page".into()));
        }
        if u16_at(bytes, FLAGS_AT).is_none_or(|flags| flags & FLAG_META == 0) {
            return Err(MetaFault::Broken("it isn't marked as a meta page".into()));
        }
        if meta.txnid != 0 && meta.txnid % 2 != number {
            let message = format!("transaction {} would have written the other one", meta.txnid);
            return Err(MetaFault::Broken(message));
        }
        meta.plausible().map_err(MetaFault::Broken)?;
        Ok(meta)
    }

    fn plausible(&self) -> Result<(), String> {
        if !PAGE_SIZES.contains(&self.page_size) {
            return Err(format!("it gives a page size of {} bytes", self.page_size));
        }
        if self.last_page == 0 || self.last_page >= u64::MAX / u64::from(self.page_size) {
            return Err(format!("it gives {} as the last page", self.last_page));
        }
        if self.free.flags & FLAG_INTEGER_KEY == 0 {
            return Err("its free list isn't ordered by transaction".into());
        }
        for (tree, what) in [(&self.free, "free list"), (&self.main, "main database")] {
            tree.plausible(self.last_page).map_err(|fault| format!("its {what} {fault}"))?;
        }
        Ok(())
    }
}

fn known_format(page: &[u8], body: &[u8]) -> Result<(), MetaFault> {
    let magic = u32_at(body, 0);
    if magic == Some(MAGIC.swap_bytes()) {
        return Err(MetaFault::OtherFormat(
            "an LMDB file of a big-endian machine; only little-endian files can be read".into(),
        ));
    }
    if magic != Some(MAGIC) {
        return Err(if u32_at(page, 12) == Some(MAGIC) {
            MetaFault::OtherFormat(
                "an LMDB file of a 32-bit machine; only the 64-bit layout can be read".into(),
            )
        } else {
            MetaFault::Foreign("no meta page of LMDB".into())
        });
    }
    match u32_at(body, 4) {
        Some(VERSION) => Ok(()),
        other => Err(MetaFault::OtherFormat(format!(
            "an LMDB file of data version {}; only version {VERSION} (LMDB 0.9) can be read",
            other.unwrap_or_default()
        ))),
    }
}
