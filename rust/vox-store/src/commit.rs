//! Writers that come at once share one commit, and one that fails fails alone.

use std::sync::{Arc, Mutex, PoisonError};

use heed::{MdbError, RwTxn};
use vox_types::{Code, Error, Result};

use crate::{
    env::Generation,
    fault::{Fallible, Fault},
};

/// The writes that wait for the next commit.
#[derive(Default)]
pub struct Committer {
    waiting: Mutex<Vec<Box<dyn Job>>>,
    turn: Mutex<()>,
}

trait Job: Send {
    /// Does the write; what it gives is kept until [`Job::deliver`].
    fn run(&mut self, txn: &mut RwTxn<'_>) -> Fallible<()>;
    /// Hands over what the last run gave, or the error that undid it.
    fn deliver(self: Box<Self>, outcome: Result<()>);
}

struct Write<T, W> {
    work: W,
    done: Option<T>,
    place: Arc<Mutex<Option<Result<T>>>>,
}

impl<T: Send, W: FnMut(&mut RwTxn<'_>) -> Fallible<T> + Send> Job for Write<T, W> {
    fn run(&mut self, txn: &mut RwTxn<'_>) -> Fallible<()> {
        self.done = Some((self.work)(txn)?);
        Ok(())
    }

    fn deliver(self: Box<Self>, outcome: Result<()>) {
        let lost = || Error::new(Code::Internal, "a write was committed without a result");
        let Self { done, place, .. } = *self;
        let result = outcome.and_then(|()| done.ok_or_else(lost));
        *lock(&place) = Some(result);
    }
}

impl Committer {
    /// Runs each of `works` in one write transaction, and returns when it is durable. One that
    /// fails fails alone. They may run more than once; only the last run counts.
    pub fn commit<T: Send + 'static, W>(
        &self,
        generation: &Generation,
        works: Vec<W>,
    ) -> Vec<Result<T>>
    where
        W: FnMut(&mut RwTxn<'_>) -> Fallible<T> + Send + 'static,
    {
        let mut places = Vec::with_capacity(works.len());
        let mut jobs: Vec<Box<dyn Job>> = Vec::with_capacity(works.len());
        for work in works {
            let place = Arc::new(Mutex::new(None));
            places.push(place.clone());
            jobs.push(Box::new(Write { work, done: None, place }));
        }
        let Some(last) = places.last().cloned() else { return Vec::new() };
        lock(&self.waiting).append(&mut jobs);
        let turn = lock(&self.turn);
        if lock(&last).is_none() {
            let jobs = std::mem::take(&mut *lock(&self.waiting));
            run_all(generation, jobs);
        }
        drop(turn);
        let lost = || Err(Error::new(Code::Internal, "a write was lost in its group"));
        places.iter().map(|place| lock(place).take().unwrap_or_else(lost)).collect()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `jobs` in one transaction, each in a nested one of its own if there are several.
fn run_all(generation: &Generation, mut jobs: Vec<Box<dyn Job>>) {
    let mut failed: Vec<Option<Error>> = Vec::new();
    let outcome = generation.write(|txn| {
        failed.clear();
        if let [job] = &mut jobs[..] {
            return job.run(txn);
        }
        for job in &mut jobs {
            let mut own = generation.nested(txn)?;
            match job.run(&mut own) {
                Ok(()) => {
                    own.commit()?;
                    failed.push(None);
                }
                Err(Fault::Lmdb(error @ heed::Error::Mdb(MdbError::MapFull))) => {
                    return Err(error.into());
                }
                Err(fault) => {
                    own.abort();
                    failed.push(Some(generation.fault(fault)));
                }
            }
        }
        Ok(())
    });
    failed.resize(jobs.len(), None);
    for (job, failure) in jobs.into_iter().zip(failed) {
        job.deliver(match (&outcome, failure) {
            (Err(error), _) => Err(error.clone()),
            (Ok(()), Some(error)) => Err(error),
            (Ok(()), None) => Ok(()),
        });
    }
}
