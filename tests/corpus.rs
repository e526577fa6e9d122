//! Every file of `tests/corpus` and of `tests/samples` is replayed as the fuzz targets would: nothing panics, and what is
//! read is a whole terrain. A file that a fuzzer found goes into `tests/corpus` with a name that says what it does.

#[path = "../tools/fuzz/src/lib.rs"]
#[expect(unreachable_pub, reason = "the fuzz targets have it as a crate")]
mod checks;

use std::path::{Path, PathBuf};

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|why| panic!("{}: {why}", folder.display()));
    let mut files: Vec<_> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    files.sort();
    files
}

#[test]
fn no_file_breaks_a_promise() {
    let scratch = checks::scratch();
    let mut count = 0;
    for path in files("tests/corpus").into_iter().chain(files("tests/samples")) {
        let bytes = std::fs::read(&path).expect("a readable file");
        checks::check(&path.file_name().expect("a name").to_string_lossy(), &bytes);
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("png") => {
                checks::check_weights(&scratch, &bytes);
                checks::check_folder(&scratch, &bytes);
            }
            Some("json") => checks::check_folder(&scratch, &bytes),
            _ => {}
        }
        count += 1;
    }
    assert!(count > 100, "{count} files");
    #[cfg(feature = "textures")]
    for path in ["tests/corpus", "tests/samples", "tests/textures"].into_iter().flat_map(files) {
        checks::check_texture(&std::fs::read(&path).expect("a readable file"));
    }
    std::fs::remove_dir_all(scratch).expect("the folder for temporary files");
}
