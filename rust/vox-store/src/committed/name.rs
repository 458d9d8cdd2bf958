//! The name under which a window's committed set stands.

use vox_types::WindowId;

/// What all such names begin with.
const PREFIX: &str = "context:";

/// The name of the committed set of the window with this id.
pub fn name_of(id: WindowId) -> String {
    format!("{PREFIX}{id}")
}

/// The id of the window whose committed set has this name; none if it is another name.
pub fn window_of(name: &str) -> Option<WindowId> {
    let digits: String = name.strip_prefix(PREFIX)?.chars().filter(|c| *c != '-').collect();
    let id = WindowId(u128::from_str_radix(&digits, 16).ok()?.to_be_bytes());
    (name_of(id) == name).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_leads_back_to_its_window_and_no_other_name_does() {
        let id = WindowId::derive("claude-code:a", 1);
        let name = name_of(id);
        assert_eq!(window_of(&name), Some(id));
        for other in [
            "",
            "context:",
            "context:zz",
            "graph:1",
            &name.to_uppercase(),
            &name.replace('-', ""),
            &format!("{name}0"),
        ] {
            assert_eq!(window_of(other), None, "{other}");
        }
    }
}
