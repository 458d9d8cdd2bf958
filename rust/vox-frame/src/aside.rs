//! Collecting the stretches of a file that are no records.

use vox_types::QuarantineReason;

use crate::records::Quarantined;

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
