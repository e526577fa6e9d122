//! Runs shared shader functions on the device, so that a test can hold them against their Rust twins.

use super::Renderer;
use super::view_buffers::twin_bindings;
use crate::abi::{TwinCase, TwinResult, ViewConstants};
use crate::gpu::{
    Buffer, BufferBarrier, BufferDesc, Cmd, MemoryLocation, Pipeline, PipelineLayout, SetLayout, SetValue,
    Sets, ShaderDesc, Usage,
};
use crate::shaders::{
    BINDING_HEIGHTS, BINDING_HOLES, BINDING_TWIN_CASES, BINDING_TWIN_RESULTS, BINDING_VIEW, ShaderId,
};
use crate::{Error, Result};
use ash::vk;

/// The results of a dispatch, to be read once the frame has completed.
#[doc(hidden)]
pub struct TwinRun {
    results: Buffer,
    count: usize,
    /// What the dispatch reads lives as long as it may run.
    _inputs: (Buffer, Buffer, Sets, Pipeline),
}

impl TwinRun {
    /// The results, in the order of the cases.
    pub fn read(&self) -> Result<Vec<TwinResult>> {
        self.results.invalidate(0, self.results.size())?;
        let bytes = self.results.mapped().unwrap_or_default();
        let results = bytes.chunks_exact(size_of::<TwinResult>()).take(self.count);
        Ok(results.map(bytemuck::pod_read_unaligned).collect())
    }
}

impl Renderer {
    /// Runs the cases over what was uploaded. Outside a rendering scope.
    #[doc(hidden)]
    pub fn run_twins(&mut self, cmd: &Cmd<'_>, view: &ViewConstants, cases: &[TwinCase]) -> Result<TwinRun> {
        if cases.is_empty() {
            return Err(Error::invalid("twin run", "no cases"));
        }
        self.check_device(cmd)?;
        let input = |name, bytes: &[u8], usage| {
            let desc = BufferDesc { name, size: bytes.len() as u64, usage, location: MemoryLocation::Upload };
            let mut buffer = Buffer::new(self.device(), &desc)?;
            buffer.write(0, bytes)?;
            Ok::<_, Error>(buffer)
        };
        let storage = vk::BufferUsageFlags::STORAGE_BUFFER;
        let constants =
            input("landform twin view", bytemuck::bytes_of(view), vk::BufferUsageFlags::UNIFORM_BUFFER)?;
        let case_buffer = input("landform twin cases", bytemuck::cast_slice(cases), storage)?;
        let size = size_of_val(cases) as u64 / size_of::<TwinCase>() as u64 * size_of::<TwinResult>() as u64;
        let results = Buffer::new(
            self.device(),
            &BufferDesc {
                name: "landform twin results",
                size,
                usage: storage,
                location: MemoryLocation::Readback,
            },
        )?;
        let layout = SetLayout::new(self.device(), "landform twins", &twin_bindings())?;
        let mut sets = Sets::new(&layout, "landform twins", 1)?;
        let whole = |buffer| SetValue::Buffer { buffer, offset: 0, range: vk::WHOLE_SIZE };
        sets.write(0, BINDING_VIEW, 0, whole(&constants))?;
        sets.write(0, BINDING_TWIN_CASES, 0, whole(&case_buffer))?;
        sets.write(0, BINDING_TWIN_RESULTS, 0, whole(&results))?;
        sets.write(0, BINDING_HEIGHTS, 0, SetValue::Image(self.atlas().heights.view()))?;
        sets.write(0, BINDING_HOLES, 0, SetValue::Image(self.atlas().holes.view()))?;
        let no_stage = vk::ShaderStageFlags::empty();
        let pipeline_layout = PipelineLayout::new(self.device(), "landform twins", &[&layout], 0, no_stage)?;
        let shader = ShaderDesc { words: ShaderId::TwinCompute.spirv(), entry: c"main", constants: &[] };
        let pipeline = Pipeline::compute(self.device(), "landform twins", &pipeline_layout, &shader)?;
        self.atlas().read_in_compute(cmd, true);
        cmd.bind_pipeline(&pipeline);
        cmd.bind_sets(vk::PipelineBindPoint::COMPUTE, &pipeline_layout, 0, &[sets.get(0)], &[]);
        cmd.dispatch([(cases.len() as u32).div_ceil(64), 1, 1]);
        self.atlas().read_in_compute(cmd, false);
        let (from, to) = (Usage::ComputeWrite, Usage::HostRead);
        cmd.barriers(&[], &[BufferBarrier { buffer: &results, offset: 0, size: vk::WHOLE_SIZE, from, to }]);
        Ok(TwinRun { results, count: cases.len(), _inputs: (constants, case_buffer, sets, pipeline) })
    }
}
