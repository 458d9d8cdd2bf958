//! An open archive.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
};

use heed::{RoTxn, RwTxn};
use vox_types::{Code, Error, Result};

use crate::{
    env::{self, Generation, Warning},
    fault::Fallible,
    tables::Tables,
};

/// An open archive. Cheap to share between threads; opened twice in one process, both share one.
pub struct Store {
    path: PathBuf,
    generation: RwLock<Arc<Generation>>,
    read_only: bool,
}

impl Store {
    /// Opens the archive at `path`, or makes one there if the folder is missing or empty.
    pub fn create(path: &Path) -> Result<Self> {
        Self::open_as(path, true, false)
    }

    /// Opens the archive at `path`.
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_as(path, false, false)
    }

    /// Opens the archive at `path`; every write is refused.
    pub fn open_read_only(path: &Path) -> Result<Self> {
        Self::open_as(path, false, true)
    }

    fn open_as(path: &Path, create: bool, read_only: bool) -> Result<Self> {
        let path = std::path::absolute(path).map_err(|error| Error::io(&error, path))?;
        let generation = RwLock::new(env::shared(&path, create)?);
        Ok(Self { path, generation, read_only })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether writes are possible.
    pub fn writable(&self) -> bool {
        !self.read_only && self.generation().writable()
    }

    /// What its user should know about its place.
    pub fn warnings(&self) -> Vec<Warning> {
        self.generation().warnings().to_vec()
    }

    /// The generation in use, as far as is known without looking.
    pub fn generation(&self) -> Arc<Generation> {
        self.generation.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Runs `work` on the last committed state.
    pub fn read<T>(&self, work: impl FnOnce(&Tables, &RoTxn<'_>) -> Fallible<T>) -> Result<T> {
        let mut generation = self.generation();
        loop {
            let txn = generation.read()?;
            if !generation.superseded(&txn).map_err(|error| generation.error(&error))? {
                return work(&generation.tables, &txn).map_err(|fault| generation.fault(fault));
            }
            drop(txn);
            generation = self.move_over(&generation)?;
        }
    }

    /// Runs `work` in a write transaction and returns when it is durable. `work` may run more
    /// than once; only the last run counts.
    pub fn write<T: Send + 'static>(
        &self,
        generation: &Arc<Generation>,
        work: impl FnMut(&Generation, &mut RwTxn<'_>) -> Fallible<T> + Send + 'static,
    ) -> Result<T> {
        let lost = || Err(Error::new(Code::Internal, "a write was lost"));
        self.write_all(generation, vec![work]).pop().unwrap_or_else(lost)
    }

    /// Like [`Store::write`] for several at once: they share one commit, and one that fails fails
    /// alone.
    pub(crate) fn write_all<T: Send + 'static, W>(
        &self,
        generation: &Arc<Generation>,
        works: Vec<W>,
    ) -> Vec<Result<T>>
    where
        W: FnMut(&Generation, &mut RwTxn<'_>) -> Fallible<T> + Send + 'static,
    {
        // A read moves over to the generation in use: what this write is refused for passes when it
        // is repeated.
        if let Err(error) = self.check_writable().and_then(|()| self.read(|_, _| Ok(()))) {
            return works.iter().map(|_| Err(error.clone())).collect();
        }
        let works = works.into_iter().map(|mut work| {
            let own = generation.clone();
            move |txn: &mut RwTxn<'_>| {
                if own.tables.meta.get(txn, b"superseded_by")?.is_some() {
                    return Err(Error::new(
                        Code::Conflict,
                        "the archive was compacted meanwhile; repeat the write",
                    )
                    .into());
                }
                work(&own, txn)
            }
        });
        generation.committer.commit(generation, works.collect())
    }

    /// An error unless writes are possible.
    pub(crate) fn check_writable(&self) -> Result<()> {
        if self.read_only {
            let path = self.path.display();
            return Err(Error::new(Code::ReadOnly, format!("{path} was opened for reading only")));
        }
        Ok(())
    }

    /// Opens the generation that took the place of `old`.
    fn move_over(&self, old: &Arc<Generation>) -> Result<Arc<Generation>> {
        let mut current = self.generation.write().unwrap_or_else(PoisonError::into_inner);
        if Arc::ptr_eq(&current, old) {
            *current = env::shared(&self.path, false)?;
            if Arc::ptr_eq(&current, old) {
                let path = self.path.display();
                return Err(Error::damaged(format!(
                    "{path}: generation {} was replaced, but CURRENT still names it",
                    old.number
                )));
            }
        }
        Ok(current.clone())
    }
}
