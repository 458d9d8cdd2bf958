//! Taking item bytes out of a record, so that what is left and the items give it back exactly.
//!
//! The forms of cuts are described in "Cuts" of `contracts/archive-format.md`.

mod extra;
mod path;
mod repeats;
mod string;

use std::borrow::Cow;

use base64::{Engine, engine::general_purpose::STANDARD};
use memchr::memmem;
use vox_format::forms;
use vox_types::{CutForm, Result};

pub use extra::{rest_of_extra, restore};
pub use path::Step;

/// Where an item's bytes stand in a record, and how they become item bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Want {
    /// Object keys and array positions from the root.
    pub path: Vec<Step>,
    /// How the value is read.
    pub form: WantForm,
}

/// How a value becomes item bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WantForm {
    /// A string, decoded; any other value as it stands.
    String,
    /// The value as it stands.
    Slice,
    /// A string of canonical base64, decoded; otherwise as [`String`](Self::String).
    Base64,
    /// The base64 of a data URL in a string, decoded; otherwise as [`String`](Self::String).
    DataUrl,
}

/// Bytes of a record that an item gives back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cut {
    /// Where they start in the record.
    pub start: usize,
    /// Where they end.
    pub end: usize,
    /// Which want's item.
    pub item: usize,
    /// How the item stood there.
    pub form: CutForm,
}

/// A record apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CutRecord<'a> {
    /// What can be had back from the items, in the order of the places. Cuts don't overlap, and
    /// an item may have several.
    pub cuts: Vec<Cut>,
    /// The item bytes of each want, in the order of the wants; None where the path leads nowhere.
    pub items: Vec<Option<Cow<'a, [u8]>>>,
}

/// What one want takes.
struct Taken<'a> {
    item: Cow<'a, [u8]>,
    cut: Option<Cut>,
}

/// Cuts what `wants` name out of `record`, and what repeats it.
///
/// A value whose source bytes can't be had back from its item bytes is given as an item all the
/// same, and isn't cut. Where a key occurs twice the last one counts.
///
/// Fails with `invalid_argument` if the record isn't one JSON value, or if one want lies inside
/// another.
pub fn cut<'a>(record: &'a [u8], wants: &[Want]) -> Result<CutRecord<'a>> {
    let found = path::find(record, wants)?;
    let mut cuts: Vec<Cut> = Vec::with_capacity(wants.len());
    let mut items = Vec::with_capacity(wants.len());
    for (index, (want, range)) in wants.iter().zip(found).enumerate() {
        let taken = range.map(|range| take(record, range.start, range.end, index, want.form));
        let cut = taken.as_ref().and_then(|taken| {
            let whole =
                |cut: &Cut| forms::stands_for(&taken.item, cut.form, &record[cut.start..cut.end]);
            taken.cut.filter(whole)
        });
        cuts.extend(cut);
        items.push(taken.map(|taken| taken.item));
    }
    cuts.sort_unstable_by_key(|cut| cut.start);
    let cuts = repeats::with_repeats(record, cuts);
    Ok(CutRecord { cuts, items })
}

fn take(record: &[u8], start: usize, end: usize, item: usize, form: WantForm) -> Taken<'_> {
    let cut = |start, end, form| Some(Cut { start, end, item, form });
    let value = &record[start..end];
    match (value.first(), form) {
        (Some(b'"'), WantForm::String | WantForm::Base64 | WantForm::DataUrl) => {
            let inside = &record[start + 1..end - 1];
            if form == WantForm::Base64
                && let Ok(bytes) = STANDARD.decode(inside)
            {
                let cut = cut(start + 1, end - 1, CutForm::Base64);
                return Taken { item: bytes.into(), cut };
            }
            if form == WantForm::DataUrl
                && let Some(comma) = data_url_comma(inside)
                && let Ok(bytes) = STANDARD.decode(&inside[comma + 1..])
            {
                let cut = cut(start + comma + 2, end - 1, CutForm::DataUrl);
                return Taken { item: bytes.into(), cut };
            }
            let (item, form) = string::decode(inside);
            Taken { item, cut: form.and_then(|form| cut(start + 1, end - 1, form)) }
        }
        (Some(b'{' | b'['), _) => {
            Taken { item: value.into(), cut: cut(start + 1, end - 1, CutForm::Slice) }
        }
        _ => Taken { item: value.into(), cut: None },
    }
}

/// Where the comma of `data:…;base64,` stands.
fn data_url_comma(inside: &[u8]) -> Option<usize> {
    const MARK: &[u8] = b";base64,";
    if !inside.starts_with(b"data:") {
        return None;
    }
    memmem::find(inside, MARK).map(|at| at + MARK.len() - 1)
}
