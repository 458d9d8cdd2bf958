//! Searches of archives that change, against looking at every item.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod reference;
mod world;

use std::collections::BTreeMap;

use proptest::prelude::*;
use vox_core::{
    archive::Archive,
    search::{Answer, Hit, SearchRequest, State, TimeOrder},
};
use vox_types::{Code, ItemId, Role};

use world::{Action, act, action};

const TEXTS: [&str; 16] = [
    "",
    "alpha",
    "beta gamma",
    "alpha OR fooBar",
    "-alpha",
    "NOT gamma",
    "\"alpha beta\"",
    "gam*",
    "foo_bar",
    "src/x.py:42",
    "/alp.a b/",
    "literal:\"pha\"",
    "literal:\"Alpha \"",
    "東京",
    "größe -beta",
    "(alpha OR beta) -gamma",
];

const FILTERS: [&str; 24] = [
    "",
    "",
    "",
    "",
    "role:user",
    "-role:tool",
    "kind:message",
    "kind:record,tool_call",
    "-kind:pin",
    "tool:bash",
    "-tool:bash,read",
    "model:opus-1",
    "since:1971-01-01",
    "before:1971-06-01T00:00Z",
    "repo:thing",
    "-repo:other",
    "agent:codex",
    "tag:good",
    "title:fine",
    "tier:cold",
    "is:pinned",
    "-is:trimmed",
    "is:trimmed",
    "is:deleted",
];

fn request() -> impl Strategy<Value = SearchRequest> {
    let filters = prop::collection::btree_set(prop::sample::select(&FILTERS[..]), 1..4);
    let more = prop::sample::select(&["", "", "", "in:s:one", "is:subagent", "-is:deleted"][..]);
    let repos = prop::sample::select(&["", "", "/home/me/thing"][..]);
    (prop::sample::select(&TEXTS[..]), filters, more, repos, any::<bool>()).prop_map(
        |(text, filters, more, repo, sub_agents)| SearchRequest {
            query: filters.into_iter().chain([text, more]).collect::<Vec<_>>().join(" "),
            repos: repo.lines().map(str::to_owned).collect(),
            sub_agents,
            ..SearchRequest::default()
        },
    )
}

/// All hits, by relevance and by time.
fn lists(archive: &Archive, answer: &Answer) -> (Vec<Hit>, Vec<Hit>) {
    let ranked = answer.ranked(archive, 0, u64::MAX).unwrap();
    (ranked, answer.by_time(archive, 0, u64::MAX, TimeOrder::OldestFirst).unwrap())
}

/// Compares an answer with what it should be.
fn check(archive: &Archive, request: &SearchRequest, answer: &Answer) {
    let expected = reference::search(archive, request);
    let query = &request.query;
    let items: Vec<ItemId> = answer.items(archive).unwrap().iter().map(ItemId).collect();
    assert_eq!(items, expected.hits.keys().copied().collect::<Vec<_>>(), "{query}");
    let (ranked, by_time) = lists(archive, answer);
    let mut order: Vec<(i64, ItemId)> =
        expected.hits.iter().map(|(item, hit)| (hit.at, *item)).collect();
    order.sort_unstable();
    assert_eq!(by_time.iter().map(|hit| (hit.at, hit.item)).collect::<Vec<_>>(), order, "{query}");
    let mut all: Vec<ItemId> = ranked.iter().map(|hit| hit.item).collect();
    let scores: Vec<f32> = ranked.iter().map(|hit| hit.score.unwrap_or(-1.0)).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{query}: {scores:?}");
    all.sort_unstable();
    assert_eq!(all, items, "{query}");
    let mut roles: BTreeMap<&str, u64> = BTreeMap::new();
    for hit in &by_time {
        let wanted = &expected.hits[&hit.item];
        assert_eq!(hit.window, wanted.window(), "{query}: {}", hit.item);
        assert_eq!(hit.ordinal, wanted.windows[&hit.window], "{query}: {}", hit.item);
        assert_eq!((hit.content, hit.attributes), (wanted.content, wanted.attributes), "{query}");
        assert_eq!(
            hit.windows,
            expected.holders[&hit.content].len() as u64,
            "{query}: {}",
            hit.item
        );
        *roles.entry(hit.attributes.role().name()).or_default() += 1;
    }
    let facets = answer.facets(archive).unwrap();
    let counted: BTreeMap<&str, u64> =
        facets.role.iter().map(|(role, count)| (role.as_str(), *count)).collect();
    assert_eq!(counted, roles, "{query}");
    for counts in [&facets.kind, &facets.month] {
        let sum: u64 = counts.iter().map(|(_, count)| count).sum();
        assert_eq!(sum, items.len() as u64, "{query}");
    }
    for counts in [&facets.repo, &facets.agent] {
        let sum: u64 = counts.iter().map(|(_, count)| count).sum();
        assert_eq!(sum, items.len() as u64, "{query}");
    }
}

/// Searches, and compares the answer with what it should be.
fn check_search(archive: &Archive, request: &SearchRequest) {
    let answer = archive.search(request);
    // The window may not have been made.
    if request.query.contains("in:s:one") && archive.find_window("s:one").is_err() {
        assert_eq!(answer.err().map(|error| error.code), Some(Code::NotFound));
    } else {
        check(archive, request, &answer.unwrap());
    }
}

fn temporary() -> (tempfile::TempDir, Archive) {
    let folder = tempfile::tempdir().unwrap();
    let archive = Archive::create(&folder.path().join("archive")).unwrap();
    (folder, archive)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn a_scan_finds_what_looking_at_every_item_finds(
        actions in prop::collection::vec(action(), 1..30),
        requests in prop::collection::vec(request(), 1..8),
    ) {
        let (_folder, archive) = temporary();
        let requests = requests.into_iter().map(|request| SearchRequest { scan: true, ..request });
        let requests: Vec<SearchRequest> = requests.collect();
        let half = actions.len() / 2;
        for (place, action) in actions.into_iter().enumerate() {
            act(&archive, action);
            if place == half {
                check_search(&archive, &requests[0]);
            }
        }
        for request in &requests {
            check_search(&archive, request);
        }
    }

    #[test]
    fn later_pages_of_an_answer_show_nothing_that_came_since(
        before in prop::collection::vec(action(), 1..12),
        after in prop::collection::vec(action(), 1..12),
        request in request(),
    ) {
        let (_folder, archive) = temporary();
        let grows = |action: &Action| matches!(action, Action::Append { .. } | Action::Fork { .. } | Action::Merge { .. });
        // What came may be the parent of what was there, which makes that a sub-agent's.
        let query = request.query.replace("in:s:one", "").replace("is:subagent", "");
        let request = SearchRequest { scan: true, sub_agents: true, query, ..request };
        before.into_iter().for_each(|action| act(&archive, action));
        if archive.store().snapshot(|snapshot| snapshot.last_event()).unwrap().is_none() {
            return Ok(());
        }
        let first = archive.search(&request).unwrap();
        let shown = first.items(&archive).unwrap();
        after.into_iter().filter(grows).for_each(|action| act(&archive, action));
        let again = SearchRequest { as_of: first.as_of(), ..request };
        let later = archive.search(&again).unwrap();
        prop_assert_eq!(later.as_of(), first.as_of());
        prop_assert_eq!(later.items(&archive).unwrap(), shown);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn an_index_finds_what_looking_at_every_item_finds(
        actions in prop::collection::vec((action(), prop::bool::weighted(0.2)), 1..24),
        requests in prop::collection::vec(request(), 1..8),
    ) {
        let (_folder, archive) = temporary();
        archive.follow().unwrap();
        for (place, (action, follows)) in actions.into_iter().enumerate() {
            act(&archive, action);
            if follows {
                archive.follow().unwrap();
                check_search(&archive, &requests[place % requests.len()]);
            }
        }
        for request in &requests {
            check_search(&archive, request);
        }
    }
}

#[test]
fn a_search_without_an_index_says_so() {
    let (_folder, archive) = temporary();
    let window = vox_store::append::WindowChange { key: "w".into(), ..Default::default() };
    let item = vox_core::archive::OwnItem {
        role: Role::User,
        kind: vox_types::ItemKind::Message,
        content: b"alpha".to_vec(),
        created_at: None,
        name: None,
        side: false,
        redacted: false,
        token_estimate: None,
        call: 0,
    };
    archive.append(window, vec![item]).unwrap();
    let answer =
        archive.search(&SearchRequest { query: "alpha".into(), ..Default::default() }).unwrap();
    assert!(matches!(answer.state(), State::NotIndexed { .. }), "{:?}", answer.state());
    assert_eq!(answer.len(&archive).unwrap(), 1);
}
