//! Queries as the index understands them.
//!
//! Words, phrases and starts of words are questions to the index that it answers exactly. A literal
//! or an expression isn't: the index knows words, not texts. But a text that holds `ror: no suc`
//! holds the word `no`, one that ends with `ror` and one that begins with `suc`: a query for these
//! finds all texts that can match, and the caller looks at each.

mod dictionary;
mod excluded;
mod literal;
mod regex;
mod steps;

use tantivy::query::{AllQuery, BooleanQuery, EmptyQuery, Occur, Query};
use vox_types::Result;

use excluded::Excluded;

use super::fields::Fields;
use crate::{
    analyse::{Sought, sought},
    query::{Atom, Node},
};

/// With more literals and expressions all texts are looked at instead. Judgement: looking one up
/// reads the dictionary, which takes longer than looking for it in some hundred texts.
const MOST_LOOKED_UP: usize = 64;

/// A query over the fields of the index.
pub(super) struct Compiled {
    /// It matches every document whose text matches.
    pub(super) query: Box<dyn Query>,
    /// Whether it matches no other.
    pub(super) exact: bool,
}

impl Compiled {
    fn inexact(query: Box<dyn Query>) -> Self {
        Self { query, exact: false }
    }
}

/// `node` as a query over `fields`.
pub(super) fn compile(node: &Node, fields: &Fields) -> Result<Compiled> {
    compile_node(node, &Plan { fields, looks_up: inexact_atoms(node) <= MOST_LOOKED_UP })
}

/// How many literals and expressions `node` has.
fn inexact_atoms(node: &Node) -> usize {
    match node {
        Node::Atom(atom) => usize::from(!matches!(sought(atom), Sought::Terms(_))),
        Node::And(nodes) | Node::Or(nodes) => nodes.iter().map(inexact_atoms).sum(),
        Node::Not(inner) => inexact_atoms(inner),
    }
}

/// What all parts of a query are compiled by.
struct Plan<'a> {
    fields: &'a Fields,
    /// Whether literals and expressions are looked up in the dictionary.
    looks_up: bool,
}

fn compile_node(node: &Node, plan: &Plan<'_>) -> Result<Compiled> {
    match node {
        Node::Atom(atom) => compile_atom(atom, plan),
        Node::And(nodes) => compile_all(nodes, plan),
        Node::Or(nodes) => {
            let nodes = nodes.iter().map(|node| compile_node(node, plan));
            let nodes: Vec<_> = nodes.collect::<Result<_>>()?;
            let exact = nodes.iter().all(|node| node.exact);
            let query = any(nodes.into_iter().map(|node| node.query).collect());
            Ok(Compiled { query, exact })
        }
        Node::Not(_) => compile_all(std::slice::from_ref(node), plan),
    }
}

fn compile_atom(atom: &Atom, plan: &Plan<'_>) -> Result<Compiled> {
    let fields = plan.fields;
    Ok(match sought(atom) {
        Sought::Terms(steps) => steps::compile(&steps, fields),
        _ if !plan.looks_up => Compiled::inexact(Box::new(AllQuery)),
        Sought::Literal { text, .. } => Compiled::inexact(literal::compile(&text, fields)),
        Sought::Regex { pattern, .. } => Compiled::inexact(regex::compile(&pattern, fields)?),
    })
}

fn compile_all(nodes: &[Node], plan: &Plan<'_>) -> Result<Compiled> {
    let (mut clauses, mut exact, mut only_excludes) = (Vec::new(), true, true);
    for node in nodes {
        let (occur, node) = match node {
            Node::Not(inner) => (Occur::MustNot, &**inner),
            node => (Occur::Must, node),
        };
        let Compiled { mut query, exact: certain } = compile_node(node, plan)?;
        exact &= certain;
        match occur {
            // What only may match can't be excluded.
            Occur::MustNot if !certain => continue,
            Occur::MustNot => query = Box::new(Excluded(query)),
            _ => only_excludes = false,
        }
        clauses.push((occur, query));
    }
    if only_excludes {
        clauses.push((Occur::Must, Box::new(AllQuery)));
    }
    let query = match clauses.len() {
        1 => clauses.swap_remove(0).1,
        _ => Box::new(BooleanQuery::new(clauses)),
    };
    Ok(Compiled { query, exact })
}

/// Matches what all of `queries` match; without any, everything.
fn all(mut queries: Vec<Box<dyn Query>>) -> Box<dyn Query> {
    match queries.len() {
        0 => Box::new(AllQuery),
        1 => queries.swap_remove(0),
        _ => Box::new(BooleanQuery::intersection(queries)),
    }
}

/// Matches what any of `queries` matches; without any, nothing.
fn any(mut queries: Vec<Box<dyn Query>>) -> Box<dyn Query> {
    match queries.len() {
        0 => Box::new(EmptyQuery),
        1 => queries.swap_remove(0),
        _ => Box::new(BooleanQuery::union(queries)),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::fields::schema, *};

    #[test]
    fn the_dictionary_is_not_read_hundreds_of_times() {
        let looked_up = |count: usize| {
            let atoms: Vec<_> = (0..count).map(|i| format!("/a{i}.*b/")).collect();
            let node = crate::query::parse(&atoms.join(" OR "), 0).unwrap().text.unwrap();
            let compiled = compile(&node, &schema().1).unwrap();
            assert!(!compiled.exact);
            format!("{:?}", compiled.query).contains("Dictionary")
        };
        assert!(looked_up(MOST_LOOKED_UP));
        assert!(!looked_up(1000));
    }
}
