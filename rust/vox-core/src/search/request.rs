//! What a search is asked.

use std::time::Instant;

/// A search.
#[derive(Clone, Debug, Default)]
pub struct SearchRequest {
    /// In the query language; see [`vox_search::query`].
    pub query: String,
    /// What times such as `7d` count from, UTC ms.
    pub now: i64,
    /// Only windows of one of these repositories, as the archive calls them, unless the query says
    /// itself where to look (`repo:`, `in:`); empty: of all.
    pub repos: Vec<String>,
    /// Whether windows of sub-agents are searched too. Those that the query asks for by name
    /// (`in:`, `is:subagent`) always are.
    pub sub_agents: bool,
    /// Only what the archive held when this event had happened, so that later pages of an answer
    /// show no items that came since; see [`super::Answer::as_of`].
    pub as_of: Option<u64>,
    /// When reading texts ends; what was found until then is the answer.
    pub deadline: Option<Instant>,
    /// Never uses the index.
    pub scan: bool,
}
