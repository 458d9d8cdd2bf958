//! Parents and roots of windows.

use super::{
    report::{Finding, Kind, Reporter},
    windows::{Window, Windows},
};

/// Checks that every window stands below its parent in one tree, under the root it names.
pub(super) fn check(report: &mut Reporter, windows: &Windows) {
    if !report.complete(&["windows"], "parents and roots of windows") {
        return;
    }
    let mut fault = |window: &Window, kind, message: String| {
        let key = window.no.to_be_bytes();
        report.add(Finding::new("windows", kind, message).key(&key));
    };
    for window in &windows.0 {
        let Some(parent) = window.parent else {
            if window.root != window.no {
                let message = format!("it has no parent, but names {} as its root", window.root);
                fault(window, Kind::Differs, message);
            }
            continue;
        };
        match windows.get(parent) {
            None => {
                let message = format!("its parent, window {parent}, isn't there");
                fault(window, Kind::Dangling, message);
            }
            Some(above) if above.root != window.root => {
                let (own, root) = (window.root, above.root);
                let message = format!(
                    "its root is {own}, but that of its parent, window {parent}, is {root}"
                );
                fault(window, Kind::Differs, message);
            }
            Some(_) => {}
        }
    }
    for window in in_cycles(windows) {
        fault(window, Kind::Conflict, "it is its own ancestor".into());
    }
}

/// One window of each cycle of parents.
fn in_cycles(windows: &Windows) -> Vec<&Window> {
    // 0: not looked at; otherwise the walk that came by.
    let mut walks = vec![0usize; windows.0.len()];
    let mut found = Vec::new();
    for start in 0..windows.0.len() {
        let walk = start + 1;
        let mut at = Some(start);
        while let Some(place) = at {
            match walks.get_mut(place) {
                Some(seen @ 0) => *seen = walk,
                Some(seen) if *seen == walk => {
                    found.extend(windows.0.get(place));
                    break;
                }
                _ => break,
            }
            let parent = windows.0.get(place).and_then(|window| window.parent);
            at = parent.and_then(|parent| windows.place(parent));
        }
    }
    found
}
