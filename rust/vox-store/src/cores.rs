//! Work on all cores.

use std::sync::{Arc, Mutex, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};
use vox_types::{Code, Error, Result};

/// The threads, and the process they run in.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// Runs `work`, which may use rayon, on threads of this process. Those of rayon's own pool are
/// missing in a child of fork(), which would wait for them for ever.
pub fn on_all<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T> {
    Ok(pool()?.install(work))
}

fn pool() -> Result<Arc<ThreadPool>> {
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if let Some((owner, pool)) = &*pool
        && *owner == process
    {
        return Ok(pool.clone());
    }
    let new = ThreadPoolBuilder::new().thread_name(|n| format!("vox-{n}")).build();
    let new = new.map_err(|error| Error::new(Code::Io, format!("threads can't start: {error}")))?;
    let new = Arc::new(new);
    // The parent's threads don't answer: they can't be told to end.
    std::mem::forget(pool.replace((process, new.clone())));
    Ok(new)
}
