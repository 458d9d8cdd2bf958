//! The analyser as tantivy calls it: one token is filled again and again, so that no term is
//! allocated.

use tantivy::tokenizer::{Token, TokenStream, Tokenizer, TokenizerManager};

use super::fields::{JOINS, STEMS, WORDS};
use crate::analyse::{self, Scratch, Stems};

/// The analysers of all fields.
pub(super) fn analysers() -> TokenizerManager {
    let analysers = TokenizerManager::default();
    analysers.register(WORDS, Analyser::<ToWords>::default());
    analysers.register(JOINS, Analyser::<ToJoins>::default());
    analysers.register(STEMS, Analyser::<ToStems>::default());
    analysers
}

/// What makes terms of a text.
trait Terms: Default + Send + Sync + 'static {
    fn visit(&mut self, text: &[u8], visit: impl FnMut(analyse::Token<'_>));
}

#[derive(Default)]
struct ToWords(Scratch);

impl Terms for ToWords {
    fn visit(&mut self, text: &[u8], visit: impl FnMut(analyse::Token<'_>)) {
        analyse::words(text, &mut self.0, visit);
    }
}

#[derive(Default)]
struct ToJoins(Scratch);

impl Terms for ToJoins {
    fn visit(&mut self, text: &[u8], visit: impl FnMut(analyse::Token<'_>)) {
        analyse::joins(text, &mut self.0, visit);
    }
}

#[derive(Default)]
struct ToStems(Stems);

impl Terms for ToStems {
    fn visit(&mut self, text: &[u8], visit: impl FnMut(analyse::Token<'_>)) {
        self.0.stems(text, visit);
    }
}

#[derive(Default)]
struct Analyser<T> {
    terms: T,
    token: Token,
}

impl<T: Terms> Clone for Analyser<T> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<T: Terms> Tokenizer for Analyser<T> {
    type TokenStream<'a> = Stream<'a, T>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Stream<'a, T> {
        Stream { text, analyser: self, pulled: None }
    }
}

struct Stream<'a, T> {
    text: &'a str,
    analyser: &'a mut Analyser<T>,
    /// What is left, the last first, for whoever takes tokens one by one.
    pulled: Option<Vec<Token>>,
}

impl<T: Terms> TokenStream for Stream<'_, T> {
    fn process(&mut self, sink: &mut dyn FnMut(&Token)) {
        let Analyser { terms, token } = &mut *self.analyser;
        terms.visit(self.text.as_bytes(), |found| {
            token.text.clear();
            token.text.push_str(found.term);
            token.position = found.position as usize;
            token.offset_from = found.start;
            token.offset_to = found.end;
            sink(token);
        });
    }

    fn advance(&mut self) -> bool {
        if self.pulled.is_none() {
            let mut all = Vec::new();
            self.process(&mut |token| all.push(token.clone()));
            all.reverse();
            self.pulled = Some(all);
        }
        match self.pulled.as_mut().and_then(Vec::pop) {
            Some(token) => {
                self.analyser.token = token;
                true
            }
            None => false,
        }
    }

    fn token(&self) -> &Token {
        &self.analyser.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.analyser.token
    }
}
