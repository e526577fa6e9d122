//! Threads that read textures while frames are drawn.
//!
//! What was read waits in a short queue until a frame takes it, and a thread that finds the queue full waits with it, so
//! that a hundred textures do not lie in memory at once.

use crate::import::{Blocks, TextureData, TextureRequest};
use crate::{Error, Result};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::SystemTime;

/// Textures that may wait to be taken.
const WAITING: usize = 2;

/// The most threads; decoding takes memory as well as time.
const MOST_THREADS: usize = 2;

/// A texture to read.
struct Job {
    index: usize,
    request: TextureRequest,
}

/// A texture that was read, or could not be.
pub(super) struct Loaded {
    /// The number that it was asked for under.
    pub(super) index: usize,
    /// The state of its files before they were read.
    pub(super) stamps: Stamps,
    pub(super) texture: Result<TextureData>,
}

/// When each file of a request was changed last, and its bytes; None for one that is not there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Stamps(Vec<Option<(SystemTime, u64)>>);

impl Stamps {
    pub(super) fn of(folder: &Path, request: &TextureRequest) -> Self {
        let stamp = |file: &str| {
            let metadata = std::fs::metadata(folder.join(file)).ok()?;
            Some((metadata.modified().ok()?, metadata.len()))
        };
        Self(request.files().into_iter().map(stamp).collect())
    }
}

/// The threads. Dropping it stops them, soon, whatever they read.
pub(super) struct Loader {
    /// None only while it is dropped.
    jobs: Option<Sender<Job>>,
    loaded: Option<Receiver<Loaded>>,
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Loader {
    /// Begins the threads, which wait for something to read.
    ///
    /// # Errors
    /// Where the system gives no thread.
    pub(super) fn new(folder: PathBuf, blocks: Blocks) -> Result<Self> {
        let (jobs, waiting) = channel();
        let (done, loaded) = sync_channel(WAITING);
        let stop = Arc::new(AtomicBool::new(false));
        let worker = Worker { folder, blocks, stop: stop.clone(), jobs: Arc::new(Mutex::new(waiting)), done };
        let mut loader = Self { jobs: Some(jobs), loaded: Some(loaded), stop, threads: Vec::new() };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        for _ in 0..(cores / 2).clamp(1, MOST_THREADS) {
            let worker = worker.clone();
            let thread = std::thread::Builder::new().name("landform textures".into());
            let thread = thread.spawn(move || worker.run());
            loader.threads.push(thread.map_err(|error| {
                Error::invalid("file textures", format!("the system gives no thread to read files: {error}"))
            })?);
        }
        Ok(loader)
    }

    /// Asks for a texture. What becomes of it is taken by [`take`](Self::take) under the same number.
    pub(super) fn ask(&self, index: usize, request: &TextureRequest) {
        let job = Job { index, request: request.clone() };
        // The threads end only with the loader.
        let sent = self.jobs.as_ref().map(|jobs| jobs.send(job).is_ok());
        debug_assert_eq!(sent, Some(true), "a thread ended early");
    }

    /// A texture that was read, if one is ready. Does not wait.
    pub(super) fn take(&self) -> Option<Loaded> {
        self.loaded.as_ref()?.try_recv().ok()
    }
}

impl Drop for Loader {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        // Without its two ends no thread waits for anything.
        self.jobs = None;
        self.loaded = None;
        for thread in self.threads.drain(..) {
            if thread.join().is_err() {
                tracing::error!(code = "texture-thread", "a thread that reads textures ended in a panic");
            }
        }
    }
}

/// What a thread has.
#[derive(Clone)]
struct Worker {
    folder: PathBuf,
    blocks: Blocks,
    stop: Arc<AtomicBool>,
    jobs: Arc<Mutex<Receiver<Job>>>,
    done: SyncSender<Loaded>,
}

impl Worker {
    fn run(&self) {
        loop {
            // The lock is held while waiting: the other threads wait for it instead.
            let job = self.jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(job) = job else { return };
            let Some(loaded) = self.load(job) else { return };
            if self.done.send(loaded).is_err() {
                return;
            }
        }
    }

    /// Reads a texture; None where it was told to stop.
    fn load(&self, Job { index, request }: Job) -> Option<Loaded> {
        let stamps = Stamps::of(&self.folder, &request);
        let stop = || self.stop.load(Ordering::Relaxed);
        // A decoder is somebody else's code on somebody else's bytes, and a lost answer would be waited for for ever.
        let read = catch_unwind(AssertUnwindSafe(|| request.read_watched(&self.folder, self.blocks, &stop)));
        let texture = match read {
            Ok(Ok(None)) => return None,
            Ok(Ok(Some(texture))) => Ok(texture),
            Ok(Err(error)) => Err(error),
            Err(_) => {
                let file = request.files().first().map(|file| self.folder.join(file)).unwrap_or_default();
                Err(Error::file(
                    file,
                    "its decoder gave up on it, which is a fault of landform's; save it again",
                ))
            }
        };
        Some(Loaded { index, stamps, texture })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::splat::{Layer, TextureSlot};
    use std::time::{Duration, Instant};

    fn request(name: &str) -> TextureRequest {
        let layer = Layer { albedo: Some(name.into()), ..Layer::new("grass") };
        TextureRequest::of(&layer, TextureSlot::Albedo).unwrap()
    }

    fn loader(folder: &str) -> Loader {
        Loader::new(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), Blocks::Unpacked).unwrap()
    }

    #[test]
    fn every_question_is_answered_once() {
        let loader = loader("tests/textures");
        let names = ["rgb.png", "not there", "grey.jpg", "cmyk.jpg", "bc1_srgb.ktx2", "rgb.png"];
        for (index, name) in names.into_iter().enumerate() {
            loader.ask(index, &request(name));
        }
        let mut answers: Vec<Option<bool>> = vec![None; names.len()];
        let began = Instant::now();
        while answers.contains(&None) {
            assert!(began.elapsed() < Duration::from_secs(60), "{answers:?}");
            let Some(loaded) = loader.take() else {
                std::thread::sleep(Duration::from_millis(1));
                continue;
            };
            assert_eq!(answers[loaded.index].replace(loaded.texture.is_ok()), None);
        }
        assert_eq!(answers, [true, false, true, false, true, true].map(Some));
        assert!(loader.take().is_none());
    }

    #[test]
    fn it_stops_although_nobody_takes_anything() {
        let loader = loader("tests/textures");
        for index in 0..1000 {
            loader.ask(index, &request("rgb.png"));
        }
        let began = Instant::now();
        drop(loader);
        assert!(began.elapsed() < Duration::from_secs(20));
    }
}
