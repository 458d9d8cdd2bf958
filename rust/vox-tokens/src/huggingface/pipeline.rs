//! From text to tokens: added tokens, normalising, cutting, the model.

use std::sync::{Arc, OnceLock};

use vox_bpe::{Scratch, Vocabulary};
use vox_types::Result;

use super::{
    added::{Finder, Part},
    components,
    fast::Fast,
    models::{
        Tokens,
        bpe::{self, Characters, Ordered},
        unigram::{Lattice, Unigram},
        word_level::WordLevel,
        word_piece::WordPiece,
    },
    normalise::Normaliser,
    plan::{ModelPlan, Plan, table},
    pre_tokenise::{Pieces, PreTokeniser},
    symbols,
    text::Normal,
};
use crate::{
    Encoding, Worker,
    bound::Symbols,
    compiled::{Form, Table},
    encoding::first_cut,
    merges::Merges,
    trie::Trie,
};

/// A tokenizer as a file describes it.
pub struct Pipeline {
    pub(super) added: Finder,
    pub(super) normalisers: Vec<Normaliser>,
    pub(super) added_normalised: Finder,
    pub(super) pre_tokenisers: Vec<PreTokeniser>,
    pub(super) model: Model,
    fast: Option<Fast>,
    symbols: OnceLock<Symbols>,
}

/// A model with its tables.
pub(super) enum Model {
    Bytes(Arc<Merges>),
    Characters(Characters, Arc<Merges>),
    Ordered { model: Ordered, trie: Table, merges: Table },
    Unigram { model: Unigram, trie: Table, scores: Table },
    WordPiece(WordPiece, Table),
    WordLevel(WordLevel, Table),
}

impl Pipeline {
    /// The tokenizer that was compiled.
    ///
    /// # Errors
    ///
    /// `malformed` if the plan or a table isn't what compiling writes.
    pub fn new(compiled: &Form<Plan>) -> Result<Self> {
        let plan = &compiled.plan;
        let mut normalisers = Vec::new();
        if let Some(value) = &plan.normalizer {
            components::normalisers(value, &mut normalisers)?;
        }
        let mut pre_tokenisers = Vec::new();
        if let Some(value) = &plan.pre_tokenizer {
            components::pre_tokenisers(value, &mut pre_tokenisers)?;
        }
        let trie = || compiled.table(table::TRIE);
        let merges = || {
            let vocabulary = Vocabulary::open(Arc::new(compiled.table(table::VOCABULARY)))?;
            if plan.late.is_empty() {
                return Ok(Arc::new(Merges::new(vocabulary)));
            }
            let ordered = Vocabulary::open(Arc::new(compiled.table(table::ORDERED)))?;
            Merges::with_late(vocabulary, &plan.late, ordered).map(Arc::new)
        };
        let model = match plan.model.clone() {
            ModelPlan::Bytes => Model::Bytes(merges()?),
            ModelPlan::Characters(model) => Model::Characters(model, merges()?),
            ModelPlan::Ordered(model) => {
                Model::Ordered { model, trie: trie(), merges: compiled.table(table::MERGES) }
            }
            ModelPlan::Unigram(model) => {
                Model::Unigram { model, trie: trie(), scores: compiled.table(table::SCORES) }
            }
            ModelPlan::WordPiece(model) => Model::WordPiece(model, trie()),
            ModelPlan::WordLevel(model) => Model::WordLevel(model, trie()),
        };
        let fast = match &model {
            Model::Bytes(merges) => Fast::new(plan.pre_tokenizer.as_ref(), merges),
            _ => None,
        };
        Ok(Self {
            added: Finder::new(plan.added.clone())?,
            normalisers,
            added_normalised: Finder::new(plan.added_normalised.clone())?,
            pre_tokenisers,
            model,
            fast,
            symbols: OnceLock::new(),
        })
    }
}

impl Encoding for Pipeline {
    fn worker(self: Arc<Self>) -> Box<dyn Worker> {
        Box::new(PipelineWorker { pipeline: self, memory: Memory::default() })
    }

    fn symbols(&self) -> Symbols {
        self.symbols.get_or_init(|| symbols::of(self)).clone()
    }

    /// Where the fast way's pieces part, if an ASCII character follows, with which nothing before
    /// it combines, and no added token spans the place.
    fn cut(&self, bytes: &[u8], from: usize) -> Option<usize> {
        let forms = self.normalisers.iter().all(|n| matches!(n, Normaliser::Form(_)));
        if !forms || !self.added_normalised.is_empty() || self.added.looks_around() {
            return None;
        }
        let fast = self.fast.as_ref().filter(|fast| fast.is_plain())?;
        first_cut(
            from,
            |from| fast.encoding.cut(bytes, from),
            |place| bytes.get(place).is_some_and(u8::is_ascii) && !self.added.spans(bytes, place),
        )
    }
}

struct PipelineWorker {
    pipeline: Arc<Pipeline>,
    memory: Memory,
}

/// What is used again for each piece.
#[derive(Default)]
struct Memory {
    fast: Option<Box<dyn Worker>>,
    scratch: Scratch,
    lattice: Lattice,
    ids: Vec<u32>,
}

/// What is wanted of a text.
struct Goal<'a> {
    tokens: Tokens<'a>,
    /// Nothing more is wanted when there are more.
    limit: u64,
    /// A bound will do.
    bound: bool,
}

impl Goal<'_> {
    fn is_open(&self) -> bool {
        self.tokens.count <= self.limit
    }
}

impl Worker for PipelineWorker {
    fn count(&mut self, text: &str, limit: u64) -> u64 {
        self.run(text, Goal { tokens: Tokens { count: 0, ids: None }, limit, bound: false })
    }

    fn encode(&mut self, text: &str, ids: &mut Vec<u32>) {
        let tokens = Tokens { count: 0, ids: Some(ids) };
        self.run(text, Goal { tokens, limit: u64::MAX, bound: false });
    }

    /// Where the fast way isn't open this is the count itself.
    fn tight_bound(&mut self, text: &str) -> u64 {
        let tokens = Tokens { count: 0, ids: None };
        self.run(text, Goal { tokens, limit: u64::MAX, bound: true })
    }
}

impl PipelineWorker {
    fn run(&mut self, text: &str, mut goal: Goal) -> u64 {
        let Self { pipeline, memory } = self;
        pipeline.added.each_part(text, |part| {
            match part {
                Part::Token(id) => goal.tokens.push(id),
                Part::Text(start, end) => {
                    pipeline.stretch(&text[start..end], start == 0, memory, &mut goal);
                }
            }
            goal.is_open()
        });
        goal.tokens.count
    }
}

impl Pipeline {
    /// A stretch of the original between added tokens.
    fn stretch(&self, text: &str, at_start: bool, memory: &mut Memory, goal: &mut Goal) {
        if self.added_normalised.is_empty() && self.normalisers.iter().all(|n| n.keeps(text)) {
            self.normalised(text, Normal::origin_of(text, at_start), memory, goal);
            return;
        }
        let mut normal = Normal::new(text, at_start);
        self.normalisers.iter().for_each(|normaliser| normaliser.normalise(&mut normal));
        self.added_normalised.each_part(&normal.text, |part| {
            match part {
                Part::Token(id) => goal.tokens.push(id),
                Part::Text(start, end) => {
                    let origin = normal.origin.saturating_sub(start).min(end - start);
                    self.normalised(&normal.text[start..end], origin, memory, goal);
                }
            }
            goal.is_open()
        });
    }

    /// A stretch that is normalised; so many bytes of it stem from the first character.
    fn normalised(&self, text: &str, origin: usize, memory: &mut Memory, goal: &mut Goal) {
        if let Some(fast) = &self.fast
            && fast.fits(text)
        {
            let worker = memory.fast.get_or_insert_with(|| fast.encoding.clone().worker());
            if fast.prefix && !text.is_empty() && !text.starts_with(' ') {
                fast_way(&mut **worker, &format!(" {text}"), goal);
            } else {
                fast_way(&mut **worker, text, goal);
            }
            return;
        }
        let mut pieces = Pieces::new(Normal { text: text.to_owned(), origin });
        for (at, pre_tokeniser) in self.pre_tokenisers.iter().enumerate() {
            let is_last = at + 1 == self.pre_tokenisers.len();
            // This model takes bytes as they are.
            if is_last && matches!(self.model, Model::Bytes(_)) {
                pre_tokeniser.split_bytes(&mut pieces);
            } else {
                pre_tokeniser.split(&mut pieces);
            }
        }
        for piece in &pieces.pieces {
            self.model.tokenise(&pieces.text[piece.clone()], memory, &mut goal.tokens);
            if !goal.is_open() {
                return;
            }
        }
    }
}

fn fast_way(worker: &mut dyn Worker, text: &str, goal: &mut Goal) {
    let tokens = &mut goal.tokens;
    if let Some(ids) = &mut tokens.ids {
        let before = ids.len();
        worker.encode(text, ids);
        tokens.count += (ids.len() - before) as u64;
    } else if goal.bound {
        tokens.count += worker.tight_bound(text);
    } else {
        tokens.count += worker.count(text, goal.limit - tokens.count);
    }
}

impl Model {
    fn tokenise(&self, piece: &str, memory: &mut Memory, tokens: &mut Tokens) {
        match self {
            Self::Bytes(merges) => {
                bpe::tokenise(&merges.engine(), piece.as_bytes(), &mut memory.scratch, tokens);
            }
            Self::Characters(model, merges) => {
                model.tokenise(merges, piece, &mut memory.scratch, tokens);
            }
            Self::Ordered { model, trie, merges } => {
                let trie = Trie(trie.words());
                model.tokenise(trie, merges.words(), piece, &mut memory.ids, tokens);
            }
            Self::Unigram { model, trie, scores } => {
                let trie = Trie(trie.words());
                model.tokenise(trie, scores.numbers(), piece, &mut memory.lattice, tokens);
            }
            Self::WordPiece(model, trie) => {
                model.tokenise(Trie(trie.words()), piece, &mut memory.ids, tokens);
            }
            Self::WordLevel(model, trie) => {
                model.tokenise(Trie(trie.words()), piece.as_bytes(), tokens);
            }
        }
    }
}
