//! A failure is a sentence.

use std::fmt;

use ash::vk;

/// What went wrong, and what would work, in one sentence.
#[derive(Clone, PartialEq, Eq)]
pub struct Failure(String);

/// `Result` with a [`Failure`].
pub type Result<T, E = Failure> = std::result::Result<T, E>;

impl Failure {
    /// A failure with this sentence.
    pub fn new(sentence: impl Into<String>) -> Self {
        Failure(sentence.into())
    }

    pub(crate) fn call(call: &'static str) -> impl FnOnce(vk::Result) -> Failure {
        move |result| Failure(format!("{call} failed with {result:?}"))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The sentence too, so that `unwrap` in a test is readable.
impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failure {}

impl From<landform::Error> for Failure {
    fn from(error: landform::Error) -> Self {
        Failure(error.to_string())
    }
}
