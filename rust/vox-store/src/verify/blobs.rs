//! The groups of blobs: their tables, and their bodies.

use rayon::prelude::*;
use vox_format::{
    keys,
    segment::{GONE, Group},
};

use super::{
    bodies,
    hashes::{self, Hashes},
    image::Image,
    report::{Finding, Kind, Reporter},
    slots::{Slot, Slots},
};

/// Bytes of groups that are gathered for one round on all cores. Judgement.
const ROUND: usize = 8 << 20;

/// Every blob of the archive.
#[derive(Default)]
pub(super) struct Blobs {
    pub slots: Slots,
    pub hashes: Hashes,
}

struct Reading {
    blobs: Blobs,
    /// Groups whose bodies wait to be checked.
    round: Vec<(usize, Vec<u8>)>,
    round_bytes: usize,
    bodies: bool,
}

/// Reads every group; with `bodies` each blob is decompressed and hashed.
pub(super) fn read(image: &Image<'_>, report: &mut Reporter, bodies: bool) -> Blobs {
    let mut reading =
        Reading { blobs: Blobs::default(), round: Vec::new(), round_bytes: 0, bodies };
    let mut next = 0;
    image.rows("segments", report, |report, key, value| {
        let number = key.try_into().map(u64::from_be_bytes).ok().filter(|number| *number < 1 << 48);
        let Some(segment) = number else {
            let message = "the key is no number of a segment";
            return report.add(Finding::new("segments", Kind::Malformed, message).key(key));
        };
        if segment != next {
            let message = format!("segment {next} should come next, not {segment}");
            report.add(Finding::new("segments", Kind::Order, message).key(key));
            report.incomplete("segments");
        }
        next = segment + 1;
        reading.take(report, segment, 0, false, value);
    });
    let mut next_slot = 0;
    image.rows("tails", report, |report, key, value| {
        let Some((segment, first_slot)) =
            keys::split_tail(key).filter(|(segment, _)| *segment < 1 << 48)
        else {
            let message = "the key is no place in a segment";
            return report.add(Finding::new("tails", Kind::Malformed, message).key(key));
        };
        if (segment, usize::from(first_slot)) != (next, next_slot) {
            let message = format!(
                "slot {next_slot} of segment {next} should come next, not slot {first_slot} of {segment}"
            );
            report.add(Finding::new("tails", Kind::Order, message).key(key));
            report.incomplete("tails");
        }
        if segment < next {
            // A closed segment has all its blobs in one value.
            return;
        }
        next = segment;
        next_slot = usize::from(first_slot) + reading.take(report, segment, first_slot, true, value);
    });
    reading.finish_round(report);
    report.count("blobs", reading.blobs.slots.len() as u64);
    reading.blobs
}

impl Reading {
    /// Takes over a group; gives the number of its slots.
    fn take(
        &mut self,
        report: &mut Reporter,
        segment: u64,
        first_slot: u16,
        tail: bool,
        value: Vec<u8>,
    ) -> usize {
        let table = if tail { "tails" } else { "segments" };
        let key = if tail {
            keys::tail(segment, first_slot).to_vec()
        } else {
            segment.to_be_bytes().to_vec()
        };
        let mut fault = |message: String| {
            report.add(Finding::new(table, Kind::Malformed, message).key(&key));
        };
        let group = match Group::parse(&value) {
            Ok(group) => group,
            Err(error) => {
                fault(error.message);
                return 0;
            }
        };
        if value.get(1) != Some(&0) {
            fault("the reserved byte of a group isn't 0".into());
        }
        if group.is_empty() || usize::from(first_slot) + group.len() > 1 << 16 {
            fault(format!("a group from slot {first_slot} on has {} slots", group.len()));
            return 0;
        }
        let (claimed, held) = group.body_bytes();
        if claimed as usize != held {
            fault(format!("the tables of a group claim {claimed} bytes of bodies; it has {held}"));
        }
        let mut slots = Vec::with_capacity(group.len());
        for number in 0..group.len() {
            let gone = group.codec(number) == GONE;
            match group.slot(number) {
                Ok(slot) if gone && !slot.body.is_empty() => {
                    fault(format!("slot {number} of a group is gone, but has a body"));
                }
                Ok(_) => {}
                Err(error) => fault(error.message),
            }
            let prefix = group.hash(number).map_or(0, |hash| hash.prefix());
            slots.push(Slot { prefix, raw_len: group.raw_len(number), gone, ..Slot::default() });
        }
        let hashes = hashes::of_group(&group);
        let place = self.blobs.slots.add_group(segment, first_slot, tail, &slots);
        self.blobs.hashes.keep(place, hashes);
        if self.bodies {
            self.round_bytes += value.len();
            self.round.push((place, value));
            if self.round_bytes >= ROUND {
                self.finish_round(report);
            }
        }
        slots.len()
    }

    fn finish_round(&mut self, report: &mut Reporter) {
        let round = std::mem::take(&mut self.round);
        self.round_bytes = 0;
        let outcomes: Vec<_> =
            round.par_iter().map(|(group, value)| (*group, bodies::check(value, None))).collect();
        for (group, outcomes) in outcomes {
            bodies::take(&mut self.blobs, report, group, outcomes);
        }
    }
}
