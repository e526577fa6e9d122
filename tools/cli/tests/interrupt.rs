//! An interrupt that comes between reading and writing. The process interrupts itself, so that nothing else is tested here.
#![cfg(unix)]

use landform_cli::stop::{Reason, is_interrupted, listen_for_interrupts};
use landform_cli::unfinished::{complete, to_the_end};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

#[test]
fn nothing_is_written_after_an_interrupt() {
    listen_for_interrupts().expect("a handler");
    // The shell's own kill: a small system has no program of that name.
    let kill = format!("kill -INT {}", std::process::id());
    assert!(Command::new("sh").args(["-c", &kill]).status().expect("a signal is sent").success());
    let start = Instant::now();
    while !is_interrupted() {
        assert!(start.elapsed() < Duration::from_secs(60), "no interrupt came");
        std::thread::sleep(Duration::from_millis(1));
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("interrupt_before_writing");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    let stop =
        complete(&folder.join("a.png"), |_| -> Result<(), _> { unreachable!("it is not to be written") });
    assert_eq!(stop.expect_err("an interrupt").reason, Reason::Interrupted);
    let stop = to_the_end(&folder, || -> Result<(), _> { unreachable!("it is not to be written") });
    assert_eq!(stop.expect_err("an interrupt").reason, Reason::Interrupted);
    assert_eq!(std::fs::read_dir(&folder).expect("the folder").count(), 0);
}
