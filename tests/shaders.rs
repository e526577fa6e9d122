//! Holds the compiled shaders, the committed ones and the committed reflection against each other and against the rules
//! that every landform shader keeps.

#![cfg(feature = "vulkan")]

use landform::shaders::{GRID_SIZES, ShaderId, Stage, TABLE};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

#[path = "common/reflection.rs"]
mod reflection;
#[allow(dead_code, reason = "the build uses the parts that the tests do not")]
#[path = "../build/spirv.rs"]
mod spirv;
#[path = "common/spirv_layout.rs"]
mod spirv_layout;

const RENEW: &str = "run tools/regenerate and commit what it changes";

/// What stands in the repository for a module: its words.
fn committed_words(id: ShaderId) -> Vec<u32> {
    let path = format!("{}/shaders/spirv/{}.spv", env!("CARGO_MANIFEST_DIR"), id.name());
    let bytes = std::fs::read(&path).unwrap_or_else(|why| panic!("{path}: {why}; {RENEW}"));
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect()
}

#[test]
fn the_committed_spirv_is_what_the_build_compiles() {
    for row in TABLE {
        let (compiled, committed) = (row.id.spirv(), committed_words(row.id));
        // The third word is the compiler and its version; another one may well write other code for the same shader.
        if compiled[2] != committed[2] {
            eprintln!("SKIPPED: {} was committed from another version of the shader compiler", row.name);
            continue;
        }
        assert!(compiled == committed, "shaders/spirv/{}.spv is out of date: {RENEW}", row.name);
    }
}

#[test]
fn the_committed_reflection_is_what_the_build_reflects() {
    for row in TABLE {
        let path = format!("{}/reflect/{}.json", env!("CARGO_MANIFEST_DIR"), row.name);
        let committed = std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{path}: {why}; {RENEW}"));
        assert!(committed == row.id.reflection_json(), "reflect/{}.json is out of date: {RENEW}", row.name);
    }
}

#[test]
fn nothing_is_committed_that_the_table_does_not_name() {
    for (folder, extension) in [("shaders/spirv", "spv"), ("reflect", "json")] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        for entry in
            std::fs::read_dir(&folder).unwrap_or_else(|why| panic!("{}: {why}; {RENEW}", folder.display()))
        {
            let name =
                entry.expect("a readable folder").file_name().into_string().expect("a name in Unicode");
            let known = TABLE.iter().any(|row| format!("{}.{extension}", row.name) == name);
            assert!(known, "{} holds {name}, which no row of the table makes: {RENEW}", folder.display());
        }
    }
}

#[test]
fn spirv_val_accepts_every_module() {
    for row in TABLE {
        let started = Command::new("spirv-val")
            .args(["--target-env", "vulkan1.1", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = match started {
            Ok(child) => child,
            Err(why) => {
                eprintln!(
                    "SKIPPED: no module was validated, for spirv-val does not start ({why}); run tools/setup"
                );
                return;
            }
        };
        let bytes: Vec<u8> = row.id.spirv().iter().flat_map(|word| word.to_le_bytes()).collect();
        child.stdin.take().expect("a pipe").write_all(&bytes).expect("spirv-val reads its input");
        let output = child.wait_with_output().expect("spirv-val ends");
        let said = [output.stdout, output.stderr].concat();
        assert!(output.status.success(), "{}: {}", row.name, String::from_utf8_lossy(&said));
    }
}

#[test]
fn a_vertex_stage_takes_nothing_and_its_position_is_invariant() {
    for row in TABLE.iter().filter(|row| row.stage == Stage::Vertex) {
        let json = reflection::reflection(row.name);
        assert_eq!(json["vertex_inputs"].as_array().map(Vec::len), Some(0), "{}: spirv-reflect", row.name);
        assert_eq!(spirv::vertex_inputs(row.id.spirv()), Vec::<String>::new(), "{}: the words", row.name);
        let positions = spirv::positions(row.id.spirv());
        assert!(!positions.is_empty(), "{} has no position", row.name);
        assert!(positions.iter().all(|position| position.invariant), "{}: {positions:?}", row.name);
    }
}

#[test]
fn both_readers_see_the_same_bindings_and_layouts() {
    for row in TABLE {
        let json = reflection::reflection(row.name);
        let words = spirv_layout::read(row.id.spirv());
        let reflected = reflection::bindings(&json);
        assert_eq!(reflected.len(), words.bindings.len(), "{}: {:?}", row.name, words.bindings);
        for (set, binding, object) in reflected {
            let at = (set as u32, binding as u32);
            let (kind, count) = words.bindings[&at];
            assert_eq!((object["type"].as_str(), object["count"].as_u64()), (Some(kind), Some(count.into())));
            assert_eq!(object["stride"].as_u64(), words.strides.get(&at).copied().map(u64::from), "{at:?}");
        }
        let structs: Vec<_> = json["structs"].as_object().expect("structs").keys().collect();
        assert_eq!(structs, words.structs.keys().collect::<Vec<_>>(), "{}", row.name);
        for (name, members) in &words.structs {
            let layout = reflection::struct_layout(row.name, name);
            let members: Vec<_> = members
                .iter()
                .map(|(name, offset, size)| (name.as_str(), *offset as usize, *size as usize))
                .collect();
            assert_eq!(layout.fields(), members, "{}: {name}", row.name);
            assert_eq!(Some(layout.size), members.iter().map(|(_, offset, size)| offset + size).max());
            assert!(layout.stride >= layout.size, "{}: {name}", row.name);
        }
    }
}

#[test]
fn a_fragment_stage_takes_only_what_its_vertex_stage_gives() {
    for grid in GRID_SIZES {
        for (vertex, fragment) in [
            (ShaderId::surface_vertex(grid), ShaderId::PreviewFragment4),
            (ShaderId::depth_vertex(grid), ShaderId::DepthFragment),
            (ShaderId::baseline_vertex(grid), ShaderId::BaselineFragment),
            (Some(ShaderId::SkyVertex), ShaderId::SkyFragment),
            (Some(ShaderId::SkyVertex), ShaderId::AirFragment),
            (Some(ShaderId::SkyVertex), ShaderId::SkyVelocityFragment),
        ] {
            let vertex = vertex.expect("a module of every grid size");
            let given = reflection::reflection(vertex.name());
            let taken = reflection::reflection(fragment.name());
            for input in taken["inputs"].as_array().expect("inputs") {
                let same = |output: &&serde_json::Value| {
                    output["location"] == input["location"] && output["type"] == input["type"]
                };
                let outputs = given["outputs"].as_array().expect("outputs");
                assert!(outputs.iter().any(|output| same(&output)), "{} gives no {input}", vertex.name());
            }
        }
    }
}

#[test]
fn a_fragment_stage_stays_within_what_every_device_binds() {
    for row in TABLE.iter().filter(|row| row.stage == Stage::Fragment) {
        let json = reflection::reflection(row.name);
        let count = |kinds: &[&str]| -> u64 {
            let bindings = reflection::bindings(&json).into_iter().map(|(_, _, object)| object);
            let of_kind =
                bindings.filter(|object| object["type"].as_str().is_some_and(|kind| kinds.contains(&kind)));
            of_kind.map(|object| object["count"].as_u64().expect("a count")).sum()
        };
        let images = count(&["sampled_image", "combined_image_sampler", "uniform_texel_buffer"]);
        let samplers = count(&["sampler", "combined_image_sampler"]);
        assert!(images <= 64, "{} binds {images} sampled images, and a device may have 64", row.name);
        assert!(samplers <= 8, "{} binds {samplers} samplers, and landform keeps to 8", row.name);
    }
}

/// The rules that the build enforces, on modules made by hand.
mod refusals {
    use super::spirv::{self, op};

    const POINTER_IN: u32 = 20;
    const POINTER_OUT: u32 = 21;
    const FLOAT4: u32 = 22;

    /// A module of the given instructions, each a number and its operands.
    fn assemble(instructions: &[(u32, Vec<u32>)]) -> Vec<u32> {
        let mut words = vec![0x0723_0203, 0x0001_0300, 0, 100, 0];
        for (number, operands) in instructions {
            words.push((operands.len() as u32 + 1) << 16 | number);
            words.extend(operands);
        }
        words
    }

    fn name(id: u32, text: &str) -> (u32, Vec<u32>) {
        let mut bytes = text.as_bytes().to_vec();
        bytes.resize((text.len() / 4 + 1) * 4, 0);
        let words =
            bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes")));
        (op::NAME, [id].into_iter().chain(words).collect())
    }

    fn pointers() -> [(u32, Vec<u32>); 2] {
        [
            (op::TYPE_POINTER, vec![POINTER_IN, spirv::STORAGE_INPUT, FLOAT4]),
            (op::TYPE_POINTER, vec![POINTER_OUT, spirv::STORAGE_OUTPUT, FLOAT4]),
        ]
    }

    fn built_in(id: u32, which: u32) -> (u32, Vec<u32>) {
        (op::DECORATE, vec![id, spirv::DECORATION_BUILT_IN, which])
    }

    #[test]
    fn a_vertex_input_is_refused_by_its_name() {
        let [input, output] = pointers();
        let words = assemble(&[
            name(1, "input.uv"),
            name(2, "vertex"),
            built_in(2, 42),
            (op::DECORATE, vec![1, 30, 0]),
            input,
            output,
            (op::VARIABLE, vec![POINTER_IN, 1, spirv::STORAGE_INPUT]),
            (op::VARIABLE, vec![POINTER_IN, 2, spirv::STORAGE_INPUT]),
        ]);
        assert_eq!(spirv::vertex_inputs(&words), ["input.uv"]);
        let sentence = spirv::refuse_vertex_inputs("surface.vert.hlsl", &words).expect_err("an input");
        assert_eq!(
            sentence,
            "shaders/surface.vert.hlsl: this vertex stage takes input.uv from a vertex buffer, and landform has none; \
             read it from a storage buffer by SV_VertexID and SV_InstanceID."
        );
    }

    #[test]
    fn an_input_without_a_name_is_refused_too() {
        let [input, _] = pointers();
        let words = assemble(&[input, (op::VARIABLE, vec![POINTER_IN, 7, spirv::STORAGE_INPUT])]);
        assert_eq!(spirv::vertex_inputs(&words), ["%7"]);
    }

    #[test]
    fn builtin_inputs_are_no_vertex_inputs() {
        let [input, _] = pointers();
        let words = assemble(&[
            built_in(1, 42),
            (op::MEMBER_DECORATE, vec![FLOAT4, 0, spirv::DECORATION_BUILT_IN, 43]),
            input,
            (op::VARIABLE, vec![POINTER_IN, 1, spirv::STORAGE_INPUT]),
            (op::VARIABLE, vec![POINTER_IN, 2, spirv::STORAGE_INPUT]),
        ]);
        assert_eq!(spirv::refuse_vertex_inputs("any", &words), Ok(()));
    }

    #[test]
    fn a_position_becomes_invariant_once() {
        let [_, output] = pointers();
        let variable = (op::VARIABLE, vec![POINTER_OUT, 3, spirv::STORAGE_OUTPUT]);
        let words = assemble(&[built_in(3, spirv::BUILT_IN_POSITION), output.clone(), variable.clone()]);
        assert!(!spirv::positions(&words)[0].invariant);
        let decorated = spirv::with_invariant_positions("any", &words).expect("a position");
        let expected = assemble(&[
            built_in(3, spirv::BUILT_IN_POSITION),
            (op::DECORATE, vec![3, spirv::DECORATION_INVARIANT]),
            output,
            variable,
        ]);
        assert_eq!(decorated, expected);
        assert_eq!(spirv::with_invariant_positions("any", &decorated).expect("a position"), decorated);
    }

    #[test]
    fn a_position_in_a_block_becomes_invariant() {
        let [_, output] = pointers();
        let words = assemble(&[
            (op::MEMBER_DECORATE, vec![FLOAT4, 2, spirv::DECORATION_BUILT_IN, spirv::BUILT_IN_POSITION]),
            output,
            (op::VARIABLE, vec![POINTER_OUT, 3, spirv::STORAGE_OUTPUT]),
        ]);
        let decorated = spirv::with_invariant_positions("any", &words).expect("a position");
        assert_eq!(
            spirv::positions(&decorated),
            [spirv::Position { id: FLOAT4, member: Some(2), invariant: true }]
        );
    }

    #[test]
    fn a_vertex_stage_without_a_position_is_refused() {
        let [input, output] = pointers();
        // An input that is a position is not one that the stage writes.
        let words = assemble(&[
            built_in(1, spirv::BUILT_IN_POSITION),
            input,
            output,
            (op::VARIABLE, vec![POINTER_IN, 1, spirv::STORAGE_INPUT]),
            (op::VARIABLE, vec![POINTER_OUT, 2, spirv::STORAGE_OUTPUT]),
        ]);
        let sentence = spirv::with_invariant_positions("depth.vert.hlsl", &words).expect_err("no position");
        assert_eq!(
            sentence,
            "shaders/depth.vert.hlsl: this vertex stage writes no SV_Position, so it would draw nothing."
        );
    }

    #[test]
    fn a_cut_module_is_read_without_a_panic() {
        let [_, output] = pointers();
        let words = assemble(&[built_in(3, spirv::BUILT_IN_POSITION), output]);
        for length in 0..words.len() {
            assert!(spirv::with_invariant_positions("any", &words[..length]).is_err());
            assert!(spirv::vertex_inputs(&words[..length]).is_empty());
        }
    }
}
