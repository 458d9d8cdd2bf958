//! vox's own producers: agent sessions, chat, history.
//!
//! Each keeps rows in tables of its own. Its windows are a projection of these rows, written in the
//! same transaction, so that they stand beside those of other tools and can be made anew from the
//! rows. A content is kept once: the row and the item that shows it name the same blob, and count
//! a reference each.

mod chat;
mod contents;
mod fold;
mod heads;
mod history;
mod named;
mod purged;
mod sessions;

pub use chat::NewConversation;
pub use fold::{Folded, FoldedItem, State, fold, session_key};
pub(crate) use history::history_key;
pub use history::{Added, HistoryCaps, NewEntry, ShownEntry};
pub(crate) use named::named;
pub use purged::forget;
pub(crate) use purged::{forget_items, forget_window};
pub use sessions::{NewSessionEvent, Placed};
