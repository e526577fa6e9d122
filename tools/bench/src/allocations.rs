//! Counts what the program allocates, so that "a steady frame allocates nothing" is a number.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

/// The system's allocator, with a count of the calls that ask for memory, on all threads.
pub(crate) struct Counting;

static CALLS: AtomicU64 = AtomicU64::new(0);

/// How often memory was asked for since the program began.
pub(crate) fn count() -> u64 {
    CALLS.load(Ordering::Relaxed)
}

// SAFETY: every call is handed on as it is to the system's allocator, which keeps the contract.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller vouches for the layout.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        CALLS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller vouches for the layout.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        CALLS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller vouches for the pointer, its layout and the size.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller vouches for the pointer and its layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}
