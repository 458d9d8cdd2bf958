//! Calls as Claude Code and Codex write them, and what they touch.

use super::{MAX_TERMS, asked, file, terms};

fn of(call: &str) -> Vec<String> {
    let mut found = Vec::new();
    terms(call.as_bytes(), |term| found.push(term.to_string()));
    found
}

fn holds(call: &str, wanted: &[&str]) {
    let found = of(call);
    for term in wanted {
        assert!(found.iter().any(|known| known == term), "{term} is not in {found:?}");
    }
}

#[test]
fn a_file_is_found_by_its_path_its_ends_and_its_name() {
    assert_eq!(
        of(r#"{"file_path":"/work/vox/cli/Show.py"}"#),
        [
            "/work/vox/cli/show.py",
            "show.py",
            "cli/show.py",
            "vox/cli/show.py",
            "work/vox/cli/show.py",
            "show"
        ],
    );
}

#[test]
fn an_edit_touches_what_it_defines() {
    holds(
        r#"{"file_path":"lib/tmux.ex","old_string":"","new_string":"defmodule Spotter.Tmux do\n  def list_panes(x) do\n"}"#,
        &["tmux.ex", "spotter.tmux", "tmux", "list_panes"],
    );
}

#[test]
fn several_edits_of_one_file_are_read() {
    holds(
        r#"{"file_path":"a.css","edits":[{"old_string":"class Old {}","new_string":"class New {}"}]}"#,
        &["a.css", "old", "new"],
    );
}

#[test]
fn a_patch_names_its_files_wherever_it_stands() {
    let patch = "*** Begin Patch\n*** Update File: src/main.rs\n@@ fn old()\n+fn greet() {}\n*** Add File: docs/a.md\n*** End Patch";
    let wanted = ["src/main.rs", "main.rs", "docs/a.md", "greet", "old"];
    holds(patch, &wanted);
    holds(&serde_json::json!({ "patch": patch }).to_string(), &wanted);
    holds(&serde_json::json!({ "input": patch }).to_string(), &wanted);
    holds(&serde_json::json!({ "command": ["apply_patch", patch] }).to_string(), &wanted);
}

#[test]
fn a_command_touches_the_files_it_names() {
    let call = r#"{"cmd":"sed -n '1,80p' src/a.rs && python -m pytest tests/x.py::y --out=b/c.xml 2>/dev/null","workdir":"/repo/place"}"#;
    holds(call, &["src/a.rs", "a.rs", "b/c.xml"]);
    let found = of(call);
    for wrong in ["place", "null", "/dev/null", "sed", "-n"] {
        assert!(!found.iter().any(|term| term == wrong), "{wrong} in {found:?}");
    }
}

#[test]
fn what_was_looked_for_is_a_symbol_if_it_can_only_be_one() {
    holds(
        r#"{"pattern":"def subtract_all|TokenCount","path":"/p"}"#,
        &["subtract_all", "tokencount"],
    );
    assert!(!of(r#"{"pattern":"def subtract_all","path":"/p"}"#).contains(&"def".to_string()));
    holds(r#"{"pattern":"subtract"}"#, &["subtract"]);
}

#[test]
fn what_follows_a_wildcard_is_an_end() {
    assert_eq!(of(r#"{"pattern":"**/hooks.json"}"#), ["hooks.json", "hooks"]);
}

#[test]
fn paths_of_windows_and_places_in_files_are_the_same_paths() {
    holds(r#"{"path":"C:\\work\\a.py"}"#, &["work/a.py"]);
    holds(r#"{"path":"./src/a.py:12:3"}"#, &["src/a.py"]);
}

#[test]
fn what_names_nothing_gives_nothing() {
    for call in ["", "{}", "null", "[1]", r#"{"todos":[{"content":"Do it"}]}"#, r#"{"path":"/"}"#] {
        assert_eq!(of(call), Vec::<String>::new(), "{call}");
    }
    terms(&[0xff, 0xfe, b'/'], |_| panic!("no text"));
}

#[test]
fn a_call_gives_each_term_once_and_not_more_than_there_is_room_for() {
    let many: Vec<String> =
        (0..2000).map(|n| format!("dir{n}/file{n}.rs dir{n}/file{n}.rs")).collect();
    let found = of(&serde_json::json!({ "command": many.join(" ") }).to_string());
    let mut distinct = found.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!(found.len(), MAX_TERMS);
    assert_eq!(distinct.len(), found.len());
}

#[test]
fn deep_nesting_and_long_texts_are_read_in_time() {
    of(&("[".repeat(100_000) + &"]".repeat(100_000)));
    of(&"/".repeat(1 << 20));
    of(&"a/".repeat(1 << 19));
    of(&serde_json::json!({ "path": "a/".repeat(1 << 19) }).to_string());
    of(&serde_json::json!({ "content": "def ".repeat(1 << 18) }).to_string());
}

#[test]
fn a_question_asks_for_the_whole_path_first() {
    let found = asked("who changed `src/agents/core.ts`, and why?");
    assert_eq!(found[0].term, "src/agents/core.ts");
    assert!((found[0].weight - 1.0).abs() < f32::EPSILON);
    assert!(found.iter().any(|one| one.term == "core.ts" && one.weight < 0.5));
}

#[test]
fn a_question_asks_for_symbols_and_for_no_plain_words() {
    let terms: Vec<String> = asked("where is list_panes/0 of Spotter.Tmux called")
        .into_iter()
        .map(|one| one.term)
        .collect();
    assert!(terms.contains(&"list_panes".to_string()), "{terms:?}");
    assert!(terms.contains(&"spotter.tmux".to_string()), "{terms:?}");
    assert!(!terms.contains(&"called".to_string()), "{terms:?}");
}

fn about(call: &str) -> Option<String> {
    file(call.as_bytes())
}

#[test]
fn a_call_is_about_the_file_that_an_argument_names() {
    let cases = [
        (r#"{"file_path": "./src/a.rs", "old_string": "see b.rs"}"#, Some("src/a.rs")),
        (r#"{"file_path": "/repo/Makefile:12"}"#, Some("/repo/Makefile")),
        (r#"{"path": "src/a.rs", "cwd": "/repo.d"}"#, Some("src/a.rs")),
        (r#"{"edits": [{"file": "a.rs"}, {"file": "a.rs"}]}"#, Some("a.rs")),
        (r#"{"file_path": "a.rs", "command": "cat b.rs"}"#, Some("a.rs")),
        (r#"{"path": "src", "pattern": "x"}"#, None),
        (r#"{"file_path": "src/*.rs"}"#, None),
        (r#"{"edits": [{"file": "a.rs"}, {"file": "b.rs"}], "command": "cat c.rs"}"#, None),
        (r#"{"file_path": ""}"#, None),
        (r#"{"file_path": 7}"#, None),
    ];
    for (call, path) in cases {
        assert_eq!(about(call).as_deref(), path, "{call}");
    }
}

#[test]
fn a_command_or_patch_is_about_a_file_if_it_names_no_other() {
    let patch = |marks: &str| format!("*** Begin Patch\n{marks}\n+see c.rs\n*** End Patch");
    let one = patch("*** Update File: src/a.rs\n@@");
    let two = patch("*** Add File: a.rs\n*** Delete File: b.rs");
    let cases = [
        (r#"{"command": "cd /repo/src && sed -n '1,20p' a.rs 2>/dev/null"}"#, Some("a.rs")),
        (r#"{"command": ["bash", "-lc", "cat src/a.rs; wc src/a.rs"]}"#, Some("src/a.rs")),
        (r#"{"command": "diff a.rs b.rs"}"#, None),
        (r#"{"command": "cargo test"}"#, None),
        ("cat src/a.rs", Some("src/a.rs")),
        (&one, Some("src/a.rs")),
        (&two, None),
    ];
    for (call, path) in cases {
        assert_eq!(about(call).as_deref(), path, "{call}");
    }
    assert_eq!(file(&[0xff, 0xfe]), None);
    assert_eq!(file(b""), None);
}
