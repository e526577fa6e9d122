//! landform's benchmarks. `landform-bench cpu`, `gpu`, `layers`, `casters`, `frame`, `lamps`, `import` or `all` prints JSON; `--table` prints the same for people. What is measured, and what it is held against, is in `docs/performance.md`.

mod allocations;
mod cpu;
mod gpu;
mod import;
mod table;
mod timing;
mod workload;

use clap::{Args, Parser, Subcommand};
use gpu::casters::CastersScope;
use gpu::frame::FrameScope;
use gpu::lamps::LampsScope;
use gpu::layers::LayersScope;
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;

/// Measures landform on a map of 4097² samples and a path of 1024 camera frames, both made from arithmetic.
#[derive(Debug, Parser)]
#[command(name = "landform-bench", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// What needs no device: selection, bounds, edits, queries. Pin it to a core: `taskset -c 1 landform-bench cpu`
    Cpu(Output),
    /// What a device draws: milliseconds, vertex invocations, uploads, steady frames
    Gpu {
        #[command(flatten)]
        output: Output,
        #[command(flatten)]
        scope: gpu::Scope,
    },
    /// What layers cost on a device: slots, blending by height, sides, hexagons, a second scale, uploads
    Layers {
        #[command(flatten)]
        output: Output,
        #[command(flatten)]
        scope: LayersScope,
    },
    /// What the ground costs as a caster of shadows: milliseconds a cascade, beside a depth pass, and planning
    Casters {
        #[command(flatten)]
        output: Output,
        #[command(flatten)]
        scope: CastersScope,
    },
    /// A whole lit frame by a document: milliseconds a node, recording, steady frames
    Frame {
        #[command(flatten)]
        output: Output,
        #[command(flatten)]
        scope: FrameScope,
    },
    /// Lamps into clusters: what the CPU's way and the device's cost a frame
    Lamps {
        #[command(flatten)]
        output: Output,
        #[command(flatten)]
        scope: LampsScope,
    },
    /// Files of every format that is packed, or large: megabytes a second and peak memory, beside the decoding library alone
    Import(Output),
    /// All of these
    All {
        #[command(flatten)]
        output: Output,
        #[command(flatten)]
        scope: gpu::Scope,
    },
    /// Imports a file and prints how many bytes it took at its peak
    #[command(hide = true)]
    ImportPeak {
        /// The file
        file: PathBuf,
    },
    /// Writes the map's samples to a file, 16 bits little-endian, row by row
    Map {
        /// The file
        file: PathBuf,
    },
}

#[derive(Clone, Copy, Debug, Args)]
struct Output {
    /// Few repetitions, small targets: shows that everything runs, and no number to quote
    #[arg(long)]
    quick: bool,
    /// Prints tables instead of JSON
    #[arg(long)]
    table: bool,
}

/// What is measured.
#[derive(Default)]
struct Parts {
    cpu: bool,
    import: bool,
    gpu: Option<gpu::Scope>,
    layers: Option<LayersScope>,
    casters: Option<CastersScope>,
    frame: Option<FrameScope>,
    lamps: Option<LampsScope>,
}

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("landform-bench: {sentence}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<(), String> {
    let none = Parts::default();
    let (output, parts) = match command {
        Command::Cpu(output) => (output, Parts { cpu: true, ..none }),
        Command::Import(output) => (output, Parts { import: true, ..none }),
        Command::Gpu { output, scope } => (output, Parts { gpu: Some(scope), ..none }),
        Command::Layers { output, scope } => (output, Parts { layers: Some(scope), ..none }),
        Command::Casters { output, scope } => (output, Parts { casters: Some(scope), ..none }),
        Command::Frame { output, scope } => (output, Parts { frame: Some(scope), ..none }),
        Command::Lamps { output, scope } => (output, Parts { lamps: Some(scope), ..none }),
        Command::All { output, scope } => {
            let (layers, casters) = (Some(LayersScope::default()), Some(CastersScope::default()));
            let (frame, lamps) = (Some(FrameScope::default()), Some(LampsScope::default()));
            (output, Parts { cpu: true, import: true, gpu: Some(scope), layers, casters, frame, lamps })
        }
        Command::Map { file } => return write_map(&file),
        Command::ImportPeak { file } => return import::print_peak(&file),
    };
    let mut report = Map::new();
    report.insert("machine".into(), machine());
    report.insert("quick".into(), Value::Bool(output.quick));
    if parts.cpu {
        report.insert("cpu".into(), cpu::run(output.quick).map_err(|error| error.to_string())?);
    }
    if parts.import {
        report.insert("import".into(), import::run(output.quick)?);
    }
    if let Some(scope) = parts.gpu {
        report.insert("gpu".into(), gpu::run(&scope, output.quick).map_err(|failure| failure.to_string())?);
    }
    if let Some(scope) = parts.layers {
        let measured = gpu::layers::run(&scope, output.quick).map_err(|failure| failure.to_string())?;
        report.insert("layers".into(), measured);
    }
    if let Some(scope) = parts.casters {
        let measured = gpu::casters::run(&scope, output.quick).map_err(|failure| failure.to_string())?;
        report.insert("casters".into(), measured);
    }
    if let Some(scope) = parts.frame {
        let measured = gpu::frame::run(&scope, output.quick).map_err(|failure| failure.to_string())?;
        report.insert("frame".into(), measured);
    }
    if let Some(scope) = parts.lamps {
        let measured = gpu::lamps::run(&scope, output.quick).map_err(|failure| failure.to_string())?;
        report.insert("lamps".into(), measured);
    }
    let report = Value::Object(report);
    if output.table {
        print!("{}", table::of(&report));
    } else {
        println!("{report:#}");
    }
    Ok(())
}

fn write_map(file: &std::path::Path) -> Result<(), String> {
    let bytes: Vec<u8> = workload::map().into_iter().flat_map(u16::to_le_bytes).collect();
    std::fs::write(file, bytes).map_err(|error| format!("{} cannot be written: {error}", file.display()))
}

/// What the numbers are of, as far as the system says.
fn machine() -> Value {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    json!({
        "processor": model.map(|(_, name)| name.trim()),
        "threads": std::thread::available_parallelism().map_or(1, usize::from),
        "system": std::env::consts::OS,
        "debug_assertions": cfg!(debug_assertions),
    })
}
