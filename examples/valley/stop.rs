//! Why the program ends before it is done: a sentence for a person and an exit code for a script.

use std::fmt;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};

/// `Result` with a [`Stop`].
pub(crate) type Result<T, E = Stop> = std::result::Result<T, E>;

/// The sentence and the exit code: 1 in general, 2 for a missing driver or device, 3 for validation messages, 130 after
/// an interrupt.
pub(crate) struct Stop {
    pub(crate) code: u8,
    pub(crate) sentence: String,
}

impl Stop {
    pub(crate) fn new(sentence: impl Into<String>) -> Self {
        Self { code: 1, sentence: sentence.into() }
    }

    /// No device to draw with.
    pub(crate) fn device(failure: impl fmt::Display) -> Self {
        Self { code: 2, sentence: failure.to_string() }
    }

    pub(crate) fn interrupted() -> Self {
        Self { code: 130, sentence: "interrupted".into() }
    }

    /// A failed Vulkan call of the example's own.
    pub(crate) fn call(call: &'static str) -> impl FnOnce(ash::vk::Result) -> Self {
        move |result| Self::new(format!("{call} failed with {result:?}"))
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

impl From<landform::Error> for Stop {
    fn from(error: landform::Error) -> Self {
        Self::new(error.to_string())
    }
}

impl From<landform_harness::Failure> for Stop {
    fn from(failure: landform_harness::Failure) -> Self {
        Self::new(failure.to_string())
    }
}

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Takes Ctrl-C: the first one asks for an end, which comes when nothing is left half done; a second one ends at once.
pub(crate) fn listen_for_interrupts() -> Result<()> {
    let taken = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    taken.map_err(|error| Stop::new(format!("Ctrl-C cannot be listened for: {error}")))
}

/// True once Ctrl-C was pressed.
pub(crate) fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Prints a line. Whoever reads it may have gone; that is no reason to fail.
pub(crate) fn say(line: impl fmt::Display) {
    let _ = writeln!(std::io::stdout(), "{line}");
}
