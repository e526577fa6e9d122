//! From the document that is written to the one that is drawn.

use super::{ExpandStandardFrame, FrameDocument};
use crate::{Error, Result};
use std::fmt;
use std::path::Path;

/// A change of a frame document. It may add, move and remove anything, and does nothing to a document that it has changed
/// already.
pub trait FrameTransform: Send + Sync {
    /// What errors call it.
    fn name(&self) -> &'static str;

    /// Changes the document.
    ///
    /// # Errors
    /// What the transform cannot work with. The document that [`Transforms::run`] was given is not changed by it.
    fn apply(&self, document: &mut FrameDocument) -> Result<()>;
}

/// Transforms in the order in which they were registered.
pub struct Transforms {
    list: Vec<Box<dyn FrameTransform>>,
}

impl Default for Transforms {
    /// [`ExpandStandardFrame`], so that every other sees the expanded frame.
    fn default() -> Self {
        let mut transforms = Self::empty();
        transforms.register(ExpandStandardFrame);
        transforms
    }
}

impl Transforms {
    /// None, not even [`ExpandStandardFrame`].
    pub fn empty() -> Self {
        Self { list: Vec::new() }
    }

    /// Adds a transform after those that are there.
    pub fn register(&mut self, transform: impl FrameTransform + 'static) -> &mut Self {
        self.list.push(Box::new(transform));
        self
    }

    /// The document that is drawn, checked by [`FrameDocument::check`]. Run on its own result it changes nothing.
    ///
    /// # Errors
    /// What [`FrameDocument::validate`] refuses in the written document, what a transform refuses, and what
    /// [`FrameDocument::check`] refuses in the result.
    pub fn run(&self, written: &FrameDocument) -> Result<FrameDocument> {
        written.validate()?;
        let mut document = written.clone();
        self.list.iter().try_for_each(|transform| transform.apply(&mut document))?;
        document.check()?;
        Ok(document)
    }

    /// The document of a file, read by [`FrameDocument::read`], as it is drawn.
    ///
    /// # Errors
    /// [`Error::File`] for what `read` and [`run`](Self::run) refuse.
    pub fn read(&self, path: impl AsRef<Path>) -> Result<FrameDocument> {
        let path = path.as_ref();
        let written = FrameDocument::read(path)?;
        self.run(&written).map_err(|error| match error {
            Error::Invalid { why, .. } => Error::file(path, why),
            error => error,
        })
    }
}

impl fmt::Debug for Transforms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.list.iter().map(|transform| transform.name())).finish()
    }
}
