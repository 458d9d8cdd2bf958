//! The rows of vox's own producers: each follows the one before, adds up with its head, and names
//! contents that are there.

use serde::de::DeserializeOwned;
use vox_format::{
    producers::{
        Kept,
        chat::{ConversationRow, MessageRow},
        history::{HistoryGroupRow, HistoryRow},
        session::{SessionEvent, SessionEventRow, SessionRow},
        split_numbered,
    },
    rows,
};
use vox_types::ContentHash;

use super::{
    blobs::Blobs,
    image::Image,
    report::{Finding, Kind, Reporter},
};
use crate::{producers::history_key, spine::windows::short_hash};

/// Contents that rows name: their hashes, and the tables they are named in.
#[derive(Default)]
struct Wanted(Vec<(ContentHash, &'static str)>);

impl Wanted {
    fn add(&mut self, table: &'static str, kept: &Kept) {
        if !kept.purged {
            self.0.push((kept.hash, table));
        }
    }
}

/// A head, and what was counted of the rows below it.
struct Open {
    key: [u8; 16],
    /// How many rows it says it has, and where the numbers of all of them lie below.
    rows: u64,
    end: u64,
    bytes: u64,
    seen: u64,
    seen_bytes: u64,
}

/// Checks every row, and counts the blobs that they name.
pub(super) fn check(image: &Image<'_>, report: &mut Reporter, blobs: &mut Blobs) {
    let mut wanted = Wanted::default();
    check_sessions(image, report, &mut wanted);
    check_chat(image, report, &mut wanted);
    check_history(image, report, &mut wanted);
    count(image, report, blobs, wanted);
}

fn check_sessions(image: &Image<'_>, report: &mut Reporter, wanted: &mut Wanted) {
    const TABLE: &str = "session_events";
    let mut open: Option<Open> = None;
    image.rows(TABLE, report, |report, key, value| {
        let Some((head, number)) = split_numbered(key) else {
            close(report, TABLE, open.take());
            let Some(row) = read::<SessionRow>(report, TABLE, key, &value) else { return };
            let rows = row.next;
            if row.folded > row.next {
                let says = "more events are folded than there are";
                report.add(Finding::new(TABLE, Kind::Count, says).key(key));
            }
            open = opened(report, TABLE, key, &short_hash(&row.id), rows, rows, 0);
            return;
        };
        let place = next(report, TABLE, key, &mut open, &head, number, true);
        let Some(row) = read::<SessionEventRow<Kept>>(report, TABLE, key, &value) else { return };
        let created = matches!(row.event, SessionEvent::Created(_));
        if place.is_some() && created != (number == 0) {
            let says = "a session begins with `created`, and only begins so";
            report.add(Finding::new(TABLE, Kind::Order, says).key(key));
        }
        row.contents().into_iter().for_each(|kept| wanted.add(TABLE, kept));
    });
    close(report, TABLE, open);
}

fn check_chat(image: &Image<'_>, report: &mut Reporter, wanted: &mut Wanted) {
    const HEADS: &str = "chat_conversations";
    const TABLE: &str = "chat_messages";
    let mut heads: Vec<Open> = Vec::new();
    image.rows(HEADS, report, |report, key, value| {
        let Some(row) = read::<ConversationRow>(report, HEADS, key, &value) else { return };
        let messages = row.messages;
        heads.extend(opened(report, HEADS, key, &short_hash(&row.id), messages, messages, 0));
    });
    image.rows(TABLE, report, |report, key, value| {
        let Some((head, number)) = split_numbered(key) else {
            let says = "the key is no message's";
            return report.add(Finding::new(TABLE, Kind::Malformed, says).key(key));
        };
        let mut nobody = None;
        let open = heads.binary_search_by_key(&head, |open| open.key).ok();
        match open.and_then(|open| heads.get_mut(open)) {
            Some(open) => drop(follows(report, TABLE, key, open, number, true)),
            None => drop(next(report, TABLE, key, &mut nobody, &head, number, true)),
        }
        let Some(row) = read::<MessageRow<Kept>>(report, TABLE, key, &value) else { return };
        wanted.add(TABLE, &row.content);
    });
    heads.into_iter().for_each(|open| close(report, HEADS, Some(open)));
}

fn check_history(image: &Image<'_>, report: &mut Reporter, wanted: &mut Wanted) {
    const TABLE: &str = "history_entries";
    let mut open: Option<Open> = None;
    image.rows(TABLE, report, |report, key, value| {
        let Some((head, number)) = split_numbered(key) else {
            close(report, TABLE, open.take());
            let Some(row) = read::<HistoryGroupRow>(report, TABLE, key, &value) else { return };
            let of = short_hash(&history_key(row.kind, &row.repo));
            open = opened(report, TABLE, key, &of, row.entries, row.next, row.bytes);
            return;
        };
        next(report, TABLE, key, &mut open, &head, number, false);
        let Some(row) = read::<HistoryRow<Kept>>(report, TABLE, key, &value) else { return };
        if let Some(open) = &mut open {
            open.seen_bytes = open.seen_bytes.saturating_add(row.bytes);
        }
        wanted.add(TABLE, &row.content);
    });
    close(report, TABLE, open);
}

fn read<T: DeserializeOwned>(
    report: &mut Reporter,
    table: &'static str,
    key: &[u8],
    value: &[u8],
) -> Option<T> {
    let row = rows::decode(value, "a producer's row");
    row.map_err(|error| {
        report.add(Finding::new(table, Kind::Malformed, error.message).key(key));
    })
    .ok()
}

fn opened(
    report: &mut Reporter,
    table: &'static str,
    key: &[u8],
    expected: &[u8; 16],
    rows: u64,
    end: u64,
    bytes: u64,
) -> Option<Open> {
    if key != expected {
        let says = "its key isn't that of its name";
        report.add(Finding::new(table, Kind::Differs, says).key(key));
    }
    let key = key.try_into().ok()?;
    Some(Open { key, rows, end, bytes, seen: 0, seen_bytes: 0 })
}

/// Takes the row below the head that is open; none if it isn't that one's.
fn next(
    report: &mut Reporter,
    table: &'static str,
    key: &[u8],
    open: &mut Option<Open>,
    head: &[u8; 16],
    number: u64,
    gapless: bool,
) -> Option<()> {
    match open.as_mut().filter(|open| open.key == *head) {
        Some(open) => follows(report, table, key, open, number, gapless),
        None => {
            report.add(Finding::new(table, Kind::Dangling, "its head isn't there").key(key));
            None
        }
    }
}

fn follows(
    report: &mut Reporter,
    table: &'static str,
    key: &[u8],
    open: &mut Open,
    number: u64,
    gapless: bool,
) -> Option<()> {
    let expected = open.seen;
    open.seen += 1;
    if gapless && number != expected {
        let says = format!("number {expected} should come next");
        report.add(Finding::new(table, Kind::Order, says).key(key));
        return None;
    }
    if number >= open.end {
        let says = format!("its head counts to {}", open.end);
        report.add(Finding::new(table, Kind::Count, says).key(key));
        return None;
    }
    Some(())
}

fn close(report: &mut Reporter, table: &'static str, open: Option<Open>) {
    let Some(open) = open else { return };
    if (open.rows, open.bytes) != (open.seen, open.seen_bytes) {
        let (rows, seen) = (open.rows, open.seen);
        let says = match open.bytes == open.seen_bytes {
            true => format!("it counts {rows} rows, and there are {seen}"),
            false => format!("it counts {} bytes, and there are {}", open.bytes, open.seen_bytes),
        };
        report.add(Finding::new(table, Kind::Count, says).key(&open.key));
    }
}

/// Counts a reference for each content that is named.
fn count(image: &Image<'_>, report: &mut Reporter, blobs: &mut Blobs, wanted: Wanted) {
    let mut wanted = wanted.0;
    if wanted.is_empty() {
        return;
    }
    wanted.sort_unstable();
    let mut found = vec![false; wanted.len()];
    for index in 0..blobs.slots.len() {
        let Some(slot) = blobs.slots.get(index).filter(|slot| !slot.gone) else { continue };
        let prefix = slot.prefix;
        let start = wanted.partition_point(|(hash, _)| hash.prefix() < prefix);
        if wanted.get(start).is_none_or(|(hash, _)| hash.prefix() != prefix) {
            continue;
        }
        let Some(hash) = blobs.hashes.get(image, &blobs.slots, index) else { continue };
        let start = wanted.partition_point(|(other, _)| *other < hash);
        let end = wanted.partition_point(|(other, _)| *other <= hash);
        if let Some(found) = found.get_mut(start..end) {
            found.fill(true);
        }
        if let Some(slot) = blobs.slots.get_mut(index) {
            slot.references = slot.references.saturating_add((end - start) as u32);
        }
    }
    if !report.complete(&["segments", "tails"], "what producers' rows name") {
        return;
    }
    for ((hash, table), _) in wanted.iter().zip(found).filter(|(_, found)| !found) {
        let says = format!("a row names content {hash:?}, which isn't there");
        report.add(Finding::new(table, Kind::Dangling, says));
    }
}
