//! Compressing and decompressing blobs, frames of several, and the rests of raw runs.

use std::{cell::RefCell, sync::OnceLock};

use vox_format::segment::{JOINT, Placed, STORED, ZSTD, ZSTD_DICTIONARY, is_joint};
use vox_types::{Code, Error, Result};
use zstd_safe::{CCtx, CParameter, DCtx, DDict, DParameter, FrameFormat};

/// The longest blob.
pub const MAX_BLOB: usize = 1 << 30;

/// From this length on a dictionary no longer pays. Judgement.
const DICTIONARY_UP_TO: usize = 64 << 10;

/// zstd's level for all blobs; `contracts/dictionaries/README.md` has the figures.
const LEVEL: i32 = 1;

/// zstd's level for what is larger than most blobs: raw runs and frames of several blobs. Of real
/// transcripts it leaves 9.5 % at 230 MB/s on one core; level 3 leaves 10.0 % at 380, level 9 9.1 %
/// at 155.
const DENSE_LEVEL: i32 = 5;

/// Up to this length a dictionary helps them: it takes 2 % off. Measured.
const DENSE_DICTIONARY_UP_TO: usize = 1 << 20;

/// What a blob is like: which shipped dictionary suits it, and whether it stands alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dictionary {
    /// Text, code, tool output.
    Content,
    /// Records and what is left of them.
    Extra,
    /// The same, where so many come together that they share a frame.
    Joint,
}

impl Dictionary {
    fn number(self) -> usize {
        match self {
            Self::Content => 1,
            Self::Extra | Self::Joint => 2,
        }
    }
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
    compress_densely: [Option<CCtx<'static>>; SHIPPED_COUNT + 1],
    decompress: [Option<DCtx<'static>>; SHIPPED_COUNT + 1],
}

thread_local! {
    static CONTEXTS: RefCell<Contexts> = RefCell::default();
}

/// Compresses `raw`; gives the codec and the body.
pub fn compress(raw: &[u8], dictionary: Dictionary) -> Result<(u8, Vec<u8>)> {
    let with = if raw.len() <= DICTIONARY_UP_TO { dictionary.number() } else { 0 };
    let body = CONTEXTS.with_borrow_mut(|contexts| {
        let context = match &mut contexts.compress[with] {
            Some(context) => context,
            empty => empty.insert(new_compressor(with).map_err(zstd_error)?),
        };
        frame(context, raw)
    })?;
    Ok(if body.len() < raw.len() { (codec_of(with), body) } else { (STORED, raw.to_vec()) })
}

/// Compresses the rest of a raw run, better if `base`, that of another run, is like it.
pub fn compress_rest(rest: &[u8], base: Option<&[u8]>) -> Result<(u8, Vec<u8>)> {
    let (codec, body) = match base {
        Some(base) => {
            let mut context = new_dense_compressor(0).map_err(zstd_error)?;
            let window = (rest.len() + base.len()).next_power_of_two().ilog2().clamp(17, 27);
            context.set_parameter(CParameter::WindowLog(window)).map_err(zstd_error)?;
            context.ref_prefix(base).map_err(zstd_error)?;
            (ZSTD, frame(&mut context, rest)?)
        }
        None => dense_frame(rest)?,
    };
    Ok(if body.len() < rest.len() { (codec, body) } else { (STORED, rest.to_vec()) })
}

/// Compresses several blobs, one after the other in `raw`, to one frame; gives the codec of its
/// head and the body.
pub fn compress_jointly(raw: &[u8]) -> Result<(u8, Vec<u8>)> {
    let (codec, body) = dense_frame(raw)?;
    let dictionary = if codec == ZSTD { 0 } else { codec - ZSTD_DICTIONARY };
    Ok((JOINT + dictionary, body))
}

fn dense_frame(raw: &[u8]) -> Result<(u8, Vec<u8>)> {
    let with = if raw.len() <= DENSE_DICTIONARY_UP_TO { Dictionary::Extra.number() } else { 0 };
    let body = CONTEXTS.with_borrow_mut(|contexts| {
        let context = match &mut contexts.compress_densely[with] {
            Some(context) => context,
            empty => empty.insert(new_dense_compressor(with).map_err(zstd_error)?),
        };
        frame(context, raw)
    })?;
    Ok((codec_of(with), body))
}

fn codec_of(dictionary: usize) -> u8 {
    if dictionary == 0 { ZSTD } else { ZSTD_DICTIONARY + dictionary as u8 }
}

fn frame(context: &mut CCtx<'_>, raw: &[u8]) -> Result<Vec<u8>> {
    let mut body = Vec::with_capacity(zstd_safe::compress_bound(raw.len()));
    context.compress2(&mut body, raw).map_err(zstd_error)?;
    body.shrink_to_fit();
    Ok(body)
}

/// Gives back the `raw_len` bytes that `body` was made of.
pub fn decompress(codec: u8, body: &[u8], raw_len: u32) -> Result<Vec<u8>> {
    let mut raw = Vec::new();
    decompress_into(codec, body, raw_len, &mut raw)?;
    Ok(raw)
}

/// The same, in place of what `raw` holds.
pub fn decompress_into(codec: u8, body: &[u8], raw_len: u32, raw: &mut Vec<u8>) -> Result<()> {
    raw.clear();
    let dictionary = match codec {
        STORED => return stored(body, raw_len, raw),
        ZSTD => 0,
        codec if is_joint(codec) => usize::from(codec - JOINT),
        codec => match codec.checked_sub(ZSTD_DICTIONARY) {
            Some(dictionary) if dictionary > 0 => dictionary.into(),
            _ => return Err(unknown_codec(codec)),
        },
    };
    if dictionary > SHIPPED_COUNT {
        return Err(unknown_codec(codec));
    }
    CONTEXTS.with_borrow_mut(|contexts| {
        let context = match &mut contexts.decompress[dictionary] {
            Some(context) => context,
            empty => empty.insert(new_decompressor(dictionary).map_err(zstd_error)?),
        };
        unframe(context, body, raw_len, raw)
    })
}

/// Gives back the rest of a raw run that was compressed with `base`.
pub fn decompress_rest(
    codec: u8,
    body: &[u8],
    raw_len: u32,
    base: Option<&[u8]>,
) -> Result<Vec<u8>> {
    let Some(base) = base.filter(|_| codec == ZSTD) else {
        return decompress(codec, body, raw_len);
    };
    let mut context = new_decompressor(0).map_err(zstd_error)?;
    context.ref_prefix(base).map_err(zstd_error)?;
    let mut raw = Vec::new();
    unframe(&mut context, body, raw_len, &mut raw)?;
    Ok(raw)
}

/// The bytes of a blob, out of the frame that may hold others too.
pub fn contents(blob: &Placed<'_>) -> Result<Vec<u8>> {
    let too_long = || Error::damaged("a frame of several blobs claims to be too long");
    let frame_len = u32::try_from(blob.frame_len).map_err(|_| too_long())?;
    let mut bytes = decompress(blob.codec, blob.frame, frame_len)?;
    if blob.raw_len != frame_len {
        bytes.truncate((blob.at + u64::from(blob.raw_len)) as usize);
        bytes.drain(..blob.at as usize);
    }
    Ok(bytes)
}

fn stored(body: &[u8], raw_len: u32, raw: &mut Vec<u8>) -> Result<()> {
    if body.len() == raw_len as usize {
        raw.extend_from_slice(body);
        Ok(())
    } else {
        Err(Error::damaged(format!("a stored body has {} of {raw_len} bytes", body.len())))
    }
}

/// Unpacks to `raw`, which is empty.
fn unframe(context: &mut DCtx<'_>, body: &[u8], raw_len: u32, raw: &mut Vec<u8>) -> Result<()> {
    let raw_len = raw_len as usize;
    if raw_len > MAX_BLOB {
        return Err(Error::damaged(format!("a blob claims to be {raw_len} bytes long")));
    }
    // A damaged length must not reserve a gigabyte: a frame can't shrink that far.
    raw.reserve(raw_len.min(body.len().saturating_mul(1 << 16).max(1 << 20)));
    context.decompress(raw, body).map_err(zstd_error)?;
    if raw.len() != raw_len {
        return Err(Error::damaged(format!("a blob has {} of {raw_len} bytes", raw.len())));
    }
    Ok(())
}

fn unknown_codec(codec: u8) -> Error {
    let message = format!("a body has codec {codec}, which this vox doesn't know: use a newer one");
    Error::new(Code::WrongVersion, message)
}

fn new_dense_compressor(with: usize) -> Result<CCtx<'static>, usize> {
    let mut context = blank_compressor(DENSE_LEVEL)?;
    if with > 0 {
        context.load_dictionary(SHIPPED[with - 1])?;
    }
    Ok(context)
}

fn blank_compressor(level: i32) -> Result<CCtx<'static>, usize> {
    let mut context = CCtx::create();
    context.set_parameter(CParameter::CompressionLevel(level))?;
    context.set_parameter(CParameter::Format(FrameFormat::Magicless))?;
    context.set_parameter(CParameter::ContentSizeFlag(false))?;
    context.set_parameter(CParameter::ChecksumFlag(false))?;
    context.set_parameter(CParameter::DictIdFlag(false))?;
    Ok(context)
}

fn new_compressor(with: usize) -> Result<CCtx<'static>, usize> {
    let mut context = blank_compressor(LEVEL)?;
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
        fn a_rest_comes_back_with_the_base_it_was_compressed_against(
            words in prop::collection::vec("[a-z]{1,9}", 1..300),
            base in prop::option::of(prop::collection::vec(any::<u8>(), 0..5000)),
            repeat in 1usize..60,
        ) {
            let rest = words.join(" ").repeat(repeat).into_bytes();
            let alone = compress_rest(&rest, None).unwrap();
            prop_assert_eq!(decompress_rest(alone.0, &alone.1, rest.len() as u32, None).unwrap(), &rest[..]);
            let base = base.unwrap_or_else(|| [b"-", &rest[..]].concat());
            let (codec, body) = compress_rest(&rest, Some(&base)).unwrap();
            prop_assert_eq!(decompress_rest(codec, &body, rest.len() as u32, Some(&base)).unwrap(), &rest[..]);
        }

        #[test]
        fn blobs_in_one_frame_come_back(blobs in prop::collection::vec("[a-z ]{0,300}", 1..20)) {
            let (codec, frame) = compress_jointly(blobs.concat().as_bytes()).unwrap();
            let mut at = 0;
            for blob in &blobs {
                let placed = Placed {
                    hash: vox_types::ContentHash::of(b""),
                    raw_len: blob.len() as u32,
                    codec,
                    frame: &frame,
                    frame_len: blobs.concat().len() as u64,
                    at,
                };
                prop_assert_eq!(contents(&placed).unwrap(), blob.as_bytes());
                at += blob.len() as u64;
            }
        }

        #[test]
        fn damage_is_an_error_or_other_bytes(raw in prop::collection::vec(any::<u8>(), 0..300), codec in any::<u8>(), len in any::<u32>()) {
            if let Ok(decoded) = decompress(codec, &raw, len) {
                prop_assert_eq!(decoded.len(), len as usize);
            }
        }
    }
}
