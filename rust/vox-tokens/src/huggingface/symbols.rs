//! How many symbols a character becomes at most, through all normalisers and whatever stands
//! around it.
//!
//! The steps of a pipeline are gone through from its end: each turns "what a character costs after
//! it" into "what it costs before it". `contracts/counting.md` says why a sum of such costs bounds
//! the tokens.

use super::{
    added::Added,
    find::Pattern,
    models::{ByteTokens, bpe::Unknown},
    normalise::{
        Normaliser, bert, forms::Form, is_accent, nmt_drops, nmt_maps, precompiled::Precompiled,
    },
    pipeline::{Model, Pipeline},
    pre_tokenise::{PreTokeniser, Prepend},
};
use crate::{
    bound::{Form as BoundForm, Symbols},
    bytes,
    trie::Trie,
};

/// What a character costs.
type Cost<'p> = Box<dyn Fn(char) -> u32 + 'p>;

/// The bound of a pipeline.
pub fn of(pipeline: &Pipeline) -> Symbols {
    if let (Model::Bytes(_), [PreTokeniser::ByteLevel { add_prefix_space: false, .. }]) =
        (&pipeline.model, &*pipeline.pre_tokenisers)
        && let Some(symbols) = of_bytes(&pipeline.normalisers)
    {
        return symbols;
    }
    let mut cost = of_model(&pipeline.model);
    // What is put before each stretch between added tokens.
    let mut before_stretch = 0;
    for (at, step) in pipeline.pre_tokenisers.iter().enumerate().rev() {
        let prefix;
        (cost, prefix) = before_pre_tokeniser(step, cost, &pipeline.model);
        if at == 0 {
            before_stretch = prefix;
        } else if prefix > 0 {
            let after = cost;
            cost = Box::new(move |c| after(c) + prefix);
        }
    }
    cost = before_added(pipeline.added_normalised.tokens(), cost, before_stretch);
    for normaliser in pipeline.normalisers.iter().rev() {
        if let Normaliser::Prepend(prefix) = normaliser {
            before_stretch += prefix.chars().map(&cost).sum::<u32>();
        }
        cost = before_normaliser(normaliser, cost);
    }
    cost = before_added(pipeline.added.tokens(), cost, before_stretch);
    Symbols::by_character(cost).with_start(u64::from(before_stretch))
}

/// The tighter bound of byte-level models that only normalise to form C, or not at all.
fn of_bytes(normalisers: &[Normaliser]) -> Option<Symbols> {
    match normalisers {
        [] => Some(Symbols::bytes()),
        [Normaliser::Form(Form::Nfc)] => Some(Symbols::normalized_bytes(BoundForm::Nfc)),
        _ => None,
    }
}

fn of_model(model: &Model) -> Cost<'_> {
    match model {
        Model::Bytes(_) => Box::new(|c| c.len_utf8() as u32),
        Model::Characters(model, merges) => {
            let engine = vox_bpe::Bpe::new(merges.vocabulary());
            Box::new(move |c| {
                let known = engine.is_symbol(c.encode_utf8(&mut [0; 4]).as_bytes());
                if known { 1 } else { of_unknown(&model.unknown, c.len_utf8()) }
            })
        }
        Model::Ordered { model, trie, .. } => {
            let (prefix, suffix) = (&*model.prefix, &*model.suffix);
            Box::new(move |c| {
                let trie = Trie(trie.words());
                let forms = [("", ""), ("", suffix), (prefix, ""), (prefix, suffix)];
                let known = forms.iter().all(|(prefix, suffix)| {
                    trie.get(format!("{prefix}{c}{suffix}").as_bytes()).is_some()
                });
                let longest = prefix.len() + c.len_utf8() + suffix.len();
                if known { 1 } else { of_unknown(&model.unknown, longest) }
            })
        }
        // A token is at least a character. What is unknown may become its bytes, and so may the
        // name of the unknown token where it stands beside something unknown.
        Model::Unigram { model, trie, .. } if model.bytes.is_some() => Box::new(move |c| {
            let known = Trie(trie.words()).get(c.encode_utf8(&mut [0; 4]).as_bytes()).is_some();
            if known && !model.unknown_text.contains(c) { 1 } else { c.len_utf8() as u32 }
        }),
        Model::Unigram { .. } | Model::WordPiece(..) | Model::WordLevel(..) => Box::new(|_| 1),
    }
}

fn of_unknown(unknown: &Unknown, bytes: usize) -> u32 {
    if unknown.bytes.as_ref().is_some_and(|known: &ByteTokens| known.ids().next().is_some()) {
        bytes as u32
    } else {
        1
    }
}

/// The cost before a pre-tokeniser, and what it puts before a piece.
fn before_pre_tokeniser<'p>(
    step: &'p PreTokeniser,
    after: Cost<'p>,
    model: &Model,
) -> (Cost<'p>, u32) {
    match step {
        PreTokeniser::ByteLevel { add_prefix_space, .. } => {
            let cost: Cost = if matches!(model, Model::Bytes(_)) {
                after
            } else {
                Box::new(move |c| of_byte_characters(&after, c))
            };
            let prefix = if *add_prefix_space { cost(' ') } else { 0 };
            (cost, prefix)
        }
        PreTokeniser::Metaspace { replacement, prepend, .. } => {
            let mark = after(*replacement);
            let prefix = if *prepend == Prepend::Never { 0 } else { mark };
            (Box::new(move |c| if c == ' ' { mark } else { after(c) }), prefix)
        }
        _ => (after, 0),
    }
}

fn of_byte_characters(after: &Cost, c: char) -> u32 {
    let encoded = c.encode_utf8(&mut [0; 4]).as_bytes().to_vec();
    encoded.iter().map(|&byte| after(bytes::CHARS[usize::from(byte)])).sum()
}

/// The cost before added tokens are looked for. A token is one, and a stretch may follow it; its
/// first character costs what the others leave open of that.
fn before_added<'p>(tokens: &'p [Added], after: Cost<'p>, before_stretch: u32) -> Cost<'p> {
    let mut more: Vec<(char, u32)> = tokens
        .iter()
        .filter(|token| !token.special)
        .filter_map(|token| {
            let characters: u32 = token.text.chars().map(|c| after(c).max(1)).sum();
            let open = (1 + before_stretch).saturating_sub(characters);
            token.text.chars().next().filter(|_| open > 0).map(|first| (first, open))
        })
        .collect();
    if more.is_empty() {
        return after;
    }
    more.sort_unstable();
    Box::new(move |c| {
        let same = more.partition_point(|&(first, _)| first <= c);
        let open = same.checked_sub(1).map(|at| more[at]).filter(|&(first, _)| first == c);
        after(c).max(1) + open.map_or(0, |(_, open)| open)
    })
}

fn before_normaliser<'p>(normaliser: &'p Normaliser, after: Cost<'p>) -> Cost<'p> {
    match normaliser {
        Normaliser::Bert(bert) => {
            let mut cost = after;
            if bert.lowercase {
                cost = lowercase(cost);
            }
            if bert.strip_accents {
                cost = form(Form::Nfd, cost);
            }
            if bert.chinese {
                let after = cost;
                let space = after(' ');
                cost =
                    Box::new(move |c| after(c) + if bert::is_chinese(c) { 2 * space } else { 0 });
            }
            if bert.clean {
                let after = cost;
                cost =
                    Box::new(move |c| if bert::is_dropped(c) { 0 } else { after(bert::clean(c)) });
            }
            cost
        }
        Normaliser::ByteLevel => Box::new(move |c| of_byte_characters(&after, c)),
        Normaliser::Form(to) => form(*to, after),
        Normaliser::Lowercase => lowercase(after),
        Normaliser::Nmt => Box::new(move |c| if nmt_drops(c) { 0 } else { after(nmt_maps(c)) }),
        Normaliser::Precompiled(map) => precompiled(map, after),
        Normaliser::Prepend(_) | Normaliser::Strip { .. } => after,
        Normaliser::Replace { pattern, content } => {
            let content: u32 = content.chars().map(&after).sum();
            let first = match pattern {
                Pattern::Literal(finder) => {
                    str::from_utf8(finder.needle()).ok().and_then(|text| text.chars().next())
                }
                _ => None,
            };
            Box::new(move |c| match first {
                Some(first) if first != c => after(c),
                _ => after(c).max(content),
            })
        }
        Normaliser::StripAccents => Box::new(move |c| if is_accent(c) { 0 } else { after(c) }),
    }
}

fn lowercase(after: Cost) -> Cost {
    Box::new(move |c| c.to_lowercase().map(&after).sum())
}

/// A text is what its characters decompose into, some of which are put together again. Where
/// that can cost more than the parts, the character that is added pays for it.
fn form(form: Form, after: Cost) -> Cost {
    let dearest = if form.composes() { dearest_composition(&after) } else { 0 };
    Box::new(move |c| {
        let mut cost = 0;
        form.decomposed(c, |part| {
            let alone = after(part);
            cost += if form.combines(part) { alone.max(dearest) } else { alone };
        });
        cost
    })
}

/// What the dearest character costs that others are put together to and that costs more than they
/// do; 0 if none does.
fn dearest_composition(after: &Cost) -> u32 {
    let mut dearest = 0;
    for c in ('\u{c0}'..'\u{30000}').filter(|&c| Form::Nfc.is_composed(c)) {
        let mut parts = 0;
        Form::Nfc.decomposed(c, |part| parts += after(part));
        if after(c) > parts {
            dearest = dearest.max(after(c));
        }
    }
    dearest
}

/// A group of characters that is replaced as one is paid by its first character.
fn precompiled<'p>(map: &'p Precompiled, after: Cost<'p>) -> Cost<'p> {
    Box::new(move |c| {
        let mut dearest = 0;
        let alone =
            map.each_replacement(c, |text| dearest = dearest.max(text.chars().map(&after).sum()));
        if alone { dearest } else { dearest.max(after(c)) }
    })
}
