//! What BERT's normaliser does.

use unicode_categories::UnicodeCategories;

use super::forms::Form;
use crate::huggingface::text::Normal;

/// Which parts of it are switched on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bert {
    /// Drops control characters and makes all white space a space.
    pub clean: bool,
    /// Puts spaces around Chinese characters.
    pub chinese: bool,
    /// Drops combining marks.
    pub strip_accents: bool,
    pub lowercase: bool,
}

impl Bert {
    pub fn normalise(self, normal: &mut Normal) {
        if self.clean {
            normal.filter(|c| !is_dropped(c));
            normal.map(clean);
        }
        if self.chinese && normal.text.chars().any(is_chinese) {
            normal.rewrite(0, |old, new| {
                for c in old.chars() {
                    if is_chinese(c) {
                        new.push(' ', 0);
                        new.push(c, 1);
                        new.push(' ', 1);
                    } else {
                        new.push(c, 0);
                    }
                }
            });
        }
        if self.strip_accents {
            Form::Nfd.normalise(normal);
            normal.filter(|c| c.is_ascii() || !c.is_mark_nonspacing());
        }
        if self.lowercase {
            lowercase(normal);
        }
    }
}

/// NUL, what stands for broken text, and control, format, private and unassigned characters.
pub fn is_dropped(c: char) -> bool {
    !matches!(c, '\t' | '\n' | '\r' | ' '..='~') && (matches!(c, '\0' | '\u{fffd}') || c.is_other())
}

/// All white space as a space.
pub fn clean(c: char) -> char {
    if c.is_whitespace() { ' ' } else { c }
}

/// The blocks of ideographs that BERT's own code lists.
pub fn is_chinese(c: char) -> bool {
    matches!(c as u32,
        0x4e00..=0x9fff | 0x3400..=0x4dbf | 0x2_0000..=0x2_a6df | 0x2_a700..=0x2_b73f
        | 0x2_b740..=0x2_b81f | 0x2_b920..=0x2_ceaf | 0xf900..=0xfaff | 0x2_f800..=0x2_fa1f)
}

/// Each character in lower case by itself: no final sigma.
pub fn lowercase(normal: &mut Normal) {
    if normal.text.chars().all(|c| c.to_lowercase().eq([c])) {
        return;
    }
    normal.rewrite(0, |old, new| {
        for c in old.chars() {
            for (at, lower) in c.to_lowercase().enumerate() {
                new.push(lower, isize::from(at > 0));
            }
        }
    });
}
