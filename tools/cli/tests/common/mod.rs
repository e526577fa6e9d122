//! Running the command as a person would.
#![allow(dead_code, reason = "not every test needs all of it")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// An empty folder for a test.
pub(crate) fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for the test's files");
    folder
}

/// The command in a folder, with arguments between spaces.
pub(crate) fn command(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_landform"));
    command.current_dir(folder).args(line.split_whitespace()).stdin(Stdio::null());
    command
}

/// How a run ended: its exit code, and what it wrote to stdout and to stderr.
pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) errors: String,
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let code = output.status.code().unwrap_or(-1);
        Self { code, out: text(&output.stdout), errors: text(&output.stderr) }
    }
}

/// Runs the command to its end.
pub(crate) fn run(folder: &Path, line: &str) -> Ended {
    command(folder, line).output().expect("the command starts").into()
}

/// What is said on stderr besides warnings and notes.
fn besides_warnings(ended: &Ended) -> Vec<&str> {
    let is_said_besides =
        |line: &&str| ["WARNING", "NOTE"].iter().any(|word| line.starts_with(&format!("landform: {word}: ")));
    ended.errors.lines().filter(|line| !is_said_besides(line)).collect()
}

/// Runs a command that succeeds with no more than warnings on stderr, and returns what it printed.
#[track_caller]
pub(crate) fn done(folder: &Path, line: &str) -> String {
    let ended = run(folder, line);
    let quiet = besides_warnings(&ended).is_empty();
    assert!(ended.code == 0 && quiet, "{line}: {}\n{}{}", ended.code, ended.out, ended.errors);
    ended.out
}

/// Runs a command that is refused with one sentence on stderr.
#[track_caller]
pub(crate) fn refused(folder: &Path, line: &str, part: &str) {
    let ended = run(folder, line);
    let sentences = besides_warnings(&ended);
    assert!(ended.code == 1 && ended.out.is_empty(), "{line}: {}\n{}", ended.code, ended.errors);
    let [sentence] = sentences[..] else { panic!("{line}: {sentences:?}") };
    assert!(sentence.starts_with("landform: ") && sentence.contains(part), "{line}: {sentence}");
}
