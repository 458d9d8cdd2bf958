//! What a name stands for: the values of `names`.

use vox_types::{BlobRef, Error, ItemId, Result, WindowNo};

/// Something that can have a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// A blob.
    Blob(BlobRef),
    /// A window.
    Window(WindowNo),
    /// An item.
    Item(ItemId),
}

impl Target {
    /// The stored value.
    pub fn encode(self) -> Vec<u8> {
        match self {
            Self::Blob(BlobRef(blob)) => [&[0][..], &blob.to_le_bytes()].concat(),
            Self::Window(window) => [&[1][..], &window.to_le_bytes()].concat(),
            Self::Item(ItemId(item)) => [&[2][..], &item.to_le_bytes()].concat(),
        }
    }

    /// Reads a stored value.
    pub fn decode(value: &[u8]) -> Result<Self> {
        Ok(match *value {
            [0, a, b, c, d, e, f, g, h] => {
                Self::Blob(BlobRef(u64::from_le_bytes([a, b, c, d, e, f, g, h])))
            }
            [1, a, b, c, d] => Self::Window(u32::from_le_bytes([a, b, c, d])),
            [2, a, b, c, d, e, f, g, h] => {
                Self::Item(ItemId(u64::from_le_bytes([a, b, c, d, e, f, g, h])))
            }
            _ => return Err(Error::damaged("the row names nothing that can have a name")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_survives_and_half_of_one_is_damage() {
        for target in [
            Target::Blob(BlobRef::new(3, 4)),
            Target::Window(u32::MAX - 1),
            Target::Item(ItemId::new(9, 1)),
        ] {
            let value = target.encode();
            assert_eq!(Target::decode(&value).unwrap(), target);
            assert!(Target::decode(&value[..value.len() - 1]).is_err());
            assert!(Target::decode(&[&value[..], &[0]].concat()).is_err());
        }
        assert!(Target::decode(&[3, 0, 0, 0, 0]).is_err());
    }
}
