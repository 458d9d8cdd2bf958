//! Binding a window to a model.

use vox_format::rows::{Event, Route};
use vox_types::{Code, Error, Result, WindowNo};

use super::marks;
use crate::{
    Store, events,
    meta::now,
    spine::{symbols::Interner, windows},
};

/// The longest name of a model in characters. Judgement.
const LONGEST: usize = 500;

impl Store {
    /// Binds a window to a model, which no import changes; with none to that of its source again.
    /// Gives whether that changed anything. Durable on return.
    ///
    /// `not_found` if there is no such window, `invalid_argument` for what can't be a model.
    pub fn set_route(&self, window: WindowNo, model: Option<String>) -> Result<bool> {
        if let Some(model) = &model {
            check(model)?;
        }
        self.write(move |generation, txn| {
            let tables = &generation.tables;
            let old = marks::window(tables, txn, window)?;
            let mut row = old.clone();
            match &model {
                Some(model) => {
                    let symbol = Interner::default().intern(tables, txn, Some(model))?;
                    if !row.routed {
                        row.source_route = row.model_route;
                    }
                    (row.model_route, row.routed) = (symbol, true);
                }
                None if row.routed => {
                    (row.model_route, row.routed) = (row.source_route, false);
                    row.source_route = 0;
                }
                None => {}
            }
            if row == old {
                return Ok(false);
            }
            windows::put(tables, txn, window, Some(&old), &row)?;
            let (from, to) = (Route::of(&old), Route::of(&row));
            events::append(tables, txn, now(), Some(window), Event::Routed { from, to })?;
            Ok(true)
        })
    }
}

fn check(model: &str) -> Result<()> {
    let sound = !model.is_empty() && model.trim() == model && !model.chars().any(char::is_control);
    if sound && model.chars().count() <= LONGEST {
        return Ok(());
    }
    let says = format!(
        "{model:?} is no name of a model: it has 1 to {LONGEST} characters, no control character, \
         and neither begins nor ends with a space"
    );
    Err(Error::new(Code::InvalidArgument, says))
}
