//! Roots with a name.

use std::{cell::OnceCell, collections::HashSet};

use vox_format::name::Target;
use vox_types::WindowId;

use super::{
    blobs::Blobs,
    image::Image,
    report::{Finding, Kind, Reporter},
    runs::Runs,
    windows::Windows,
};
use crate::committed::window_of;

/// Checks that what is named is there.
pub(super) fn check(
    image: &Image<'_>,
    report: &mut Reporter,
    blobs: &Blobs,
    windows: &Windows,
    runs: &Runs,
) {
    let ids: OnceCell<HashSet<WindowId>> = OnceCell::new();
    image.rows("names", report, |report, key, value| {
        let mut fault = |kind, message: String| {
            report.add(Finding::new("names", kind, message).key(key));
        };
        if std::str::from_utf8(key).is_err() {
            fault(Kind::Malformed, "the name isn't UTF-8".into());
        }
        let committed_to = std::str::from_utf8(key).ok().and_then(window_of);
        let there = match Target::decode(&value) {
            Ok(Target::Blob(blob)) => {
                let slot = blobs.slots.find(blob).and_then(|place| blobs.slots.get(place));
                slot.is_some_and(|slot| !slot.gone)
            }
            Ok(Target::Window(window)) => windows.get(window).is_some(),
            Ok(Target::Item(item)) => {
                runs.get(item.run()).is_some_and(|run| item.position() < run.len)
            }
            Err(error) => return fault(Kind::Malformed, error.message),
        };
        if !there {
            fault(Kind::Dangling, "what it names isn't there".into());
        }
        if let Some(id) = committed_to {
            let ids = ids.get_or_init(|| windows.0.iter().map(|window| window.id).collect());
            if !ids.contains(&id) {
                fault(
                    Kind::Dangling,
                    format!("it is the committed set of {id}, which isn't there"),
                );
            }
            if !matches!(Target::decode(&value), Ok(Target::Blob(_))) {
                fault(Kind::Malformed, "it is a committed set, and names no blob".into());
            }
        }
    });
}
