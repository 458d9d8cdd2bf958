//! Asking an index: the best of what matches, all that matches, all that hold a content.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::Arc,
};

use roaring::RoaringTreemap;
use tantivy::{
    DocSet, TERMINATED, Term,
    query::{BooleanQuery, BoostQuery, EnableScoring, Occur, Query, TermQuery},
    schema::IndexRecordOption,
};
use vox_types::{Code, Error, ItemId, Result};

use super::{
    Admit, Facts,
    best::Best,
    columns::{Columns, Part},
    compile::{Compiled, compile},
    errors,
    fields::{Fields, shelf_of},
};
use crate::query::Node;

/// Where a wanted term stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Lane {
    /// Among the words of the text.
    Words,
    /// Among two words and what joins them.
    Joins,
    /// Among their stems.
    Stems,
    /// Among the files and symbols that the item touches.
    Touched,
}

/// A term that adds to a score where it stands.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Wanted<'a> {
    /// Where to look for it.
    pub lane: Lane,
    /// The term, as the analyser gives it.
    pub term: &'a str,
    /// What its share of the score is multiplied with.
    pub weight: f32,
}

/// A document and how well it matches.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ranked {
    /// The higher, the better. Scores of one question can be compared, no others.
    pub score: f32,
    /// The document.
    pub facts: Facts,
}

/// Everything that matches.
#[derive(Clone, PartialEq, Debug)]
pub struct Matched {
    /// The items.
    pub items: RoaringTreemap,
    /// Whether these are the hits; if not, each hit is among them, and each text must be looked at.
    pub exact: bool,
}

/// Answers questions from an index as it was when the index was opened. Cheap to clone.
#[derive(Clone)]
pub struct Searcher {
    searcher: tantivy::Searcher,
    columns: Arc<Vec<Columns>>,
    fields: Fields,
    folder: PathBuf,
}

impl std::fmt::Debug for Searcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Searcher").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl Searcher {
    pub(super) fn new(
        searcher: tantivy::Searcher,
        fields: Fields,
        folder: &Path,
    ) -> tantivy::Result<Self> {
        let columns = searcher.segment_readers().iter().map(Columns::open);
        let columns = Arc::new(columns.collect::<tantivy::Result<_>>()?);
        Ok(Self { searcher, columns, fields, folder: folder.to_owned() })
    }

    /// How many documents there are.
    pub fn documents(&self) -> u64 {
        self.searcher.num_docs()
    }

    /// Whether the documents that match `node` here are exactly those whose texts do. If not, all
    /// of those are among them, and `admit` or whoever calls must look at the texts.
    ///
    /// Errors: `invalid_argument` for an expression that can't be read.
    pub fn is_exact(&self, node: &Node) -> Result<bool> {
        Ok(compile(node, &self.fields)?.exact)
    }

    /// The `count` best documents that match `node` and are admitted, the best first; among equals
    /// the earlier item first. The score is BM25 over words and
    /// joins; a start of words adds the same wherever it stands.
    ///
    /// Errors: `invalid_argument` for an expression that can't be read; `damaged` and those of the
    /// system when the index can't be read.
    pub fn top(&self, node: &Node, admit: &impl Admit, count: usize) -> Result<Vec<Ranked>> {
        let Compiled { query, .. } = compile(node, &self.fields)?;
        self.best(&*query, admit, count)
    }

    /// The `count` best documents that hold any of the `wanted` terms and are admitted, the best
    /// first; among equals the earlier item first. The score of a document is the sum over the
    /// terms it holds, BM25 in words, joins and stems.
    ///
    /// Errors: as [`Searcher::top`].
    pub fn any_of(
        &self,
        wanted: &[Wanted<'_>],
        admit: &impl Admit,
        count: usize,
    ) -> Result<Vec<Ranked>> {
        let clauses = wanted.iter().map(|wanted| {
            let kept = match wanted.lane {
                Lane::Words | Lane::Joins | Lane::Stems => IndexRecordOption::WithFreqs,
                Lane::Touched => IndexRecordOption::Basic,
            };
            let term = TermQuery::new(self.term(wanted.lane, wanted.term), kept);
            let clause: Box<dyn Query> = match wanted.weight {
                1.0 => Box::new(term),
                weight => Box::new(BoostQuery::new(Box::new(term), weight)),
            };
            (Occur::Should, clause)
        });
        self.best(&BooleanQuery::new(clauses.collect()), admit, count)
    }

    /// How rare a term is: BM25's inverse document frequency.
    ///
    /// Errors: as [`Searcher::holding`].
    pub fn rarity(&self, lane: Lane, term: &str) -> Result<f32> {
        let having = self.read(|| self.searcher.doc_freq(&self.term(lane, term)))?;
        let parts = self.searcher.segment_readers().iter();
        let all: u64 = parts.map(|part| u64::from(part.max_doc())).sum();
        let (having, all) = (having as f32, all as f32);
        Ok((1.0 + (all - having + 0.5) / (having + 0.5)).ln())
    }

    /// All documents that match `node` and are admitted.
    ///
    /// Errors: as [`Searcher::top`].
    pub fn matching(&self, node: &Node, admit: &impl Admit) -> Result<Matched> {
        let Compiled { query, exact } = compile(node, &self.fields)?;
        let items = self.read(|| {
            let weight = query.weight(EnableScoring::disabled_from_searcher(&self.searcher))?;
            let mut found: Vec<u64> = Vec::new();
            for part in self.parts() {
                weight.for_each_no_score(part.reader, &mut |docs| {
                    part.columns.admitted(part.reader, docs, admit, &mut found);
                })?;
            }
            found.sort_unstable();
            Ok(found)
        })?;
        let items = RoaringTreemap::from_sorted_iter(items)
            .map_err(|_| Error::damaged(format!("{}: an item twice", self.folder.display())))?;
        Ok(Matched { items, exact })
    }

    /// The items whose content's hash begins with `content`, as [`super::Document::content`] has
    /// it, in order.
    ///
    /// Errors: `damaged` and those of the system when the index can't be read.
    pub fn holding(&self, content: u64) -> Result<Vec<ItemId>> {
        let term = Term::from_field_u64(self.fields.shelf, shelf_of(content));
        let mut found = self.read(|| {
            let mut found = Vec::new();
            for part in self.parts() {
                let postings = part
                    .reader
                    .inverted_index(self.fields.shelf)?
                    .read_postings(&term, IndexRecordOption::Basic)?;
                let Some(mut postings) = postings else { continue };
                while postings.doc() != TERMINATED {
                    let doc = postings.doc();
                    if part.columns.content(doc) == content && !part.reader.is_deleted(doc) {
                        found.push(part.columns.item(doc));
                    }
                    postings.advance();
                }
            }
            Ok(found)
        })?;
        found.sort_unstable();
        Ok(found)
    }

    fn term(&self, lane: Lane, term: &str) -> Term {
        let field = match lane {
            Lane::Words => self.fields.words,
            Lane::Joins => self.fields.joins,
            Lane::Stems => self.fields.stems,
            Lane::Touched => self.fields.touched,
        };
        Term::from_field_text(field, term)
    }

    fn best(&self, query: &dyn Query, admit: &impl Admit, count: usize) -> Result<Vec<Ranked>> {
        if count == 0 {
            return Ok(Vec::new());
        }
        self.read(|| {
            let weight = query.weight(EnableScoring::enabled_from_searcher(&self.searcher))?;
            let mut best = Best::new(count);
            for part in self.parts() {
                best.add(&*weight, &part, admit)?;
            }
            Ok(best.ranked())
        })
    }

    fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        let readers = self.searcher.segment_readers().iter();
        readers.zip(&*self.columns).map(|(reader, columns)| Part { reader, columns })
    }

    /// Runs `read`. Bytes that are damaged make tantivy panic; that is an error here.
    fn read<T>(&self, read: impl FnOnce() -> tantivy::Result<T>) -> Result<T> {
        match catch_unwind(AssertUnwindSafe(read)) {
            Ok(result) => result.map_err(|error| errors::error(&error, &self.folder)),
            Err(_) => Err(Error::new(
                Code::Damaged,
                format!(
                    "{}: the search index is damaged; `vox archive reindex` makes it anew",
                    self.folder.display()
                ),
            )),
        }
    }
}
