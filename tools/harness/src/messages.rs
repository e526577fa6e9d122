//! The validation layer's messages, captured.

use std::ffi::{CStr, c_void};
use std::sync::{Mutex, PoisonError};

use ash::vk;

use crate::{Failure, Result};

/// The messages of an instance. The messenger has the address of this, so it is boxed and outlives the instance.
#[derive(Default)]
pub(crate) struct Messages {
    list: Mutex<Vec<String>>,
}

impl Messages {
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.list.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn push(&self, message: String) {
        self.list.lock().unwrap_or_else(PoisonError::into_inner).push(message);
    }

    /// Describes a messenger that writes into `self`. Warnings and errors only, and not the loader's remarks about other
    /// drivers.
    pub(crate) fn messenger(&self) -> vk::DebugUtilsMessengerCreateInfoEXT<'static> {
        use vk::{DebugUtilsMessageSeverityFlagsEXT as Severity, DebugUtilsMessageTypeFlagsEXT as Type};
        vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(Severity::WARNING | Severity::ERROR)
            .message_type(Type::VALIDATION | Type::PERFORMANCE)
            .pfn_user_callback(Some(receive))
            .user_data(std::ptr::from_ref(self).cast_mut().cast())
    }
}

unsafe extern "system" fn receive(
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    _: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    user: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the layer passes a valid structure whose message is a C string, and the address that `messenger` stated, of
    // a `Messages` that outlives the instance and is only ever shared.
    let (message, messages) = unsafe {
        let message = data.as_ref().map(|data| data.p_message).filter(|text| !text.is_null());
        (message.map(|text| CStr::from_ptr(text).to_string_lossy().into_owned()), &*user.cast::<Messages>())
    };
    if let Some(message) = message {
        messages.push(format!("{severity:?}: {message}"));
    }
    vk::FALSE
}

/// Which layer validates.
pub(crate) const LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";

/// Decides on validation: what the caller said, else `LANDFORM_VALIDATION` (0 or 1), else on where the layer is installed.
pub(crate) fn decide(wanted: Option<bool>, entry: &ash::Entry) -> Result<bool> {
    // SAFETY: the loader is loaded.
    let layers = unsafe { entry.enumerate_instance_layer_properties() }.unwrap_or_default();
    let present = layers.iter().any(|layer| layer.layer_name_as_c_str() == Ok(LAYER));
    let from_environment = std::env::var("LANDFORM_VALIDATION").ok().map(|value| value != "0");
    match wanted.or(from_environment) {
        Some(true) if !present => Err(Failure::new(
            "validation was asked for, but VK_LAYER_KHRONOS_validation is not installed: install \
             vulkan-validationlayers, or set LANDFORM_VALIDATION=0",
        )),
        Some(on) => Ok(on),
        None => Ok(present),
    }
}
