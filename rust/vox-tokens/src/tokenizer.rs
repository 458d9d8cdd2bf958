//! One tokenizer, and workers that wait for its next use.

use std::{
    fmt,
    ops::{Deref, DerefMut},
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use crate::{
    Encoding, Worker,
    bound::{StreamBound, Symbols},
    valid,
};

/// BLAKE3-256 of everything that decides what a tokenizer answers. Counts are kept under it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fingerprint(pub [u8; 32]);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The tokenizer of a model: exact, for any bytes, from any number of threads.
pub struct Tokenizer {
    fingerprint: Fingerprint,
    encoding: Arc<dyn Encoding>,
    idle: Mutex<Vec<Box<dyn Worker>>>,
}

impl Tokenizer {
    /// A tokenizer that counts as `encoding` does.
    pub fn new(fingerprint: Fingerprint, encoding: Arc<dyn Encoding>) -> Self {
        Self { fingerprint, encoding, idle: Mutex::new(Vec::new()) }
    }

    /// What its counts are kept under.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// A worker that no other thread has. It waits for its next use when it is dropped.
    pub fn worker(&self) -> Lease<'_> {
        let waiting = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let worker = waiting.unwrap_or_else(|| self.encoding.clone().worker());
        Lease { idle: &self.idle, worker: Some(worker) }
    }

    /// Runs `work` with a worker that no other thread has.
    pub fn with<T>(&self, work: impl FnOnce(&mut dyn Worker) -> T) -> T {
        work(&mut *self.worker())
    }

    /// Where bytes may be cut, see [`Encoding::cut`].
    pub fn cut(&self, bytes: &[u8], from: usize) -> Option<usize> {
        self.encoding.cut(bytes, from)
    }

    /// How many tokens `bytes` are.
    pub fn count(&self, bytes: &[u8]) -> u64 {
        let text = valid(bytes);
        self.with(|worker| worker.count(&text, u64::MAX))
    }

    /// The tokens of `bytes`.
    pub fn encode(&self, bytes: &[u8]) -> Vec<u32> {
        let text = valid(bytes);
        let mut ids = Vec::new();
        self.with(|worker| worker.encode(&text, &mut ids));
        ids
    }

    /// A bound on the tokens of `bytes`, for less work than counting: see [`Worker::tight_bound`].
    pub fn tight_bound(&self, bytes: &[u8]) -> u64 {
        let text = valid(bytes);
        self.with(|worker| worker.tight_bound(&text))
    }

    /// How many symbols a text is at most before anything merges.
    pub fn symbols(&self) -> Symbols {
        self.encoding.symbols()
    }

    /// A bound on the tokens of a text that comes in chunks.
    pub fn stream_bound(&self) -> StreamBound {
        StreamBound::new(self.symbols())
    }
}

/// A worker in use.
pub struct Lease<'a> {
    idle: &'a Mutex<Vec<Box<dyn Worker>>>,
    worker: Option<Box<dyn Worker>>,
}

impl Deref for Lease<'_> {
    type Target = dyn Worker;

    fn deref(&self) -> &Self::Target {
        &**self.worker.as_ref().expect("it is there until the drop")
    }
}

impl DerefMut for Lease<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut **self.worker.as_mut().expect("it is there until the drop")
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        // What a panic left half done isn't used again.
        if let Some(worker) = self.worker.take()
            && !thread::panicking()
        {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
        }
    }
}
