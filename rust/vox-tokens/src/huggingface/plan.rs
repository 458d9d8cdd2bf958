//! From a file to what counting needs: a plan, which is small, and tables, which are mapped.

use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use vox_bpe::{Merging, NONE, Source, Vocabulary, merging};
use vox_types::Result;

use super::{
    added::Added,
    components,
    models::{
        ByteTokens, WORD_MARK,
        bpe::{Characters, Ordered, Unknown},
        unigram::Unigram,
        word_level::WordLevel,
        word_piece::WordPiece,
    },
    normalise::Normaliser,
    parse::{AddedToken, File, Kind, Merge, Model, Vocab, malformed, unsupported},
    text::Normal,
};
use crate::{bytes, compiled, text::shown, trie};

/// Everything but the tables.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Plan {
    pub normalizer: Option<Value>,
    pub pre_tokenizer: Option<Value>,
    /// Looked for in the text as it is.
    pub added: Vec<Added>,
    /// Looked for in normalised text.
    pub added_normalised: Vec<Added>,
    /// Texts of tokens that only the slower of two vocabularies forms.
    pub late: Vec<Vec<u8>>,
    pub model: ModelPlan,
}

/// How a model works.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum ModelPlan {
    /// BPE over bytes, all of which are known.
    Bytes,
    /// BPE over characters.
    Characters(Characters),
    /// BPE with what the other two can't do.
    Ordered(Ordered),
    Unigram(Unigram),
    WordPiece(WordPiece),
    WordLevel(WordLevel),
}

/// The tables of a model; which are used depends on the plan.
#[derive(Default)]
struct Tables {
    /// A compiled byte-pair vocabulary.
    vocabulary: Vec<u64>,
    /// The same with merges that come before what forms their parts, if there are any.
    ordered: Vec<u64>,
    /// The texts that those merges form.
    late: Vec<Vec<u8>>,
    /// All tokens.
    trie: Vec<u64>,
    /// Merges with their order.
    merges: Vec<u64>,
    /// Scores by id.
    scores: Vec<u64>,
}

/// Which table of a compiled form is which.
pub mod table {
    pub const VOCABULARY: usize = 0;
    pub const TRIE: usize = 1;
    pub const MERGES: usize = 2;
    pub const SCORES: usize = 3;
    pub const ORDERED: usize = 4;
}

/// Compiles a file.
///
/// # Errors
///
/// `unsupported` if a part of it isn't covered; `malformed` if it contradicts itself.
pub fn compile(file: File) -> Result<(Plan, compiled::Tables)> {
    let File { normalizer, pre_tokenizer, added_tokens, model, .. } = file;
    let mut normalisers = Vec::new();
    if let Some(value) = &normalizer {
        components::normalisers(value, &mut normalisers)?;
    }
    let mut pre_tokenisers = Vec::new();
    if let Some(value) = &pre_tokenizer {
        components::pre_tokenisers(value, &mut pre_tokenisers)?;
    }
    let last_is_bytes = match pre_tokenisers.last() {
        Some(last) => matches!(last, super::pre_tokenise::PreTokeniser::ByteLevel { .. }),
        None => false,
    };
    let kind = model.kind()?;
    let known = Known::new(&model, kind)?;
    let (added, added_normalised) = added(&added_tokens, &known, &normalisers);
    let mut tables = Tables::default();
    let model = match kind {
        Kind::Bpe => bpe(&model, &known, last_is_bytes, &mut tables)?,
        Kind::Unigram => unigram(&model, &known, &mut tables)?,
        Kind::WordPiece => {
            let required = |field: &str| malformed(format!("a WordPiece without {field}"));
            ModelPlan::WordPiece(WordPiece {
                unknown: known.unknown(&model)?,
                prefix: model
                    .continuing_subword_prefix
                    .clone()
                    .ok_or_else(|| required("continuing_subword_prefix"))?,
                longest_word: model
                    .max_input_chars_per_word
                    .ok_or_else(|| required("max_input_chars_per_word"))?,
            })
        }
        Kind::WordLevel => ModelPlan::WordLevel(WordLevel { unknown: known.unknown(&model)? }),
    };
    if tables.vocabulary.is_empty() {
        tables.trie = known.trie();
    }
    let Tables { vocabulary, ordered, late, trie, merges, scores } = tables;
    let plan = Plan { normalizer, pre_tokenizer, added, added_normalised, late, model };
    Ok((plan, [vocabulary, trie, merges, scores, ordered]))
}

/// The tokens of a model.
struct Known<'m> {
    ids: HashMap<&'m str, u32>,
    /// One more than the highest id.
    end: usize,
    /// How many the library counts, which is where ids of further added tokens begin.
    size: usize,
}

impl<'m> Known<'m> {
    fn new(model: &'m Model, kind: Kind) -> Result<Self> {
        let (ids, size): (HashMap<&str, u32>, _) = match (&model.vocab, kind) {
            (Vocab::Ids(tokens), Kind::Bpe | Kind::WordPiece | Kind::WordLevel) => {
                let ids: HashMap<_, _> = tokens.iter().map(|(token, id)| (&**token, *id)).collect();
                let size = ids.len();
                (ids, size)
            }
            (Vocab::Scored(tokens), Kind::Unigram) => {
                (tokens.iter().map(|(token, _)| &**token).zip(0..).collect(), tokens.len())
            }
            _ => return Err(malformed("its vocab is of another kind than its model")),
        };
        let end = ids.values().max().map_or(0, |&highest| highest as usize + 1);
        if end > NONE as usize {
            return Err(unsupported("vocabulary", &format!("of {end} ids, more than {NONE}")));
        }
        Ok(Self { ids, end, size })
    }

    fn get(&self, token: &str) -> Option<u32> {
        self.ids.get(token).copied()
    }

    /// The unknown token of a model that can't do without.
    fn unknown(&self, model: &Model) -> Result<u32> {
        let name =
            model.unk_token.as_deref().ok_or_else(|| malformed("a model without unk_token"))?;
        self.get(name).ok_or_else(|| {
            malformed(format!(
                "its unk_token \"{}\" isn't in its vocab, so some texts have no tokens",
                shown(name)
            ))
        })
    }

    fn trie(&self) -> Vec<u64> {
        trie::build(self.ids.iter().map(|(token, &id)| (token.as_bytes(), id)))
    }
}

/// The added tokens with the ids that the tokenizers library gives them: a token of the model
/// keeps its own, others get the next free ones. Of two with one id the later counts.
fn added(
    tokens: &[AddedToken],
    known: &Known,
    normalisers: &[Normaliser],
) -> (Vec<Added>, Vec<Added>) {
    let mut ids: HashMap<&str, u32> = HashMap::new();
    let mut by_id: HashMap<u32, &AddedToken> = HashMap::new();
    let mut special: Vec<&str> = Vec::new();
    let mut next = known.size as u32;
    for token in tokens.iter().filter(|token| !token.content.is_empty()) {
        let content = &*token.content;
        let id = ids.get(content).copied().or_else(|| known.get(content)).unwrap_or_else(|| {
            next += 1;
            next - 1
        });
        ids.insert(content, id);
        by_id.insert(id, token);
        if token.special {
            special.push(content);
        }
    }
    special.sort_unstable();
    let (mut raw, mut normalised) = (Vec::new(), Vec::new());
    for (id, token) in by_id {
        let mut text = Normal::new(&token.content, true);
        if token.normalized {
            normalisers.iter().for_each(|normaliser| normaliser.normalise(&mut text));
        }
        let list = if token.normalized { &mut normalised } else { &mut raw };
        list.push(Added {
            id,
            text: text.text,
            single_word: token.single_word,
            strips_left: token.lstrip,
            strips_right: token.rstrip,
            special: special.binary_search(&&*token.content).is_ok(),
        });
    }
    raw.sort_by_key(|token| token.id);
    normalised.sort_by_key(|token| token.id);
    (raw, normalised)
}

fn unigram(model: &Model, known: &Known, tables: &mut Tables) -> Result<ModelPlan> {
    let Vocab::Scored(tokens) = &model.vocab else {
        return Err(malformed("a Unigram without scores"));
    };
    let unknown = model.unk_id.filter(|&id| id < tokens.len()).ok_or_else(|| {
        malformed("its unk_id is missing or names no token, so some texts have no tokens")
    })?;
    tables.scores = tokens.iter().map(|(_, score)| score.to_bits()).collect();
    let bytes = model.byte_fallback == Some(true);
    Ok(ModelPlan::Unigram(Unigram {
        unknown: unknown as u32,
        unknown_text: tokens[unknown].0.to_string(),
        lowest_score: tokens.iter().map(|(_, score)| *score).fold(
            f64::INFINITY,
            |lowest, score| {
                if score < lowest { score } else { lowest }
            },
        ),
        bytes: bytes.then(|| ByteTokens::find(|token| known.get(token))),
    }))
}

/// Merges by ids: left, right, what they become. Of a pair that stands twice the last one counts.
fn merges(model: &Model, known: &Known) -> Result<Vec<[u32; 3]>> {
    let prefix = model.continuing_subword_prefix.as_deref().unwrap_or_default();
    let entries = model.merges.as_ref().ok_or_else(|| malformed("a BPE without merges"))?;
    let id = |token: &str| {
        known.get(token).ok_or_else(|| {
            malformed(format!("a merge has \"{}\", which is no token", shown(token)))
        })
    };
    let mut joined = String::new();
    let mut merges = Vec::with_capacity(entries.len());
    for entry in entries {
        let (left, right): (&str, &str) = match entry {
            Merge::Pair(left, right) => (left, right),
            Merge::Joined(line) if line.starts_with("#version") => continue,
            Merge::Joined(line) => {
                line.split_once(' ').filter(|(_, right)| !right.contains(' ')).ok_or_else(|| {
                    malformed(format!("the merge \"{}\" isn't two tokens", shown(line)))
                })?
            }
        };
        let rest = right.get(prefix.len()..).ok_or_else(|| {
            malformed(format!(
                "a merge has \"{}\", which is shorter than the prefix \"{}\"",
                shown(right),
                shown(prefix)
            ))
        })?;
        joined.clear();
        joined.push_str(left);
        joined.push_str(rest);
        merges.push([id(left)?, id(right)?, id(&joined)?]);
    }
    let mut last: HashMap<(u32, u32), usize> = HashMap::with_capacity(merges.len());
    for (at, &[left, right, _]) in merges.iter().enumerate() {
        last.insert((left, right), at);
    }
    if last.len() < merges.len() {
        let mut at = 0;
        merges.retain(|&[left, right, _]| {
            at += 1;
            last[&(left, right)] == at - 1
        });
    }
    Ok(merges)
}

fn bpe(model: &Model, known: &Known, bytes_come: bool, tables: &mut Tables) -> Result<ModelPlan> {
    if model.dropout.is_some_and(|dropout| dropout != 0.0) {
        return Err(unsupported("BPE option", "dropout"));
    }
    let merges = merges(model, known)?;
    let prefix = model.continuing_subword_prefix.clone().unwrap_or_default();
    let suffix = model.end_of_word_suffix.clone().unwrap_or_default();
    let whole_pieces = model.ignore_merges == Some(true);
    let plain = prefix.is_empty() && suffix.is_empty();
    // An id with two names can't be told apart by its text.
    let distinct = {
        let mut seen = vec![false; known.end];
        known.ids.values().all(|&id| !std::mem::replace(&mut seen[id as usize], true))
    };
    let all_bytes = bytes::CHARS.iter().all(|c| known.get(c.encode_utf8(&mut [0; 4])).is_some());
    if plain && distinct && bytes_come && all_bytes {
        let source = source(known, merges, whole_pieces, bytes::decode, |token| {
            token.chars().nth(1).is_none()
        });
        compile_merges(&source, tables)?;
        return Ok(ModelPlan::Bytes);
    }
    let unknown = Unknown {
        bytes: (model.byte_fallback == Some(true))
            .then(|| ByteTokens::find(|token| known.get(token))),
        token: model.unk_token.as_ref().map(|_| known.unknown(model)).transpose()?,
        fuse: model.fuse_unk == Some(true),
    };
    let stays_apart = {
        let bytes = unknown.bytes.iter().flat_map(ByteTokens::ids);
        let apart: Vec<u32> = bytes.chain(unknown.token).collect();
        merges.iter().all(|[left, right, _]| !apart.contains(left) && !apart.contains(right))
    };
    if plain && distinct && !whole_pieces && stays_apart && unknown.always_parts() {
        let text = |token: &str| Some(token.as_bytes().to_vec());
        let source = source(known, merges, false, text, |token| token.chars().nth(1).is_none());
        let before_mark = before_mark(known.ids.keys());
        compile_merges(&source, tables)?;
        return Ok(ModelPlan::Characters(Characters { unknown, before_mark }));
    }
    let ordered: Vec<(u32, u32, u32, u32)> = merges
        .iter()
        .zip(0..)
        .map(|(&[left, right, token], order)| (left, right, order, token))
        .collect();
    tables.merges = merging::table(&ordered);
    Ok(ModelPlan::Ordered(Ordered { unknown, prefix, suffix, whole_pieces }))
}

fn source(
    known: &Known,
    merges: Vec<[u32; 3]>,
    whole_pieces: bool,
    text: impl Fn(&str) -> Option<Vec<u8>>,
    is_symbol: impl Fn(&str) -> bool,
) -> Source {
    let mut tokens = vec![Vec::new(); known.end];
    let mut symbols = Vec::new();
    for (token, &id) in &known.ids {
        // What is no text of this kind never comes up.
        let Some(text) = text(token) else { continue };
        if is_symbol(token) && !token.is_empty() {
            symbols.push(id);
        }
        tokens[id as usize] = text;
    }
    symbols.sort_unstable();
    let merges = merges
        .into_iter()
        .filter(|merge| merge.iter().all(|&id| !tokens[id as usize].is_empty()))
        .collect();
    Source { tokens, symbols, merging: Merging::List(merges), whole_pieces }
}

/// The characters that stand before a [`WORD_MARK`] in some token, sorted.
fn before_mark<'t>(tokens: impl Iterator<Item = &'t &'t str>) -> Vec<char> {
    let mut found = BTreeSet::new();
    for token in tokens {
        for (at, _) in token.match_indices(WORD_MARK) {
            found.extend(token[..at].chars().next_back());
        }
    }
    found.into_iter().collect()
}

/// Compiles a source; where merges come late, also one without them, which has the fast way.
fn compile_merges(source: &Source, tables: &mut Tables) -> Result<()> {
    let late = vox_bpe::late(source)?;
    let Merging::List(merges) = &source.merging else { return Ok(()) };
    let texts = late.iter().map(|&at| source.tokens[merges[at][2] as usize].clone()).collect();
    let in_time = (0..).zip(merges).filter(|(at, _)| late.binary_search(at).is_err());
    let without = Source {
        merging: Merging::List(in_time.map(|(_, merge)| *merge).collect()),
        ..source.clone()
    };
    let (whole, fast) = rayon::join(
        || if late.is_empty() { Ok(None) } else { Vocabulary::compile(source).map(Some) },
        || Vocabulary::compile(&without),
    );
    let fast = fast?;
    match whole? {
        Some(whole) if fast.is_fast() => {
            tables.ordered = whole.as_words().to_vec();
            tables.late = texts;
            tables.vocabulary = fast.as_words().to_vec();
        }
        whole => tables.vocabulary = whole.unwrap_or(fast).as_words().to_vec(),
    }
    Ok(())
}
