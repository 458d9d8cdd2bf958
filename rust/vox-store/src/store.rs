//! An open archive.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, RwLock},
};

use heed::{RoTxn, RwTxn};
use vox_types::{Code, Error, Result};

use crate::{
    env::{self, Generation, Warning},
    fault::Fallible,
    generations, meta,
    readers::Patience,
    tables::Tables,
};

/// An open archive. Cheap to share between threads; opened twice in one process, both share one.
pub struct Store {
    path: PathBuf,
    generation: RwLock<Arc<Generation>>,
    read_only: bool,
    patience: Mutex<Option<Patience>>,
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
        let generation = env::shared(&path, create)?;
        if !read_only {
            generations::settle(&path, &generation);
        }
        Ok(Self {
            path,
            generation: RwLock::new(generation),
            read_only,
            patience: Mutex::default(),
        })
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
        self.read_in(|generation, txn| work(&generation.tables, txn))
    }

    /// Like [`Store::read`]; `work` is told which generation it reads.
    pub(crate) fn read_in<T>(
        &self,
        work: impl FnOnce(&Arc<Generation>, &RoTxn<'_>) -> Fallible<T>,
    ) -> Result<T> {
        let mut generation = self.generation();
        loop {
            let txn = generation.read()?;
            if !generation.superseded(&txn).map_err(|error| generation.error(&error))? {
                return work(&generation, &txn).map_err(|fault| generation.fault(fault));
            }
            drop(txn);
            generation = self.move_over(&generation)?;
        }
    }

    /// The LMDB file in use. It may be replaced at any moment.
    pub fn data_file(&self) -> Result<PathBuf> {
        Ok(self.current()?.data_file())
    }

    /// The generation in use. It may be replaced at any moment.
    pub(crate) fn current(&self) -> Result<Arc<Generation>> {
        self.read_in(|generation, _| Ok(generation.clone()))
    }

    /// Runs `work` in a write transaction and returns when it is durable. `work` may run more
    /// than once, also in another generation; only the last run counts.
    pub fn write<T: Send + 'static>(
        &self,
        work: impl FnMut(&Generation, &mut RwTxn<'_>) -> Fallible<T> + Send + 'static,
    ) -> Result<T> {
        let lost = || Err(Error::new(Code::Internal, "a write was lost"));
        self.write_all(vec![work]).pop().unwrap_or_else(lost)
    }

    /// Like [`Store::write`] for several at once: they share one commit, and one that fails fails
    /// alone.
    pub(crate) fn write_all<T: Send + 'static, W>(&self, works: Vec<W>) -> Vec<Result<T>>
    where
        W: FnMut(&Generation, &mut RwTxn<'_>) -> Fallible<T> + Send + 'static,
    {
        let works: Vec<_> = works.into_iter().map(|work| Arc::new(Mutex::new(work))).collect();
        let fail = |error: Error| works.iter().map(|_| Err(error.clone())).collect();
        if let Err(error) = self.check_writable() {
            return fail(error);
        }
        loop {
            let generation = match self.current() {
                Ok(generation) => generation,
                Err(error) => return fail(error),
            };
            let here = works.iter().map(|work| {
                let (own, work) = (generation.clone(), work.clone());
                move |txn: &mut RwTxn<'_>| {
                    if meta::is_superseded(&own.tables, txn)? {
                        return Ok(None);
                    }
                    let mut work = work.lock().unwrap_or_else(PoisonError::into_inner);
                    (*work)(&own, txn).map(Some)
                }
            });
            let done = generation.committer.commit(&generation, here.collect());
            let done: Option<Vec<Result<T>>> = done.into_iter().map(Result::transpose).collect();
            // None: the generation was replaced since, and nothing was written. They share one
            // transaction, so it is all of them.
            if let Some(done) = done {
                return done;
            }
        }
    }

    /// How far readers of other processes may let the file grow before writes wait for them.
    pub fn set_patience(&self, patience: Patience) {
        *self.patience.lock().unwrap_or_else(PoisonError::into_inner) = Some(patience);
        self.generation().watch.set(patience);
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
    pub(crate) fn move_over(&self, old: &Arc<Generation>) -> Result<Arc<Generation>> {
        let mut current = self.generation.write().unwrap_or_else(PoisonError::into_inner);
        if Arc::ptr_eq(&current, old) {
            let new = env::shared(&self.path, false)?;
            if !self.read_only {
                generations::settle(&self.path, &new);
            }
            let patience = *self.patience.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(patience) = patience {
                new.watch.set(patience);
            }
            *current = new;
        }
        Ok(current.clone())
    }
}
