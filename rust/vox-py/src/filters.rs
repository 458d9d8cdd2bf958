//! Filters as Python names them.

use pyo3::prelude::*;
use vox_core::{
    archive::{self, Scope},
    filter::{Filter, Trimmed},
    view::Columns,
};
use vox_types::{Code, Error, ItemKind, Result, Role, SymbolNo, Tier, WindowKind};

/// What a view of items shows.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct ItemFilter {
    roles: Vec<String>,
    kinds: Vec<String>,
    names: Vec<String>,
    since: Option<i64>,
    until: Option<i64>,
    trimmed: String,
    records: bool,
}

impl ItemFilter {
    /// The filter; `symbol` finds the symbol of a name.
    pub fn to_core(&self, symbol: impl Fn(&str) -> Result<Option<SymbolNo>>) -> Result<Filter> {
        let roles = self.roles.iter().map(|role| Role::from_name(role)).collect::<Result<_>>()?;
        let kinds =
            self.kinds.iter().map(|kind| ItemKind::from_name(kind)).collect::<Result<_>>()?;
        let mut names = Vec::new();
        for name in &self.names {
            names.extend(symbol(name)?);
        }
        Ok(Filter {
            roles: (!self.roles.is_empty()).then_some(roles),
            kinds: (!self.kinds.is_empty()).then_some(kinds),
            records: self.records,
            since: self.since,
            until: self.until,
            names: (!self.names.is_empty()).then_some(names),
            trimmed: match self.trimmed.as_str() {
                "hide" => Trimmed::Hide,
                "show" => Trimmed::Show,
                "only" => Trimmed::Only,
                other => {
                    return Err(Error::new(
                        Code::InvalidArgument,
                        format!("trimmed={other:?}; use one of: hide, show, only"),
                    ));
                }
            },
        })
    }
}

/// Which windows a list shows.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct WindowFilter {
    repo: Option<String>,
    kind: Option<String>,
    tier: Option<String>,
    since: Option<i64>,
    until: Option<i64>,
    tags: Vec<String>,
    deleted: bool,
}

impl WindowFilter {
    /// The filter; an error for a kind or tier that there isn't.
    pub fn into_core(self) -> Result<archive::WindowFilter> {
        Ok(archive::WindowFilter {
            repo: self.repo,
            kind: self.kind.as_deref().map(WindowKind::from_name).transpose()?,
            tier: self.tier.as_deref().map(Tier::from_name).transpose()?,
            since: self.since,
            until: self.until,
            tags: self.tags,
            deleted: self.deleted,
        })
    }
}

/// Which windows a timeline is about.
pub fn scope(repo: Option<String>, tier: Option<&str>) -> Result<Scope> {
    Ok(Scope { repo, tier: tier.map(Tier::from_name).transpose()? })
}

/// The columns that are wanted beside the usual ones.
pub fn wanted(preview: bool, hashes: bool) -> Columns {
    Columns { preview, content_hash: hashes, chain_hash: hashes }
}
