//! Tables that follow from others, made anew and compared with what is stored.

use std::cmp::Ordering;

use super::{
    image::Image,
    report::{Finding, Kind, Reporter},
};

/// Rows with keys and values of a fixed size.
pub(super) type Rows<const K: usize, const V: usize> = Vec<([u8; K], [u8; V])>;

/// What the derived tables should hold, in the order of the keys.
#[derive(Default)]
pub(super) struct Rebuilt {
    pub symbol_ids: Rows<16, 4>,
    pub window_ids: Rows<16, 4>,
    pub window_keys: Rows<16, 4>,
    pub by_recency: Rows<17, 0>,
    pub by_root: Rows<12, 0>,
    pub run_windows: Rows<8, 4>,
    pub usage_owners: Rows<16, 4>,
}

impl Rebuilt {
    /// Compares every table with what is stored.
    pub fn compare(&mut self, image: &Image<'_>, report: &mut Reporter) {
        compare(image, report, "symbol_ids", &["symbols"], &mut self.symbol_ids);
        compare(image, report, "window_ids", &["windows"], &mut self.window_ids);
        compare(image, report, "window_keys", &["windows"], &mut self.window_keys);
        compare(image, report, "by_recency", &["windows"], &mut self.by_recency);
        compare(image, report, "by_root", &["windows"], &mut self.by_root);
        compare(image, report, "run_windows", &["extents"], &mut self.run_windows);
        compare(image, report, "usage_owners", &["usage"], &mut self.usage_owners);
    }
}

fn compare<const K: usize, const V: usize>(
    image: &Image<'_>,
    report: &mut Reporter,
    table: &'static str,
    sources: &[&'static str],
    rows: &mut Rows<K, V>,
) {
    rows.sort_unstable();
    // What two rows claim has been reported where they stand.
    rows.dedup_by_key(|(key, _)| *key);
    if !image.has(table) || !report.complete(sources, table) {
        return;
    }
    let missing = |key: &[u8]| Finding::new(table, Kind::Missing, "the row is missing").key(key);
    let mut wanted = rows.iter().peekable();
    image.rows(table, report, |report, key, value| {
        while let Some((before, _)) = wanted.next_if(|(next, _)| next.as_slice() < key) {
            report.add(missing(before));
        }
        let same = wanted.next_if(|(next, _)| next.as_slice().cmp(key) == Ordering::Equal);
        match same {
            Some((_, right)) if right.as_slice() == value => {}
            Some((_, right)) => {
                let message = format!("the row says {value:?}, but should say {right:?}");
                report.add(Finding::new(table, Kind::Differs, message).key(key));
            }
            None => {
                let message = "nothing in the archive calls for this row";
                report.add(Finding::new(table, Kind::Surplus, message).key(key));
            }
        }
    });
    wanted.for_each(|(key, _)| report.add(missing(key)));
}
