//! What an archive has to say to a question: items by rank, none of which must hold all of it.

use std::{collections::HashMap, sync::Arc};

use roaring::RoaringTreemap;
use vox_search::{
    index::{Facts, Index, Lane, Searcher},
    matcher::Matcher,
    query::{self, Atom, AtomKind, Node},
    question::Question,
};
use vox_types::{Code, Error, ItemId, Result};

use super::{
    Answer, SearchRequest, State,
    answer::Ranking,
    follow::Since,
    indexed::{self, Indexed},
    scan::{self, Only, Places, Scanned},
    scope::Scope,
};
use crate::{archive::Archive, chunks::Chunks};

/// The best items, of which it is looked how much of the question they hold. Judgement.
const LOOKED_AT: usize = 3;

/// Contents that are looked up at most at once. Judgement.
const MOST_CONTENTS: usize = 4096;

/// How to look for what a question is about.
#[derive(Clone, Debug)]
pub enum Way {
    /// By its words, and a little by their stems.
    Words,
    /// By the files and symbols that it names, in what tool calls touched.
    Touched,
    /// Items with one of these contents, by the first eight bytes of their hashes as little-endian
    /// numbers; the first ones are the best.
    Contents(Vec<u64>),
}

/// What was found.
pub struct Related {
    /// The items by rank. Without a usable index, those that hold any word of it, the newest first,
    /// or none: its state says so. What came since the index was made isn't among them and makes it
    /// stale.
    pub answer: Answer,
    /// How much of the question's words, weighed by how rare they are, the best items hold: the
    /// most of any, from 0 to 1. None where it wasn't looked for words, or there is no index.
    pub covered: Option<f32>,
}

impl Archive {
    /// At most `count` items in the scope of `request` that have to do with `question`. The query of
    /// `request` holds filters and no text.
    ///
    /// Errors: `invalid_argument` for a query that isn't one or that asks for a text, `not_found`
    /// for `in:` a window that there isn't.
    pub fn related(
        &self,
        request: &SearchRequest,
        question: &str,
        way: &Way,
        count: usize,
    ) -> Result<Related> {
        let query = query::parse(&request.query, request.now)?;
        if query.text.is_some() {
            let says = "only filters can stand beside a question, such as role:user or since:7d";
            return Err(Error::new(Code::InvalidArgument, says));
        }
        let (scope, index) = self.scope_and_index(&query, request)?;
        let asked = Asked { question, way, count, scope };
        let why = match index {
            Ok((index, since)) => match asked.by_rank(self, &index, &since) {
                Err(error) if indexed::of_index(error.code) => {
                    self.kept().forget_index();
                    error.message
                }
                found => return found,
            },
            Err(why) => why,
        };
        asked.by_time(self, request, why)
    }
}

/// A question and where to look.
struct Asked<'a> {
    question: &'a str,
    way: &'a Way,
    count: usize,
    scope: Arc<Scope>,
}

impl Asked<'_> {
    fn by_rank(&self, archive: &Archive, index: &Index, since: &Since) -> Result<Related> {
        let searcher = index.searcher();
        let texts = Question::of_texts(self.question);
        let ranked = match self.way {
            Way::Words => self.best(&searcher, &texts)?,
            Way::Touched => self.best(&searcher, &Question::of_touched(self.question))?,
            Way::Contents(contents) => self.holding(&searcher, contents)?,
        };
        // What was purged since is no hit, whatever the index says.
        let found: RoaringTreemap = ranked.iter().map(|(item, _)| item.0).collect();
        let items = Places::of_items(archive, &self.scope, &found)?.items();
        let ranked: Vec<_> =
            ranked.into_iter().filter(|(item, _)| items.contains(item.0)).collect();

        let covered = match self.way {
            Way::Words => Some(covered(archive, &searcher, &texts, &ranked)?),
            Way::Touched | Way::Contents(_) => None,
        };
        let tail = since.shown(&self.scope);
        let behind = tail.iter().map(|part| u64::from(part.end - part.first)).sum();
        let state = if behind > 0 { State::Stale { behind } } else { State::Complete };
        let node = any_word(&texts);
        let matcher = node.as_ref().map(Matcher::new).transpose()?;
        let node = node.unwrap_or(Node::Or(Vec::new()));
        let unindexed = RoaringTreemap::new();
        let indexed = Some(Indexed { searcher, node, unindexed, tail });
        let ranking = Ranking::of(ranked);
        let answer = Answer::new(state, self.scope.clone(), matcher, indexed, Some(items), ranking);
        Ok(Related { answer, covered })
    }

    /// Those that the index ranks best.
    fn best(&self, searcher: &Searcher, question: &Question) -> Result<Vec<(ItemId, f32)>> {
        if question.is_empty() {
            return Ok(Vec::new());
        }
        let admit = |facts: &Facts| indexed::admits(&self.scope, facts);
        let ranked = searcher.any_of(&question.wanted(), &admit, self.count)?;
        Ok(ranked.into_iter().map(|ranked| (ranked.facts.item, ranked.score)).collect())
    }

    /// For each of `contents` the first item in scope that holds it.
    fn holding(&self, searcher: &Searcher, contents: &[u64]) -> Result<Vec<(ItemId, f32)>> {
        let mut found = Vec::new();
        for (place, content) in contents.iter().take(MOST_CONTENTS).enumerate() {
            if found.len() >= self.count {
                break;
            }
            let holding: RoaringTreemap =
                searcher.holding(*content)?.into_iter().map(|item| item.0).collect();
            let shown = |item: &u64| self.scope.shown.window_of(ItemId(*item)).is_some();
            if let Some(item) = holding.iter().find(shown) {
                #[expect(clippy::cast_precision_loss, reason = "a few thousand places")]
                found.push((ItemId(item), -(place as f32)));
            }
        }
        Ok(found)
    }

    /// Without an index: what holds any of its words, if it is looked for words.
    fn by_time(self, archive: &Archive, request: &SearchRequest, why: String) -> Result<Related> {
        let node = any_word(&Question::of_texts(self.question));
        let matcher = node.as_ref().map(Matcher::new).transpose()?;
        let (Way::Words, Some(matcher)) = (self.way, &matcher) else {
            let (state, nothing) = (State::NotIndexed { why }, Some(RoaringTreemap::new()));
            let answer = Answer::new(state, self.scope, matcher, None, nothing, Ranking::default());
            return Ok(Related { answer, covered: None });
        };
        let places =
            Places::of_stretches(archive, &self.scope, self.scope.shown.named(), Only::All)?;
        let Scanned { hits, searched, of } =
            scan::search(archive, &places, matcher, request.deadline)?;
        let state = match searched < of {
            true => State::Partial { searched, of },
            false => State::NotIndexed { why },
        };
        let matcher = node.as_ref().map(Matcher::new).transpose()?;
        let answer = Answer::new(state, self.scope, matcher, None, Some(hits), Ranking::default());
        Ok(Related { answer, covered: None })
    }
}

/// Any of the words of a question; none if it has none.
fn any_word(question: &Question) -> Option<Node> {
    let atom =
        |word: &str| Node::Atom(Atom { kind: AtomKind::Word, text: word.to_owned(), at: 0..0 });
    let words: Vec<Node> = question.words().map(atom).collect();
    (!words.is_empty()).then_some(Node::Or(words))
}

/// The most that any of the first few items holds of a question.
fn covered(
    archive: &Archive,
    searcher: &Searcher,
    question: &Question,
    ranked: &[(ItemId, f32)],
) -> Result<f32> {
    let rarity = question
        .words()
        .map(|word| Ok((word, searcher.rarity(Lane::Words, word)?)))
        .collect::<Result<HashMap<_, _>>>()?;
    let rarity = |word: &str| rarity.get(word).copied().unwrap_or(0.0);
    archive.store().snapshot(|snapshot| {
        let mut chunks = Chunks::of(snapshot);
        let mut texts = snapshot.blobs();
        let mut most = 0.0_f32;
        for (item, _) in ranked.iter().take(LOOKED_AT) {
            let (chunk, index) = chunks.at(*item)?;
            match texts.read(chunk.content_at(index)) {
                Ok(text) => most = most.max(question.covered(text, rarity)),
                Err(error) if error.code == Code::Purged => {}
                Err(error) => return Err(error),
            }
        }
        Ok(most)
    })
}
