//! Reading a map, with a bar for a person who waits.

use crate::stop::{Result, Stop, is_interrupted};
use indicatif::{ProgressBar, ProgressStyle};
use landform::import::{Heightmap, ImportOptions};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long nobody misses a bar.
const PATIENCE: Duration = Duration::from_millis(300);

/// Reads a map. Where that takes long and stderr is a terminal, a bar shows how far it is; Ctrl-C ends it.
///
/// # Errors
/// As `Heightmap::read`, and an interrupt.
pub fn heightmap(file: &Path, options: &ImportOptions) -> Result<Heightmap> {
    let (start, mut bar) = (Instant::now(), None);
    let read = Heightmap::read_watched(file, options, &mut |part| {
        if start.elapsed() > PATIENCE {
            bar.get_or_insert_with(|| new_bar(file)).set_position((part * 1000.0) as u64);
        }
        if is_interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    read?.filter(|_| !is_interrupted()).ok_or_else(Stop::interrupted)
}

/// A bar on stderr; none where that is no terminal.
fn new_bar(file: &Path) -> ProgressBar {
    let bar = ProgressBar::new(1000);
    let style = ProgressStyle::with_template("{bar:40} {percent:>3} %  {elapsed_precise}  {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_message(format!("reading {}", file.display()));
    bar
}
