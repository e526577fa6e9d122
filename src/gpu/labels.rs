//! Debug labels: the names of passes in a capture tool. Nothing happens on a host without debug utils.

use std::ffi::CStr;

use ash::vk;

use super::cmd::Cmd;

/// The colour of landform's labels, RGBA.
const COLOR: [f32; 4] = [0.45, 0.62, 0.30, 1.0];

impl Cmd<'_> {
    /// Opens a label; close it in the same command buffer.
    pub fn begin_label(&self, name: &CStr) {
        let Some(debug_utils) = &self.device().debug_utils else { return };
        let label = vk::DebugUtilsLabelEXT::default().label_name(name).color(COLOR);
        // SAFETY: Cmd's promise; the label is read during the call only.
        unsafe { debug_utils.cmd_begin_debug_utils_label(self.raw(), &label) };
    }

    /// Closes the label that was opened last.
    pub fn end_label(&self) {
        let Some(debug_utils) = &self.device().debug_utils else { return };
        // SAFETY: Cmd's promise; a label is open.
        unsafe { debug_utils.cmd_end_debug_utils_label(self.raw()) };
    }
}
