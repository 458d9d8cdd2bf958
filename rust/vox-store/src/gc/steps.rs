//! Walking over a table in short read transactions.

use std::ops::Bound::{Excluded, Unbounded};

use heed::RoTxn;
use vox_types::Result;

use crate::{env::Generation, fault::Fallible, tables::Table};

/// Bytes of rows that one read transaction shows before it is renewed: a few hundredths of a
/// second. Judgement.
const STEP: usize = 64 << 20;

/// Where a walk reads.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    /// The last commit, anew in each step; writers go on meanwhile.
    Steps(&'a Generation),
    /// One state.
    Held(&'a Generation, &'a RoTxn<'a>),
}

impl Source<'_> {
    pub fn generation(&self) -> &Generation {
        match self {
            Self::Steps(generation) | Self::Held(generation, _) => generation,
        }
    }

    /// Runs `work` on one state.
    pub fn step<T>(&self, work: impl FnOnce(&RoTxn<'_>) -> Fallible<T>) -> Result<T> {
        match self {
            Self::Steps(generation) => generation.reading(work),
            Self::Held(generation, txn) => work(txn).map_err(|fault| generation.fault(fault)),
        }
    }

    /// Shows each row of `table` to `visit`, in the order of the keys.
    pub fn rows(
        &self,
        table: Table,
        mut visit: impl FnMut(&RoTxn<'_>, &[u8], &[u8]) -> Fallible<()>,
    ) -> Result<()> {
        let mut last: Option<Vec<u8>> = None;
        let mut more = true;
        while more {
            (last, more) = self.step(|txn| {
                let from = match &last {
                    Some(last) => (Excluded(&last[..]), Unbounded),
                    None => (Unbounded, Unbounded),
                };
                let mut seen = 0;
                for row in table.range(txn, &from)? {
                    let (key, value) = row?;
                    visit(txn, key, value)?;
                    seen += key.len() + value.len();
                    if seen >= STEP {
                        return Ok((Some(key.to_vec()), true));
                    }
                }
                Ok((None, false))
            })?;
        }
        Ok(())
    }
}
