//! Large grounds that are made as they are needed.

use landform::field::{Field, FieldDesc};
use landform::synth::{ValleyParams, valley};
use std::ops::ControlFlow;

#[allow(dead_code, reason = "the benchmarks' file, of which a test wants the map and a camera of the path")]
#[path = "../../../tools/bench/src/workload.rs"]
mod workload;

/// The map that the benchmarks are measured on: ridges over 4097² samples, 10 m apart, 0…2400 m high. Takes seconds to
/// make.
pub fn bench_field() -> Field {
    workload::field(workload::map()).expect("a legal description")
}

/// The made valley at so many samples a side, 4096 m wide. Takes seconds to make.
pub fn valley_field(size: u32) -> Field {
    let mut params = ValleyParams::default();
    params.size = size;
    let map =
        valley(&params, &mut |_| ControlFlow::Continue(())).expect("a legal size").expect("not stopped");
    let (samples, min, max) = map.quantise();
    let desc = FieldDesc::new(size, size).with_spacing(map.spacing, map.spacing).with_range(min, max);
    Field::from_samples(desc, samples).expect("a legal description")
}
