//! Compiles `shaders/*.hlsl` to SPIR-V, checks it and reflects it, when the `compile-shaders` feature is on.
//!
//! Each row of the permutation table becomes `NAME.spv` and `NAME.json` in `OUT_DIR`, which `src/shaders` embeds. Without
//! the feature there is nothing to do, and neither a shader compiler nor a C++ compiler is needed.

#[cfg(feature = "compile-shaders")]
#[path = "build/compile.rs"]
mod compile;
#[cfg(feature = "compile-shaders")]
#[path = "build/reflect.rs"]
mod reflect;
#[cfg(feature = "compile-shaders")]
#[path = "build/spirv.rs"]
mod spirv;
#[cfg(feature = "compile-shaders")]
#[allow(
    dead_code,
    unreachable_pub,
    reason = "the table is public in the crate, which uses parts that the build does not"
)]
#[path = "src/shaders/table.rs"]
mod table;

#[cfg(not(feature = "compile-shaders"))]
fn main() {
    println!("cargo:rerun-if-changed=build.rs");
}

#[cfg(feature = "compile-shaders")]
fn main() {
    for file in ["build.rs", "build", "src/shaders/table.rs", "shaders/include"] {
        println!("cargo:rerun-if-changed={file}");
    }
    let out = std::path::PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let mut failures = Vec::new();
    for row in table::TABLE {
        println!("cargo:rerun-if-changed=shaders/{}", row.source);
        if let Err(failure) = build_one(row, &out) {
            failures.push(failure);
        }
    }
    if !failures.is_empty() {
        // Many rows share a source file, and each of them repeats its mistakes.
        failures.dedup();
        eprintln!("\n{}\n", failures.join("\n"));
        std::process::exit(1);
    }
}

/// Makes one row's two files in `out`, or says in a sentence what is wrong with its shader.
#[cfg(feature = "compile-shaders")]
fn build_one(row: &table::Permutation, out: &std::path::Path) -> Result<(), String> {
    let mut words = compile::compile(row)?;
    if row.stage == table::Stage::Vertex {
        spirv::refuse_vertex_inputs(row.source, &words)?;
        words = spirv::with_invariant_positions(row.source, &words)?;
    }
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let json = reflect::reflect(row, &words)?;
    for (extension, content) in [("spv", bytes.as_slice()), ("json", json.as_bytes())] {
        let path = out.join(format!("{}.{extension}", row.name));
        std::fs::write(&path, content)
            .map_err(|why| format!("{} cannot be written: {why}.", path.display()))?;
    }
    Ok(())
}
