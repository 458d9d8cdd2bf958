//! The rows of runs.

use vox_format::rows::{self, RunRow};
use vox_types::{ChainHash, RunNo, WindowNo};

use super::{
    image::Image,
    report::{Finding, Kind, Reporter},
    windows::Windows,
};

/// A run, and what is found of it.
pub(super) struct Run {
    pub no: RunNo,
    pub window: WindowNo,
    pub len: u32,
    pub chain: ChainHash,
    /// Whether it has chunks.
    pub has_chunks: bool,
    /// Items of it that stand in the window that owns it.
    pub in_owner: u64,
}

/// Every run, by number.
#[derive(Default)]
pub(super) struct Runs(pub Vec<Run>);

impl Runs {
    pub fn get(&self, no: RunNo) -> Option<&Run> {
        self.place(no).and_then(|place| self.0.get(place))
    }

    pub fn place(&self, no: RunNo) -> Option<usize> {
        self.0.binary_search_by_key(&no, |run| run.no).ok()
    }
}

/// Reads every row.
pub(super) fn read(image: &Image<'_>, report: &mut Reporter, windows: &Windows) -> Runs {
    let mut runs = Runs::default();
    image.rows("runs", report, |report, key, value| {
        let Ok(no) = key.try_into().map(u32::from_be_bytes) else {
            let message = "the key is no number of a run";
            return report.add(Finding::new("runs", Kind::Malformed, message).key(key));
        };
        let row: RunRow = match rows::decode(&value, "a run") {
            Ok(row) => row,
            Err(error) => {
                return report.add(Finding::new("runs", Kind::Malformed, error.message).key(key));
            }
        };
        if windows.get(row.window).is_none() {
            let message = format!("its owner, window {}, isn't there", row.window);
            report.add(Finding::new("runs", Kind::Dangling, message).key(key));
        }
        let (window, len, chain) = (row.window, row.len, ChainHash(row.chain));
        runs.0.push(Run { no, window, len, chain, has_chunks: false, in_owner: 0 });
    });
    for window in &windows.0 {
        let Some(run) = window.run else { continue };
        let fault = match runs.get(run) {
            None => Some(format!("its run {run} isn't there")),
            Some(found) if found.window != window.no => {
                Some(format!("its run {run} is owned by window {}", found.window))
            }
            Some(_) => None,
        };
        if let Some(fault) = fault {
            let key = window.no.to_be_bytes();
            report.add(Finding::new("windows", Kind::Dangling, fault).key(&key));
        }
    }
    runs
}
