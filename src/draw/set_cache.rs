//! Descriptor sets by what they hold, a list for each frame slot.
//!
//! A set is written when something asks for what no set of the slot holds, and only where no pass has used it for some frames: none
//! is written under a frame in flight, and a frame like the last few of its slot writes none.

use crate::Result;
use crate::gpu::{Device, Set, SetLayout, Sets};
use std::sync::Arc;

pub(super) struct SetCache<K> {
    device: Arc<Device>,
    name: &'static str,
    layout: Arc<SetLayout>,
    slots: Vec<Vec<Held<K>>>,
}

struct Held<K> {
    sets: Sets,
    /// The frame that it was used in last.
    frame: u64,
    holds: Option<K>,
}

/// Frames that a set is kept for what it holds.
const KEPT: u64 = 12;

impl<K: PartialEq> SetCache<K> {
    pub(super) fn new(device: &Arc<Device>, layout: Arc<SetLayout>, name: &'static str) -> Self {
        let slots = (0..device.slots()).map(|_| Vec::new()).collect();
        Self { device: device.clone(), name, layout, slots }
    }

    pub(super) fn layout(&self) -> &Arc<SetLayout> {
        &self.layout
    }

    /// The index of a set that holds this, for the current frame: one that does, else one that has not been used for some frames, else
    /// a new one. `write` writes all of it.
    pub(super) fn find(&mut self, holds: K, write: impl FnOnce(&mut Sets) -> Result<()>) -> Result<usize> {
        let frame = self.device.frame();
        let slot = &mut self.slots[self.device.slot()];
        let known = slot.iter().position(|held| held.holds.as_ref() == Some(&holds));
        // What takes turns between two images asks for the same again a few frames later.
        let free = || slot.iter().position(|held| held.frame + KEPT < frame);
        let index = match known.or_else(free) {
            Some(index) => index,
            None => {
                let sets = Sets::new(&self.layout, self.name, 1)?;
                slot.push(Held { sets, frame: 0, holds: None });
                slot.len() - 1
            }
        };
        let held = &mut slot[index];
        if held.holds.as_ref() != Some(&holds) {
            // Where writing fails half way nothing is known of it.
            held.holds = None;
            write(&mut held.sets)?;
            held.holds = Some(holds);
        }
        held.frame = frame;
        Ok(index)
    }

    /// A set that was found in the current frame.
    pub(super) fn get(&self, index: usize) -> Option<&Set> {
        Some(self.slots[self.device.slot()].get(index)?.sets.get(0))
    }
}
