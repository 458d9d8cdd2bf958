//! Which names texts have.

use std::ops::ControlFlow;

use super::each;

fn names(text: impl AsRef<[u8]>) -> Vec<String> {
    let mut found = Vec::new();
    each(text.as_ref(), &mut |name| {
        found.push(String::from_utf8_lossy(name).into_owned());
        ControlFlow::Continue(())
    });
    found
}

#[test]
fn paths_are_known_by_their_ends_however_they_are_written() {
    for text in
        ["/repo/src/lib/parse.rs", "./lib/parse.rs:42:7", "see `lib/parse.rs`.", "a//lib/parse.rs"]
    {
        assert_eq!(names(text), ["lib/parse.rs", "parse.rs"], "{text}");
    }
    assert_eq!(names("https://host.example/owner/name"), ["owner/name"]);
    assert_eq!(names("/usr/bin"), ["usr/bin"]);
    assert_eq!(names("0001_start.py 2026-notes.md"), ["0001_start.py", "2026-notes.md"]);
}

#[test]
fn identifiers_codes_and_ids_are_names() {
    let cases: [(&str, &[&str]); 16] = [
        ("def test_it_holds():", &["test_it_holds"]),
        ("fooBar", &["fooBar"]),
        ("Chunk::parse_all()", &["Chunk::parse_all", "parse_all"]),
        ("os.path.join", &["os.path.join"]),
        ("error[E0308]: ENOENT", &["E0308", "ENOENT"]),
        ("commit c789a04", &["c789a04"]),
        ("5f0c1e9b-3d5a-4c1e-8f00-0123456789ab", &["5f0c1e9b-3d5a-4c1e-8f00-0123456789ab"]),
        ("CVE-2021-44228", &["CVE-2021-44228"]),
        ("toolu_01AbC", &["toolu_01AbC"]),
        ("fixes #1234, not #7", &["1234"]),
        ("order 4829371", &["4829371"]),
        ("größen_änderung", &["größen_änderung"]),
        ("--max_bytes", &["max_bytes"]),
        (r#"{"x":"a\nfoo_bar\tbaz_qux\u001bend_it"}"#, &["foo_bar", "baz_qux", "end_it"]),
        ("some_name-other", &["some_name"]),
        ("x::y::z", &["x::y::z"]),
    ];
    for (text, wanted) in cases {
        assert_eq!(names(text), wanted, "{text}");
    }
}

#[test]
fn words_numbers_times_and_data_are_none() {
    let long = "Ab1/".repeat(200);
    let cases = [
        "The quick brown fox, and/or his/her well-known end. Next one",
        "e.g. i.e. U.S. 3rd 1.2.3 12:30 10ms 99.5",
        "2026-01-01T10:20:30.123Z",
        "... --- /// :: __init__ _ # \\ / ~",
        "README TODO IMPORTANT",
        "",
        &long,
    ];
    for text in cases {
        assert_eq!(names(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn no_bytes_are_an_error_and_a_visit_that_breaks_is_the_last() {
    names((0..=255).collect::<Vec<u8>>());
    assert_eq!(names(b"\xff\xfe_\xff".as_slice()).len(), 1);
    let mut seen = 0;
    each(b"a_bc d_ef g_hi", &mut |_| {
        seen += 1;
        if seen == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(seen, 2);
}
