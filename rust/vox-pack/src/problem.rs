//! What is to be packed, and whether it makes sense.

use vox_types::{Code, Error, Result};

/// The cost of a fate that an item can't have.
pub const UNAVAILABLE: u32 = u32::MAX;

/// The most fates that an item may have: pins are small signed numbers.
pub const MOST_FATES: usize = 128;

/// Options are numbered through in 31 bits.
const MOST_OPTIONS: usize = 1 << 31;

/// Items, what each of their fates costs and is worth, and what may be spent.
///
/// `costs` and `values` hold the fates of an item side by side, one item after the other. Fate 0
/// is dropped: it is worth nothing, and may cost something.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// Tokens of each fate; [`UNAVAILABLE`] where there is no such fate.
    pub costs: &'a [u32],
    /// What each fate is worth.
    pub values: &'a [f64],
    /// How many fates an item has.
    pub fates: usize,
    /// The most tokens that may be spent.
    pub budget: u64,
    /// A number for each item; those with the same one are all dropped or all kept. -1: none.
    pub groups: Option<&'a [i32]>,
    /// The fate that an item must have. -1: any.
    pub pins: Option<&'a [i8]>,
    /// On whose account an item goes, as an index into `caps`.
    pub claimants: Option<&'a [u8]>,
    /// The most tokens that each claimant may spend.
    pub caps: Option<&'a [u64]>,
}

impl Problem<'_> {
    /// How many items there are.
    pub fn items(&self) -> usize {
        self.costs.len().checked_div(self.fates).unwrap_or(0)
    }

    /// What the fates of `item` cost.
    pub fn costs_of(&self, item: usize) -> &[u32] {
        &self.costs[item * self.fates..][..self.fates]
    }

    /// What the fates of `item` are worth.
    pub fn values_of(&self, item: usize) -> &[f64] {
        &self.values[item * self.fates..][..self.fates]
    }

    /// The account of `item`.
    pub fn claimant(&self, item: usize) -> usize {
        self.claimants.map_or(0, |claimants| usize::from(claimants[item]))
    }

    /// Whether the columns fit together. What stands in the rows of costs and values is checked
    /// where they are read for the first time.
    pub(crate) fn check(&self) -> Result<()> {
        if self.fates == 0 || self.fates > MOST_FATES {
            let says =
                format!("{} fates for each item; 1 to {MOST_FATES} are possible", self.fates);
            return Err(invalid(says));
        }
        if !self.costs.len().is_multiple_of(self.fates) || self.values.len() != self.costs.len() {
            return Err(invalid(format!(
                "{} costs and {} values are no rows of {} fates",
                self.costs.len(),
                self.values.len(),
                self.fates
            )));
        }
        let items = self.items();
        if items.saturating_mul(self.fates.next_power_of_two()) > MOST_OPTIONS {
            return Err(invalid(format!("{items} items of {} fates are too many", self.fates)));
        }
        let lengths = [
            ("groups", self.groups.map(<[_]>::len)),
            ("pins", self.pins.map(<[_]>::len)),
            ("claimants", self.claimants.map(<[_]>::len)),
        ];
        for (name, length) in lengths {
            if let Some(length) = length
                && length != items
            {
                return Err(invalid(format!("{length} {name} for {items} items")));
            }
        }
        if let Some(groups) = self.groups
            && let Some(item) = groups.iter().position(|group| *group < -1)
        {
            let says =
                format!("item {item}: group {}; -1 is none, others are 0 or more", groups[item]);
            return Err(invalid(says));
        }
        self.check_caps()
    }

    fn check_caps(&self) -> Result<()> {
        match (self.claimants, self.caps) {
            (None, Some(_)) => Err(invalid("caps without claimants: say whose each item is")),
            (Some(claimants), Some(caps)) => {
                let over = |claimant: &u8| usize::from(*claimant) >= caps.len();
                match claimants.iter().position(over) {
                    Some(item) => Err(invalid(format!(
                        "item {item}: claimant {}, and there are {} caps",
                        claimants[item],
                        caps.len()
                    ))),
                    None => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    /// Whether the values of `item` are numbers that make sense.
    pub(crate) fn check_values(&self, item: usize) -> Result<()> {
        let values = self.values_of(item);
        let Some(fate) = values.iter().position(|value| !(value.is_finite() && *value >= 0.0))
        else {
            return match values[0] {
                0.0 => Ok(()),
                dropped => Err(invalid(format!(
                    "item {item}: being dropped (fate 0) is worth {dropped}; it must be worth 0"
                ))),
            };
        };
        Err(invalid(format!(
            "item {item}: fate {fate} is worth {}; values are finite and 0 or more",
            values[fate]
        )))
    }
}

/// An argument that is wrong.
pub(crate) fn invalid(says: impl Into<String>) -> Error {
    Error::new(Code::InvalidArgument, says)
}
