//! Files that appear when they are complete.
//!
//! What is being written lies in a folder of its own beside its place and is moved there at the end. Until then there is
//! nothing in its place, or what was there before; and what ends the program early has one folder to remove.

use crate::read::Waiting;
use crate::stop::{Result, Stop, is_interrupted};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The folder of what is being written.
static FOLDER: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Writes a file under another name with `write`, and gives it its own when that has succeeded. A file that was there is
/// replaced, and a link to one leads to the new one; the folder that it is to be in is made where it is missing.
///
/// # Errors
/// What `write` returned, or why there can be no such file; an interrupt that came before.
pub fn complete<R>(target: &Path, write: impl FnOnce(&Path) -> Result<R>) -> Result<R> {
    let failed = |error: io::Error| Stop::new(format!("{}: cannot be written: {error}", target.display()));
    let place = fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
    if place.exists() && !place.is_file() {
        let why = format!("{} is there already and is no file; it is left alone", target.display());
        return Err(Stop::new(why));
    }
    let name =
        place.file_name().ok_or_else(|| Stop::new(format!("{} is no name of a file", target.display())))?;
    let parent = place.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(parent).map_err(failed)?;
    let folder = new_folder(parent).map_err(failed)?;
    let _removed = Removed(folder.clone());
    *lock() = Some(folder.clone());
    // Whoever interrupts sets this first and looks for the folder then: one of the two sees the other.
    if is_interrupted() {
        *lock() = None;
        return Err(Stop::interrupted());
    }
    let part = folder.join(name);
    let _waiting = waiting_for(target);
    let written = write(&part).map_err(|stop| {
        // The name that it has meanwhile is nobody's business.
        let sentence = stop.sentence.replace(&*part.to_string_lossy(), &target.to_string_lossy());
        Stop { sentence, ..stop }
    })?;
    // Whoever interrupts has the lock: either this is done, or it is never.
    let mut unfinished = lock();
    fs::rename(&part, &place).map_err(failed)?;
    *unfinished = None;
    Ok(written)
}

/// Writes what must not be left half done and has a way of its own to that end. An interrupt waits meanwhile.
///
/// # Errors
/// What `write` returned, and an interrupt that came before.
pub fn to_the_end<R>(target: &Path, write: impl FnOnce() -> Result<R>) -> Result<R> {
    let _waits = lock();
    if is_interrupted() {
        return Err(Stop::interrupted());
    }
    let _waiting = waiting_for(target);
    write()
}

fn waiting_for(target: &Path) -> Waiting {
    Waiting::for_what(format!("writing {}", target.display()))
}

/// A folder under a name that nothing had.
fn new_folder(parent: &Path) -> io::Result<PathBuf> {
    let mut number = 0;
    loop {
        let folder = parent.join(format!(".landform-{}-{number}.unfinished", std::process::id()));
        match fs::create_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            made => return made.map(|()| folder),
        }
    }
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
        assert!(complete(&folder, |_| Ok(())).unwrap_err().sentence.contains("is no file"));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    #[cfg(unix)]
    fn a_link_stays_a_link_and_a_folder_of_that_name_is_somebody_elses() {
        let folder = std::env::temp_dir().join(format!("landform-unfinished-link-{}", std::process::id()));
        let taken = folder.join(format!("disk/.landform-{}-0.unfinished", std::process::id()));
        fs::create_dir_all(&taken).unwrap();
        fs::write(taken.join("a.txt"), "mine").unwrap();
        fs::write(folder.join("disk/a.txt"), "old").unwrap();
        std::os::unix::fs::symlink("disk/a.txt", folder.join("b.txt")).unwrap();
        complete(&folder.join("b.txt"), |part| {
            fs::write(part, "new").map_err(|why| Stop::new(why.to_string()))
        })
        .unwrap();
        assert!(folder.join("b.txt").is_symlink());
        assert_eq!(fs::read_to_string(folder.join("disk/a.txt")).unwrap(), "new");
        assert_eq!(fs::read_to_string(taken.join("a.txt")).unwrap(), "mine");
        assert_eq!(fs::read_dir(folder.join("disk")).unwrap().count(), 2);
        fs::remove_dir_all(folder).unwrap();
    }
}
