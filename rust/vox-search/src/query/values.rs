//! Names of fields, and which values they take.

use vox_types::{ItemKind, Role, Tier};

use super::Field;

/// What may stand before a colon.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Name {
    /// A filter.
    Field(Field),
    /// The time from which on items count.
    Since,
    /// The time up to which items count.
    Before,
    /// A stretch of text.
    Literal,
    /// A regular expression.
    Regex,
}

const NAMES: [(&str, Name); 15] = [
    ("role", Name::Field(Field::Role)),
    ("kind", Name::Field(Field::Kind)),
    ("tool", Name::Field(Field::Tool)),
    ("model", Name::Field(Field::Model)),
    ("repo", Name::Field(Field::Repo)),
    ("agent", Name::Field(Field::Agent)),
    ("in", Name::Field(Field::In)),
    ("tag", Name::Field(Field::Tag)),
    ("title", Name::Field(Field::Title)),
    ("tier", Name::Field(Field::Tier)),
    ("is", Name::Field(Field::Is)),
    ("since", Name::Since),
    ("before", Name::Before),
    ("literal", Name::Literal),
    ("regex", Name::Regex),
];

/// What `is:` may say.
const STATES: [&str; 5] = ["pinned", "trimmed", "redacted", "deleted", "subagent"];

impl Name {
    /// As it is written.
    pub fn text(self) -> &'static str {
        NAMES.iter().find(|(_, name)| *name == self).map_or("", |(text, _)| text)
    }
}

/// The name that `rest` begins with, and how long it is with its colon. What has two colons is a
/// path of Rust or C++, such as `role::Role`; what is no name of a field is text.
pub(super) fn name_of(rest: &str) -> Option<(Name, usize)> {
    let colon = rest.find(|c: char| !c.is_ascii_lowercase())?;
    let behind = rest[colon..].strip_prefix(':')?;
    if behind.starts_with(':') {
        return None;
    }
    let (_, name) = NAMES.iter().find(|(text, _)| *text == &rest[..colon])?;
    Some((*name, colon + 1))
}

/// Whether `field` takes `value`; else what it takes.
pub(super) fn check(field: Field, value: &str) -> Result<(), String> {
    let choices: Vec<&str> = match field {
        Field::Role => Role::ALL.iter().map(|role| role.name()).collect(),
        Field::Kind => ItemKind::ALL.iter().map(|kind| kind.name()).collect(),
        Field::Tier => Tier::ALL.iter().map(|tier| tier.name()).collect(),
        Field::Is => STATES.to_vec(),
        _ => return Ok(()),
    };
    if choices.contains(&value) {
        return Ok(());
    }
    let name = Name::Field(field).text();
    let choices = choices.join(", ");
    Err(format!("{name}: takes one of {choices}; {value:?} is none of them"))
}
