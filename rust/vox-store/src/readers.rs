//! Readers of other processes that keep pages from being used again.
//!
//! While a read transaction lasts, LMDB uses no page again that was freed since it began. Those of
//! vox are short; one of another program, or of a process that was stopped, would let the file
//! grow without end. So writers look who reads when the file has grown, and beyond a bound they
//! wait for the reader, and then refuse to write rather than go on.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use vox_types::{Code, Error, Result};

use crate::{Store, env::Generation};

/// A process that reads the archive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reader {
    /// Its number.
    pub process: u32,
    /// How many transactions were committed since its own began.
    pub behind: u64,
}

/// How far one reader may let the file grow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Patience {
    /// Bytes that may be added to the file while one read transaction lasts; a quarter of the file
    /// if that is more.
    pub growth: u64,
    /// How long a writer then waits for the reader.
    pub wait: Duration,
}

impl Default for Patience {
    /// Judgement: a reader that takes minutes is let through, one that was forgotten isn't.
    fn default() -> Self {
        Self { growth: 1 << 30, wait: Duration::from_secs(10) }
    }
}

/// How often a writer that waits looks again. Judgement.
const AGAIN: Duration = Duration::from_millis(20);

/// What a writer remembers between its looks.
#[derive(Default)]
pub struct Watch(Mutex<Seen>);

#[derive(Default)]
struct Seen {
    patience: Patience,
    /// Bytes of the file at the last look.
    looked_at: u64,
    oldest: Option<Pinning>,
}

/// The oldest reader of another process, as long as it is the same.
#[derive(Clone, Copy)]
struct Pinning {
    process: u32,
    transaction: u64,
    /// Bytes of the file when it was first seen.
    bytes: u64,
    since: Instant,
}

impl Watch {
    /// Sets how far a reader may let the file grow.
    pub(crate) fn set(&self, patience: Patience) {
        self.lock().patience = patience;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits while a reader has let the file grow too far; an error if it stays.
    pub(crate) fn hold_back(&self, generation: &Generation) -> Result<()> {
        let mut seen = self.lock();
        let bytes = generation.bytes_in_use();
        let bound = seen.patience.growth.max(bytes / 4);
        // What is added between two looks isn't ascribed to a reader that came meanwhile.
        let grown = bytes.saturating_sub(seen.looked_at);
        let over = |oldest: &Option<Pinning>| {
            oldest.is_some_and(|oldest| bytes.saturating_sub(oldest.bytes) > bound)
        };
        if grown < bound / 16 && !over(&seen.oldest) {
            return Ok(());
        }
        let began = Instant::now();
        loop {
            seen.look(generation, bytes)?;
            let Some(oldest) = seen.oldest.filter(|_| over(&seen.oldest)) else { return Ok(()) };
            if began.elapsed() >= seen.patience.wait {
                return Err(pinned(generation, &oldest, bytes));
            }
            wait();
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "nothing tells that another process ended its transaction; the wait is bounded"
)]
fn wait() {
    std::thread::sleep(AGAIN);
}

impl Seen {
    fn look(&mut self, generation: &Generation, bytes: u64) -> Result<()> {
        let own = std::process::id();
        let slots = generation.reader_slots()?;
        let oldest = slots.iter().find(|slot| slot.process != own);
        self.looked_at = bytes;
        self.oldest = oldest.map(|slot| {
            let known = |known: &Pinning| {
                (known.process, known.transaction) == (slot.process, slot.transaction)
            };
            self.oldest.filter(known).unwrap_or(Pinning {
                process: slot.process,
                transaction: slot.transaction,
                bytes,
                since: Instant::now(),
            })
        });
        Ok(())
    }
}

fn pinned(generation: &Generation, oldest: &Pinning, bytes: u64) -> Error {
    let data = generation.data_file();
    Error::new(
        Code::Busy,
        format!(
            "{}: process {} has been reading one state for {} s, and the file grew by {} MB meanwhile; \
             nothing was written: let it finish or end it, and repeat the write",
            data.display(),
            oldest.process,
            oldest.since.elapsed().as_secs(),
            (bytes - oldest.bytes) / 1_000_000,
        ),
    )
}

impl Store {
    /// The read transactions of other processes, the oldest first. None is known where the archive
    /// can't be locked.
    pub fn readers(&self) -> Result<Vec<Reader>> {
        let generation = self.current()?;
        let (own, last) = (std::process::id(), generation.last_transaction());
        let others = generation.reader_slots()?.into_iter().filter(|slot| slot.process != own);
        let behind = |transaction| last.saturating_sub(transaction);
        Ok(others
            .map(|slot| Reader { process: slot.process, behind: behind(slot.transaction) })
            .collect())
    }
}
