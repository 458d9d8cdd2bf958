//! Any bytes as a GGUF file: reading them and counting with what they hold panics for none, and
//! takes no more memory than they are.
#![no_main]

use libfuzzer_sys::fuzz_target;
use vox_tokens::gguf::Gguf;

fuzz_target!(|file: &[u8]| {
    let Ok(gguf) = Gguf::read(file, file.len() as u64) else { return };
    let Ok(tokenizer) = gguf.tokenizer() else { return };
    let text = "The quick brown  fox\n\n123 <x> é漢\u{301}🙂".as_bytes();
    assert_eq!(tokenizer.count(text), tokenizer.encode(text).len() as u64);
});
