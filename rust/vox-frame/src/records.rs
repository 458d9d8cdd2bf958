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

/// Collects quarantined stretches; the last one stays open as long as it may grow.
#[derive(Debug, Default)]
pub(crate) struct Aside {
    finished: Vec<Quarantined>,
    open: Option<Quarantined>,
    kept_bytes: usize,
    /// Bytes held by `finished`.
    held: usize,
}

impl Aside {
    pub(crate) fn new(kept_bytes: usize) -> Self {
        Self { kept_bytes, ..Self::default() }
    }

    /// Where the open stretch begins.
    pub(crate) fn open_offset(&self) -> Option<u64> {
        self.open.as_ref().map(|stretch| stretch.offset)
    }

    /// Whether the open stretch has this reason and ends with the line before `line_offset`.
    pub(crate) fn touches(&self, line_offset: u64, reason: QuarantineReason) -> bool {
        self.open.as_ref().is_some_and(|stretch| {
            stretch.reason == reason && stretch.offset + stretch.length + 1 == line_offset
        })
    }

    /// Whether the open stretch is a damaged frame that ends at `offset`.
    pub(crate) fn ends_with_damage(&self, offset: u64) -> bool {
        self.open.as_ref().is_some_and(|stretch| {
            stretch.reason == QuarantineReason::BadFrame
                && stretch.offset + stretch.length == offset
        })
    }

    /// Sets `bytes` at `offset` aside as a stretch of its own. Only an open stretch of length 0
    /// at the same place takes them in: no two stretches share their offset.
    pub(crate) fn add(&mut self, offset: u64, bytes: &[u8], reason: QuarantineReason) {
        if !self.open.as_ref().is_some_and(|s| s.length == 0 && s.offset == offset) {
            self.close();
            self.open = Some(Quarantined { offset, length: 0, reason, bytes: Vec::new() });
        }
        self.extend(bytes);
    }

    /// Appends the line end and the line `bytes` to the open stretch.
    pub(crate) fn extend_by_line(&mut self, bytes: &[u8]) {
        self.extend(b"\n");
        self.extend(bytes);
    }

    /// Appends `bytes`, which follow it in the file, to the open stretch.
    pub(crate) fn extend(&mut self, bytes: &[u8]) {
        if let Some(stretch) = &mut self.open {
            let room = self.kept_bytes.saturating_sub(stretch.bytes.len());
            stretch.bytes.extend_from_slice(&bytes[..bytes.len().min(room)]);
            stretch.length += bytes.len() as u64;
        }
    }

    /// Ends the open stretch.
    pub(crate) fn close(&mut self) {
        if let Some(stretch) = self.open.take() {
            self.held += stretch.bytes.len();
            self.finished.push(stretch);
        }
    }

    /// Finished stretches and the bytes they hold.
    pub(crate) fn finished(&self) -> (usize, usize) {
        (self.finished.len(), self.held)
    }

    /// Hands out the finished stretches.
    pub(crate) fn take_finished(&mut self) -> Vec<Quarantined> {
        self.held = 0;
        std::mem::take(&mut self.finished)
    }
}
