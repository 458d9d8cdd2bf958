//! Any text is a query or gets a message: no panic, no recursion, no hang.

#![no_main]

use libfuzzer_sys::fuzz_target;
use vox_search::query::parse;

fuzz_target!(|text: &str| {
    if let Err(error) = parse(text, 0) {
        assert!(error.message.starts_with("column "), "{error}");
    }
});
