//! The keys: one table that events are looked up in, that the overlay shows and that the README quotes.

use winit::keyboard::KeyCode;

/// What a key does. The first ones act for as long as a key is held, the others once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Ahead,
    Left,
    Back,
    Right,
    Down,
    Up,
    Fast,
    Earlier,
    Later,
    SunDown,
    SunUp,
    NextMode,
    Lit,
    NextTarget,
    Props,
    Reload,
    Freeze,
    Home,
    Picture,
    Overlay,
    FullScreen,
    Quit,
}

/// A row of the table.
pub(crate) struct Row {
    /// What is printed on the keys.
    pub(crate) label: &'static str,
    /// What they do.
    pub(crate) what: &'static str,
    pub(crate) keys: &'static [(KeyCode, Action)],
}

const fn row(label: &'static str, what: &'static str, keys: &'static [(KeyCode, Action)]) -> Row {
    Row { label, what, keys }
}

/// The table.
pub(crate) const KEYS: &[Row] = &[
    row(
        "W A S D",
        "fly ahead, left, back, right",
        &[
            (KeyCode::KeyW, Action::Ahead),
            (KeyCode::KeyA, Action::Left),
            (KeyCode::KeyS, Action::Back),
            (KeyCode::KeyD, Action::Right),
        ],
    ),
    row("Q E", "fly down, up", &[(KeyCode::KeyQ, Action::Down), (KeyCode::KeyE, Action::Up)]),
    row(
        "Shift",
        "fly five times as fast",
        &[(KeyCode::ShiftLeft, Action::Fast), (KeyCode::ShiftRight, Action::Fast)],
    ),
    row("Drag", "look around", &[]),
    row("Wheel", "change the speed", &[]),
    row("Home", "back to the first view", &[(KeyCode::Home, Action::Home)]),
    row(
        "Arrows",
        "earlier or later in the day; sun up or down",
        &[
            (KeyCode::ArrowLeft, Action::Earlier),
            (KeyCode::ArrowRight, Action::Later),
            (KeyCode::ArrowDown, Action::SunDown),
            (KeyCode::ArrowUp, Action::SunUp),
        ],
    ),
    row("L", "the lit frame, or the preview", &[(KeyCode::KeyL, Action::Lit)]),
    row("T", "show the frame's targets, one after the other", &[(KeyCode::KeyT, Action::NextTarget)]),
    row("B", "show boulders, posts and lamps, or leave them out", &[(KeyCode::KeyB, Action::Props)]),
    row("R", "read the frame's file again", &[(KeyCode::KeyR, Action::Reload)]),
    row("M", "show shading, λ, normals, tiles, lattice, layers", &[(KeyCode::KeyM, Action::NextMode)]),
    row("F", "freeze the selected nodes, or let them go", &[(KeyCode::KeyF, Action::Freeze)]),
    row("P", "save a picture", &[(KeyCode::KeyP, Action::Picture)]),
    row("H", "hide or show this panel", &[(KeyCode::KeyH, Action::Overlay)]),
    row("F11", "full screen", &[(KeyCode::F11, Action::FullScreen)]),
    row("Esc", "quit", &[(KeyCode::Escape, Action::Quit)]),
];

/// What a key does, if anything.
pub(crate) fn action(code: KeyCode) -> Option<Action> {
    KEYS.iter().flat_map(|row| row.keys).find(|(key, _)| *key == code).map(|(_, action)| *action)
}

/// The action of the only key with this label.
pub(crate) fn labelled(label: &str) -> Option<Action> {
    let row = KEYS.iter().find(|row| row.label.eq_ignore_ascii_case(label))?;
    row.keys.first().map(|(_, action)| *action)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table as the README has it, between its two marks.
    fn markdown() -> String {
        let rows = KEYS.iter().map(|row| format!("| {} | {} |\n", row.label, row.what));
        format!("| key | what it does |\n|---|---|\n{}", rows.collect::<String>())
    }

    #[test]
    fn no_key_does_two_things() {
        let mut codes: Vec<_> =
            KEYS.iter().flat_map(|row| row.keys).map(|(code, _)| format!("{code:?}")).collect();
        codes.sort();
        let all = codes.len();
        codes.dedup();
        assert_eq!(codes.len(), all);
        assert_eq!(
            (action(KeyCode::KeyP), labelled("f11")),
            (Some(Action::Picture), Some(Action::FullScreen))
        );
    }

    #[test]
    fn the_readme_has_this_table() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../README.md");
        let Ok(readme) = std::fs::read_to_string(path) else {
            eprintln!("SKIPPED: there is no README.md");
            return;
        };
        let (begin, end) = ("<!-- keys -->\n", "<!-- /keys -->");
        let table = readme
            .split_once(begin)
            .and_then(|(_, rest)| rest.split_once(end))
            .map(|(table, _)| table.trim());
        assert_eq!(
            table,
            Some(markdown().trim()),
            "README.md should have between its marks:\n{begin}{}{end}",
            markdown()
        );
    }
}
