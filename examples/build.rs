//! Compiles the shaders of `gbuffer` and of the valley's own things as an engine's build would: landform hands over its include files and constants, of the
//! very version that is linked, and the compiler is the engine's own.

use landform::shaders::{INCLUDES, SHARED_CONSTANTS};
use std::path::{Path, PathBuf};

/// The ground's module is compiled once for each number of slots and with or without blending by height that the engine's
/// terrains need (`Terrain::splat`): eight at most. The made valley has seven layers that blend by height.
const GROUND: [(&str, u32); 2] = [("SPLAT_SLOTS", 8), ("SPLAT_HEIGHT", 1)];

/// Things are bound as set 0 and landform's light after them: which number its set has is the pipeline's business.
const PROP: [(&str, u32); 2] = [("SET_LIGHT", 1), ("SPLIT", 0)];
const PROP_SPLIT: [(&str, u32); 2] = [("SET_LIGHT", 1), ("SPLIT", 1)];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=gbuffer");
    println!("cargo:rerun-if-changed=valley/props");
    let (vertex, fragment) = (shaderc::ShaderKind::Vertex, shaderc::ShaderKind::Fragment);
    let shaders = [
        ("gbuffer/ground.frag", "ground.frag", fragment, GROUND.as_slice()),
        ("gbuffer/light.frag", "light.frag", fragment, &[]),
        ("gbuffer/whole.vert", "whole.vert", vertex, &[]),
        ("valley/props/prop.vert", "prop.vert", vertex, &[]),
        ("valley/props/prop.frag", "prop.frag", fragment, PROP.as_slice()),
        ("valley/props/prop.frag", "prop_split.frag", fragment, PROP_SPLIT.as_slice()),
        ("valley/props/prop_motion.frag", "prop_motion.frag", fragment, &[]),
    ];
    for (source, made, kind, defines) in shaders {
        if let Err(failure) = compile(source, made, kind, defines) {
            eprintln!("\n{failure}\n");
            std::process::exit(1);
        }
    }
}

fn compile(
    name: &str,
    made_as: &str,
    kind: shaderc::ShaderKind,
    defines: &[(&str, u32)],
) -> Result<(), String> {
    let path = format!("{name}.hlsl");
    let cannot = |why: &dyn std::fmt::Display| format!("{path}: {why}");
    let source = std::fs::read_to_string(&path).map_err(|why| cannot(&why))?;
    let compiler = shaderc::Compiler::new().map_err(|why| cannot(&why))?;
    let mut options = shaderc::CompileOptions::new().map_err(|why| cannot(&why))?;
    options.set_source_language(shaderc::SourceLanguage::HLSL);
    options.set_target_env(shaderc::TargetEnv::Vulkan, shaderc::EnvVersion::Vulkan1_1 as u32);
    options.set_optimization_level(shaderc::OptimizationLevel::Performance);
    options.set_include_callback(|requested, _, _, _| {
        let found = INCLUDES.iter().find(|(name, _)| *name == requested);
        let (name, text) = found.ok_or_else(|| format!("{requested} is no include file of landform"))?;
        Ok(shaderc::ResolvedInclude { resolved_name: (*name).into(), content: (*text).into() })
    });
    for (define, value) in SHARED_CONSTANTS.iter().chain(defines) {
        options.add_macro_definition(define, Some(&value.to_string()));
    }
    let made = compiler.compile_into_spirv(&source, kind, &path, "main", Some(&options));
    let made = made.map_err(|why| cannot(&why))?;
    let folder = std::env::var_os("OUT_DIR").map(PathBuf::from).unwrap_or_default();
    let bytes: Vec<u8> = made.as_binary().iter().flat_map(|word| word.to_le_bytes()).collect();
    std::fs::write(Path::new(&folder).join(format!("{made_as}.spv")), bytes).map_err(|why| cannot(&why))
}
