//! The window's surface.

use ash::vk;
use landform_cli::stop::{Result, Stop};
use landform_harness::{Gpu, GpuInstance, GpuOptions};
use std::ffi::{CStr, CString};
use std::sync::Arc;
use winit::raw_window_handle::{HasDisplayHandle, HasWindowHandle};
use winit::window::Window;

/// A surface and the host that draws to it. The window must outlive it.
pub(crate) struct Surface {
    pub(crate) loader: ash::khr::surface::Instance,
    pub(crate) raw: vk::SurfaceKHR,
    gpu: Arc<Gpu>,
}

impl Surface {
    /// Makes the host with a device that can present to the window, and the surface.
    pub(crate) fn new(window: &Window, mut options: GpuOptions) -> Result<Self> {
        let handles = window
            .display_handle()
            .and_then(|display| Ok((display.as_raw(), window.window_handle()?.as_raw())));
        let (display, handle) =
            handles.map_err(|error| Stop::new(format!("the window has no handle: {error}")))?;
        let needed = ash_window::enumerate_required_extensions(display);
        for &name in needed.map_err(Stop::call("vkEnumerateInstanceExtensionProperties"))? {
            // SAFETY: ash-window returns names of Vulkan extensions, which are static strings.
            options.instance_extensions.push(CString::from(unsafe { CStr::from_ptr(name) }));
        }
        options.device_extensions.push(CString::from(ash::khr::swapchain::NAME));
        let instance = GpuInstance::new(options).map_err(Stop::device)?;
        let loader = ash::khr::surface::Instance::new(&instance.entry, &instance.raw);
        // SAFETY: the handles are the window's, which outlives the surface; the extensions were enabled.
        let raw =
            unsafe { ash_window::create_surface(&instance.entry, &instance.raw, display, handle, None) };
        let raw = raw.map_err(Stop::call("making the window's surface"))?;
        // Where no device can present to it, the surface leaks, and the program ends.
        let gpu = instance.into_gpu(Some(raw)).map_err(Stop::device)?;
        Ok(Self { loader, raw, gpu })
    }

    pub(crate) fn gpu(&self) -> &Arc<Gpu> {
        &self.gpu
    }

    pub(crate) fn capabilities(&self) -> Result<vk::SurfaceCapabilitiesKHR> {
        // SAFETY: surface and device are alive and belong together.
        unsafe { self.loader.get_physical_device_surface_capabilities(self.gpu.physical_device, self.raw) }
            .map_err(Stop::call("vkGetPhysicalDeviceSurfaceCapabilitiesKHR"))
    }

    /// The colour format to draw in: one that encodes sRGB itself where there is one.
    pub(crate) fn format(&self) -> Result<vk::SurfaceFormatKHR> {
        // SAFETY: surface and device are alive and belong together.
        let formats =
            unsafe { self.loader.get_physical_device_surface_formats(self.gpu.physical_device, self.raw) };
        let formats = formats.map_err(Stop::call("vkGetPhysicalDeviceSurfaceFormatsKHR"))?;
        let wanted = [
            vk::Format::B8G8R8A8_SRGB,
            vk::Format::R8G8B8A8_SRGB,
            vk::Format::B8G8R8A8_UNORM,
            vk::Format::R8G8B8A8_UNORM,
            vk::Format::A2B10G10R10_UNORM_PACK32,
        ];
        let found = wanted.into_iter().find_map(|format| {
            let fits = |have: &&vk::SurfaceFormatKHR| {
                have.format == format && have.color_space == vk::ColorSpaceKHR::SRGB_NONLINEAR
            };
            formats.iter().find(fits).copied()
        });
        found.ok_or_else(|| Stop::new("the window takes no 8-bit colour in sRGB"))
    }
}

impl Drop for Surface {
    fn drop(&mut self) {
        self.gpu.wait_idle();
        // SAFETY: the swapchain has gone before, the instance is alive, and the surface is destroyed once.
        unsafe { self.loader.destroy_surface(self.raw, None) };
    }
}
