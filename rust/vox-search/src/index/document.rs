//! A document on its way to the threads that index.

use std::{
    iter,
    sync::{Arc, Condvar, Mutex, PoisonError},
};

use tantivy::schema::{
    Field,
    document::{self, ReferenceValue, ReferenceValueLeaf},
};

use super::{
    Document,
    fields::{Fields, shelf_of},
};

/// Bytes of text that may wait for being indexed. Judgement: some of the largest documents.
const WAITING: usize = 8 << 20;

/// How much text is on its way.
#[derive(Debug, Default)]
pub(super) struct Gate {
    waiting: Mutex<usize>,
    less: Condvar,
}

/// Room for a text that is on its way.
#[derive(Debug)]
struct Room {
    gate: Arc<Gate>,
    bytes: usize,
}

impl Room {
    /// Waits until there is room; a text that is larger than all room goes alone.
    fn wait(gate: &Arc<Gate>, bytes: usize) -> Self {
        let mut waiting = gate.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        while *waiting > 0 && *waiting + bytes > WAITING {
            waiting = gate.less.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
        *waiting += bytes;
        Self { gate: Arc::clone(gate), bytes }
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        *self.gate.waiting.lock().unwrap_or_else(PoisonError::into_inner) -= self.bytes;
        self.gate.less.notify_one();
    }
}

/// A document that owns what it holds.
#[derive(Debug)]
pub(super) struct Row {
    fields: Fields,
    item: u64,
    content: u64,
    time: i64,
    attributes: u64,
    name: u64,
    text: Box<str>,
    touched: Box<[String]>,
    only_words: bool,
    _room: Room,
}

impl Row {
    /// The row of `document`. Waits while too much text is on its way.
    pub(super) fn new(
        document: &Document<'_>,
        fields: Fields,
        only_words: bool,
        gate: &Arc<Gate>,
    ) -> Self {
        let room = Room::wait(gate, document.text.len());
        Self {
            fields,
            item: document.item.0,
            content: document.content,
            time: document.time,
            attributes: document.attributes.into(),
            name: document.name.into(),
            text: readable(document.text),
            touched: document.touched.into(),
            only_words,
            _room: room,
        }
    }
}

/// `text` with a space for each stretch that isn't UTF-8: it separates words as these do.
fn readable(text: &[u8]) -> Box<str> {
    match std::str::from_utf8(text) {
        Ok(text) => text.into(),
        Err(_) => {
            let mut readable = String::with_capacity(text.len());
            for chunk in text.utf8_chunks() {
                readable.push_str(chunk.valid());
                if !chunk.invalid().is_empty() {
                    readable.push(' ');
                }
            }
            readable.into()
        }
    }
}

/// A value of a row.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value<'a> {
    Number(u64),
    Time(i64),
    Text(&'a str),
}

impl<'a> document::Value<'a> for Value<'a> {
    type ArrayIter = iter::Empty<Self>;
    type ObjectIter = iter::Empty<(&'a str, Self)>;

    fn as_value(&self) -> ReferenceValue<'a, Self> {
        ReferenceValue::Leaf(match *self {
            Self::Number(number) => ReferenceValueLeaf::U64(number),
            Self::Time(time) => ReferenceValueLeaf::I64(time),
            Self::Text(text) => ReferenceValueLeaf::Str(text),
        })
    }
}

impl document::Document for Row {
    type Value<'a> = Value<'a>;
    type FieldsValuesIter<'a> = Box<dyn Iterator<Item = (Field, Value<'a>)> + 'a>;

    fn iter_fields_and_values(&self) -> Self::FieldsValuesIter<'_> {
        let fields = &self.fields;
        let fixed = [
            (fields.item, Value::Number(self.item)),
            (fields.time, Value::Time(self.time)),
            (fields.attributes, Value::Number(self.attributes)),
            (fields.name, Value::Number(self.name)),
            (fields.content, Value::Number(self.content)),
            (fields.shelf, Value::Number(shelf_of(self.content))),
            (fields.words, Value::Text(&self.text)),
            (fields.joins, Value::Text(&self.text)),
            (fields.stems, Value::Text(&self.text)),
        ];
        let touched = self.touched.iter().map(|term| (fields.touched, Value::Text(term)));
        let all = if self.only_words { fixed.len() - 2 } else { fixed.len() };
        Box::new(fixed.into_iter().take(all).chain(touched))
    }
}
