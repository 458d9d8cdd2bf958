//! Finding the values that paths name, all of them in one pass over the record.

use std::{cmp::Ordering, ops::Range};

use memchr::memchr;
use vox_types::{Code, Error, Result};

use super::{Want, string};
use crate::{
    scan::{Scanned, Scanner, skip_space},
    strings::string_end,
};

/// One step of a path into a JSON value.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Step {
    /// Into an object, at a key.
    Key(String),
    /// Into an array, at a position.
    Index(u32),
}

/// A place that some path passes or ends at.
#[derive(Default)]
struct Node<'w> {
    /// In the order of their steps.
    children: Vec<(&'w Step, usize)>,
    want: Option<usize>,
    /// Passed before: the key that led here occurs twice.
    seen: bool,
}

impl Node<'_> {
    fn at_key(&self, key: &[u8]) -> Option<usize> {
        self.child(|step| match step {
            Step::Key(other) => other.as_bytes().cmp(key),
            Step::Index(_) => Ordering::Greater,
        })
    }

    fn at_position(&self, position: u32) -> Option<usize> {
        self.child(|step| match step {
            Step::Key(_) => Ordering::Less,
            Step::Index(other) => other.cmp(&position),
        })
    }

    fn child(&self, compare: impl Fn(&Step) -> Ordering) -> Option<usize> {
        let found = self.children.binary_search_by(|(step, _)| compare(step)).ok()?;
        Some(self.children[found].1)
    }
}

/// An array or object that is being walked because paths lead into it.
struct Level {
    node: usize,
    kind: Kind,
    empty: bool,
}

enum Kind {
    Object,
    /// With the position of the next element.
    Array(u32),
}

struct Walk<'r, 'w> {
    record: &'r [u8],
    nodes: Vec<Node<'w>>,
    found: Vec<Option<Range<usize>>>,
    levels: Vec<Level>,
}

/// Where the value of each want stands in `record`.
pub(super) fn find(record: &[u8], wants: &[Want]) -> Result<Vec<Option<Range<usize>>>> {
    let mut walk =
        Walk { record, nodes: tree(wants)?, found: vec![None; wants.len()], levels: Vec::new() };
    match walk.run() {
        Some(end) if skip_space(record, end) == record.len() => Ok(walk.found),
        _ => {
            let message =
                format!("what is to be cut ({} bytes) isn't one JSON value", record.len());
            Err(Error::new(Code::InvalidArgument, message))
        }
    }
}

/// The paths as a tree; node 0 is the root.
fn tree(wants: &[Want]) -> Result<Vec<Node<'_>>> {
    // In the order of the paths a step is either new or the last child of its node.
    let mut order: Vec<usize> = (0..wants.len()).collect();
    order.sort_unstable_by(|&one, &other| wants[one].path.cmp(&wants[other].path));
    let mut nodes = vec![Node::default()];
    for index in order {
        let mut node = 0;
        let mut overlaps = nodes[0].want.is_some();
        for step in &wants[index].path {
            node = match nodes[node].children.last() {
                Some((last, child)) if *last == step => *child,
                _ => {
                    let child = nodes.len();
                    nodes[node].children.push((step, child));
                    nodes.push(Node::default());
                    child
                }
            };
            overlaps |= nodes[node].want.is_some();
        }
        if overlaps {
            let path = &wants[index].path;
            let message = format!("want {index} at {path:?} overlaps with another one");
            return Err(Error::new(Code::InvalidArgument, message));
        }
        nodes[node].want = Some(index);
    }
    Ok(nodes)
}

impl Walk<'_, '_> {
    /// The end of the record's value; None if it isn't JSON.
    fn run(&mut self) -> Option<usize> {
        let mut at = self.value(skip_space(self.record, 0), Some(0))?;
        while let Some(level) = self.levels.last_mut() {
            at = skip_space(self.record, at);
            let byte = *self.record.get(at)?;
            let close = if matches!(level.kind, Kind::Object) { b'}' } else { b']' };
            if byte == close {
                self.levels.pop();
                at += 1;
                continue;
            }
            if !level.empty {
                if byte != b',' {
                    return None;
                }
                at = skip_space(self.record, at + 1);
            }
            level.empty = false;
            at = self.member(at)?;
        }
        Some(at)
    }

    /// Goes past a key and its value, or past an element; into it if a path does.
    fn member(&mut self, mut at: usize) -> Option<usize> {
        let level = self.levels.last_mut()?;
        let node = &self.nodes[level.node];
        let child = match &mut level.kind {
            Kind::Object => {
                if self.record.get(at) != Some(&b'"') {
                    return None;
                }
                let end = string_end(self.record, at + 1).ok()?;
                let raw = &self.record[at + 1..end - 1];
                at = skip_space(self.record, end);
                if self.record.get(at) != Some(&b':') {
                    return None;
                }
                at = skip_space(self.record, at + 1);
                match memchr(b'\\', raw) {
                    None => node.at_key(raw),
                    Some(_) => node.at_key(&string::decode(raw).0),
                }
            }
            Kind::Array(next) => {
                let position = *next;
                *next = next.checked_add(1)?;
                node.at_position(position)
            }
        };
        self.value(at, child)
    }

    /// The end of the value at `at`, or the place after its opening bracket if a path leads in.
    fn value(&mut self, at: usize, node: Option<usize>) -> Option<usize> {
        let Some(node) = node else { return self.skip(at) };
        if std::mem::replace(&mut self.nodes[node].seen, true) {
            self.forget(node);
        }
        if let Some(want) = self.nodes[node].want {
            let end = self.skip(at)?;
            self.found[want] = Some(at..end);
            return Some(end);
        }
        let kind = match self.record.get(at)? {
            b'{' if matches!(self.nodes[node].children.first(), Some((Step::Key(_), _))) => {
                Kind::Object
            }
            b'[' if matches!(self.nodes[node].children.last(), Some((Step::Index(_), _))) => {
                Kind::Array(0)
            }
            _ => return self.skip(at),
        };
        self.levels.push(Level { node, kind, empty: true });
        Some(at + 1)
    }

    fn skip(&self, at: usize) -> Option<usize> {
        if self.record.get(at) == Some(&b'"') {
            return string_end(self.record, at + 1).ok();
        }
        match Scanner::default().scan(self.record, at) {
            Scanned::Complete(end) => Some(end),
            _ => None,
        }
    }

    /// Drops what was found below `node`: the key that led there occurs again.
    fn forget(&mut self, node: usize) {
        let mut below = vec![node];
        while let Some(node) = below.pop() {
            if let Some(want) = self.nodes[node].want {
                self.found[want] = None;
            }
            below.extend(self.nodes[node].children.iter().map(|(_, child)| child));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WantForm;

    fn want(path: &[&str]) -> Want {
        let step = |text: &&str| match text.parse() {
            Ok(position) => Step::Index(position),
            Err(_) => Step::Key((*text).to_owned()),
        };
        Want { path: path.iter().map(step).collect(), form: WantForm::Slice }
    }

    fn found<'r>(record: &'r str, paths: &[&[&str]]) -> Vec<Option<&'r str>> {
        let wants: Vec<Want> = paths.iter().map(|path| want(path)).collect();
        let ranges = find(record.as_bytes(), &wants).unwrap();
        ranges.into_iter().map(|range| range.map(|range| &record[range])).collect()
    }

    #[test]
    fn values_are_found_wherever_they_stand() {
        let record = r#" { "a" : [ 1, {"b": [true]}, {"b": "x"} ], "c\u0064": null } "#;
        let paths: &[&[&str]] =
            &[&["a", "2", "b"], &["cd"], &["a", "0"], &["a", "1", "b", "0"], &["a", "3"]];
        let expected = [Some("\"x\""), Some("null"), Some("1"), Some("true"), None];
        assert_eq!(found(record, paths), expected);
        assert_eq!(found("[] ", &[&[]]), [Some("[]")]);
    }

    #[test]
    fn of_a_key_that_occurs_twice_the_last_counts() {
        let record = r#"{"a":{"b":1,"c":2},"a":{"b":3}}"#;
        assert_eq!(found(record, &[&["a", "b"], &["a", "c"]]), [Some("3"), None]);
        assert_eq!(found(r#"{"a":{"b":1},"a":0}"#, &[&["a", "b"]]), [None]);
    }

    #[test]
    fn wants_that_overlap_and_records_that_are_none_are_refused() {
        let refused = |record: &str, paths: &[&[&str]]| {
            let wants: Vec<Want> = paths.iter().map(|path| want(path)).collect();
            find(record.as_bytes(), &wants).unwrap_err().code == Code::InvalidArgument
        };
        assert!(refused("{}", &[&["a"], &["a", "b"]]));
        assert!(refused("{}", &[&["a", "0"], &["a"]]));
        assert!(refused("{}", &[&["a"], &["a"]]));
        for record in
            ["", "{\"a\":[1,]}", "{\"a\":[1}", "{\"a\":[1]} x", "{,\"a\":[1]}", "{\"a\" [1]}"]
        {
            assert!(refused(record, &[&["a", "0"]]), "{record}");
        }
    }
}
