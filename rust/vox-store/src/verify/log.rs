//! The log of events.

use serde::Deserialize;
use vox_format::rows::{self, Event, EventRow};

use super::{
    image::Image,
    report::{Finding, Kind, Reporter},
    windows::Windows,
};

/// Events of the format that this vox doesn't write.
const RESERVED: &[&str] = &["snapshot_added"];

#[derive(Deserialize)]
struct Head {
    kind: String,
    window: Option<u32>,
}

/// Checks that the log has no gap and every event can be read.
pub(super) fn check(image: &Image<'_>, report: &mut Reporter, windows: &Windows) {
    let mut next = 0u64;
    image.rows("events", report, |report, key, value| {
        let mut fault = |kind, message: String| {
            report.add(Finding::new("events", kind, message).key(key));
        };
        let Ok(sequence) = key.try_into().map(u64::from_be_bytes) else {
            return fault(Kind::Malformed, "the key is no number of an event".into());
        };
        if sequence != next {
            fault(Kind::Order, format!("event {next} should come next, not {sequence}"));
        }
        next = sequence.saturating_add(1);
        let window = match rows::decode::<EventRow>(&value, "an event") {
            Ok(event) => {
                if let Some(error) = packed_ranges(&event.what) {
                    fault(Kind::Malformed, error.message);
                }
                event.window
            }
            Err(error) => match rows::decode::<Head>(&value, "an event") {
                Ok(head) if RESERVED.contains(&head.kind.as_str()) => head.window,
                _ => return fault(Kind::Malformed, error.message),
            },
        };
        if let Some(window) = window
            && windows.get(window).is_none()
        {
            fault(Kind::Dangling, format!("it is about window {window}, which isn't there"));
        }
    });
}

/// What is wrong with the ranges that an event holds.
fn packed_ranges(what: &Event) -> Option<vox_types::Error> {
    match what {
        Event::Marked { ranges, .. } => ranges.unpack().err(),
        Event::Merged { parts } => parts.iter().find_map(|part| part.ranges.unpack().err()),
        _ => None,
    }
}
