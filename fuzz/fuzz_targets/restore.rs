//! An extra of any bytes gives a record or `damaged`, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use vox_frame::restore;
use vox_types::Code;

fuzz_target!(|input: (Vec<u8>, Vec<u8>, &[u8])| {
    let (one, other, extra) = input;
    if let Err(error) = restore(extra, &[one, other]) {
        assert_eq!(error.code, Code::Damaged);
    }
});
