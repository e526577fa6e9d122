//! One host for all tests of a process, one test at a time.

use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{Api, Gpu, GpuOptions};

static HOSTS: [Mutex<Option<Arc<Gpu>>>; 2] = [Mutex::new(None), Mutex::new(None)];

/// The process's host, to itself. When it is let go and the test has not failed otherwise, the validation layer must have
/// been silent. Drop what was made from it first.
pub struct SharedGpu {
    gpu: Arc<Gpu>,
    _turn: MutexGuard<'static, Option<Arc<Gpu>>>,
}

/// The process's Vulkan 1.3 host.
///
/// # Panics
/// With a sentence where there is none.
pub fn shared() -> SharedGpu {
    shared_with(Api::V1_3)
}

/// The process's host for one of the two ways into landform.
///
/// # Panics
/// With a sentence where there is none.
pub fn shared_with(api: Api) -> SharedGpu {
    let mut turn = HOSTS[api as usize].lock().unwrap_or_else(PoisonError::into_inner);
    let gpu = turn.take().unwrap_or_else(|| {
        Gpu::new(GpuOptions { api, ..GpuOptions::default() }).unwrap_or_else(|failure| panic!("{failure}"))
    });
    *turn = Some(gpu.clone());
    gpu.take_messages();
    SharedGpu { gpu, _turn: turn }
}

impl Deref for SharedGpu {
    type Target = Arc<Gpu>;

    fn deref(&self) -> &Arc<Gpu> {
        &self.gpu
    }
}

impl Drop for SharedGpu {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.gpu.assert_silent();
        }
    }
}
