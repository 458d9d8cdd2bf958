//! Interned text.

use std::collections::HashMap;

use heed::{RoTxn, RwTxn};
use vox_format::cursor::only_u32;
use vox_types::{Error, SymbolNo};

use super::windows::short_hash;
use crate::{
    fault::Fallible,
    tables::{Tables, next_number},
};

/// The text of a symbol; none for 0.
pub fn text<'t>(tables: &Tables, txn: &'t RoTxn<'_>, no: SymbolNo) -> Fallible<Option<&'t str>> {
    if no == 0 {
        return Ok(None);
    }
    match tables.symbols.get(txn, &no.to_be_bytes())? {
        Some(text) => match std::str::from_utf8(text) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(Error::damaged(format!("symbol {no} isn't UTF-8")).into()),
        },
        None => Err(Error::damaged(format!("symbol {no} is missing")).into()),
    }
}

/// The symbol of `text`, if it has one.
pub fn find(tables: &Tables, txn: &RoTxn<'_>, text: &str) -> Fallible<Option<SymbolNo>> {
    match tables.symbol_ids.get(txn, &short_hash(text))? {
        Some(no) => Ok(Some(only_u32(no, "a row of symbol_ids")?)),
        None => Ok(None),
    }
}

/// Gives texts their symbols within one transaction.
#[derive(Default)]
pub(crate) struct Interner(HashMap<String, SymbolNo>);

impl Interner {
    /// The symbol of `text`, made if it is new; 0 for none.
    pub fn intern(
        &mut self,
        tables: &Tables,
        txn: &mut RwTxn<'_>,
        text: Option<&str>,
    ) -> Fallible<SymbolNo> {
        let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(0) };
        if let Some(no) = self.0.get(text) {
            return Ok(*no);
        }
        let no = match find(tables, txn, text)? {
            Some(no) => no,
            None => {
                let no = next_number(tables.symbols, txn, 1, "a symbol")?;
                tables.symbols.put(txn, &no.to_be_bytes(), text.as_bytes())?;
                tables.symbol_ids.put(txn, &short_hash(text), &no.to_le_bytes())?;
                no
            }
        };
        self.0.insert(text.to_owned(), no);
        Ok(no)
    }
}
