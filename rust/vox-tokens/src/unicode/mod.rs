//! What class each character is of, as the programs see it whose splitting is reproduced.

pub mod class;
mod tables;

use std::sync::LazyLock;

use class::{CASELESS, Class, HAN, IDEOGRAPH, LETTER, OTHER};

/// The classes of all characters in one version of Unicode.
pub struct Classes {
    /// Of one byte, if it is ASCII. The rest is 0.
    ascii: [Class; 256],
    /// By code point: those of one or two bytes of UTF-8, without a detour over their kind.
    narrow: [Class; NARROW as usize],
    /// By kind.
    kinds: [Class; tables::CLASSES.len()],
}

/// The first code point of three bytes of UTF-8.
const NARROW: u32 = 0x800;

/// Unicode 16.0: what the crate regex-syntax 0.8 has, and Oniguruma 6.9.10.
static UNICODE_16: LazyLock<Classes> = LazyLock::new(|| Classes::new(|class, _| class));

/// Unicode 15.1, as llama.cpp has it.
static LLAMA_CPP: LazyLock<Classes> = LazyLock::new(|| {
    Classes::new(|class, recent| {
        let han = if class & IDEOGRAPH == 0 { 0 } else { HAN };
        match class & !HAN {
            _ if recent => OTHER | han,
            class if class & LETTER != 0 => CASELESS | han,
            class => class | han,
        }
    })
});

impl Classes {
    /// Unicode 16.0.
    pub fn unicode_16() -> &'static Self {
        &UNICODE_16
    }

    /// As llama.cpp sees characters: Unicode 15.1; letters beyond ASCII have no case; Han is a
    /// list of blocks.
    pub fn llama_cpp() -> &'static Self {
        &LLAMA_CPP
    }

    fn new(change: impl Fn(Class, bool) -> Class) -> Self {
        let mut ascii = [0; 256];
        for (code, class) in (0..128).zip(&mut ascii) {
            *class = tables::CLASSES[kind(code)];
        }
        let mut kinds = tables::CLASSES;
        for (class, recent) in kinds.iter_mut().zip(tables::RECENT) {
            *class = change(*class, recent);
        }
        let narrow = std::array::from_fn(|code| kinds[kind(code as u32)]);
        Self { ascii, narrow, kinds }
    }

    /// What `byte` is as a character; nothing if it isn't ASCII.
    #[inline(always)]
    pub fn ascii(&self, byte: u8) -> Class {
        self.ascii[byte as usize]
    }

    /// What the character of a code point beyond ASCII is.
    #[inline(always)]
    pub fn of(&self, code: u32) -> Class {
        if code < NARROW { self.narrow[code as usize] } else { self.kinds[kind(code)] }
    }
}

/// The kind of a code point.
#[inline(always)]
fn kind(code: u32) -> usize {
    let code = code as usize;
    let block = tables::BLOCKS[code / 128] as usize;
    tables::KINDS[block * 128 + code % 128] as usize
}
