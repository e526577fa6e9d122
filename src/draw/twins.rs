//! Runs shared shader functions on the device, so that a test can hold them against their Rust twins.

use super::Renderer;
use super::view_buffers::{blend_twin_bindings, twin_bindings};
use crate::abi::{BlendTwinCase, BlendTwinResult, TwinCase, TwinResult, ViewConstants};
use crate::gpu::{
    Binding, Buffer, BufferBarrier, BufferDesc, Cmd, MemoryLocation, Pipeline, PipelineLayout, SetLayout,
    SetValue, Sets, ShaderDesc, Usage,
};
use crate::shaders::{
    BINDING_HEIGHTS, BINDING_HOLES, BINDING_TWIN_CASES, BINDING_TWIN_RESULTS, BINDING_VIEW, ShaderId,
};
use crate::{Error, Result};
use ash::vk;
use bytemuck::Pod;
use std::marker::PhantomData;

/// The results of a dispatch, to be read once the frame has completed.
#[doc(hidden)]
pub struct TwinRun<T = TwinResult> {
    results: Buffer,
    count: usize,
    /// What the dispatch reads lives as long as it may run.
    _inputs: (Vec<Buffer>, Sets, Pipeline),
    _result: PhantomData<T>,
}

impl<T: Pod> TwinRun<T> {
    /// The results, in the order of the cases.
    pub fn read(&self) -> Result<Vec<T>> {
        self.results.invalidate(0, self.results.size())?;
        let bytes = self.results.mapped().unwrap_or_default();
        let results = bytes.chunks_exact(size_of::<T>()).take(self.count);
        Ok(results.map(bytemuck::pod_read_unaligned).collect())
    }
}

impl Renderer {
    /// Runs the cases over what was uploaded. Outside a rendering scope.
    #[doc(hidden)]
    pub fn run_twins(&mut self, cmd: &Cmd<'_>, view: &ViewConstants, cases: &[TwinCase]) -> Result<TwinRun> {
        self.check_device(cmd)?;
        let uniform = vk::BufferUsageFlags::UNIFORM_BUFFER;
        let constants = self.twin_input("landform twin view", bytemuck::bytes_of(view), uniform)?;
        self.atlas().read_in_compute(cmd, true);
        let whole = SetValue::Buffer { buffer: &constants, offset: 0, range: vk::WHOLE_SIZE };
        let (heights, holes) = (self.atlas().heights.view(), self.atlas().holes.view());
        let inputs = [
            (BINDING_VIEW, whole),
            (BINDING_HEIGHTS, SetValue::Image(heights)),
            (BINDING_HOLES, SetValue::Image(holes)),
        ];
        let mut run = self.dispatch(cmd, ShaderId::TwinCompute, &twin_bindings(), &inputs, cases)?;
        self.atlas().read_in_compute(cmd, false);
        run._inputs.0.push(constants);
        Ok(run)
    }

    /// Runs cases of the blend of layers. Outside a rendering scope.
    #[doc(hidden)]
    pub fn run_blend_twins(
        &mut self,
        cmd: &Cmd<'_>,
        cases: &[BlendTwinCase],
    ) -> Result<TwinRun<BlendTwinResult>> {
        self.check_device(cmd)?;
        self.dispatch(cmd, ShaderId::BlendTwinCompute, &blend_twin_bindings(), &[], cases)
    }

    fn twin_input(&self, name: &str, bytes: &[u8], usage: vk::BufferUsageFlags) -> Result<Buffer> {
        let desc = BufferDesc { name, size: bytes.len() as u64, usage, location: MemoryLocation::Upload };
        let mut buffer = Buffer::new(self.device(), &desc)?;
        buffer.write(0, bytes)?;
        Ok(buffer)
    }

    fn dispatch<C: Pod, T: Pod>(
        &mut self,
        cmd: &Cmd<'_>,
        shader: ShaderId,
        bindings: &[Binding],
        inputs: &[(u32, SetValue<'_>)],
        cases: &[C],
    ) -> Result<TwinRun<T>> {
        if cases.is_empty() {
            return Err(Error::invalid("twin run", "no cases"));
        }
        let storage = vk::BufferUsageFlags::STORAGE_BUFFER;
        let case_buffer = self.twin_input("landform twin cases", bytemuck::cast_slice(cases), storage)?;
        let results = Buffer::new(
            self.device(),
            &BufferDesc {
                name: "landform twin results",
                size: (cases.len() * size_of::<T>()) as u64,
                usage: storage,
                location: MemoryLocation::Readback,
            },
        )?;
        let layout = SetLayout::new(self.device(), "landform twins", bindings)?;
        let mut sets = Sets::new(&layout, "landform twins", 1)?;
        let whole = |buffer| SetValue::Buffer { buffer, offset: 0, range: vk::WHOLE_SIZE };
        sets.write(0, BINDING_TWIN_CASES, 0, whole(&case_buffer))?;
        sets.write(0, BINDING_TWIN_RESULTS, 0, whole(&results))?;
        inputs.iter().try_for_each(|(binding, value)| sets.write(0, *binding, 0, *value))?;
        let no_stage = vk::ShaderStageFlags::empty();
        let pipeline_layout = PipelineLayout::new(self.device(), "landform twins", &[&layout], 0, no_stage)?;
        let shader = ShaderDesc { words: shader.spirv(), entry: c"main", constants: &[] };
        let pipeline = Pipeline::compute(self.device(), "landform twins", &pipeline_layout, &shader)?;
        cmd.bind_pipeline(&pipeline);
        cmd.bind_sets(vk::PipelineBindPoint::COMPUTE, &pipeline_layout, 0, &[sets.get(0)], &[]);
        cmd.dispatch([(cases.len() as u32).div_ceil(64), 1, 1]);
        let (from, to) = (Usage::ComputeWrite, Usage::HostRead);
        cmd.barriers(&[], &[BufferBarrier { buffer: &results, offset: 0, size: vk::WHOLE_SIZE, from, to }]);
        let _inputs = (vec![case_buffer], sets, pipeline);
        Ok(TwinRun { results, count: cases.len(), _inputs, _result: PhantomData })
    }
}
