//! Bounds of what is held in memory.

/// How much a [`Framer`](crate::Framer) holds at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// A batch ends with the record that reaches this many bytes.
    pub batch_bytes: usize,
    /// The most records of a batch.
    pub batch_records: usize,
    /// A longer line or document is quarantined as too long.
    pub record_bytes: usize,
    /// How many bytes of a quarantined stretch are kept.
    pub kept_bytes: usize,
    /// How much is read at once.
    pub read_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            batch_bytes: 8 << 20,
            batch_records: 4096,
            record_bytes: 1 << 30,
            kept_bytes: 16 << 20,
            read_bytes: 256 << 10,
        }
    }
}
