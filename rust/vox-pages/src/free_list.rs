//! The free list: for each transaction, the pages that it no longer needed.
//!
//! An entry's key is the transaction's number, its value a count and as many page numbers in
//! descending order, all native `u64`. Room behind them is without meaning.

use crate::{Finding, FindingKind, Meta, PageFile, bytes::u64_at, usage::Usage};

/// Marks every page of the free list in `usage`.
///
/// `sound` says that the check of its tree found nothing; otherwise damage met on the way has been
/// reported already, and isn't again.
pub(crate) fn check(
    file: &PageFile,
    usage: &mut Usage,
    sound: bool,
    report: &mut dyn FnMut(Finding),
) {
    for entry in file.free_list().iter(file) {
        match entry {
            Ok((key, value)) => check_entry(file.meta(), &key, &value, usage, report),
            Err(finding) if sound => report(finding),
            Err(_) => {}
        }
    }
}

fn check_entry(
    meta: &Meta,
    key: &[u8],
    value: &[u8],
    usage: &mut Usage,
    report: &mut dyn FnMut(Finding),
) {
    let fault = |message: String| Finding::general(FindingKind::FreeList, message);
    let Some(transaction) = u64_at(key, 0).filter(|_| key.len() == size_of::<u64>()) else {
        return report(fault(format!("the free list has a key of {} bytes", key.len())));
    };
    if transaction == 0 || transaction > meta.txnid {
        report(fault(format!(
            "the free list has an entry of transaction {transaction}; the last is {}",
            meta.txnid
        )));
    }
    let room = (value.len() / size_of::<u64>()).saturating_sub(1);
    let count = u64_at(value, 0).and_then(|count| usize::try_from(count).ok());
    let Some(count) = count.filter(|count| *count <= room) else {
        return report(fault(format!(
            "the free list's entry of transaction {transaction} is shorter than it says"
        )));
    };
    let mut before = u64::MAX;
    for index in 1..=count {
        let page = u64_at(value, index * size_of::<u64>()).unwrap_or_default();
        if page < 2 || page > meta.last_page {
            report(fault(format!(
                "the free list's entry of transaction {transaction} holds page {page}; pages end at {}",
                meta.last_page
            )));
            continue;
        }
        if page >= before {
            report(fault(format!(
                "the free list's entry of transaction {transaction} isn't sorted at page {page}"
            )));
        }
        before = page;
        if let Err(finding) = usage.release(page) {
            report(finding);
        }
    }
}
