//! Role, kind, fidelity and flags of an item in one number.

use vox_types::{Error, Fidelity, ItemKind, Result, Role};

/// Role in bits 0–1, kind in bits 2–5, fidelity in bits 6–7, redacted in bit 8, side in bit 9,
/// purged in bit 10.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Attributes(pub u16);

impl Attributes {
    /// The number for these values.
    pub fn new(role: Role, kind: ItemKind, fidelity: Fidelity, redacted: bool, side: bool) -> Self {
        Self(
            role as u16
                | (kind as u16) << 2
                | (fidelity as u16) << 6
                | u16::from(redacted) << 8
                | u16::from(side) << 9,
        )
    }

    /// Who speaks.
    pub fn role(self) -> Role {
        match self.0 & 3 {
            0 => Role::User,
            1 => Role::Assistant,
            2 => Role::System,
            _ => Role::Tool,
        }
    }

    /// What the item is; an error when the number is no kind.
    pub fn kind(self) -> Result<ItemKind> {
        let number = (self.0 >> 2 & 15) as u8;
        ItemKind::from_number(number)
            .ok_or_else(|| Error::damaged(format!("an item has the unknown kind {number}")))
    }

    /// How vox knows the item; an error when the number is no fidelity.
    pub fn fidelity(self) -> Result<Fidelity> {
        let number = (self.0 >> 6 & 3) as u8;
        Fidelity::from_number(number)
            .ok_or_else(|| Error::damaged(format!("an item has the unknown fidelity {number}")))
    }

    /// Whether the source had blanked the item out.
    pub fn redacted(self) -> bool {
        self.0 >> 8 & 1 == 1
    }

    /// Whether the item stands on no parent chain.
    pub fn side(self) -> bool {
        self.0 >> 9 & 1 == 1
    }

    /// Whether the item was purged: nothing but its hash and its place is left.
    pub fn purged(self) -> bool {
        self.0 >> 10 & 1 == 1
    }

    /// The same, purged or not.
    #[must_use]
    pub fn with_purged(self, purged: bool) -> Self {
        Self(self.0 & !(1 << 10) | u16::from(purged) << 10)
    }
}
