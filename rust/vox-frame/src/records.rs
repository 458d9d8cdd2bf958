//! What one step of a framer gives: whole records, and the stretches between them that are none.

use vox_types::QuarantineReason;

/// Whole records of a file, in their order, in one buffer.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Records {
    pub(crate) bytes: Vec<u8>,
    pub(crate) base: u64,
    pub(crate) spans: Vec<Span>,
    /// The stretches that are no records, in the order of their places.
    pub quarantined: Vec<Quarantined>,
    /// Where reading goes on: every byte of the file before it is in a record, a quarantined
    /// stretch or white space that was handed out, now or earlier.
    pub end: u64,
}

/// A record's place in the buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) len: usize,
}

/// A record and where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record<'a> {
    /// Place of its first byte in the (decompressed) file.
    pub offset: u64,
    /// The record without white space around it.
    pub bytes: &'a [u8],
}

/// A stretch of a file that is no record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Quarantined {
    /// Place of its first byte in the (decompressed) file.
    pub offset: u64,
    /// How many bytes of the file it covers; 0 for a damaged frame of which nothing was left.
    pub length: u64,
    /// Why it was set aside.
    pub reason: QuarantineReason,
    /// Its bytes, or the first [`Limits::kept_bytes`](crate::Limits::kept_bytes) of them.
    pub bytes: Vec<u8>,
}

impl Records {
    /// How many records there are.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether there is no record (there may still be quarantined stretches).
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Record `index`.
    pub fn get(&self, index: usize) -> Option<Record<'_>> {
        self.spans.get(index).map(|&span| self.record(span))
    }

    /// All records in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Record<'_>> {
        self.spans.iter().map(|&span| self.record(span))
    }

    /// The buffer that the records stand in, and what is between them.
    pub fn buffer(&self) -> &[u8] {
        &self.bytes
    }

    /// Where in the (decompressed) file the buffer starts.
    pub fn buffer_start(&self) -> u64 {
        self.base
    }

    /// Start and length of record `index` in [`buffer`](Self::buffer).
    pub fn span(&self, index: usize) -> Option<(usize, usize)> {
        self.spans.get(index).map(|span| (span.start, span.len))
    }

    fn record(&self, span: Span) -> Record<'_> {
        Record {
            offset: self.base + span.start as u64,
            bytes: &self.bytes[span.start..span.start + span.len],
        }
    }
}
