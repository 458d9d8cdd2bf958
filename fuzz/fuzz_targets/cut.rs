//! Whatever is cut out of a record goes back in to give the same bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use vox_format::forms;
use vox_frame::{Step, Want, WantForm, cut};
use vox_types::Code;

const KEYS: [&str; 4] = ["a", "b", "text", ""];
const FORMS: [WantForm; 4] =
    [WantForm::String, WantForm::Slice, WantForm::Base64, WantForm::DataUrl];

/// Each byte is a step; the numbers from 252 on end a path with one of the forms.
fn wants(plan: &[u8]) -> Vec<Want> {
    let mut wants = Vec::new();
    let mut path = Vec::new();
    for &byte in plan {
        match byte {
            252.. => wants.push(Want {
                path: std::mem::take(&mut path),
                form: FORMS[usize::from(byte) - 252],
            }),
            128.. => path.push(Step::Index(u32::from(byte) % 4)),
            _ => path.push(Step::Key(KEYS[usize::from(byte) % 4].to_owned())),
        }
    }
    wants
}

fuzz_target!(|input: (Vec<u8>, &[u8])| {
    let (plan, record) = input;
    match cut(record, &wants(&plan)) {
        Ok(apart) => {
            let mut at = 0;
            for cut in &apart.cuts {
                assert!(at <= cut.start && cut.end <= record.len());
                let item = apart.items[cut.item].as_deref().unwrap_or_default();
                assert!(forms::stands_for(item, cut.form, &record[cut.start..cut.end]));
                at = cut.end;
            }
        }
        Err(error) => assert_eq!(error.code, Code::InvalidArgument),
    }
});
