//! stub
use crate::args::Args;
use crate::map::Map;
use crate::stop::Result;
use winit::event_loop::EventLoop;
pub(crate) fn run(_: &Args, _: Map, _: EventLoop<()>) -> Result<()> { Ok(()) }
