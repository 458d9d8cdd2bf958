//! A check that nothing is wrong with an archive.

use vox_store::{
    Store,
    verify::{Options, Verdict, verify},
};

/// Fails with what `verify` finds.
pub fn assert_clean(store: &Store) {
    let report = verify(store, &Options::default()).unwrap();
    assert_eq!(report.verdict(), Verdict::Clean, "{:?}", report.findings);
}
