//! The one error type. Its `Display` is a sentence for a person: what was refused, why, and what would work.

use std::path::PathBuf;

/// Everything that landform refuses or that a file, a driver or a device did to it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A description, a setting or an argument that landform cannot honour.
    #[error("{what}: {why}")]
    Invalid {
        /// The thing that was described, for instance `terrain description`.
        what: &'static str,
        /// What is wrong with it and what would work, a sentence.
        why: String,
    },
    /// A file that could not be read, or whose content is not what it claims.
    #[error("{}: {why}", path.display())]
    File {
        /// The file as the caller named it.
        path: PathBuf,
        /// What is wrong with it and what would work, a sentence.
        why: String,
    },
    /// The device, or the way the host set it up, lacks something that landform needs.
    #[error("{what}: {why}")]
    Unsupported {
        /// The feature, extension, limit or format, by its Vulkan name.
        what: String,
        /// What it is needed for and what would work, a sentence.
        why: String,
    },
    /// A Vulkan call failed.
    #[cfg(feature = "vulkan")]
    #[error("{resource}: {call} failed with {result:?}")]
    Vulkan {
        /// The resource or step, by the name that a capture tool shows.
        resource: String,
        /// The Vulkan entry point.
        call: &'static str,
        /// What it returned.
        result: ash::vk::Result,
    },
    /// Device memory could not be had.
    #[error("{resource}: {why}")]
    Memory {
        /// The resource that wanted the memory, by the name that a capture tool shows.
        resource: String,
        /// The allocator's own sentence.
        why: String,
    },
}

impl Error {
    /// A refused description or setting.
    pub(crate) fn invalid(what: &'static str, why: impl Into<String>) -> Self {
        Error::Invalid { what, why: why.into() }
    }

    /// A refused file.
    pub(crate) fn file(path: impl Into<PathBuf>, why: impl Into<String>) -> Self {
        Error::File { path: path.into(), why: why.into() }
    }

    /// The same with what it happened in at its beginning: a terrain of the scene, a node of the frame.
    #[cfg(feature = "vulkan")]
    pub(crate) fn in_context(self, context: &str) -> Self {
        match self {
            Error::Invalid { what, why } => Error::Invalid { what, why: format!("{context}: {why}") },
            Error::Unsupported { what, why } => Error::Unsupported { what, why: format!("{context}: {why}") },
            Error::Vulkan { resource, call, result } => {
                Error::Vulkan { resource: format!("{context}: {resource}"), call, result }
            }
            Error::Memory { resource, why } => {
                Error::Memory { resource: format!("{context}: {resource}"), why }
            }
            file @ Error::File { .. } => file,
        }
    }

    /// A failed Vulkan call.
    #[cfg(feature = "vulkan")]
    pub(crate) fn vulkan(resource: impl Into<String>, call: &'static str, result: ash::vk::Result) -> Self {
        Error::Vulkan { resource: resource.into(), call, result }
    }
}

/// `Result` with landform's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;
