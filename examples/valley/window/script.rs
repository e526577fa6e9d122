//! Things that are done at given frames, for tests.

use super::keys::{self, Action};
use landform_cli::stop::{Result, Stop};
use std::path::PathBuf;

/// One thing to do.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Command {
    /// Makes the window this large; a side of 0 is what a minimised window has on some systems.
    Resize(u32, u32),
    Minimise,
    Restore,
    Key(Action),
    /// Turns a node of the frame off or on; the first is 1.
    Node(usize),
    Picture(PathBuf),
    /// Has the device answer as one that was lost.
    Lose,
    /// Does nothing more before there is this file.
    Wait(PathBuf),
    Quit,
}

/// Commands, each with the frame that it is for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    commands: Vec<(u64, Command)>,
    next: usize,
}

impl Script {
    /// Reads `FRAME COMMAND; FRAME COMMAND; ...` with rising frames.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let mut commands: Vec<(u64, Command)> = Vec::new();
        for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
            let wrong = || Stop::new(format!("`{part}` is not a frame and a command of --script"));
            let (frame, command) = part.split_once(' ').ok_or_else(wrong)?;
            let frame = frame.parse().map_err(|_| wrong())?;
            if commands.last().is_some_and(|(last, _)| *last > frame) {
                return Err(Stop::new(format!(
                    "`{part}` of --script is for a frame before the one before it"
                )));
            }
            commands.push((frame, parse(command.trim()).ok_or_else(wrong)?));
        }
        Ok(Self { commands, next: 0 })
    }

    /// The next thing that is due at this frame.
    pub(crate) fn due(&mut self, frame: u64) -> Option<Command> {
        let (at, command) = self.commands.get(self.next)?;
        let waits = matches!(command, Command::Wait(path) if !path.exists());
        if *at > frame || waits {
            return None;
        }
        self.next += 1;
        Some(command.clone())
    }
}

fn parse(text: &str) -> Option<Command> {
    let (word, rest) = text.split_once(' ').map_or((text, ""), |(word, rest)| (word, rest.trim()));
    Some(match (word, rest) {
        ("resize", size) => {
            let (width, height) = size.split_once('x')?;
            Command::Resize(width.parse().ok()?, height.parse().ok()?)
        }
        ("minimise", "") => Command::Minimise,
        ("restore", "") => Command::Restore,
        ("key", label) => Command::Key(keys::labelled(label)?),
        ("node", number) => Command::Node(number.parse().ok().filter(|number| *number > 0)?),
        ("picture", path) if !path.is_empty() => Command::Picture(path.into()),
        ("wait", path) if !path.is_empty() => Command::Wait(path.into()),
        ("lose", "") => Command::Lose,
        ("quit", "") => Command::Quit,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_come_when_they_are_due() {
        let mut script = Script::parse("2 resize 0x120; 2 key m; 3 node 8; 5 wait /no/such/file; 5 quit;")
            .unwrap_or_default();
        assert_eq!(script.due(1), None);
        assert_eq!(script.due(2), Some(Command::Resize(0, 120)));
        assert_eq!(script.due(2), Some(Command::Key(Action::NextMode)));
        assert_eq!(script.due(9), Some(Command::Node(8)));
        assert_eq!(script.due(9), None);
        for wrong in ["quit", "1 dance", "3 quit; 1 quit", "1 key Z", "1 node 0", "1 resize 5", "1 picture"] {
            assert!(Script::parse(wrong).is_err(), "{wrong}");
        }
    }
}
