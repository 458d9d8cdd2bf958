//! What must be so about an item itself, whichever window shows it.

use vox_format::attributes::Attributes;
use vox_search::query::{Field, Query};
use vox_store::Snapshot;
use vox_types::{ItemKind, Result, Role, SymbolNo};

use super::names::{self, Names};

/// Which items a query admits by what never changes about them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ItemFilter {
    /// Bit r + 4k stands for role r and kind k.
    allowed: u64,
    since: i64,
    /// The first time that is too late; none: none is.
    before: Option<i64>,
    redacted: Option<bool>,
    tools: Names,
    models: Names,
}

/// Kinds whose name is that of a tool.
const OF_TOOLS: u64 = kind_bits(ItemKind::ToolCall) | kind_bits(ItemKind::ToolResult);
/// Kinds whose name is neither that of a tool nor that of a model.
const WITHOUT_MODEL: u64 = OF_TOOLS | kind_bits(ItemKind::Attachment);

/// The bits of a kind, of all roles.
const fn kind_bits(kind: ItemKind) -> u64 {
    0b1111 << (4 * kind as u64)
}

/// The bit of an item's role and kind.
fn bit_of(attributes: Attributes) -> u64 {
    1 << (attributes.0 & 63)
}

impl ItemFilter {
    /// What `query` says of items. Records are admitted only if it names that kind.
    pub(super) fn of(query: &Query, snapshot: &Snapshot<'_>) -> Result<Self> {
        let mut kinds = !kind_bits(ItemKind::Record);
        let mut filter = Self {
            allowed: !0,
            since: query.since.unwrap_or(i64::MIN),
            before: query.before,
            redacted: None,
            tools: Names::default(),
            models: Names::default(),
        };
        for condition in &query.filters {
            let (values, negated) = (&condition.values, condition.negated);
            match condition.field {
                Field::Role => {
                    let roles = values.iter().map(|value| Role::from_name(value));
                    let bits = |role: Role| 0x1111_1111_1111_1111 << role as u64;
                    let bits = roles.map(|role| role.map(bits)).try_fold(0, or)?;
                    filter.allowed &= if negated { !bits } else { bits };
                }
                Field::Kind => {
                    let named = values.iter().map(|value| ItemKind::from_name(value));
                    let bits = named.map(|kind| kind.map(kind_bits)).try_fold(0, or)?;
                    if negated {
                        filter.allowed &= !bits;
                    } else {
                        kinds = bits;
                    }
                }
                Field::Tool => {
                    let symbols = names::symbols(snapshot, values, names::is_called)?;
                    filter.tools.add(symbols, negated);
                }
                Field::Model => {
                    let symbols = names::symbols(snapshot, values, names::is_called)?;
                    filter.models.add(symbols, negated);
                }
                Field::Is if values.iter().any(|value| value == "redacted") => {
                    if filter.redacted == Some(negated) {
                        filter.allowed = 0;
                    }
                    filter.redacted = Some(!negated);
                }
                _ => {}
            }
        }
        filter.allowed &= kinds;
        if filter.tools.chosen() {
            filter.allowed &= OF_TOOLS;
        }
        if filter.models.chosen() {
            filter.allowed &= !WITHOUT_MODEL;
        }
        Ok(filter)
    }

    /// Whether an item may be a hit.
    pub(crate) fn admits(&self, attributes: Attributes, at: i64, name: SymbolNo) -> bool {
        let bit = bit_of(attributes);
        bit & self.allowed != 0
            && !attributes.purged()
            && at >= self.since
            && self.before.is_none_or(|before| at < before)
            && self.redacted.is_none_or(|redacted| attributes.redacted() == redacted)
            && (bit & OF_TOOLS == 0 || self.tools.admit(name))
            && (bit & WITHOUT_MODEL != 0 || self.models.admit(name))
    }

    /// Whether an item counts as one that holds its content.
    pub(crate) fn counts(&self, attributes: Attributes) -> bool {
        let record = bit_of(attributes) & kind_bits(ItemKind::Record) != 0;
        !attributes.purged() && (!record || self.admits_records())
    }

    /// Whether records may be hits.
    pub(crate) fn admits_records(&self) -> bool {
        self.allowed & kind_bits(ItemKind::Record) != 0
    }
}

fn or(all: u64, bits: Result<u64>) -> Result<u64> {
    Ok(all | bits?)
}
