//! All steps of all hulls: single items', and groups', whose first step keeps all members.

use crate::{
    Problem,
    base::{Base, kept_fate},
    chunks,
    classes::{Classes, Mode},
    hull::{self, Step},
    rooms::Rooms,
};

/// Groups of a stretch.
const GROUPS: usize = 1 << 12;

/// Marks an increment that keeps a whole group; the other bits are the group's number.
const JOINT: u32 = 1 << 31;

/// A step up of one item, or of a group from dropped to kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Increment {
    /// Value for each token more.
    pub slope: f64,
    what: u32,
    /// Tokens more; of a group's, see [`Joint`].
    pub cost: u32,
}

/// What an increment changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum What {
    /// An item's fate.
    Item(usize, u8),
    /// A group, from dropped to the fates in [`Increments::kept`].
    Group(usize),
}

/// The step that keeps a group.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Joint {
    /// Tokens more than dropped.
    pub cost: u64,
}

/// The increments of a problem, each item's and group's in falling order of slope.
pub(crate) struct Increments {
    /// Stretch after stretch: single items first, then groups.
    pub parts: Vec<Vec<Increment>>,
    /// For each open group; of no meaning for one that is kept from the beginning.
    pub joints: Vec<Joint>,
    /// The fates after a group's first step, side by side with `Classes::members`.
    pub kept: Vec<u8>,
    /// Bits for a fate in a number that names an option.
    bits: u32,
}

impl Increments {
    /// The increments beyond `base`; options that can't fit are left out.
    pub fn of(problem: &Problem<'_>, classes: &Classes, base: &Base, rooms: &Rooms) -> Self {
        let bits = problem.fates.next_power_of_two().trailing_zeros();
        let stretches = problem.items().div_ceil(chunks::STRETCH);
        let mut parts =
            chunks::map(stretches, |stretch| singles(problem, classes, base, rooms, stretch, bits));
        let of_groups = chunks::map(classes.groups().div_ceil(GROUPS), |stretch| {
            groups(problem, classes, base, rooms, stretch, bits)
        });
        let mut joints = Vec::with_capacity(classes.groups());
        let mut kept = Vec::with_capacity(classes.members.len());
        for part in of_groups {
            parts.push(part.increments);
            joints.extend_from_slice(&part.joints);
            kept.extend_from_slice(&part.kept);
        }
        Self { parts, joints, kept, bits }
    }

    /// What `increment` changes.
    pub fn what(&self, increment: &Increment) -> What {
        if increment.what & JOINT != 0 {
            return What::Group((increment.what ^ JOINT) as usize);
        }
        let fate = increment.what & ((1 << self.bits) - 1);
        What::Item((increment.what >> self.bits) as usize, fate as u8)
    }

    /// What `increment` costs.
    pub fn cost(&self, increment: &Increment) -> u64 {
        match increment.what & JOINT {
            0 => u64::from(increment.cost),
            _ => self.joints[(increment.what ^ JOINT) as usize].cost,
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.parts.iter().map(Vec::len).sum()
    }
}

fn option(item: usize, fate: u8, bits: u32) -> u32 {
    (item as u32) << bits | u32::from(fate)
}

fn singles(
    problem: &Problem<'_>,
    classes: &Classes,
    base: &Base,
    rooms: &Rooms,
    stretch: usize,
    bits: u32,
) -> Vec<Increment> {
    let items = chunks::items_of(stretch, problem.items());
    let mut increments = Vec::with_capacity(items.len() * (problem.fates - 1).min(3));
    let mut steps: Vec<Step> = Vec::with_capacity(problem.fates);
    for item in items {
        let first = match classes.mode(item) {
            Mode::Free => 0,
            Mode::Kept => 1,
            Mode::Fixed(_) | Mode::Member => continue,
        };
        steps.clear();
        let from = usize::from(base.fates[item]);
        hull::steps(
            problem.costs_of(item),
            problem.values_of(item),
            from,
            first,
            rooms.widest(problem, item),
            &mut steps,
        );
        increments.extend(steps.iter().map(|step| Increment {
            slope: step.slope,
            what: option(item, step.fate, bits),
            cost: step.cost,
        }));
    }
    increments
}

#[derive(Default)]
struct Groups {
    increments: Vec<Increment>,
    joints: Vec<Joint>,
    kept: Vec<u8>,
}

fn groups(
    problem: &Problem<'_>,
    classes: &Classes,
    base: &Base,
    rooms: &Rooms,
    stretch: usize,
    bits: u32,
) -> Groups {
    let mut out = Groups::default();
    let mut steps: Vec<Step> = Vec::new();
    let mut merged: Vec<Increment> = Vec::new();
    for group in stretch * GROUPS..classes.groups().min((stretch + 1) * GROUPS) {
        let members = classes.group(group);
        let dropped = base.fates[members[0] as usize] == 0;
        let first = out.kept.len();
        merged.clear();
        let (mut before, mut cost, mut value) = (0, 0, 0.0);
        for &item in members {
            let item = item as usize;
            let (costs, values) = (problem.costs_of(item), problem.values_of(item));
            let fate = if dropped { kept_fate(problem, item) } else { base.fates[item] };
            out.kept.push(fate);
            before += u64::from(costs[0]);
            cost += u64::from(costs[usize::from(fate)]);
            value += values[usize::from(fate)];
            steps.clear();
            hull::steps(
                costs,
                values,
                usize::from(fate),
                1,
                rooms.widest(problem, item),
                &mut steps,
            );
            merged.extend(steps.iter().map(|step| Increment {
                slope: step.slope,
                what: option(item, step.fate, bits),
                cost: step.cost,
            }));
        }
        if !dropped {
            out.joints.push(Joint::default());
            out.increments.extend_from_slice(&merged);
            continue;
        }
        merged.sort_by(|a, b| b.slope.total_cmp(&a.slope));
        let mut cost = cost - before;
        let mut taken = 0;
        // The line from dropped that is steepest touches the hull of the kept fates here.
        while let Some(step) = merged.get(taken).filter(|_| !rooms.rest)
            && step.slope * cost as f64 >= value
        {
            let item = step.what >> bits;
            let place = first + members.partition_point(|member| *member < item);
            let fate = (step.what & ((1 << bits) - 1)) as u8;
            let values = problem.values_of(item as usize);
            value += values[usize::from(fate)] - values[usize::from(out.kept[place])];
            out.kept[place] = fate;
            cost += u64::from(step.cost);
            taken += 1;
        }
        out.joints.push(Joint { cost });
        let slope = value / cost as f64;
        if slope > 0.0 {
            out.increments.push(Increment { slope, what: JOINT | group as u32, cost: u32::MAX });
            let mut below = slope;
            out.increments.extend(merged[taken..].iter().map(|step| {
                // Rounding may leave a step as steep as the group's own, which must come first.
                below = if step.slope >= below { below.next_down() } else { below };
                Increment { slope: step.slope.min(below), ..*step }
            }));
        }
    }
    out
}
