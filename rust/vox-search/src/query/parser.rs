//! Lexemes as a tree.

use std::{mem, ops::Range};

use vox_types::{Error, Result};

use super::{
    Atom, FieldFilter, Node, Query,
    lexer::{Lexeme, Lexer, What, wrong},
    times,
    values::{self, Name},
};

/// Judgement. How many conditions on the text a query may have; Lucene has the same bound.
const MOST_ATOMS: usize = 1_024;
/// Judgement. How deep parentheses may stand within others: whoever walks the tree may recurse.
const DEEPEST: usize = 64;

/// What `text` asks for, when it is `now_ms` (UTC ms).
///
/// Words that stand side by side must all occur; `OR` binds weaker than that, `NOT` and a minus
/// stronger. Operators are upper-case. Filters hold for the whole query, so they stand outside of
/// parentheses; of several values of one field, together or apart, one must hold, but of `is:` all.
///
/// # Errors
/// `invalid_argument` names the column, and what to write instead.
pub fn parse(text: &str, now_ms: i64) -> Result<Query> {
    let mut parser = Parser { text, now_ms, query: Query::default(), atoms: 0 };
    let mut lexer = Lexer::new(text);
    let mut groups = vec![Group::default()];
    while let Some(lexeme) = lexer.next()? {
        parser.take(&mut groups, lexeme)?;
    }
    let mut group = groups.pop().unwrap_or_default();
    if let (Some(opened), false) = (group.opened, groups.is_empty()) {
        return Err(wrong(text, opened, "this parenthesis isn't closed"));
    }
    parser.query.text = parser.close(&mut group)?;
    Ok(parser.query)
}

/// What stands between two parentheses, as far as it is read.
#[derive(Default)]
struct Group {
    /// Where its parenthesis stands.
    opened: Option<usize>,
    /// Whether all of it is excluded.
    excluded: bool,
    /// What stands before each OR.
    alternatives: Vec<Node>,
    /// What was said since.
    all: Vec<Node>,
    /// Where a filter stands since.
    filter: Option<usize>,
    /// An operator that waits for what it is about.
    waiting: Option<Range<usize>>,
    /// Whether that is to be excluded.
    not: bool,
}

impl Group {
    fn add(&mut self, node: Node) {
        self.waiting = None;
        match (mem::take(&mut self.not), node) {
            (true, Node::Not(inside)) => self.all.push(*inside),
            (true, node) => self.all.push(Node::Not(Box::new(node))),
            // What must all hold may as well be said one by one.
            (false, Node::And(nodes)) => self.all.extend(nodes),
            (false, node) => self.all.push(node),
        }
    }
}

struct Parser<'q> {
    text: &'q str,
    now_ms: i64,
    query: Query,
    atoms: usize,
}

impl Parser<'_> {
    fn wrong(&self, at: usize, says: impl std::fmt::Display) -> Error {
        wrong(self.text, at, says)
    }

    fn take(&mut self, groups: &mut Vec<Group>, lexeme: Lexeme) -> Result<()> {
        let Lexeme { what, at } = lexeme;
        let depth = groups.len() - 1;
        let Some(group) = groups.last_mut() else { return Ok(()) };
        match what {
            What::Not => {
                group.not = !group.not;
                group.waiting = Some(at);
            }
            What::And => {
                self.something_before(group, &at)?;
                group.waiting = Some(at);
            }
            What::Or => {
                self.something_before(group, &at)?;
                self.end_alternative(group)?;
                group.waiting = Some(at);
            }
            What::Open => {
                if depth == DEEPEST {
                    let says = format!("parentheses stand more than {DEEPEST} deep");
                    return Err(self.wrong(at.start, says));
                }
                let excluded = mem::take(&mut group.not);
                groups.push(Group { opened: Some(at.start), excluded, ..Group::default() });
            }
            What::Close => {
                let Some(mut closed) = (depth > 0).then(|| groups.pop()).flatten() else {
                    let says = "this parenthesis closes none; code stands in quotes";
                    return Err(self.wrong(at.start, says));
                };
                let Some(node) = self.close(&mut closed)? else {
                    return Err(self.wrong(at.start, "nothing stands between these parentheses"));
                };
                if let Some(outer) = groups.last_mut() {
                    outer.not = closed.excluded;
                    outer.add(node);
                }
            }
            What::Atom(kind, text) => {
                self.atoms += 1;
                if self.atoms > MOST_ATOMS {
                    let says = format!("a query may hold {MOST_ATOMS} words, this is one more");
                    return Err(self.wrong(at.start, says));
                }
                group.add(Node::Atom(Atom { kind, text, at }));
            }
            What::Filter(name, values) => {
                if depth > 0 {
                    let says = format!(
                        "{}: holds for the whole query; put it outside of the parentheses",
                        name.text()
                    );
                    return Err(self.wrong(at.start, says));
                }
                group.waiting = None;
                group.filter = Some(at.start);
                let negated = mem::take(&mut group.not);
                self.filter(name, values, negated, at)?;
            }
        }
        Ok(())
    }

    fn something_before(&self, group: &Group, at: &Range<usize>) -> Result<()> {
        let nothing = group.all.is_empty() && group.filter.is_none();
        if nothing || group.waiting.is_some() {
            return Err(self.lonely(at));
        }
        Ok(())
    }

    fn lonely(&self, at: &Range<usize>) -> Error {
        let name = &self.text[at.clone()];
        let says = match name {
            "-" => "this minus excludes nothing".to_owned(),
            _ => format!(
                "{name} has nothing {}; as a word it is written {}",
                if name == "NOT" { "to exclude" } else { "on one of its sides" },
                name.to_lowercase()
            ),
        };
        self.wrong(at.start, says)
    }

    /// Puts what was said since the last OR among the alternatives.
    fn end_alternative(&self, group: &mut Group) -> Result<()> {
        let mut all = mem::take(&mut group.all);
        let filter = group.filter.take();
        match (all.pop(), filter) {
            (Some(only), _) if all.is_empty() => match only {
                Node::Or(nodes) => group.alternatives.extend(nodes),
                node => group.alternatives.push(node),
            },
            (Some(last), _) => {
                all.push(last);
                group.alternatives.push(Node::And(all));
            }
            (None, Some(at)) => {
                let says = "a filter is no alternative: it holds for the whole query; \
                            several values of one field are written field:one,other";
                return Err(self.wrong(at, says));
            }
            (None, None) => {}
        }
        Ok(())
    }

    /// What a group says; none: nothing about the text.
    fn close(&self, group: &mut Group) -> Result<Option<Node>> {
        if let Some(at) = &group.waiting {
            return Err(self.lonely(at));
        }
        if !group.alternatives.is_empty() {
            self.end_alternative(group)?;
            let mut nodes = mem::take(&mut group.alternatives);
            return Ok(if nodes.len() == 1 { nodes.pop() } else { Some(Node::Or(nodes)) });
        }
        let mut nodes = mem::take(&mut group.all);
        Ok(match nodes.len() {
            0 | 1 => nodes.pop(),
            _ => Some(Node::And(nodes)),
        })
    }

    fn filter(
        &mut self,
        name: Name,
        values: Vec<String>,
        negated: bool,
        at: Range<usize>,
    ) -> Result<()> {
        let field = match name {
            Name::Field(field) => field,
            _ => return self.time(name, &values, negated, &at),
        };
        for value in &values {
            values::check(field, value).map_err(|says| {
                let value = value.replace(['"', '\\'], "");
                let says = format!("{says}; as a text it is \"{}:{value}\"", name.text());
                self.wrong(at.start, says)
            })?;
        }
        let filters = &mut self.query.filters;
        match filters.iter_mut().find(|known| known.field == field && known.negated == negated) {
            Some(known) => known.values.extend(values),
            None => filters.push(FieldFilter { field, negated, values, at }),
        }
        Ok(())
    }

    fn time(
        &mut self,
        name: Name,
        values: &[String],
        negated: bool,
        at: &Range<usize>,
    ) -> Result<()> {
        let (text, other) = (name.text(), if name == Name::Since { "before" } else { "since" });
        if negated {
            let says = format!("{text}: can't be excluded; say {other}: instead");
            return Err(self.wrong(at.start, says));
        }
        let [value] = values else {
            return Err(self.wrong(at.start, format!("{text}: takes one time")));
        };
        let Some(time) = times::milliseconds(value, self.now_ms) else {
            let says = format!("{text}: {value:?} is no time; say {}", times::EXAMPLES);
            return Err(self.wrong(at.start, says));
        };
        let kept = match name {
            Name::Since => &mut self.query.since,
            _ => &mut self.query.before,
        };
        if kept.replace(time).is_some() {
            return Err(self.wrong(at.start, format!("{text}: is said twice")));
        }
        Ok(())
    }
}
