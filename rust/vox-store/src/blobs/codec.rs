//! Compressing and decompressing one blob.

use std::{cell::RefCell, sync::OnceLock};

use vox_format::segment::{STORED, ZSTD, ZSTD_DICTIONARY};
use vox_types::{Code, Error, Result};
use zstd_safe::{CCtx, CParameter, DCtx, DDict, DParameter, FrameFormat};

/// The longest blob.
pub const MAX_BLOB: usize = 1 << 30;

/// From this length on a dictionary no longer pays. Judgement.
const DICTIONARY_UP_TO: usize = 64 << 10;

/// zstd's level for all blobs; `contracts/dictionaries/README.md` has the figures.
const LEVEL: i32 = 1;

/// Which shipped dictionary suits a blob.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dictionary {
    /// Text, code, tool output.
    Content = 1,
    /// What is left of a record.
    Extra = 2,
}

const SHIPPED_COUNT: usize = 2;
const SHIPPED: [&[u8]; SHIPPED_COUNT] = [
    include_bytes!("../../../../contracts/dictionaries/1.zdict"),
    include_bytes!("../../../../contracts/dictionaries/2.zdict"),
];

fn decompressing(dictionary: usize) -> &'static DDict<'static> {
    static READY: [OnceLock<DDict<'static>>; SHIPPED_COUNT] =
        [const { OnceLock::new() }; SHIPPED_COUNT];
    READY[dictionary].get_or_init(|| DDict::create_by_reference(SHIPPED[dictionary]))
}

/// One thread's contexts, each made when first needed: without a dictionary, then with each.
#[derive(Default)]
struct Contexts {
    compress: [Option<CCtx<'static>>; SHIPPED_COUNT + 1],
    decompress: [Option<DCtx<'static>>; SHIPPED_COUNT + 1],
}

thread_local! {
    static CONTEXTS: RefCell<Contexts> = RefCell::default();
}

/// Compresses `raw`; gives the codec and the body.
pub fn compress(raw: &[u8], dictionary: Dictionary) -> Result<(u8, Vec<u8>)> {
    let with = if raw.len() <= DICTIONARY_UP_TO { dictionary as usize } else { 0 };
    let body = CONTEXTS.with_borrow_mut(|contexts| {
        let context = match &mut contexts.compress[with] {
            Some(context) => context,
            empty => empty.insert(new_compressor(with).map_err(zstd_error)?),
        };
        let mut body = Vec::with_capacity(zstd_safe::compress_bound(raw.len()));
        context.compress2(&mut body, raw).map_err(zstd_error)?;
        Ok::<_, Error>(body)
    })?;
    Ok(match with {
        _ if body.len() >= raw.len() => (STORED, raw.to_vec()),
        0 => (ZSTD, body),
        with => (ZSTD_DICTIONARY + with as u8, body),
    })
}

/// Gives back the `raw_len` bytes that `body` was made of.
pub fn decompress(codec: u8, body: &[u8], raw_len: u32) -> Result<Vec<u8>> {
    let raw_len = raw_len as usize;
    if raw_len > MAX_BLOB {
        return Err(Error::damaged(format!("a blob claims to be {raw_len} bytes long")));
    }
    let with = match codec {
        STORED => {
            return if body.len() == raw_len {
                Ok(body.to_vec())
            } else {
                Err(Error::damaged(format!("a stored blob has {} of {raw_len} bytes", body.len())))
            };
        }
        ZSTD => 0,
        codec => match usize::from(codec.wrapping_sub(ZSTD_DICTIONARY)) {
            with @ 1..=SHIPPED_COUNT => with,
            _ => {
                return Err(Error::new(
                    Code::WrongVersion,
                    format!(
                        "a blob has codec {codec}, which this vox doesn't know: use a newer one"
                    ),
                ));
            }
        },
    };
    CONTEXTS.with_borrow_mut(|contexts| {
        let context = match &mut contexts.decompress[with] {
            Some(context) => context,
            empty => empty.insert(new_decompressor(with).map_err(zstd_error)?),
        };
        // A damaged length must not reserve a gigabyte: a frame can't shrink that far.
        let room = raw_len.min(body.len().saturating_mul(1 << 16).max(1 << 20));
        let mut raw = Vec::with_capacity(room);
        context.decompress(&mut raw, body).map_err(zstd_error)?;
        if raw.len() != raw_len {
            return Err(Error::damaged(format!("a blob has {} of {raw_len} bytes", raw.len())));
        }
        Ok(raw)
    })
}

fn new_compressor(with: usize) -> Result<CCtx<'static>, usize> {
    let mut context = CCtx::create();
    context.set_parameter(CParameter::CompressionLevel(LEVEL))?;
    context.set_parameter(CParameter::Format(FrameFormat::Magicless))?;
    context.set_parameter(CParameter::ContentSizeFlag(false))?;
    context.set_parameter(CParameter::ChecksumFlag(false))?;
    context.set_parameter(CParameter::DictIdFlag(false))?;
    if with > 0 {
        // For small items with a dictionary these give the best ratio for their speed: 0.90 of the
        // bytes of plain level 1, at 255 MB/s instead of 199 (measured on one core).
        context.set_parameter(CParameter::HashLog(14))?;
        context.set_parameter(CParameter::MinMatch(6))?;
        context.load_dictionary(SHIPPED[with - 1])?;
    }
    Ok(context)
}

fn new_decompressor(with: usize) -> Result<DCtx<'static>, usize> {
    let mut context = DCtx::create();
    context.set_parameter(DParameter::Format(FrameFormat::Magicless))?;
    context.set_parameter(DParameter::WindowLogMax(30))?;
    if with > 0 {
        context.ref_ddict(decompressing(with - 1))?;
    }
    Ok(context)
}

fn zstd_error(code: usize) -> Error {
    Error::damaged(format!("zstd: {}", zstd_safe::get_error_name(code)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_blob_comes_back(
            raw in prop_oneof![prop::collection::vec(any::<u8>(), 0..300), "[a-z \n]{0,3000}".prop_map(String::into_bytes)],
            extra in any::<bool>(),
            repeat in 1usize..400,
        ) {
            let raw = raw.repeat(repeat);
            let dictionary = if extra { Dictionary::Extra } else { Dictionary::Content };
            let (codec, body) = compress(&raw, dictionary).unwrap();
            prop_assert!(body.len() <= raw.len());
            prop_assert_eq!(decompress(codec, &body, raw.len() as u32).unwrap(), raw);
        }

        #[test]
        fn damage_is_an_error_or_other_bytes(raw in prop::collection::vec(any::<u8>(), 0..300), codec in any::<u8>(), len in any::<u32>()) {
            if let Ok(decoded) = decompress(codec, &raw, len) {
                prop_assert_eq!(decoded.len(), len as usize);
            }
        }
    }
}
