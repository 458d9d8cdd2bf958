//! Ids, hashes, closed lists and error codes that all of vox shares.
//!
//! Nothing here reads or writes; every other crate may depend on it.

mod call;
mod closed;
mod error;
mod hash;
mod ids;

pub use call::{CallNo, call_number};
pub use closed::{
    CutForm, Fidelity, ItemKind, LinkKind, OverlayKind, QuarantineReason, Role, Tier, WindowKind,
};
pub use error::{Code, Error, Result};
pub use hash::{ChainHash, ContentHash};
pub use ids::{BlobRef, ItemId, RecordRef, Rest, RunNo, SymbolNo, WindowId, WindowNo};
