//! The arguments of a call: which of them name files, commands, texts and symbols.

use serde_json::Value;

use super::{Terms, patch, paths, shell, symbols};

/// Reads a call of any tool: by what its arguments are called, which tools have nearly in common.
pub(super) fn read(call: &[u8], terms: &mut Terms) {
    if let Ok(Value::Object(arguments)) = serde_json::from_slice(call) {
        for (name, value) in &arguments {
            argument(name, value, terms);
        }
    } else if let Ok(text) = std::str::from_utf8(call) {
        // Some tools take a text, such as a patch or a script.
        shell::add(text, terms);
    }
}

/// Reads one argument; serde_json bounds how deep they lie.
fn argument(name: &str, value: &Value, terms: &mut Terms) {
    match value {
        Value::String(text) => text_of(name, text, terms),
        Value::Array(values) => {
            for value in values {
                argument(name, value, terms);
            }
        }
        Value::Object(arguments) => {
            for (name, value) in arguments {
                argument(name, value, terms);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn text_of(name: &str, text: &str, terms: &mut Terms) {
    if terms.full() {
        return;
    }
    let name = name.to_ascii_lowercase();
    match name.as_str() {
        name if is_place(name) => {}
        name if is_command(name) => shell::add(text, terms),
        name if is_content(name) => symbols::add_defined(text, terms),
        _ if patch::is_in(text) => patch::add(text, terms),
        _ if text.contains('\n') => {}
        _ if name.contains("path") || name.contains("file") => paths::add(text, terms),
        "pattern" | "glob" | "include" if paths::looks_like_one(text) => paths::add(text, terms),
        _ if name.contains("pattern") || name.contains("regex") => symbols::add_sought(text, terms),
        _ if name.contains("symbol") || name.contains("qualified") => {
            symbols::add_name(text, terms);
        }
        _ => {}
    }
}

/// Whether an argument says where a command runs, which says nothing of what it touches.
pub(super) fn is_place(name: &str) -> bool {
    matches!(name, "cwd" | "workdir" | "working_directory")
}

/// Whether an argument is a command.
pub(super) fn is_command(name: &str) -> bool {
    matches!(name, "command" | "cmd" | "script" | "commands")
}

/// Whether an argument is a text to be written or replaced.
pub(super) fn is_content(name: &str) -> bool {
    matches!(name, "old_string" | "new_string" | "old_str" | "new_str" | "content" | "file_text")
}
