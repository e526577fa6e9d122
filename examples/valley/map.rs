//! The map that is shown: made from a seed and kept on disk, or imported from a file.

use crate::args::Args;
use crate::cache::{self, Kept};
use crate::textures;
use half::bf16;
use landform::field::{Field, FieldDesc};
use landform::splat::RuleMaps;
use landform::synth::{ValleyParams, valley, valley_material};
use landform_cli::layers::Layers;
use landform_cli::read;
use landform_cli::stop::{Result, Stop, is_interrupted, say};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

/// Ground, what it is made of, and where it comes from in a few words.
pub(crate) struct Map {
    pub(crate) field: Field,
    pub(crate) layers: Option<Layers>,
    pub(crate) source: String,
}

/// The map that the arguments ask for.
pub(crate) fn get(args: &Args) -> Result<Map> {
    match &args.heightmap {
        Some(file) => imported(file, args),
        None => made(args),
    }
}

fn imported(file: &Path, args: &Args) -> Result<Map> {
    let layers = args.layers.read()?;
    let (mut field, report) = read::heightmap(file, &args.import.options())?.into_field()?;
    say(report.to_string().trim_end());
    match &layers {
        Some(layers) => args.layers.lay(&mut field, &layers.material, &RuleMaps::default())?,
        None => args.layers.open_holes(&mut field)?,
    }
    Ok(Map { field, layers, source: file.display().to_string() })
}

fn made(args: &Args) -> Result<Map> {
    let layers = match args.layers.read()? {
        Some(layers) => layers,
        None => Layers { material: valley_material(), textures: textures::folder()? },
    };
    let mut params = ValleyParams::default();
    (params.size, params.seed) = (args.map_size, args.seed);
    let (folders, name) = (cache::folders(), cache::file_name(&params));
    let kept = match folders.iter().find_map(|folder| cache::load(&folder.join(&name), &params)) {
        Some(kept) => kept,
        None => {
            let kept = make(&params)?;
            let stored = cache::writable(&folders)
                .and_then(|folder| cache::store(&folder.join(&name), &params, &kept));
            if let Err(error) = stored {
                eprintln!("valley: the map is not kept for the next time: {error}");
            }
            kept
        }
    };
    let spacing = 4096.0 / f64::from(params.size - 1);
    let desc = FieldDesc::new(params.size, params.size)
        .with_spacing(spacing, spacing)
        .with_range(kept.min, kept.max);
    let mut field = Field::from_samples(desc, kept.samples)?;
    let wide = |map: &[bf16]| map.iter().map(|value| value.to_f32()).collect::<Vec<_>>();
    let (flow, deposit) = (wide(&kept.flow), wide(&kept.deposit));
    let maps = RuleMaps { flow: Some(&flow), deposit: Some(&deposit) };
    args.layers.lay(&mut field, &layers.material, &maps)?;
    Ok(Map { field, layers: Some(layers), source: format!("made from seed {}", params.seed) })
}

fn make(params: &ValleyParams) -> Result<Kept> {
    let start = Instant::now();
    say(format_args!(
        "Making a valley of {0} × {0} samples, once; it is kept for the next time.",
        params.size
    ));
    let bar = read::new_bar();
    let map = valley(params, &mut |progress| {
        bar.set_message(progress.stage);
        bar.set_position((progress.fraction * 1000.0) as u64);
        if is_interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    bar.finish_and_clear();
    let map = map.ok_or_else(Stop::interrupted)?;
    say(format_args!(
        "Made in {:.0} s: {:.0} to {:.0} m high.",
        start.elapsed().as_secs_f64(),
        map.min,
        map.max
    ));
    let (samples, min, max) = map.quantise();
    let short = |map: &[f32]| map.iter().map(|value| bf16::from_f32(*value)).collect();
    Ok(Kept { samples, min, max, flow: short(&map.flow), deposit: short(&map.deposit) })
}
