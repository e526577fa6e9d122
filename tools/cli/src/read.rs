//! Reading a map, with a bar for a person who waits; and a spinner where nobody knows how far it is.

use crate::stop::{Result, Stop, is_interrupted};
use indicatif::{ProgressBar, ProgressStyle};
use landform::import::{Heightmap, ImportOptions};
use std::io::{self, IsTerminal as _};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long nobody misses a bar.
const PATIENCE: Duration = Duration::from_millis(300);
/// How long a spinner stands still.
const TURN: Duration = Duration::from_millis(100);

/// Reads a map. Where that takes long and stderr is a terminal, a bar shows how far it is; Ctrl-C ends it.
///
/// # Errors
/// As `Heightmap::read`, and an interrupt.
pub fn heightmap(file: &Path, options: &ImportOptions) -> Result<Heightmap> {
    let (start, mut bar, mut work) = (Instant::now(), None, Work::default());
    let read = Heightmap::read_watched(file, options, &mut |part| {
        work.goes_on(part);
        if start.elapsed() > PATIENCE {
            let bar = bar.get_or_insert_with(new_bar);
            bar.set_message(format!("{} {}", work.name(), file.display()));
            bar.set_position((part * 1000.0) as u64);
        }
        if is_interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    read?.filter(|_| !is_interrupted()).ok_or_else(Stop::interrupted)
}

/// What the library is at: it goes from 0 to 1 while it reads, where nothing is told before a part is read, and then once
/// more while it fills voids.
#[derive(Default)]
struct Work {
    part: f64,
    fills: bool,
}

impl Work {
    fn goes_on(&mut self, part: f64) {
        self.fills |= part < self.part || part == 0.0;
        self.part = part;
    }

    fn name(&self) -> &'static str {
        match (self.fills, self.part < 1.0) {
            (false, true) => "reading",
            (true, true) => "filling the voids of",
            (_, false) => "making the map of",
        }
    }
}

/// A bar that appears where something takes long: call it with how much is done, 0…1. It goes when it is dropped.
pub fn bar_for(message: String) -> impl FnMut(f64) {
    struct Bar(Option<ProgressBar>);
    impl Drop for Bar {
        fn drop(&mut self) {
            self.0.iter().for_each(ProgressBar::finish_and_clear);
        }
    }
    let (start, mut bar) = (Instant::now(), Bar(None));
    move |part| {
        if start.elapsed() > PATIENCE {
            let bar = bar.0.get_or_insert_with(new_bar);
            bar.set_message(message.clone());
            bar.set_position((part * 1000.0) as u64);
        }
    }
}

/// A bar of a thousand steps on stderr; none where that is no terminal.
pub fn new_bar() -> ProgressBar {
    let bar = ProgressBar::new(1000);
    let style = ProgressStyle::with_template("{bar:40} {percent:>3} %  {elapsed_precise}  {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

/// Something that takes its time without saying how far it is. Where it takes long and stderr is a terminal, a spinner
/// turns until this is dropped.
pub(crate) struct Waiting(Option<(Sender<()>, JoinHandle<()>)>);

impl Waiting {
    /// Begins to wait for what the message says.
    pub(crate) fn for_what(message: String) -> Self {
        if !io::stderr().is_terminal() {
            return Self(None);
        }
        let (sender, ended) = mpsc::channel();
        let turns = move || {
            if ended.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let spinner = ProgressBar::new_spinner().with_message(message);
            while ended.recv_timeout(TURN) == Err(RecvTimeoutError::Timeout) {
                spinner.tick();
            }
            spinner.finish_and_clear();
        };
        Self(Some((sender, std::thread::spawn(turns))))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some((sender, thread)) = self.0.take() {
            drop(sender);
            // A spinner that failed is nobody's loss.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_again_is_filling() {
        let mut work = Work::default();
        let mut name = |part: f64| {
            work.goes_on(part);
            work.name().split(' ').next()
        };
        assert_eq!([0.3, 0.3, 1.0].map(&mut name), [Some("reading"), Some("reading"), Some("making")]);
        assert_eq!([0.0, 0.0, 0.7].map(&mut name), [Some("filling"); 3]);
        // Of a short file no part is told.
        let mut short = Work::default();
        short.goes_on(0.0);
        assert!(short.fills);
    }
}
