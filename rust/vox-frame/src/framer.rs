//! Lines of a source file to records, past everything that is none.
//!
//! A line usually is one record. A value may also go on over several lines, and several may
//! stand on one. Where a value breaks off, what came before the next record is set aside. What
//! comes out depends on the bytes of the file alone, never on how they were read.

use std::{ops::Range, path::Path};

use memchr::memchr;
use vox_types::{QuarantineReason as Reason, Result};

use crate::{
    aside::Aside,
    limits::Limits,
    records::{Records, Span},
    resync::later_record,
    scan::{Scanned, Scanner, skip_space},
    source::{Filled, Source},
};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What the bytes up to a place end with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    LineEnd,
    FileEnd,
    /// A damaged zstd frame.
    Damage,
}

/// Whether a line was read to its end.
#[derive(PartialEq, Eq)]
enum Line {
    Read,
    /// The batch is full; the line goes on at `start`.
    Paused,
}

/// Reads one file, record by record. It holds one batch, or one record if that is longer.
pub struct Framer {
    source: Source,
    limits: Limits,
    bytes: Vec<u8>,
    /// Place in the file of the first of `bytes`.
    base: u64,
    /// What comes before is dealt with. A line or an open document begins here.
    start: usize,
    /// Where the line to be read begins; `start` unless a document is open.
    line: usize,
    /// No line end stands between `line` and here.
    searched: usize,
    spans: Vec<Span>,
    aside: Aside,
    /// A value that goes on after a line end.
    document: Option<Scanner>,
    /// A document broke off and was set aside; lines that look like the rest of it go along. The
    /// stretch is open meanwhile, so that reading that goes on at `end` starts at the document.
    broken: bool,
    /// Inside a line that is too long.
    passing: bool,
    ending: Option<Ending>,
    ended: bool,
}

impl Framer {
    /// Opens the file at `path`, plain or zstd, to read it from `offset` on, which counts
    /// decompressed bytes and should be the [`end`](Records::end) of an earlier reading.
    ///
    /// Fails with `not_found`, `permission_denied`, `io`, or with `source_unreadable` if it is
    /// no regular file.
    pub fn open(path: &Path, offset: u64, limits: Limits) -> Result<Self> {
        Ok(Self {
            source: Source::open(path, offset)?,
            limits,
            bytes: Vec::new(),
            base: offset,
            start: 0,
            line: 0,
            searched: 0,
            spans: Vec::new(),
            aside: Aside::new(limits.kept_bytes),
            document: None,
            broken: false,
            passing: false,
            ending: None,
            ended: false,
        })
    }

    /// The next records and quarantined stretches, or None at the end of the file.
    pub fn next_batch(&mut self) -> Result<Option<Records>> {
        while !self.ended && !self.is_full() {
            if let Some(end) = self.next_line_end() {
                self.read_line(end, Ending::LineEnd);
            } else if self.is_too_long() {
                self.pass_over();
            } else if let Some(ending) = self.ending {
                self.read_last_line(ending);
            } else if self.has_some() && self.bytes.len() >= self.limits.batch_bytes {
                break;
            } else {
                self.fill()?;
            }
        }
        Ok(self.has_some().then(|| self.take_batch()))
    }

    /// Where reading goes on; after the last batch, the offset for the next import.
    pub fn end(&self) -> u64 {
        self.aside.open_offset().unwrap_or(self.base + self.start as u64)
    }

    /// After the last batch: the bytes after [`end`](Self::end), a record that isn't whole yet.
    pub fn pending(&self) -> u64 {
        (self.bytes.len() - self.start) as u64
    }

    fn has_some(&self) -> bool {
        !self.spans.is_empty() || self.aside.finished().0 > 0
    }

    fn is_full(&self) -> bool {
        let (stretches, held) = self.aside.finished();
        self.spans.len() >= self.limits.batch_records
            || stretches >= self.limits.batch_records
            || held >= self.limits.batch_bytes
            || self.has_some() && self.start >= self.limits.batch_bytes
    }

    fn take_batch(&mut self) -> Records {
        let rest = self.bytes.len() - self.start;
        let mut bytes =
            Vec::with_capacity(rest.max(self.limits.batch_bytes) + self.limits.read_bytes);
        bytes.extend_from_slice(&self.bytes[self.start..]);
        std::mem::swap(&mut bytes, &mut self.bytes);
        bytes.truncate(self.start);
        let records = Records {
            bytes,
            base: self.base,
            spans: std::mem::take(&mut self.spans),
            quarantined: self.aside.take_finished(),
            end: self.end(),
        };
        self.rebase();
        records
    }

    /// After the bytes before `start` were taken out of the buffer.
    fn rebase(&mut self) {
        self.base += self.start as u64;
        self.line -= self.start;
        self.searched -= self.start;
        self.start = 0;
    }

    fn fill(&mut self) -> Result<()> {
        if self.spans.is_empty() && self.start > 0 {
            self.bytes.drain(..self.start);
            self.rebase();
        }
        self.ending = match self.source.fill(&mut self.bytes, self.limits.read_bytes)? {
            Filled::More => None,
            Filled::End => Some(Ending::FileEnd),
            Filled::BadFrame => Some(Ending::Damage),
        };
        Ok(())
    }

    fn next_line_end(&mut self) -> Option<usize> {
        let found = memchr(b'\n', &self.bytes[self.searched..]).map(|at| self.searched + at);
        self.searched = found.unwrap_or(self.bytes.len());
        found
    }

    /// What stands before the end of the file or of a damaged frame.
    fn read_last_line(&mut self, ending: Ending) {
        let end = self.bytes.len();
        if self.read_line(end, ending) == Line::Paused {
            return;
        }
        self.ending = None;
        if ending == Ending::Damage {
            self.broken = false;
            if self.start == end {
                self.mark_damage();
            }
            return;
        }
        self.aside.close();
        self.ended = true;
    }

    /// A damaged frame of which nothing is left beside whole records.
    fn mark_damage(&mut self) {
        let at = self.base + self.start as u64;
        if !self.aside.ends_with_damage(at) {
            self.aside.add(at, &[], Reason::BadFrame);
        }
    }

    fn read_line(&mut self, end: usize, ending: Ending) -> Line {
        if self.passing {
            self.aside.extend(&self.bytes[self.start..end]);
            self.passing = false;
            self.go_on_after(end, ending);
            return Line::Read;
        }
        if end - self.start > self.limits.record_bytes {
            self.broken = self.document.take().is_some();
            self.set_aside(self.start..end, Reason::TooLong);
            self.go_on_after(end, ending);
            return Line::Read;
        }
        if let Some(scanner) = self.document.take() {
            return self.read_on(scanner, end, ending);
        }
        if self.broken && ending == Ending::LineEnd {
            let first = self.bytes[self.start..end].first();
            if matches!(first, None | Some(b' ' | b'\t' | b'\r' | b'}' | b']' | b'"')) {
                self.aside.extend_by_line(&self.bytes[self.start..end]);
                self.go_on_after(end, ending);
                return Line::Read;
            }
        }
        self.broken = false;
        self.read_values(end, ending)
    }

    /// Goes on with a document on the line that ends at `end`.
    fn read_on(&mut self, mut scanner: Scanner, end: usize, ending: Ending) -> Line {
        match (scanner.scan(&self.bytes[..end], self.line), ending) {
            (Scanned::Complete(value_end), _) => {
                self.take_record(self.start..value_end);
                self.read_values(end, ending)
            }
            (Scanned::Open, Ending::LineEnd) => {
                self.document = Some(scanner);
                self.line = end + 1;
                self.searched = self.line;
                Line::Read
            }
            (_, Ending::FileEnd) => Line::Read,
            (_, Ending::Damage) => {
                self.set_aside(self.start..end, Reason::BadFrame);
                self.go_on_after(end, ending);
                Line::Read
            }
            (scanned, Ending::LineEnd) => self.break_document(scanned),
        }
    }

    /// Sets the first line of a broken document aside and starts again after it: a record that
    /// was only torn is followed by whole ones, which begin at the start of a line.
    fn break_document(&mut self, scanned: Scanned) -> Line {
        let first = &self.bytes[self.start..];
        let end = self.start + memchr(b'\n', first).unwrap_or(first.len());
        let reason = if scanned == Scanned::TooDeep { Reason::TooDeep } else { Reason::Torn };
        if let Some(found) = later_record(&self.bytes[self.start..end]) {
            let found = self.start + found;
            self.set_aside(self.start..found, reason);
            self.begin_at(found);
            return self.read_values(end, Ending::LineEnd);
        }
        self.set_aside(self.start..end, reason);
        self.broken = true;
        self.go_on_after(end, Ending::LineEnd);
        Line::Read
    }

    /// Reads the values that stand between `start` and `end`.
    fn read_values(&mut self, end: usize, ending: Ending) -> Line {
        let line = self.start;
        let mut at = line;
        if self.base + at as u64 == 0 && self.bytes[..end].starts_with(BYTE_ORDER_MARK) {
            at += BYTE_ORDER_MARK.len();
        }
        at = skip_space(&self.bytes[..end], at);
        if at == end && ending == Ending::LineEnd {
            self.aside.close();
        }
        while at < end {
            self.begin_at(at);
            if self.spans.len() >= self.limits.batch_records {
                self.searched = end;
                return Line::Paused;
            }
            let mut scanner = Scanner::default();
            let scanned = scanner.scan(&self.bytes[..end], at);
            let bracketed = matches!(self.bytes[at], b'{' | b'[');
            match (scanned, ending) {
                (Scanned::Complete(value_end), _) if bracketed => {
                    self.take_record(at..value_end);
                }
                (Scanned::Open, Ending::LineEnd) => {
                    self.document = Some(scanner);
                    self.line = end + 1;
                    self.searched = self.line;
                    return Line::Read;
                }
                (_, Ending::FileEnd) => return Line::Read,
                (_, Ending::Damage) => self.set_aside(at..end, Reason::BadFrame),
                (_, Ending::LineEnd) => self.set_aside_from(line, at..end, scanned),
            }
            at = skip_space(&self.bytes[..end], self.start);
        }
        self.go_on_after(end, ending);
        Line::Read
    }

    /// Sets what can't be read at the start of `rest` aside: up to a later record on the line,
    /// or all of it.
    fn set_aside_from(&mut self, line: usize, rest: Range<usize>, scanned: Scanned) {
        let bytes = &self.bytes[rest.clone()];
        let bracketed = matches!(bytes.first(), Some(b'{' | b'['));
        let later = match scanned {
            Scanned::TooDeep => None,
            _ => later_record(bytes),
        };
        let reason = match scanned {
            Scanned::TooDeep => Reason::TooDeep,
            Scanned::Complete(end) if skip_space(&self.bytes[..rest.end], end) == rest.end => {
                Reason::NotARecord
            }
            Scanned::CutOff if bracketed => Reason::Torn,
            _ if bracketed && later.is_some() => Reason::Torn,
            _ => Reason::Malformed,
        };
        let end = later.map_or(rest.end, |found| rest.start + found);
        let merges = matches!(reason, Reason::Malformed | Reason::NotARecord);
        if merges && self.aside.touches(self.base + line as u64, reason) {
            self.aside.extend_by_line(&self.bytes[line..end]);
            self.begin_at(end);
        } else {
            self.set_aside(rest.start..end, reason);
        }
    }

    fn set_aside(&mut self, range: Range<usize>, reason: Reason) {
        self.aside.add(self.base + range.start as u64, &self.bytes[range.clone()], reason);
        self.begin_at(range.end);
    }

    /// Whether what stands at `start` is too long already, its end not in sight.
    fn is_too_long(&self) -> bool {
        let unread = self.bytes.len() - self.start;
        unread > self.limits.record_bytes || self.passing && unread > 0
    }

    fn pass_over(&mut self) {
        let end = self.bytes.len();
        if self.passing {
            self.aside.extend(&self.bytes[self.start..end]);
        } else {
            self.broken = self.document.take().is_some();
            self.set_aside(self.start..end, Reason::TooLong);
            self.passing = true;
        }
        self.begin_at(end);
        self.searched = end;
    }

    fn take_record(&mut self, range: Range<usize>) {
        self.aside.close();
        self.spans.push(Span { start: range.start, len: range.len() });
        self.begin_at(range.end);
    }

    fn begin_at(&mut self, at: usize) {
        self.start = at;
        self.line = at;
    }

    fn go_on_after(&mut self, end: usize, ending: Ending) {
        self.begin_at(if ending == Ending::LineEnd { end + 1 } else { end });
        self.searched = self.start;
    }
}
