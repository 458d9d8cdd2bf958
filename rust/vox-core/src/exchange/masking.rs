//! Lines without secrets.

use std::collections::HashMap;

use vox_format::preview::preview;
use vox_secrets::{Masked, Scanner};
use vox_store::exchange::{BLOB, HEADER, ITEM, Line, MASKED_SCHEMA, Plain};
use vox_types::Result;

/// Masks the texts and bytes of lines, in the order of an export.
pub(super) struct Masking {
    scanner: &'static Scanner,
    /// How the contents begin that had secrets, by their names: a preview may end within one.
    previews: HashMap<String, String>,
}

impl Masking {
    /// With the rules that ship.
    pub fn new() -> Result<Self> {
        Ok(Self { scanner: Scanner::standard()?, previews: HashMap::new() })
    }

    /// Masks all that `line` says. The header says that it was done, so that nobody takes the export
    /// for all of the archive.
    pub fn line(&mut self, mut line: Line) -> Line {
        let is_blob = line.kind == BLOB;
        let mut begins = None;
        for (name, value) in &mut line.fields {
            let changed = self.value(value);
            if line.kind == HEADER && name == "schema" {
                *value = MASKED_SCHEMA.into();
            }
            if changed && is_blob {
                begins = match &*value {
                    Plain::Text(text) => Some(preview(text.as_bytes())),
                    Plain::Bytes(bytes) => Some(preview(bytes)),
                    _ => None,
                };
            }
        }
        let named = |line: &Line, field: &str| {
            let value = line.fields.iter().find(|(name, _)| name == field);
            match value {
                Some((_, Plain::Text(text))) => Some(text.clone()),
                _ => None,
            }
        };
        if let (Some(begins), Some(hash)) = (begins, named(&line, "hash")) {
            self.previews.insert(hash, begins);
        }
        if line.kind == ITEM
            && let Some(begins) = named(&line, "content").and_then(|hash| self.previews.get(&hash))
            && let Some((_, value)) = line.fields.iter_mut().find(|(name, _)| name == "preview")
        {
            *value = begins.as_str().into();
        }
        line
    }

    /// Masks `value`; whether that changed it.
    fn value(&self, value: &mut Plain) -> bool {
        match value {
            Plain::Text(text) => {
                let Some(masked) = self.masked(text.as_bytes()) else { return false };
                // Spans begin and end at characters.
                *text = String::from_utf8_lossy(&masked).into_owned();
                true
            }
            Plain::Bytes(bytes) => {
                let Some(masked) = self.masked(bytes) else { return false };
                *bytes = masked;
                true
            }
            Plain::List(list) => list.iter_mut().fold(false, |any, value| self.value(value) | any),
            Plain::Map(map) => {
                map.iter_mut().fold(false, |any, (_, value)| self.value(value) | any)
            }
            Plain::Null | Plain::Bool(_) | Plain::Unsigned(_) | Plain::Signed(_) => false,
        }
    }

    fn masked(&self, text: &[u8]) -> Option<Vec<u8>> {
        let spans = self.scanner.spans(text);
        let rules = self.scanner.rules();
        (!spans.is_empty()).then(|| Masked::new(text, &spans, rules).text.into_owned())
    }
}
