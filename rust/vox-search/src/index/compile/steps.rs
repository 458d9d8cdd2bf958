//! Terms that stand one after the other.

use tantivy::{
    Term,
    query::{PhraseQuery, Query, TermQuery},
    schema::{Field, IndexRecordOption},
};

use super::{
    super::fields::Fields,
    Compiled, all,
    dictionary::{Dictionary, Which},
};
use crate::analyse::{Step, Stream};

/// A query for `steps`, one after the other.
///
/// Positions are compared within a field. What mixes words and joins, or ends with the start of a
/// term after others, is looked for by its parts: then texts must be looked at.
pub(super) fn compile(steps: &[Step], fields: &Fields) -> Compiled {
    if let [step] = steps {
        return Compiled { query: one(step, fields), exact: true };
    }
    let (open, whole): (Vec<&Step>, Vec<&Step>) = steps.iter().partition(|step| step.prefix);
    let (words, joins): (Vec<&Step>, Vec<&Step>) =
        whole.into_iter().partition(|step| step.stream == Stream::Words);
    let exact = open.is_empty() && (words.is_empty() || joins.is_empty());
    let mut queries: Vec<Box<dyn Query>> = Vec::new();
    for row in [words, joins] {
        match row.as_slice() {
            [] => {}
            [step] => queries.push(one(step, fields)),
            row => {
                let row = row.iter().map(|step| (step.offset as usize, term(step, fields)));
                queries.push(Box::new(PhraseQuery::new_with_offset(row.collect())));
            }
        }
    }
    queries.extend(open.into_iter().map(|step| one(step, fields)));
    Compiled { query: all(queries), exact }
}

fn one(step: &Step, fields: &Fields) -> Box<dyn Query> {
    if step.prefix {
        let which = Which::Starting(step.term.as_bytes().into());
        return Box::new(Dictionary::new(field(step, fields), which));
    }
    Box::new(TermQuery::new(term(step, fields), IndexRecordOption::WithFreqs))
}

fn term(step: &Step, fields: &Fields) -> Term {
    Term::from_field_text(field(step, fields), &step.term)
}

fn field(step: &Step, fields: &Fields) -> Field {
    match step.stream {
        Stream::Words => fields.words,
        Stream::Joins => fields.joins,
    }
}
