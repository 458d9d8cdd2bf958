//! The one file that a call is about.

use serde_json::Value;

use super::{arguments, patch, paths, shell};

/// The longest path that is taken for one, in bytes. Judgement: longer ones are no file's that
/// anybody reads twice.
pub const LONGEST_FILE: usize = 512;

/// The file that a tool call is about, as the call names it, without `./` before it or a line
/// number after it: that of an argument for files, else of its patch, else of its command. None if
/// it names no file there, or several.
#[must_use]
pub fn file(call: &[u8]) -> Option<String> {
    let mut named = Named::default();
    if let Ok(Value::Object(values)) = serde_json::from_slice(call) {
        for (name, value) in &values {
            named.value(name, value);
        }
    } else if let Ok(text) = std::str::from_utf8(call) {
        named.command(text);
    }
    let Named { arguments, patches, commands } = named;
    [arguments, patches, commands].into_iter().find_map(|group| match group {
        Files::None => None,
        Files::One(path) => Some(Some(path)),
        Files::Several => Some(None),
    })?
}

/// The files that were named in one of three ways.
#[derive(Default)]
struct Named {
    arguments: Files,
    patches: Files,
    commands: Files,
}

/// How many files were named.
#[derive(Default)]
enum Files {
    #[default]
    None,
    One(String),
    Several,
}

impl Files {
    fn add(&mut self, path: &str) {
        let path = paths::normal(path);
        if path.len() > LONGEST_FILE
            || !paths::names_something(&path)
            || paths::has_wildcards(&path)
        {
            return;
        }
        *self = match std::mem::take(self) {
            Self::None => Self::One(path),
            Self::One(known) if known == path => Self::One(known),
            _ => Self::Several,
        };
    }
}

impl Named {
    /// Reads one argument; serde_json bounds how deep they lie.
    fn value(&mut self, name: &str, value: &Value) {
        match value {
            Value::String(text) => self.text(name, text),
            Value::Array(values) => values.iter().for_each(|value| self.value(name, value)),
            Value::Object(values) => {
                for (name, value) in values {
                    self.value(name, value);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn text(&mut self, name: &str, text: &str) {
        let name = name.to_ascii_lowercase();
        if arguments::is_place(&name) || arguments::is_content(&name) {
            return;
        }
        if arguments::is_command(&name) {
            self.command(text);
        } else if patch::is_in(text) {
            self.patch(text);
        } else if !text.contains('\n')
            && (name.contains("file") || name.contains("path") && paths::looks_like_file(text))
        {
            self.arguments.add(text);
        }
    }

    fn command(&mut self, text: &str) {
        if patch::is_in(text) {
            self.patch(text);
            return;
        }
        for word in shell::words(text).filter(|word| paths::looks_like_file(word)) {
            self.commands.add(word);
        }
    }

    fn patch(&mut self, text: &str) {
        patch::files(text).for_each(|path| self.patches.add(path));
    }
}
