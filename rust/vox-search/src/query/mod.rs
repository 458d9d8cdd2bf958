//! What is asked for: [`parse`] reads it from the text that a user writes.

mod lexer;
mod parser;
mod times;
mod values;

use std::ops::Range;

pub use parser::parse;

/// A query: what a text must hold, and what must be so about its item and window.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Query {
    /// What the text must hold; none: any text.
    pub text: Option<Node>,
    /// What must be so besides, all of it; each field once with a minus and once without.
    pub filters: Vec<FieldFilter>,
    /// Only items from this time on, UTC ms.
    pub since: Option<i64>,
    /// Only items before this time, UTC ms.
    pub before: Option<i64>,
}

/// A condition on a text.
#[derive(Clone, PartialEq, Debug)]
pub enum Node {
    /// One of its kind.
    Atom(Atom),
    /// All of these.
    And(Vec<Node>),
    /// At least one of these.
    Or(Vec<Node>),
    /// Not this. A query that only excludes matches every other text.
    Not(Box<Node>),
}

/// A condition that isn't made of others.
#[derive(Clone, PartialEq, Debug)]
pub struct Atom {
    /// How `text` is looked for.
    pub kind: AtomKind,
    /// What is looked for, without quotes, slashes or star.
    pub text: String,
    /// Where it stands in the query, in bytes, for messages.
    pub at: Range<usize>,
}

/// How an atom is looked for. Words are compared folded; literals and expressions mind case if
/// they hold an upper-case letter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AtomKind {
    /// A word or identifier, or several joined without space (`src/x.py:42`): these words, one
    /// after the other, joined just so.
    Word,
    /// Words one after the other, whatever stands between them.
    Phrase,
    /// A word that begins so.
    Prefix,
    /// Exactly this stretch of text, wherever it begins.
    Literal,
    /// A regular expression of the syntax of the regex crate, without look-around.
    Regex,
}

/// A condition on an item or a window, `field:value,value`: one of the values, of `is:` all of them,
/// or with a minus none of them.
#[derive(Clone, PartialEq, Debug)]
pub struct FieldFilter {
    /// Which field.
    pub field: Field,
    /// Whether none of the values may hold.
    pub negated: bool,
    /// The values, at least one.
    pub values: Vec<String>,
    /// Where it stands in the query, in bytes, for messages.
    pub at: Range<usize>,
}

/// Fields that filters name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Field {
    /// `role:` of the item.
    Role,
    /// `kind:` of the item.
    Kind,
    /// `tool:` the name of the tool of a call or result.
    Tool,
    /// `model:` that answered.
    Model,
    /// `repo:` of the window.
    Repo,
    /// `agent:` of the window.
    Agent,
    /// `in:` this window; an id, the start of one, a number or a key.
    In,
    /// `tag:` of the window.
    Tag,
    /// `title:` of the window holds this stretch of text.
    Title,
    /// `tier:` of the window.
    Tier,
    /// `is:` pinned, trimmed, redacted, deleted, subagent; all that are named must be so.
    Is,
}
