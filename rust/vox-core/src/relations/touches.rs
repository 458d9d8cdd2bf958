//! The file that each tool call, and its result, is about.

use std::collections::{HashMap, VecDeque};

use vox_search::touched::LONGEST_FILE;
use vox_types::{ItemKind, SymbolNo};

/// Files that are told apart in a window; what is about others is about none. Judgement.
pub(super) const MOST_PATHS: usize = 1 << 16;
/// Calls whose results may still come, the last ones. Judgement: more are never open at once.
pub(super) const MOST_WAITING: usize = 256;

/// What stands for no file.
const NONE: i32 = -1;

/// A call whose result may still come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Waiting {
    /// The number of the producer's call id; 0 for none.
    pub call: u32,
    /// The tool.
    pub tool: SymbolNo,
    /// The place of its file among the paths.
    pub path: i32,
}

/// The files of the items so far, and what the next ones need.
#[derive(Default)]
pub(super) struct Touches {
    /// For each item a place in `paths`, or -1.
    pub files: Vec<i32>,
    pub paths: Vec<String>,
    pub waiting: VecDeque<Waiting>,
    known: HashMap<String, i32>,
}

impl Touches {
    /// Goes on after the items of `files`.
    pub fn after(files: Vec<i32>, paths: Vec<String>, waiting: VecDeque<Waiting>) -> Self {
        let known = paths.iter().cloned().zip(0..).collect();
        Self { files, paths, waiting, known }
    }

    /// The next item: its kind, tool and call id, and which file it names if it is a call.
    pub fn add(&mut self, kind: ItemKind, tool: SymbolNo, call: u32, file: Option<String>) {
        let path = match kind {
            ItemKind::ToolCall => {
                let path = file.map_or(NONE, |file| self.place(file));
                if self.waiting.len() == MOST_WAITING {
                    self.waiting.pop_front();
                }
                self.waiting.push_back(Waiting { call, tool, path });
                path
            }
            ItemKind::ToolResult => self.answered(tool, call),
            _ => NONE,
        };
        self.files.push(path);
    }

    /// The file of the call that a result answers: the last one with its id; without ids the first
    /// of its tool that has no result yet.
    fn answered(&mut self, tool: SymbolNo, call: u32) -> i32 {
        if call != 0 {
            let answered = self.waiting.iter().rfind(|waiting| waiting.call == call);
            return answered.map_or(NONE, |waiting| waiting.path);
        }
        let answers = |waiting: &Waiting| waiting.call == 0 && waiting.tool == tool;
        let place = self.waiting.iter().position(answers);
        place.and_then(|place| self.waiting.remove(place)).map_or(NONE, |call| call.path)
    }

    fn place(&mut self, file: String) -> i32 {
        if let Some(place) = self.known.get(&file) {
            return *place;
        }
        if self.paths.len() == MOST_PATHS || file.len() > LONGEST_FILE {
            return NONE;
        }
        let place = self.paths.len() as i32;
        self.paths.push(file.clone());
        self.known.insert(file, place);
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALL: ItemKind = ItemKind::ToolCall;
    const RESULT: ItemKind = ItemKind::ToolResult;

    fn of(items: &[(ItemKind, u32, u32, &str)]) -> Vec<i32> {
        let mut touches = Touches::default();
        for (kind, tool, call, file) in items {
            let file = (!file.is_empty()).then(|| (*file).to_owned());
            touches.add(*kind, *tool, *call, file);
        }
        touches.files
    }

    #[test]
    fn results_are_about_the_files_of_their_calls() {
        let by_id = [
            (CALL, 1, 71, "a.rs"),
            (CALL, 1, 72, "b.rs"),
            (ItemKind::Message, 0, 0, ""),
            (RESULT, 1, 72, ""),
            (RESULT, 1, 71, ""),
            (RESULT, 1, 71, ""),
            (RESULT, 1, 73, ""),
            (RESULT, 1, 0, ""),
        ];
        assert_eq!(of(&by_id), [0, 1, -1, 1, 0, 0, -1, -1]);
        let by_order = [
            (CALL, 1, 0, "a.rs"),
            (CALL, 2, 0, ""),
            (CALL, 1, 0, "b.rs"),
            (RESULT, 1, 0, ""),
            (RESULT, 2, 0, ""),
            (RESULT, 1, 0, ""),
            (CALL, 1, 0, "a.rs"),
        ];
        assert_eq!(of(&by_order), [0, -1, 1, 0, -1, 1, 0]);
    }

    #[test]
    fn only_so_many_calls_wait_and_only_so_many_files_are_told_apart() {
        let mut touches = Touches::default();
        for n in 0..MOST_PATHS + 5 {
            touches.add(CALL, 1, n as u32 + 1, Some(format!("{n}.rs")));
        }
        assert_eq!((touches.paths.len(), touches.waiting.len()), (MOST_PATHS, MOST_WAITING));
        assert_eq!(touches.files[MOST_PATHS - 1..MOST_PATHS + 1], [MOST_PATHS as i32 - 1, -1]);
        touches.add(RESULT, 1, 1, None);
        assert_eq!(touches.files.last(), Some(&-1));
    }
}
