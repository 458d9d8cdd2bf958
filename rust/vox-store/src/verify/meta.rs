//! What the archive says about itself.

use serde::de::IgnoredAny;
use serde_bytes::ByteBuf;
use vox_format::rows;

use super::{
    image::Image,
    report::{Finding, Kind, Reporter},
};
use crate::env::FORMAT;

/// Checks the rows of `meta`; gives the archive's id.
pub(super) fn check(image: &Image<'_>, report: &mut Reporter) -> Vec<u8> {
    let mut id = Vec::new();
    let mut names = Vec::new();
    image.rows("meta", report, |report, key, value| {
        let fault = match key {
            b"format" => match rows::decode::<u32>(&value, "meta/format") {
                Ok(FORMAT) => None,
                Ok(other) => Some(format!("the format is {other}, not {FORMAT}")),
                Err(error) => Some(error.message),
            },
            b"archive_id" => match rows::decode::<ByteBuf>(&value, "meta/archive_id") {
                Ok(bytes) if bytes.len() == 16 => {
                    id = bytes.into_vec();
                    None
                }
                Ok(bytes) => Some(format!("the archive's id has {} of 16 bytes", bytes.len())),
                Err(error) => Some(error.message),
            },
            b"created_at" => {
                rows::decode::<i64>(&value, "meta/created_at").err().map(|e| e.message)
            }
            b"vox" => rows::decode::<String>(&value, "meta/vox").err().map(|error| error.message),
            b"blob_merges" | b"chain_merges" | b"superseded_by" => {
                rows::decode::<u64>(&value, "a number of meta").err().map(|error| error.message)
            }
            // A newer vox may say more.
            _ => rows::decode::<IgnoredAny>(&value, "meta").err().map(|error| error.message),
        };
        if let Some(fault) = fault {
            report.add(Finding::new("meta", Kind::Malformed, fault).key(key));
        }
        names.push(key.to_vec());
    });
    for name in ["format", "archive_id", "created_at", "vox"] {
        if image.has("meta") && !names.iter().any(|known| known == name.as_bytes()) {
            report.add(Finding::new("meta", Kind::Missing, format!("{name} is missing")));
        }
    }
    id
}
