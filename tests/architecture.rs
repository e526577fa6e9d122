//! Holds what the documents say against the repository: rooms, who may name Vulkan, file sizes, commands, the README's code
//! and the sentences that the troubleshooting page quotes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

/// Every file below a folder of the repository, in order.
fn files(folder: impl AsRef<Path>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![root().join(folder)];
    while let Some(folder) = waiting.pop() {
        let entries = std::fs::read_dir(&folder).unwrap_or_else(|why| panic!("{}: {why}", folder.display()));
        for entry in entries {
            let path = entry.expect("a readable folder").path();
            if path.is_dir() { waiting.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    path.extension().is_some_and(|found| extensions.iter().any(|wanted| found == *wanted))
}

/// What stands between two marks of a document.
fn between<'a>(document: &'a str, begin: &str, end: &str) -> &'a str {
    let (_, rest) = document.split_once(begin).unwrap_or_else(|| panic!("no {begin}"));
    rest.split_once(end).unwrap_or_else(|| panic!("no {end}")).0
}

/// The rooms that the architecture's table names, in its order.
fn rooms() -> Vec<String> {
    let document = read("ARCHITECTURE.md");
    let rows = between(&document, "<!-- rooms -->", "<!-- /rooms -->").lines();
    rows.filter_map(|row| row.strip_prefix("| `")?.split_once('`').map(|(name, _)| name.to_string()))
        .collect()
}

#[test]
fn every_room_is_named_and_every_name_is_a_room() {
    let named: BTreeSet<_> = rooms().into_iter().collect();
    let entries = std::fs::read_dir(root().join("src")).expect("src");
    let folders: BTreeSet<_> = entries
        .map(|entry| entry.expect("a readable folder"))
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().into_string().expect("a name in Unicode"))
        .collect();
    assert_eq!(named, folders, "the rooms of ARCHITECTURE.md and the folders of src/");
    let library = read("src/lib.rs");
    for room in &named {
        assert!(library.contains(&format!("pub mod {room};")), "src/lib.rs has no room {room}");
        let row = [format!("//! | [`{room}`]"), format!("//! | `{room}`")];
        assert!(row.iter().any(|row| library.contains(row)), "the table of src/lib.rs lacks {room}");
    }
}

#[test]
fn nothing_above_the_gpu_names_vulkan() {
    let rooms = rooms();
    let device = ["draw", "gpu"];
    assert!(device.iter().all(|room| rooms.iter().any(|name| name == room)));
    for room in rooms.iter().filter(|room| !device.contains(&room.as_str())) {
        for path in files(Path::new("src").join(room)) {
            for (number, line) in std::fs::read_to_string(&path).expect("source").lines().enumerate() {
                let named =
                    ["ash::", "vk::", "crate::gpu", "crate::draw"].into_iter().find(|name| names(line, name));
                let comment = line.trim_start().starts_with("//");
                assert!(named.is_none() || comment, "{}:{}: {line}", path.display(), number + 1);
            }
        }
    }
}

/// True where a line has the name as a whole word: `hash::` does not name `ash::`.
fn names(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(at, _)| {
        !line[..at].chars().next_back().is_some_and(|before| before.is_alphanumeric() || before == '_')
    })
}

#[test]
fn no_file_is_long() {
    const MOST: usize = 500;
    let mut long = Vec::new();
    for folder in ["src", "build", "tools", "examples", "shaders", "tests"] {
        for path in files(folder) {
            let script = path.extension().is_none();
            if !script && !has_extension(&path, &["rs", "hlsl", "py", "sh"]) {
                continue;
            }
            let lines = std::fs::read_to_string(&path).map_or(0, |text| text.lines().count());
            if lines > MOST {
                long.push(format!("{} has {lines} lines", path.display()));
            }
        }
    }
    assert!(long.is_empty(), "more than {MOST} lines are two files: {long:#?}");
}

#[test]
fn the_commands_are_there() {
    let readme = read("README.md");
    for command in ["tools/valley", "tools/landform", "tools/test"] {
        let in_a_block = readme.lines().any(|line| line.starts_with(command));
        assert!(in_a_block, "README.md does not show {command}");
        assert_executable(command);
    }
    for script in ["tools/setup", "tools/regenerate", ".ci/run"] {
        assert_executable(script);
    }
}

fn assert_executable(path: &str) {
    let metadata = std::fs::metadata(root().join(path)).unwrap_or_else(|why| panic!("{path}: {why}"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(metadata.permissions().mode() & 0o111, 0o111, "{path} is not executable");
    }
    assert!(metadata.is_file() && read(path).starts_with("#!/usr/bin/env bash\n"), "{path}");
}

/// The README's code is that of the crate's documentation, which is compiled.
#[test]
fn the_readme_shows_code_that_compiles() {
    let library = read("src/lib.rs");
    let documented =
        between(&library, "#![cfg_attr(not(feature = \"vulkan\"), doc = \"```ignore\")]\n", "//! ```\n");
    let code: Vec<_> = documented
        .lines()
        .map(|line| line.strip_prefix("//!").expect("documentation"))
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .filter(|line| !line.starts_with("# "))
        .collect();
    let readme = read("README.md");
    let shown: Vec<_> = between(&readme, "```rust\n", "```\n").lines().collect();
    assert_eq!(shown, code, "README.md and src/lib.rs");
    let lines = code.len();
    assert!(lines <= 35, "an engine links it in {lines} lines, which are too many");
}

/// Whatever is quoted in italics is a sentence of the code, but for its numbers.
#[test]
fn quoted_sentences_exist() {
    let mut sources = String::new();
    for folder in ["src", "examples", "tools", "tests"] {
        for path in files(folder).iter().filter(|path| has_extension(path, &["rs"])) {
            if !path.ends_with("tests/architecture.rs") {
                sources += &std::fs::read_to_string(path).expect("source");
            }
        }
    }
    // A string over several lines is one.
    let sources = unwrapped(&sources.replace("\\\n", " "));
    let page = unwrapped(&read("docs/troubleshooting.md"));
    let quotes: Vec<_> = page.split("*\"").skip(1).filter_map(|rest| rest.split_once("\"*")).collect();
    assert!(quotes.len() > 20, "{} quotes", quotes.len());
    for (quote, _) in quotes {
        let part = |c: char| c.is_ascii_digit() || "…×:;,()".contains(c);
        for part in quote.split(part).map(str::trim).filter(|part| part.split(' ').count() > 2) {
            assert!(sources.contains(part), "no sentence of the code says \"{part}\", quoted in: {quote}");
        }
    }
}

/// Runs of white space are one space.
fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn links_between_documents_lead_somewhere() {
    let documents = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md"].map(PathBuf::from).into_iter();
    let pages = files("docs").into_iter().filter(|path| has_extension(path, &["md"]));
    for document in documents.chain(pages) {
        let folder = root().join(&document).parent().expect("a folder").to_path_buf();
        let text = read(&document);
        for (target, _) in text.split("](").skip(1).filter_map(|rest| rest.split_once(')')) {
            let path = target.split('#').next().unwrap_or_default();
            if path.is_empty() || path.contains("://") {
                continue;
            }
            assert!(folder.join(path).exists(), "{}: {target} leads nowhere", document.display());
        }
    }
}
