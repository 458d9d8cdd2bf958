//! Estimates by family and content: from what a text is made of, without a tokenizer.
//!
//! The coefficients are measured: `tools/fit_ratios.py` fits them to real items and writes them to
//! `contracts/token-ratios.yaml`, with how far they are off on items of other sources, and to
//! `coefficients.rs`.

mod census;
mod class;
mod coefficients;

pub use census::{Census, FEATURES};
pub use class::Class;

use census::STATES;

/// How one family of tokenizers answers to what a text is made of.
#[derive(Debug)]
pub struct Family {
    /// As in `contracts/token-ratios.yaml`.
    pub name: &'static str,
    /// Tokens for each of [`FEATURES`], on average, by what [`Class::weights`] says.
    weights: [[f64; STATES]; 4],
    /// What that is multiplied with, by class in the order of [`Class::ALL`], so that it is rarely
    /// too low.
    margins: [f64; Class::ALL.len()],
    /// Tokens more for each square root of a token: short texts differ more from the average.
    spread: f64,
    /// Tokens more for any text that isn't empty.
    constant: f64,
}

impl Family {
    /// All that there are.
    pub fn all() -> &'static [Self] {
        &coefficients::FAMILIES
    }

    /// The one of that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::all().iter().find(|family| family.name == name)
    }

    /// About how many tokens a text is: for at most one real item in a hundred too few.
    pub fn estimate(&self, census: &Census) -> u64 {
        if census.bytes() == 0 {
            return 0;
        }
        let class = Class::of(census);
        let counts = census.counts.iter().zip(&self.weights[class.weights()]);
        let average: f64 = counts.map(|(&count, weight)| count as f64 * weight).sum();
        let margin = self.margins[class as usize];
        (average * margin + self.spread * average.sqrt() + self.constant).round() as u64
    }
}

#[cfg(test)]
mod tests;
