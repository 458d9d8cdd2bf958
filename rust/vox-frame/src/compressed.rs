//! A zstd file as a stream: one frame after the other, and past damaged ones to the next.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
};

use memchr::memmem;
use zstd_safe::{DCtx, InBuffer, OutBuffer};

use crate::source::Filled;

const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
const INPUT_BYTES: usize = 128 << 10;
const OUTPUT_BYTES: usize = 128 << 10;

/// Whether `head` begins a zstd frame or a skippable one.
pub(crate) fn begins_frame(head: &[u8]) -> bool {
    head.starts_with(&MAGIC)
        || matches!(head, [first, 0x2a, 0x4d, 0x18, ..] if first & 0xf0 == 0x50)
}

pub(crate) struct Compressed {
    file: File,
    decoder: DCtx<'static>,
    input: Vec<u8>,
    /// How much of `input` the decoder has taken.
    taken: usize,
    /// Place in the file of the first byte of `input`.
    input_offset: u64,
    /// Place in the file where the frame that is being read began.
    frame_offset: u64,
    /// Whether the decoder stands inside a frame.
    inside: bool,
    output: Vec<u8>,
    /// Whether the decoder may hold output back although it has taken all input.
    holds_back: bool,
    /// Decompressed bytes still to be passed over.
    to_skip: u64,
}

impl Compressed {
    /// Reads `file` from its start, leaving out the first `offset` decompressed bytes.
    pub(crate) fn new(file: File, offset: u64) -> Self {
        Self {
            file,
            decoder: DCtx::create(),
            input: Vec::new(),
            taken: 0,
            input_offset: 0,
            frame_offset: 0,
            inside: false,
            output: Vec::with_capacity(OUTPUT_BYTES),
            holds_back: false,
            to_skip: offset,
        }
    }

    /// Appends about `wanted` decompressed bytes.
    pub(crate) fn fill(&mut self, bytes: &mut Vec<u8>, wanted: usize) -> io::Result<Filled> {
        let enough = bytes.len() + wanted;
        while bytes.len() < enough {
            if self.taken == self.input.len() && !self.holds_back && !self.refill()? {
                // A frame that breaks off is damaged, as far as anyone can tell.
                let broken_off = std::mem::take(&mut self.inside) && self.to_skip == 0;
                return Ok(if broken_off { Filled::BadFrame } else { Filled::End });
            }
            if self.decode(bytes).is_err() {
                self.find_next_frame()?;
                if self.to_skip == 0 {
                    return Ok(Filled::BadFrame);
                }
            }
        }
        Ok(Filled::More)
    }

    /// One step of the decoder. Fails on a damaged frame.
    fn decode(&mut self, bytes: &mut Vec<u8>) -> Result<(), zstd_safe::ErrorCode> {
        if !self.inside {
            self.frame_offset = self.input_offset + self.taken as u64;
            self.inside = true;
        }
        self.output.clear();
        let mut input = InBuffer::around(&self.input);
        input.set_pos(self.taken);
        let mut output = OutBuffer::around(&mut self.output);
        let step = self.decoder.decompress_stream(&mut output, &mut input);
        self.taken = input.pos();
        let left_in_frame = step?;
        self.inside = left_in_frame != 0;
        self.holds_back = self.inside && self.output.len() == self.output.capacity();
        let skipped = self.to_skip.min(self.output.len() as u64);
        self.to_skip -= skipped;
        bytes.extend_from_slice(&self.output[skipped as usize..]);
        Ok(())
    }

    /// Reads the next input; false at the end of the file.
    fn refill(&mut self) -> io::Result<bool> {
        self.input_offset += self.input.len() as u64;
        self.input.clear();
        self.taken = 0;
        (&mut self.file).take(INPUT_BYTES as u64).read_to_end(&mut self.input)?;
        Ok(!self.input.is_empty())
    }

    /// Goes to the next frame after the start of the damaged one, or to the end of the file.
    ///
    /// The search begins inside the damaged frame: its decoder may have taken following frames
    /// for a part of it.
    fn find_next_frame(&mut self) -> io::Result<()> {
        self.decoder = DCtx::create();
        self.inside = false;
        self.holds_back = false;
        let mut offset = self.frame_offset + 1;
        self.file.seek(SeekFrom::Start(offset))?;
        self.input.clear();
        loop {
            let read = (&mut self.file).take(INPUT_BYTES as u64).read_to_end(&mut self.input)?;
            let found = memmem::find(&self.input, &MAGIC);
            // The start of a magic number may stand at the end.
            let passed = match found {
                Some(start) => start,
                None if read == 0 => self.input.len(),
                None => self.input.len().saturating_sub(MAGIC.len() - 1),
            };
            self.input.drain(..passed);
            offset += passed as u64;
            if found.is_some() || read == 0 {
                self.input_offset = offset;
                self.taken = 0;
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn frame(text: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(zstd_safe::compress_bound(text.len()));
        zstd_safe::compress(&mut out, text, 3).unwrap();
        out
    }

    /// All that comes out, with the places where a frame was found damaged.
    fn read(file: &[u8], offset: u64) -> (Vec<u8>, Vec<usize>) {
        let mut temporary = tempfile::tempfile().unwrap();
        temporary.write_all(file).unwrap();
        temporary.seek(SeekFrom::Start(0)).unwrap();
        let mut source = Compressed::new(temporary, offset);
        let (mut bytes, mut damage) = (Vec::new(), Vec::new());
        loop {
            match source.fill(&mut bytes, 1000).unwrap() {
                Filled::More => {}
                Filled::BadFrame => damage.push(bytes.len()),
                Filled::End => return (bytes, damage),
            }
        }
    }

    #[test]
    fn frames_follow_each_other_and_skippable_ones_are_passed_over() {
        let skippable = b"\x50\x2a\x4d\x18\x03\0\0\0abc";
        let file = [&frame(b"one ")[..], skippable, &frame(b"two")].concat();
        assert_eq!(read(&file, 0), (b"one two".to_vec(), vec![]));
        assert_eq!(read(&file, 2), (b"e two".to_vec(), vec![]));
        assert_eq!(read(&file, 99), (vec![], vec![]));
    }

    #[test]
    fn more_than_the_decoder_holds_comes_out_whole() {
        let text: Vec<u8> = (0..2_000_000u32).flat_map(|n| (n / 7).to_le_bytes()).collect();
        assert_eq!(read(&frame(&text), 0), (text, vec![]));
    }

    #[test]
    fn a_damaged_frame_ends_there_and_the_next_one_is_read() {
        let mut damaged = frame(&b"damaged frame ".repeat(20));
        let len = damaged.len();
        damaged[5..len].fill(0xff);
        let file = [frame(b"one "), damaged, frame(b"two")].concat();
        assert_eq!(read(&file, 0), (b"one two".to_vec(), vec![4]));
    }

    #[test]
    fn a_frame_that_breaks_off_and_what_is_no_frame_are_damage() {
        let whole = frame(b"text text text text");
        assert_eq!(read(&whole[..whole.len() - 2], 0).1.len(), 1);
        assert_eq!(read(b"no frame at all", 0), (vec![], vec![0]));
        assert_eq!(read(&[&whole[..], b"tail"].concat(), 0).1, vec![19]);
        assert_eq!(read(b"", 0), (vec![], vec![]));
    }
}
