//! Lets transactions in, and keeps them out while the memory map is resized.

use std::sync::{
    Condvar, Mutex, PoisonError,
    atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
};

/// Counts the transactions in flight.
#[derive(Default)]
pub struct Gate {
    inside: AtomicUsize,
    closed: AtomicBool,
    turn: Mutex<()>,
    changed: Condvar,
}

impl Gate {
    /// Waits while the gate is closed, then counts one more inside.
    pub fn enter(&self) {
        loop {
            self.inside.fetch_add(1, SeqCst);
            if !self.closed.load(SeqCst) {
                return;
            }
            self.leave();
            let mut turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
            while self.closed.load(SeqCst) {
                turn = self.changed.wait(turn).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    /// Counts one less inside.
    pub fn leave(&self) {
        if self.inside.fetch_sub(1, SeqCst) == 1 && self.closed.load(SeqCst) {
            let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
            self.changed.notify_all();
        }
    }

    /// Runs `work` with nobody inside. The caller must not be inside itself.
    pub fn alone<T>(&self, work: impl FnOnce() -> T) -> T {
        let mut turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        while self.closed.swap(true, SeqCst) {
            turn = self.changed.wait(turn).unwrap_or_else(PoisonError::into_inner);
        }
        while self.inside.load(SeqCst) > 0 {
            turn = self.changed.wait(turn).unwrap_or_else(PoisonError::into_inner);
        }
        let result = work();
        self.closed.store(false, SeqCst);
        self.changed.notify_all();
        drop(turn);
        result
    }
}
