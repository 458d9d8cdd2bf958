//! Leases: who is in the middle of something that a collection has to wait for.
//!
//! An import looks blobs up before it writes the rows that name them. While its lease stands and
//! its process lives, nothing is collected. A process that died leaves its lease behind; whoever
//! collects next clears it.

use heed::{PutFlags, RoTxn, RwTxn};
use serde::{Deserialize, Serialize};
use vox_format::rows;
use vox_types::{Code, Error, Result};

use crate::{Store, fault::Fallible, meta::now, tables::Tables};

/// A lease of a process that can't be looked at from here (in another container) counts as alive
/// for so long after it was renewed, in milliseconds. Judgement: imports renew every minute.
const OUT_OF_SIGHT: i64 = 3_600_000;

/// A row of `leases`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LeaseRow {
    /// What its process does, such as `import`.
    pub kind: String,
    /// Its process.
    pub pid: u32,
    /// When that process began, in whatever unit the system counts; 0 where it doesn't say.
    pub process: u64,
    /// Which start of the machine that was; empty where the system doesn't say.
    pub boot: String,
    /// In which space of process numbers; empty where there is one only.
    pub space: String,
    /// UTC milliseconds.
    pub started: i64,
    /// UTC milliseconds.
    pub renewed: i64,
}

impl LeaseRow {
    /// A lease of this process.
    fn own(kind: &str) -> Self {
        let at = now();
        Self {
            kind: kind.to_owned(),
            pid: std::process::id(),
            process: process_start(std::process::id()).unwrap_or(0),
            boot: boot(),
            space: space(),
            started: at,
            renewed: at,
        }
    }

    /// Whether its process lives, as far as can be told.
    pub fn is_alive(&self, now: i64) -> bool {
        if self.boot != boot() {
            return false;
        }
        if self.space != space() {
            return now.saturating_sub(self.renewed) < OUT_OF_SIGHT;
        }
        match runs(self.pid) {
            Some(runs) => runs && process_start(self.pid).is_none_or(|start| start == self.process),
            None => now.saturating_sub(self.renewed) < OUT_OF_SIGHT,
        }
    }
}

impl Store {
    /// Takes a lease; gives its number for [`Store::end_lease`]. Durable on return.
    pub fn begin_lease(&self, kind: &str) -> Result<u64> {
        let row = rows::encode(&LeaseRow::own(kind))?;
        self.write(move |generation, txn| {
            let leases = generation.tables.leases;
            let number = match leases.last(txn)? {
                Some((key, _)) => number_of(key)?.saturating_add(1),
                None => 0,
            };
            leases.put_with_flags(txn, PutFlags::APPEND, &number.to_be_bytes(), &row)?;
            Ok(number)
        })
    }

    /// Says that the lease is still needed.
    pub fn renew_lease(&self, number: u64) -> Result<()> {
        self.change_lease(number, |row| Some(LeaseRow { renewed: now(), ..row }))
    }

    /// Gives a lease of this process back; one that is gone already is no error.
    pub fn end_lease(&self, number: u64) -> Result<()> {
        self.change_lease(number, |_| None)
    }

    fn change_lease(
        &self,
        number: u64,
        change: impl Fn(LeaseRow) -> Option<LeaseRow> + Send + 'static,
    ) -> Result<()> {
        self.write(move |generation, txn| {
            let (leases, key) = (generation.tables.leases, number.to_be_bytes());
            let Some(row) = leases.get(txn, &key)? else { return Ok(()) };
            let row: LeaseRow = rows::decode(row, "a lease")?;
            if row.pid != std::process::id() {
                return Ok(());
            }
            match change(row) {
                Some(row) => leases.put(txn, &key, &rows::encode(&row)?)?,
                None => drop(leases.delete(txn, &key)?),
            }
            Ok(())
        })
    }

    /// Every lease whose process lives.
    pub fn leases(&self) -> Result<Vec<LeaseRow>> {
        self.read(alive)
    }
}

/// Every lease whose process lives.
pub(crate) fn alive(tables: &Tables, txn: &RoTxn<'_>) -> Fallible<Vec<LeaseRow>> {
    let at = now();
    let mut leases = Vec::new();
    for row in tables.leases.iter(txn)? {
        let row: LeaseRow = rows::decode(row?.1, "a lease")?;
        if row.is_alive(at) {
            leases.push(row);
        }
    }
    Ok(leases)
}

/// Removes the leases of processes that are dead; gives how many.
pub(crate) fn clear_dead(tables: &Tables, txn: &mut RwTxn<'_>) -> Fallible<u64> {
    let at = now();
    let mut dead = Vec::new();
    for row in tables.leases.iter(txn)? {
        let (key, value) = row?;
        if !rows::decode::<LeaseRow>(value, "a lease")?.is_alive(at) {
            dead.push(key.to_vec());
        }
    }
    for key in &dead {
        tables.leases.delete(txn, key)?;
    }
    Ok(dead.len() as u64)
}

fn number_of(key: &[u8]) -> Result<u64> {
    let number = key.try_into().map(u64::from_be_bytes);
    number.map_err(|_| Error::new(Code::Damaged, "the key of a lease isn't 8 bytes long"))
}

/// Whether process `pid` runs; none where the system can't be asked.
#[cfg(unix)]
fn runs(pid: u32) -> Option<bool> {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).ok()?)?;
    match rustix::process::test_kill_process(pid) {
        Ok(()) | Err(rustix::io::Errno::PERM) => Some(true),
        Err(_) => Some(false),
    }
}

#[cfg(not(unix))]
fn runs(_: u32) -> Option<bool> {
    None
}

/// When process `pid` began: field 22 of its line, counted from behind the name in parentheses.
/// None where the system doesn't say, or of a process that ended and waits to be noticed.
fn process_start(pid: u32) -> Option<u64> {
    let line = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, fields) = line.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace();
    let ended = matches!(fields.next()?, "Z" | "X");
    let start = fields.nth(18)?.parse().ok()?;
    // No process begins with the system's end of time.
    Some(if ended { u64::MAX } else { start })
}

fn boot() -> String {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    boot.trim().to_owned()
}

fn space() -> String {
    let space = std::fs::read_link("/proc/self/ns/pid");
    space.map(|space| space.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_stands_while_its_process_lives() {
        let own = LeaseRow::own("import");
        assert!(own.is_alive(now()));
        assert!(own.is_alive(i64::MAX), "a process that lives may take its time");
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let of_child = LeaseRow {
            pid: child.id(),
            process: process_start(child.id()).unwrap_or(0),
            ..own.clone()
        };
        assert!(of_child.is_alive(now()));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!of_child.is_alive(now()), "its process was killed");
        assert!(
            !LeaseRow { boot: "before".into(), ..own }.is_alive(now()),
            "the machine restarted"
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn another_process_with_the_same_number_is_not_taken_for_the_one_that_died() {
        let own = LeaseRow::own("import");
        assert!(!LeaseRow { process: own.process + 1, ..own }.is_alive(now()));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_out_of_sight_counts_as_alive_for_an_hour() {
        let elsewhere = LeaseRow { space: "another".into(), ..LeaseRow::own("import") };
        assert!(elsewhere.is_alive(elsewhere.renewed + OUT_OF_SIGHT - 1));
        assert!(!elsewhere.is_alive(elsewhere.renewed + OUT_OF_SIGHT));
    }

    #[test]
    fn leases_end_and_those_of_the_dead_are_cleared() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::create(folder.path()).unwrap();
        let first = store.begin_lease("import").unwrap();
        let second = store.begin_lease("import").unwrap();
        assert_ne!(first, second);
        store.renew_lease(second).unwrap();
        store.end_lease(first).unwrap();
        store.end_lease(first).unwrap();
        let mut dead = store.leases().unwrap().pop().unwrap();
        dead.boot = "before".into();
        let generation = store.generation();
        let tables = generation.tables;
        let cleared = generation.write(|txn| {
            tables.leases.put(txn, &7u64.to_be_bytes(), &rows::encode(&dead)?)?;
            clear_dead(&tables, txn)
        });
        assert_eq!(cleared.unwrap(), 1);
        assert_eq!(store.leases().unwrap().len(), 1, "the other one stands");
    }
}
