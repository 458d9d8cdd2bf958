//! Links between windows, and windows that wait for their parent.

use vox_format::{cursor::u64_at, keys};
use vox_types::LinkKind;

use super::{
    image::Image,
    rebuilt::Rebuilt,
    report::{Finding, Kind, Reporter},
    windows::Windows,
};

/// Checks that both ends of every link are there.
pub(super) fn check_links(image: &Image<'_>, report: &mut Reporter, windows: &Windows) {
    image.rows("links", report, |report, key, value| {
        let mut fault = |kind, message: String| {
            report.add(Finding::new("links", kind, message).key(key));
        };
        let Some((from, link, to)) = keys::split_link(key).filter(|_| value.len() == 8) else {
            return fault(Kind::Malformed, "the row is no link".into());
        };
        if LinkKind::from_number(link).is_none() {
            fault(Kind::Malformed, format!("{link} is no link"));
        }
        for window in [from, to].into_iter().filter(|window| windows.get(*window).is_none()) {
            fault(Kind::Dangling, format!("window {window} isn't there"));
        }
        let ordinal = u64_at(&value, 0);
        if windows.get(to).is_some_and(|window| ordinal > window.items) {
            fault(Kind::Count, format!("it starts at place {ordinal}, which window {to} hasn't"));
        }
    });
}

/// Checks that every awaited parent is absent and who waits for it is there. The keys of windows
/// are those that `rebuilt` holds, in order.
pub(super) fn check_awaited(
    image: &Image<'_>,
    report: &mut Reporter,
    windows: &Windows,
    rebuilt: &Rebuilt,
) {
    image.rows("awaited", report, |report, key, value| {
        let mut fault = |kind, message: String| {
            report.add(Finding::new("awaited", kind, message).key(key));
        };
        let Some((parent, child)) = keys::split_awaited(key) else {
            return fault(Kind::Malformed, "the key is no window that waits".into());
        };
        match value.as_slice() {
            [link] if LinkKind::from_number(*link).is_some() => {}
            other => fault(Kind::Malformed, format!("{other:?} is no link")),
        }
        if windows.get(child).is_none() {
            fault(Kind::Dangling, format!("window {child} isn't there"));
        }
        if rebuilt.window_keys.binary_search_by_key(&parent, |(key, _)| *key).is_ok() {
            fault(Kind::Differs, format!("the parent that window {child} waits for is there"));
        }
    });
}
