//! Files that appear when they are complete.
//!
//! What is being written lies in a folder of its own beside its place and is moved there at the end. Until then there is
//! nothing in its place, or what was there before; and what ends the program early has one folder to remove.

use crate::stop::{Result, Stop};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The folder of what is being written.
static FOLDER: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Writes a file under another name with `write`, and gives it its own when that has succeeded. A file that was there is
/// replaced; the folder that it is to be in is made where it is missing.
///
/// # Errors
/// What `write` returned, or why there can be no such file.
pub fn complete<R>(target: &Path, write: impl FnOnce(&Path) -> Result<R>) -> Result<R> {
    let failed = |error: io::Error| Stop::new(format!("{}: cannot be written: {error}", target.display()));
    let name =
        target.file_name().ok_or_else(|| Stop::new(format!("{} is no name of a file", target.display())))?;
    let parent = target.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(parent).map_err(failed)?;
    let folder = parent.join(format!(".landform-{}.unfinished", std::process::id()));
    fs::create_dir_all(&folder).map_err(failed)?;
    let _removed = Removed(folder.clone());
    *lock() = Some(folder.clone());
    let part = folder.join(name);
    let written = write(&part).map_err(|stop| {
        // The name that it has meanwhile is nobody's business.
        let sentence = stop.sentence.replace(&*part.to_string_lossy(), &target.to_string_lossy());
        Stop { sentence, ..stop }
    })?;
    // Whoever interrupts has the lock: either this is done, or it is never.
    let mut unfinished = lock();
    fs::rename(&part, target).map_err(failed)?;
    *unfinished = None;
    Ok(written)
}

/// Writes what must not be left half done and has a way of its own to that end. An interrupt waits meanwhile.
pub fn to_the_end<R>(write: impl FnOnce() -> R) -> R {
    let _waits = lock();
    write()
}

/// Removes what is being written and then calls `end`; does neither where nothing is.
pub(crate) fn abandon(end: impl FnOnce()) {
    let unfinished = lock();
    if let Some(folder) = unfinished.as_ref() {
        // A file may be added meanwhile, so that the folder is not empty when its turn comes.
        for _ in 0..10 {
            if !matches!(fs::remove_dir_all(folder), Err(error) if error.kind() != io::ErrorKind::NotFound) {
                break;
            }
        }
        end();
    }
}

fn lock() -> std::sync::MutexGuard<'static, Option<PathBuf>> {
    FOLDER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes a folder when it is dropped.
struct Removed(PathBuf);

impl Drop for Removed {
    fn drop(&mut self) {
        // What is left of an attempt is of no use; that it cannot be removed would hide the reason.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_whole_or_what_it_was() {
        let folder = std::env::temp_dir().join(format!("landform-unfinished-{}", std::process::id()));
        let target = folder.join("new/a.txt");
        complete(&target, |part| fs::write(part, "whole").map_err(|error| Stop::new(error.to_string())))
            .unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "whole");
        let stop = complete(&target, |part| -> Result<()> {
            assert_ne!(part, target);
            fs::write(part, "hal").unwrap();
            Err(Stop::new(format!("{}: the disk is full", part.display())))
        });
        assert_eq!(stop.unwrap_err().sentence, format!("{}: the disk is full", target.display()));
        assert_eq!(fs::read_to_string(&target).unwrap(), "whole");
        assert_eq!(fs::read_dir(folder.join("new")).unwrap().count(), 1);
        assert!(complete(Path::new(".."), |_| Ok(())).is_err());
        fs::remove_dir_all(folder).unwrap();
    }
}
