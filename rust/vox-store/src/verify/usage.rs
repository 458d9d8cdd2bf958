//! What providers reported.

use vox_format::rows::{self, UsageRow};

use super::{
    image::Image,
    rebuilt::Rows,
    report::{Finding, Kind, Reporter},
    symbols::Symbols,
    windows::Windows,
};
use crate::spine::windows::short_hash;

/// Checks every report; gives what `usage_owners` should hold.
pub(super) fn check(
    image: &Image<'_>,
    report: &mut Reporter,
    windows: &Windows,
    symbols: &Symbols,
) -> Rows<16, 4> {
    let mut owners: Rows<16, 4> = Vec::new();
    image.rows("usage", report, |report, key, value| {
        let mut fault = |kind, message: String| {
            report.add(Finding::new("usage", kind, message).key(key));
        };
        let parts = key.split_first_chunk::<4>().and_then(|(window, response)| {
            Some((u32::from_be_bytes(*window), <[u8; 16]>::try_from(response).ok()?))
        });
        let Some((window, response)) = parts else {
            return fault(Kind::Malformed, "the key is no response of a window".into());
        };
        owners.push((response, window.to_le_bytes()));
        if windows.get(window).is_none() {
            fault(Kind::Dangling, format!("window {window} isn't there"));
        }
        let row: UsageRow = match rows::decode(&value, "a usage row") {
            Ok(row) => row,
            Err(error) => return fault(Kind::Malformed, error.message),
        };
        if short_hash(&row.key) != response {
            fault(Kind::Differs, "its key isn't that of its response".into());
        }
        if !symbols.has(row.model.into()) {
            fault(Kind::Dangling, format!("its model is symbol {}, which isn't there", row.model));
        }
    });
    owners.sort_unstable();
    for pair in owners.windows(2) {
        if let [(one, first), (two, second)] = pair
            && one == two
        {
            let (first, second) = (u32::from_le_bytes(*first), u32::from_le_bytes(*second));
            let message = format!("windows {first} and {second} both own one response");
            let key = vox_format::keys::usage(second, two);
            report.add(Finding::new("usage", Kind::Conflict, message).key(&key));
        }
    }
    owners
}
