//! Modules of a host's, compiled while a test runs as an engine's build would compile them.

use landform::shaders::{INCLUDES, SHARED_CONSTANTS};

/// A module of HLSL with landform's includes and constants, and these defines.
pub fn compile_host(source: &str, kind: shaderc::ShaderKind, defines: &[(&str, u32)]) -> Vec<u32> {
    let compiler = shaderc::Compiler::new().expect("a compiler");
    let mut options = shaderc::CompileOptions::new().expect("options");
    options.set_source_language(shaderc::SourceLanguage::HLSL);
    options.set_target_env(shaderc::TargetEnv::Vulkan, shaderc::EnvVersion::Vulkan1_1 as u32);
    options.set_optimization_level(shaderc::OptimizationLevel::Performance);
    options.set_include_callback(|name, _, _, _| {
        let text = INCLUDES.iter().find(|(known, _)| *known == name).ok_or("no such file")?.1;
        Ok(shaderc::ResolvedInclude { resolved_name: name.into(), content: text.into() })
    });
    for (name, value) in SHARED_CONSTANTS.iter().chain(defines) {
        options.add_macro_definition(name, Some(&value.to_string()));
    }
    let made = compiler.compile_into_spirv(source, kind, "host.hlsl", "main", Some(&options));
    made.unwrap_or_else(|why| panic!("{why}")).as_binary().to_vec()
}
