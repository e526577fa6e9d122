//! Textures of layers from files in a folder: read by threads, copied a few mebibytes a frame, answered from then on.
//!
//! A [`FileTextures`] owns its images; those that nobody names any more stay until it is dropped. An image is either being
//! copied and not answered, or readable by fragment stages and never written again: what is read anew becomes another image.

mod copying;
mod loader;
mod pieces;

use super::{TextureSource, TextureView};
use crate::gpu::{Cmd, Device, Image};
use crate::import::{Blocks, TexelFormat, TextureRequest};
use crate::splat::{Layer, TextureSlot};
use crate::{Error, Result};
use copying::{Copier, Copying};
use loader::{Loaded, Loader, Stamps};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// Images for the layers of a terrain from PNG, JPEG and KTX2 files; see [`TextureRequest`] for what is made of them.
///
/// A name is a path from the folder. The first question for one begins to read it, and the answer is None until it has been
/// copied by [`upload`](Self::upload): call that once a frame, outside a rendering scope. What several layers name is read
/// once. A file that cannot be read is reported once, in [`problems`](Self::problems) and in the log with the code
/// `texture-unread`, and its layer is drawn with its default. Once everything is there a frame allocates, copies and writes
/// nothing.
///
/// Dropping it waits for its threads, which break off what they read.
pub struct FileTextures {
    device: Arc<Device>,
    folder: PathBuf,
    blocks: Blocks,
    loader: Loader,
    entries: Vec<Entry>,
    /// The texture that is copied now, if one is.
    current: Option<Copying>,
    copier: Copier,
    revision: u64,
    problems: Vec<String>,
    notes: Vec<String>,
}

/// What a request came to.
struct Entry {
    request: TextureRequest,
    /// What is answered.
    shown: Option<(Image, TextureView)>,
    state: State,
    /// True where it could not be read the last time.
    failed: bool,
    /// The state of its files when they were read.
    stamps: Stamps,
}

/// Where a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It is shown, or could not be read.
    Settled,
    /// The loader has it, and has to read it again afterwards where that is said.
    Reading { again: bool },
    /// It was read, and is copied.
    Copying,
}

impl FileTextures {
    /// Textures from files below a folder. Nothing is opened yet.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a device that cannot filter textures of 8-bit texels, and [`Error::Invalid`] where the
    /// system gives no thread.
    pub fn new(device: &Arc<Device>, folder: impl Into<PathBuf>) -> Result<Self> {
        for format in [TexelFormat::Rgba8Srgb, TexelFormat::Rgba8, TexelFormat::Rg8] {
            copying::check_format(device, format)?;
        }
        let reads = |format: &TexelFormat| copying::check_format(device, *format).is_ok();
        let kept = device.features().texture_compression_bc && TexelFormat::ALL.iter().all(reads);
        let blocks = if kept { Blocks::Kept } else { Blocks::Unpacked };
        let folder = folder.into();
        Ok(Self {
            device: device.clone(),
            loader: Loader::new(folder.clone(), blocks)?,
            folder,
            blocks,
            entries: Vec::new(),
            current: None,
            copier: Copier::new(device)?,
            revision: 0,
            problems: Vec::new(),
            notes: Vec::new(),
        })
    }

    /// Copies at most so many bytes a frame, or a row of a mip where even that is more; 16 MiB where nothing is said.
    pub fn set_budget(&mut self, bytes: u64) {
        self.copier.budget = bytes;
    }

    /// Textures that were asked for and are neither there nor known to have a problem.
    pub fn pending(&self) -> usize {
        self.entries.iter().filter(|entry| entry.state != State::Settled).count()
    }

    /// True where nothing is pending: every question so far has its last answer.
    pub fn is_idle(&self) -> bool {
        self.entries.iter().all(|entry| entry.state == State::Settled)
    }

    /// One sentence for each file that could not be read, in the order in which they were found.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    /// One sentence for each thing that was converted or read past, in the order in which they were found.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Reads again what could not be read and what has changed since; what is there is drawn with meanwhile, and stays where
    /// the new file cannot be read. Asks the file system, so it is for a key or a file watcher and not for every frame.
    pub fn reload(&mut self) {
        self.problems.clear();
        for index in 0..self.entries.len() {
            let entry = &self.entries[index];
            if entry.failed || Stamps::of(&self.folder, &entry.request) != entry.stamps {
                self.ask(index);
            }
        }
    }

    /// Forgets every image and reads everything again: for a host that recorded an upload and then never submitted it, or
    /// lost the device's content in another way.
    pub fn forget(&mut self) {
        for index in 0..self.entries.len() {
            self.entries[index].shown = None;
            if !matches!(self.entries[index].state, State::Reading { .. }) {
                self.ask(index);
            }
        }
    }

    /// Copies what was read, within the budget of a frame. Once a frame, outside a rendering scope, before the frame's draws;
    /// what is copied whole is answered from the next question on.
    ///
    /// # Errors
    /// A command buffer of another device, no frame begun, or what the device could not make. What was not copied then is
    /// copied by the next call.
    pub fn upload(&mut self, cmd: &Cmd<'_>) -> Result<()> {
        if self.is_idle() {
            return Ok(());
        }
        if !std::ptr::eq(cmd.device(), &*self.device) {
            return Err(Error::invalid("file textures", "the command buffer is of another device"));
        }
        self.copier.begin_frame()?;
        while self.copier.has_budget() {
            if self.current.is_none() {
                let Some(loaded) = self.loader.take() else { break };
                self.begin(loaded);
                continue;
            }
            let Some(current) = &mut self.current else { break };
            if !self.copier.copy(cmd, current)? {
                continue;
            }
            if let Some(done) = self.current.take() {
                self.show(done);
            }
        }
        Ok(())
    }

    /// Has the loader read an entry, once more where it does so already.
    fn ask(&mut self, index: usize) {
        if self.current.as_ref().is_some_and(|current| current.index == index) {
            self.current = None;
        }
        let entry = &mut self.entries[index];
        if let State::Reading { again } = &mut entry.state {
            *again = true;
            return;
        }
        entry.state = State::Reading { again: false };
        self.loader.ask(index, &entry.request);
    }

    /// Begins to copy what was read, or reports why it was not.
    fn begin(&mut self, loaded: Loaded) {
        let Loaded { index, stamps, texture } = loaded;
        let entry = &mut self.entries[index];
        let again = matches!(entry.state, State::Reading { again: true });
        entry.state = State::Settled;
        entry.stamps = stamps;
        if again {
            return self.ask(index);
        }
        match texture
            .and_then(|texture| Copying::new(&self.device, index, &self.entries[index].request, texture))
        {
            Ok(mut copying) => {
                for note in copying.texture.notes.drain(..) {
                    add(&mut self.notes, note);
                }
                self.entries[index].state = State::Copying;
                self.entries[index].failed = false;
                self.current = Some(copying);
            }
            Err(error) => {
                self.entries[index].failed = true;
                let problem = error.to_string();
                if !self.problems.contains(&problem) {
                    tracing::warn!(code = "texture-unread", problem, "a layer's texture could not be read");
                }
                add(&mut self.problems, problem);
            }
        }
    }

    /// Answers with what was copied. What was answered before goes once the frames that use it have completed.
    fn show(&mut self, done: Copying) {
        self.revision += 1;
        let view = TextureView { view: done.image.view(), revision: self.revision };
        let entry = &mut self.entries[done.index];
        entry.shown = Some((done.image, view));
        entry.state = State::Settled;
    }

    /// Notes what a layer names and nobody reads.
    fn note_what_is_read_past(&mut self, layer: &Layer) {
        let name = &layer.name;
        if layer.metalness.is_some() {
            add(
                &mut self.notes,
                format!("{name}: its metalness is read past, for the ground is a dielectric"),
            );
        }
    }
}

impl TextureSource for FileTextures {
    fn texture(&mut self, layer: &Layer, slot: TextureSlot) -> Option<TextureView> {
        if let Some(entry) = self.entries.iter().find(|entry| entry.request.is_of(layer, slot)) {
            return entry.shown.as_ref().map(|(_, view)| *view);
        }
        let request = TextureRequest::of(layer, slot)?;
        self.note_what_is_read_past(layer);
        let stamps = Stamps::default();
        self.entries.push(Entry { request, shown: None, state: State::Settled, failed: false, stamps });
        self.ask(self.entries.len() - 1);
        None
    }

    fn upload(&mut self, cmd: &Cmd<'_>) -> Result<()> {
        FileTextures::upload(self, cmd)
    }
}

impl fmt::Debug for FileTextures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.entries.iter().filter(|entry| entry.shown.is_some()).count();
        let blocks = if self.blocks == Blocks::Kept { "kept" } else { "unpacked" };
        write!(
            f,
            "textures from {}: {} asked for, {shown} there, {} pending, {} problems, blocks {blocks}",
            self.folder.display(),
            self.entries.len(),
            self.pending(),
            self.problems.len()
        )
    }
}

/// Adds a sentence that is not there yet.
fn add(sentences: &mut Vec<String>, sentence: String) {
    if !sentences.contains(&sentence) {
        sentences.push(sentence);
    }
}
