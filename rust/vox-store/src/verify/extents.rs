//! The items of windows as extents of runs.

use vox_format::{keys, rows::Extent};
use vox_types::{ItemId, WindowNo};

use super::{
    image::Image,
    rebuilt::Rows,
    report::{Finding, Kind, Reporter},
    runs::Runs,
    windows::Windows,
};

/// The sound extents of all windows, by window and ordinal.
#[derive(Default)]
pub(super) struct Extents(Vec<(WindowNo, Extent)>);

impl Extents {
    /// The extents of a window, in order.
    pub fn of(&self, window: WindowNo) -> &[(WindowNo, Extent)] {
        let from = self.0.partition_point(|(no, _)| *no < window);
        let to = self.0.partition_point(|(no, _)| *no <= window);
        self.0.get(from..to).unwrap_or_default()
    }

    /// How many items a window has.
    pub fn items(&self, window: WindowNo) -> u64 {
        self.of(window).last().map_or(0, |(_, extent)| extent.end())
    }

    /// The places in runs where extents start and end.
    pub fn bounds(&self) -> Vec<u64> {
        let ends = |(_, extent): &(WindowNo, Extent)| {
            [extent.first, extent.end_position()].map(|at| ItemId::new(extent.run, at).0)
        };
        let mut bounds: Vec<u64> = self.0.iter().flat_map(ends).collect();
        bounds.sort_unstable();
        bounds.dedup();
        bounds
    }

    /// What `run_windows` should hold.
    pub fn run_windows(&self) -> Rows<8, 4> {
        let mut keys: Vec<[u8; 8]> =
            self.0.iter().map(|(window, extent)| keys::pair(extent.run, *window)).collect();
        keys.sort_unstable();
        keys.chunk_by(|a, b| a == b)
            .filter_map(|same| Some((*same.first()?, (same.len() as u32).to_le_bytes())))
            .collect()
    }
}

/// Reads every extent, and counts how much of each run stands in its owner.
pub(super) fn read(
    image: &Image<'_>,
    report: &mut Reporter,
    windows: &Windows,
    runs: &mut Runs,
) -> Extents {
    let mut extents = Extents::default();
    image.rows("extents", report, |report, key, value| {
        let decoded = keys::split_ordinal(key)
            .and_then(|(window, ordinal)| Some((window, Extent::decode(ordinal, &value).ok()?)));
        let Some((window, extent)) = decoded else {
            let message = "the row is no extent of a window";
            return report.add(Finding::new("extents", Kind::Malformed, message).key(key));
        };
        let before = extents.0.last().filter(|(no, _)| *no == window).map(|(_, extent)| extent);
        for (kind, message) in faults(windows, runs, window, before, &extent) {
            report.add(Finding::new("extents", kind, message).key(key));
        }
        let sound_end = extent.first.checked_add(extent.count).is_some()
            && extent.ordinal.checked_add(extent.count.into()).is_some();
        if !sound_end {
            return report.incomplete("extents");
        }
        if let Some(run) = runs.place(extent.run).and_then(|place| runs.0.get_mut(place))
            && run.window == window
        {
            run.in_owner += u64::from(extent.count);
        }
        extents.0.push((window, extent));
    });
    extents
}

fn faults(
    windows: &Windows,
    runs: &Runs,
    window: WindowNo,
    before: Option<&Extent>,
    extent: &Extent,
) -> Vec<(Kind, String)> {
    let mut faults = Vec::new();
    if windows.get(window).is_none() {
        faults.push((Kind::Dangling, format!("window {window} isn't there")));
    }
    let next = before.map_or(0, Extent::end);
    if extent.ordinal != next {
        let message = format!("ordinal {next} should come next, not {}", extent.ordinal);
        faults.push((Kind::Order, message));
    }
    let goes_on =
        |before: &Extent| before.run == extent.run && before.end_position() == extent.first;
    if before.is_some_and(goes_on) {
        faults.push((Kind::Order, "it goes on where the extent before it ends".into()));
    }
    let end = u64::from(extent.first) + u64::from(extent.count);
    match runs.get(extent.run) {
        None => faults.push((Kind::Dangling, format!("run {} isn't there", extent.run))),
        Some(run) if extent.count == 0 || end > run.len.into() => {
            let message = format!(
                "it holds {} items of run {} from {} on; the run has {}",
                extent.count, extent.run, extent.first, run.len
            );
            faults.push((Kind::Count, message));
        }
        Some(_) => {}
    }
    faults
}

/// Checks that the window that owns a run has all its items.
pub(super) fn check_owners(report: &mut Reporter, runs: &Runs) {
    if !report.complete(&["runs", "extents"], "the items of runs and those of their owners") {
        return;
    }
    for run in runs.0.iter().filter(|run| run.in_owner != run.len.into()) {
        let message = format!(
            "window {} has {} items of its run {}, which has {}",
            run.window, run.in_owner, run.no, run.len
        );
        let key = run.window.to_be_bytes();
        report.add(Finding::new("extents", Kind::Missing, message).key(&key));
    }
}
