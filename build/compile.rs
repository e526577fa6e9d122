//! HLSL to SPIR-V through shaderc.

use crate::table::{Permutation, SHARED_CONSTANTS, Stage};
use std::path::{Path, PathBuf};

/// The SPIR-V of one row of the table, or the compiler's messages, each with its file and line.
pub(crate) fn compile(row: &Permutation) -> Result<Vec<u32>, String> {
    let path = format!("shaders/{}", row.source);
    let source = read(Path::new(&path))?;
    let no_compiler = |why| format!("the shader compiler does not start: {why}.");
    let compiler = shaderc::Compiler::new().map_err(no_compiler)?;
    let mut options = shaderc::CompileOptions::new().map_err(no_compiler)?;
    options.set_source_language(shaderc::SourceLanguage::HLSL);
    // Vulkan 1.1 and SPIR-V 1.3: from 1.4 on an entry point lists every global, which spirv-reflect 0.2.3 cannot read.
    options.set_target_env(shaderc::TargetEnv::Vulkan, shaderc::EnvVersion::Vulkan1_1 as u32);
    options.set_target_spirv(shaderc::SpirvVersion::V1_3);
    // Unoptimised modules keep the names that reflection reports; drivers optimise for themselves.
    options.set_optimization_level(shaderc::OptimizationLevel::Zero);
    options.set_include_callback(|requested, _, requesting, _| include(requested, requesting));
    for (name, value) in SHARED_CONSTANTS.iter().chain(row.defines) {
        options.add_macro_definition(name, Some(&value.to_string()));
    }
    let kind = match row.stage {
        Stage::Vertex => shaderc::ShaderKind::Vertex,
        Stage::Fragment => shaderc::ShaderKind::Fragment,
        Stage::Compute => shaderc::ShaderKind::Compute,
    };
    match compiler.compile_into_spirv(&source, kind, &path, row.entry_point, Some(&options)) {
        Ok(artifact) => {
            for warning in artifact.get_warning_messages().lines() {
                println!("cargo:warning={warning}");
            }
            Ok(artifact.as_binary().to_vec())
        }
        Err(shaderc::Error::CompilationError(_, messages)) => Err(messages.trim_end().to_owned()),
        Err(other) => Err(format!("{path}: {other}.")),
    }
}

/// Finds an `#include`: beside the file that asks, then in `shaders/include`, then in `shaders`.
fn include(requested: &str, requesting: &str) -> Result<shaderc::ResolvedInclude, String> {
    let beside = Path::new(requesting).parent().map(PathBuf::from).unwrap_or_default();
    for folder in [beside.as_path(), Path::new("shaders/include"), Path::new("shaders")] {
        let path = folder.join(requested);
        if path.is_file() {
            return Ok(shaderc::ResolvedInclude {
                resolved_name: path.to_string_lossy().into_owned(),
                content: read(&path)?,
            });
        }
    }
    Err(format!("{requested} is neither beside {requesting} nor in shaders/include"))
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|why| format!("{} cannot be read: {why}.", path.display()))
}
