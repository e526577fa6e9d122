//! Why a program ends before it is done: a sentence for a person, and a reason from which it makes its exit code.

use crate::unfinished;
use std::fmt;
use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

/// `Result` with a [`Stop`].
pub type Result<T, E = Stop> = std::result::Result<T, E>;

/// The exit code after an interrupt.
pub const INTERRUPTED_CODE: u8 = 130;

/// Why a program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A file, an option or a call was refused.
    Failed,
    /// There is no driver, or no device that draws.
    NoDevice,
    /// The validation layer had something to say.
    Validation,
    /// Ctrl-C.
    Interrupted,
}

/// The sentence and the reason.
#[derive(Clone, Debug)]
pub struct Stop {
    /// Why.
    pub reason: Reason,
    /// What a person is told.
    pub sentence: String,
}

impl Stop {
    /// Something was refused or failed.
    pub fn new(sentence: impl Into<String>) -> Self {
        Self { reason: Reason::Failed, sentence: sentence.into() }
    }

    /// No device to draw with.
    pub fn device(failure: impl fmt::Display) -> Self {
        Self { reason: Reason::NoDevice, sentence: failure.to_string() }
    }

    /// Ctrl-C was pressed.
    pub fn interrupted() -> Self {
        Self { reason: Reason::Interrupted, sentence: "interrupted".into() }
    }

    /// A failed Vulkan call of the program's own.
    pub fn call(call: &'static str) -> impl FnOnce(ash::vk::Result) -> Self {
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

/// Takes Ctrl-C. While a file is written, what there is of it is removed and the program ends; otherwise the first one asks
/// for an end, which comes when nothing is left half done, and a second one ends at once.
///
/// # Errors
/// Where the system does not let it.
pub fn listen_for_interrupts() -> Result<()> {
    let taken = ctrlc::set_handler(|| {
        let again = INTERRUPTED.swap(true, Ordering::Relaxed);
        unfinished::abandon(|| std::process::exit(INTERRUPTED_CODE.into()));
        if again {
            std::process::exit(INTERRUPTED_CODE.into());
        }
    });
    taken.map_err(|error| Stop::new(format!("Ctrl-C cannot be listened for: {error}")))
}

/// True once Ctrl-C was pressed.
pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Prints a line. Whoever reads it may have gone; that is no reason to fail.
pub fn say(line: impl fmt::Display) {
    let _ = writeln!(io::stdout(), "{line}");
}

/// Prints a result. Whoever reads it may have gone, but where it cannot be written for another reason the program failed.
///
/// # Errors
/// A full disk, for instance.
pub fn print(text: impl fmt::Display) -> Result<()> {
    let mut out = io::stdout().lock();
    match write!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Stop::new(format!("the result cannot be printed: {error}")))
        }
        _ => Ok(()),
    }
}
