//! The preview of an item: its start as one line, at most 120 bytes.

/// The longest preview, in bytes.
pub const MAX_PREVIEW: usize = 120;

/// Bytes checked for UTF-8 at a time, so that a huge item is never scanned beyond its start.
const WINDOW: usize = 256;

/// The start of the text `bytes` as one line.
///
/// Runs of characters with the Unicode property `White_Space` or the category `Cc` become one
/// space, none stands at the start or the end; each maximal subpart of invalid UTF-8 becomes
/// U+FFFD; the line is cut between characters at [`MAX_PREVIEW`] bytes. Reading stops there.
pub fn preview(bytes: &[u8]) -> String {
    let mut line = Line::default();
    let mut rest = bytes;
    while !rest.is_empty() && !line.full {
        let window = &rest[..rest.len().min(WINDOW)];
        let (valid, invalid) = match std::str::from_utf8(window) {
            Ok(text) => (text, 0),
            Err(error) => {
                let cut_by_window = error.error_len().is_none() && window.len() < rest.len();
                let invalid = match error.error_len() {
                    _ if cut_by_window => 0,
                    Some(length) => length,
                    None => window.len() - error.valid_up_to(),
                };
                (valid_prefix(window, error.valid_up_to()), invalid)
            }
        };
        valid.chars().take_while(|&c| line.push(c)).for_each(drop);
        if invalid > 0 {
            line.push(char::REPLACEMENT_CHARACTER);
        }
        rest = &rest[valid.len() + invalid..];
    }
    line.text
}

/// The preview of an item that isn't text: `[<media type>, <length> bytes]`. Of a media type that
/// is too long for it only the start stands.
pub fn binary_preview(media_type: &str, length: u64) -> String {
    let tail = format!(", {length} bytes]");
    let media_type = preview(media_type.as_bytes());
    let start = cut(&media_type, MAX_PREVIEW - 1 - tail.len());
    format!("[{start}{tail}")
}

/// The longest start of `text` that has at most `limit` bytes and ends between characters.
pub(crate) fn cut(text: &str, limit: usize) -> &str {
    let end = (0..=limit.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or(0)]
}

fn valid_prefix(window: &[u8], length: usize) -> &str {
    std::str::from_utf8(&window[..length]).unwrap_or_default()
}

#[derive(Default)]
struct Line {
    text: String,
    space: bool,
    full: bool,
}

impl Line {
    /// Adds `c`; false when the line is full.
    fn push(&mut self, c: char) -> bool {
        if c.is_whitespace() || c.is_control() {
            self.space = !self.text.is_empty();
            return true;
        }
        self.full |= self.text.len() + usize::from(self.space) + c.len_utf8() > MAX_PREVIEW;
        if self.full {
            return false;
        }
        if std::mem::take(&mut self.space) {
            self.text.push(' ');
        }
        self.text.push(c);
        true
    }
}
