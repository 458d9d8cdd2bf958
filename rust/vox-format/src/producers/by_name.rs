//! Closed lists of `vox_types` as their names.

macro_rules! by_name {
    ($module:ident, $list:ty) => {
        pub(super) mod $module {
            use std::borrow::Cow;

            use serde::{Deserialize, Deserializer, Serializer, de::Error};

            pub fn serialize<S: Serializer>(
                value: &$list,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(value.name())
            }

            pub fn deserialize<'de, D: Deserializer<'de>>(
                deserializer: D,
            ) -> Result<$list, D::Error> {
                let name = Cow::<str>::deserialize(deserializer)?;
                <$list>::from_name(&name).map_err(|error| D::Error::custom(error.message))
            }
        }
    };
}

by_name!(role, vox_types::Role);
by_name!(item_kind, vox_types::ItemKind);
