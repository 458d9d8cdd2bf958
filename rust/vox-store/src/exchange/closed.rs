//! The closed lists that rows name by number and lines by name.

use vox_types::{Fidelity, LinkKind, OverlayKind, Tier, WindowKind};

/// A closed list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Closed {
    /// [`WindowKind`]
    WindowKind,
    /// [`Tier`]
    Tier,
    /// [`Fidelity`]
    Fidelity,
    /// [`OverlayKind`]
    Overlay,
    /// [`LinkKind`]
    Link,
}

macro_rules! by_list {
    ($self:ident, $list:ident => $answer:expr) => {
        match $self {
            Closed::WindowKind => {
                type $list = WindowKind;
                $answer
            }
            Closed::Tier => {
                type $list = Tier;
                $answer
            }
            Closed::Fidelity => {
                type $list = Fidelity;
                $answer
            }
            Closed::Overlay => {
                type $list = OverlayKind;
                $answer
            }
            Closed::Link => {
                type $list = LinkKind;
                $answer
            }
        }
    };
}

impl Closed {
    /// The name of the value stored as `number`.
    pub fn name(self, number: u64) -> Option<&'static str> {
        let number = u8::try_from(number).ok()?;
        by_list!(self, List => List::from_number(number).map(List::name))
    }

    /// The number that the value called `name` is stored as.
    pub fn number(self, name: &str) -> Option<u8> {
        by_list!(self, List => List::from_name(name).ok().map(|value| value as u8))
    }
}
