//! Landform's own modules as a host's, and what is refused once a word of them is another.

use super::*;
use crate::draw::spirv_module::op;
use proptest::prelude::*;

const SPLAT: Splat = Splat { slots: 4, height: false };

fn described(words: &[u32]) -> HostFragmentDesc<'_> {
    HostFragmentDesc { name: "planes", words, entry: c"main", splat: SPLAT, set: None, constants: &[] }
}

fn preview() -> Vec<u32> {
    ShaderId::PreviewFragment4.spirv().to_vec()
}

fn refusal(words: &[u32]) -> String {
    refusal_of(&described(words))
}

fn refusal_of(desc: &HostFragmentDesc<'_>) -> String {
    HostFragment::new(desc).err().expect("a refusal").to_string()
}

#[track_caller]
fn assert_says(sentence: &str, parts: &[&str]) {
    for part in parts {
        assert!(sentence.contains(part), "{part} is not in: {sentence}");
    }
}

/// Where each instruction of a number begins, and how many words it has.
fn places(words: &[u32], op: u32) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut at = 5;
    while at < words.len() {
        let end = at + (words[at] >> 16) as usize;
        if words[at] & 0xFFFF == op {
            found.push(at..end);
        }
        at = end;
    }
    found
}

/// The value of a decoration, to be changed.
fn decoration_of(words: &mut [u32], id: u32, what: u32) -> &mut u32 {
    let place =
        places(words, op::DECORATE).into_iter().find(|at| words[at.start + 1..at.start + 3] == [id, what]);
    &mut words[place.expect("the decoration").start + 3]
}

/// The variable of a set and binding.
fn variable_at(words: &[u32], set: u32, binding: u32) -> u32 {
    let is = |id: u32, what: u32, value: u32| {
        places(words, op::DECORATE).iter().any(|at| words[at.start + 1..at.end] == [id, what, value])
    };
    let ids = places(words, op::VARIABLE).into_iter().map(|at| words[at.start + 2]);
    let mut ids = ids.filter(|id| is(*id, SPIRV_SET, set) && is(*id, SPIRV_BINDING, binding));
    ids.next().expect("a variable")
}

/// The variable of a location and storage class.
fn varying_at(words: &[u32], storage: u32, location: u32) -> u32 {
    let decorated = |id: u32| {
        places(words, op::DECORATE)
            .iter()
            .any(|at| words[at.start + 1..at.end] == [id, SPIRV_LOCATION, location])
    };
    let all = places(words, op::VARIABLE).into_iter().filter(|at| words[at.start + 3] == storage);
    all.map(|at| words[at.start + 2]).find(|id| decorated(*id)).expect("a varying")
}

const SPIRV_SPEC_ID: u32 = 1;
const SPIRV_LOCATION: u32 = 30;
const SPIRV_BINDING: u32 = 33;
const SPIRV_SET: u32 = 34;
const INPUT: u32 = 1;
const OUTPUT: u32 = 3;

#[test]
fn landforms_own_modules_fit() {
    for slots in [0, 4, 8, 12, 16] {
        for height in [false, true] {
            let splat = Splat { slots, height };
            let words = ShaderId::preview_fragment(module_slots(splat), height).unwrap().spirv();
            let made = HostFragment::new(&HostFragmentDesc { splat, ..described(words) }).unwrap();
            assert_eq!((made.name(), made.splat(), made.outputs()), ("planes", splat, 1));
        }
    }
    // What reads less than there is fits as well, and what writes nothing.
    let depth = HostFragment::new(&described(ShaderId::DepthFragment.spirv())).unwrap();
    assert_eq!(depth.outputs(), 0);
}

#[test]
fn what_is_no_module_is_refused() {
    assert_says(&refusal(&[]), &["host fragment: planes: its words are not SPIR-V"]);
    assert_says(&refusal(&[7; 100]), &["not SPIR-V"]);
    let words = preview();
    let swapped: Vec<u32> = words.iter().map(|word| word.swap_bytes()).collect();
    assert_says(&refusal(&swapped), &["the other byte order"]);
    assert_says(&refusal(&words[..words.len() - 1]), &["cut off", "within a function"]);
    let variable = places(&words, op::VARIABLE)[0].start;
    assert_says(&refusal(&words[..variable + 2]), &["damaged or cut off", "does not end within them"]);
}

#[test]
fn an_entry_point_that_is_not_there_is_refused() {
    let words = preview();
    let other = refusal_of(&HostFragmentDesc { entry: c"ground", ..described(&words) });
    assert_says(&other, &["no entry point ground", "those of the fragment stage are main"]);
    assert_says(
        &refusal(ShaderId::SurfaceVertex32.spirv()),
        &["entry point main is not of the fragment stage"],
    );
    let neither = HostFragmentDesc { entry: c"ground", ..described(ShaderId::SurfaceVertex32.spirv()) };
    assert_says(&refusal_of(&neither), &["no entry point ground, and none of the fragment stage"]);
}

#[test]
fn a_binding_that_is_not_landforms_is_refused() {
    let moved = |binding: u32, what: u32, to: u32| {
        let mut words = preview();
        let id = variable_at(&words, 0, binding);
        *decoration_of(&mut words, id, what) = to;
        refusal(&words)
    };
    assert_says(&moved(2, SPIRV_BINDING, 9), &["set 0, binding 9 (`heights`)", "belongs in set 2"]);
    assert_says(&moved(2, SPIRV_BINDING, 1), &["binding 1 (`heights`) is in the layout for VERTEX alone"]);
    assert_says(&moved(2, SPIRV_BINDING, 0), &["is 1 × SampledImage, and the layout has 1 × Uniform"]);
    assert_says(&moved(3, SPIRV_SET, 2), &["set 2, binding 3 (`holes`) is used, and no layout of set 2"]);
    assert_says(
        &moved(3, SPIRV_SET, 3),
        &["set 3, binding 3 (`holes`) is beyond the host's set, which is 2"],
    );
    // An array of floats where the numbers of heights are.
    let swapped = moved(2, SPIRV_SET, 1);
    assert_says(&swapped, &["set 1, binding 2 (`heights`) is 1 × SampledImage, and the layout has 4 ×"]);
}

#[test]
fn a_module_of_other_slots_is_refused() {
    let words = ShaderId::PreviewFragment8.spirv();
    let parts =
        ["(`layer_albedo`) is 8 × SampledImage, and the layout has 4 × SampledImage", "SPLAT_SLOTS 4"];
    assert_says(&refusal(words), &parts);
    let twelve = HostFragmentDesc { splat: Splat { slots: 5, height: false }, ..described(words) };
    assert_says(&refusal_of(&twelve), &["slots are 0, 4, 8, 12 or 16 and not 5"]);
}

#[test]
fn a_module_of_other_includes_is_refused() {
    let words = preview();
    let names = places(&words, op::MEMBER_NAME);
    let member = |name: &[u8]| {
        let text = u32::from_le_bytes([name[0], name[1], name[2], 0]);
        let at = names.iter().find(|at| words[at.start + 3] == text).expect("a member of that name");
        (words[at.start + 1], words[at.start + 2])
    };
    let offset = |words: &[u32], (block, member): (u32, u32)| {
        let all = places(words, op::MEMBER_DECORATE).into_iter();
        let mut offsets = all.filter(|at| words[at.start + 1..at.start + 4] == [block, member, 35]);
        offsets.next().expect("an offset").start + 4
    };
    let (sun, sky) = (offset(&words, member(b"sun")), offset(&words, member(b"sky")));
    let mut swapped = words.clone();
    swapped.swap(sun, sky);
    let byte = words[sky];
    let parts =
        [format!("has `sun` at byte {byte}, where landform's has `sky`"), "includes of this landform".into()];
    assert_says(&refusal(&swapped), &[&parts[0], &parts[1]]);
    // Numbers of another kind, as where a member was put in before.
    let mut moved = words.clone();
    moved[sun] = words[offset(&words, member(b"map"))];
    assert_says(
        &refusal(&moved),
        &["set 0, binding 0", "something else at byte", "includes of this landform"],
    );
}

#[test]
fn what_the_vertex_stage_does_not_write_is_refused() {
    let mut words = preview();
    let (place, relative) = (varying_at(&words, INPUT, 0), varying_at(&words, INPUT, 1));
    *decoration_of(&mut words, place, SPIRV_LOCATION) = 1;
    *decoration_of(&mut words, relative, SPIRV_LOCATION) = 5;
    // Both are said at once.
    let said = refusal(&words);
    assert_says(&said, &["input 1 (`fragment.place`) is float2", "writes float3 there (`relative`)"]);
    assert_says(&said, &["input 5 (`fragment.relative`) is nothing that landform's vertex stage writes"]);
    let mut gap = preview();
    let output = varying_at(&gap, OUTPUT, 0);
    *decoration_of(&mut gap, output, SPIRV_LOCATION) = 1;
    assert_says(&refusal(&gap), &["not at locations 0, 1, …: output 0 is missing"]);
}

#[test]
fn push_constants_are_refused() {
    let said = refusal(ShaderId::SkyFragment.spirv());
    assert_says(&said, &["is a push constant", "a uniform buffer of set 2"]);
}

/// The number of the preview's specialization constant 3, to be changed.
fn number_of_has_views(words: &mut [u32]) -> &mut u32 {
    let place =
        places(words, op::DECORATE).into_iter().find(|at| words[at.start + 2..at.end] == [SPIRV_SPEC_ID, 3]);
    &mut words[place.expect("HAS_VIEWS").start + 3]
}

#[test]
fn specialization_constants_are_landforms_below_16() {
    let mut words = preview();
    *number_of_has_views(&mut words) = 4;
    assert_says(&refusal(&words), &["specialization constant 4 (`HAS_VIEWS`)", "numbered from 16 on"]);
    words = preview();
    *number_of_has_views(&mut words) = 16;
    HostFragment::new(&HostFragmentDesc { constants: &[(16, 0)], ..described(&words) }).unwrap();
    let unknown = HostFragmentDesc { constants: &[(17, 0), (2, 1)], ..described(&words) };
    let said = refusal_of(&unknown);
    assert_says(&said, &["for specialization constant 17", "for specialization constant 2,"]);
}

/// The preview with one more specialization constant, of a type of its own, and as many words of value.
fn with_constant(number: u32, of_kind: u32, kind_operands: &[u32], declare: u32, value: &[u32]) -> Vec<u32> {
    let instruction = |op: u32, operands: &[&[u32]]| {
        let operands = operands.concat();
        [vec![(operands.len() as u32 + 1) << 16 | op], operands].concat()
    };
    let mut words = preview();
    let (kind, constant) = (words[3], words[3] + 1);
    words[3] += 2;
    let declared =
        [instruction(of_kind, &[&[kind], kind_operands]), instruction(declare, &[&[kind, constant], value])];
    let functions = places(&words, op::FUNCTION)[0].start;
    words.splice(functions..functions, declared.concat());
    let decorations = places(&words, op::DECORATE)[0].start;
    words.splice(decorations..decorations, instruction(op::DECORATE, &[&[constant, SPIRV_SPEC_ID, number]]));
    words
}

#[test]
fn specialization_constants_have_a_value_of_4_bytes() {
    let made = |of_kind: u32, kind_operands: &[u32], declare: u32, value: &[u32]| {
        let words = with_constant(16, of_kind, kind_operands, declare, value);
        let desc = HostFragmentDesc { constants: &[(16, 1)], ..described(&words) };
        HostFragment::new(&desc).map(|_| ()).map_err(|why| why.to_string())
    };
    made(op::TYPE_BOOL, &[], op::SPEC_CONSTANT_TRUE, &[]).unwrap();
    made(op::TYPE_BOOL, &[], op::SPEC_CONSTANT_FALSE, &[]).unwrap();
    made(op::TYPE_INT, &[32, 0], op::SPEC_CONSTANT, &[7]).unwrap();
    made(op::TYPE_INT, &[32, 1], op::SPEC_CONSTANT, &[7]).unwrap();
    made(op::TYPE_FLOAT, &[32], op::SPEC_CONSTANT, &[7]).unwrap();
    let refused = |of_kind: u32, kind_operands: &[u32], value: &[u32], kind: &str| {
        let said = made(of_kind, kind_operands, op::SPEC_CONSTANT, value).unwrap_err();
        let is = format!("specialization constant 16 (``) is {kind}, and a value has 4 bytes");
        assert_says(&said, &[&is, "make it a bool, an int, a uint or a float"]);
    };
    refused(op::TYPE_INT, &[64, 0], &[7, 0], "uint64_t");
    refused(op::TYPE_INT, &[16, 1], &[7], "int16_t");
    refused(op::TYPE_FLOAT, &[64], &[0, 0], "float64_t");
    refused(op::TYPE_FLOAT, &[16], &[0], "float16_t");
    refused(op::TYPE_SAMPLER, &[], &[0], "neither a number nor a boolean");
    // Without a value as well: the module is what is refused.
    let words = with_constant(20, op::TYPE_INT, &[64, 1], op::SPEC_CONSTANT, &[7, 0]);
    assert_says(&refusal(&words), &["specialization constant 20 (``) is int64_t"]);
    // Landform's are booleans, whatever else has 4 bytes.
    let words = with_constant(3, op::TYPE_INT, &[32, 0], op::SPEC_CONSTANT, &[7]);
    assert_says(&refusal(&words), &["specialization constant 3 (``) is landform's and not that"]);
}

#[test]
fn specialization_constants_have_numbers_of_their_own() {
    let mut words = preview();
    *number_of_has_views(&mut words) = 2;
    let parts =
        ["specialization constant 2 is there 2 times (`HAS_LAYERS`, `HAS_VIEWS`)", "a number of its own"];
    assert_says(&refusal(&words), &parts);
    words = with_constant(16, op::TYPE_INT, &[32, 0], op::SPEC_CONSTANT, &[7]);
    *number_of_has_views(&mut words) = 16;
    assert_says(&refusal(&words), &["specialization constant 16 is there 2 times (``, `HAS_VIEWS`)"]);
}

#[test]
fn a_specialization_constant_is_given_one_value() {
    let words = with_constant(16, op::TYPE_INT, &[32, 0], op::SPEC_CONSTANT, &[7]);
    let given = |constants: &[(u32, u32)]| {
        HostFragment::new(&HostFragmentDesc { constants, ..described(&words) }).map(|_| ())
    };
    given(&[]).unwrap();
    given(&[(16, 1)]).unwrap();
    // Twice the same is twice.
    for twice in [[(16, 1), (16, 2)], [(16, 1), (16, 1)]] {
        let said = given(&twice).unwrap_err().to_string();
        assert_says(&said, &["planes: specialization constant 16 is given 2 values; give it one"]);
    }
    let said = given(&[(17, 0), (16, 0), (17, 0), (17, 0)]).unwrap_err().to_string();
    assert_says(&said, &["given for specialization constant 17, which", "constant 17 is given 3 values"]);
}

#[test]
fn integers_are_told_from_floats() {
    for (format, stored) in [
        (vk::Format::R8G8B8A8_SRGB, Scalar::Float),
        (vk::Format::R16G16_SNORM, Scalar::Float),
        (vk::Format::R32_UINT, Scalar::Uint),
        (vk::Format::R16G16_SINT, Scalar::Int),
    ] {
        assert_eq!(stored_as(format), stored);
    }
}

/// Everything that is read of a module, whatever its words are.
fn read(words: &[u32]) {
    let Ok(module) = SpirvModule::read(words) else { return };
    let offered = offered(&described(words)).unwrap();
    for entry in module.entries() {
        differences(&Interface::of(&module, entry), &offered);
    }
    constant_problems(&module, &[(16, 1)]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn no_words_make_it_panic(
        bits in prop::collection::vec((any::<prop::sample::Index>(), 0u32..32), 1..12),
        cut in any::<prop::sample::Index>(),
        whole in any::<bool>(),
    ) {
        let mut words = ShaderId::VelocityFragment.spirv().to_vec();
        for (index, bit) in bits {
            let at = 5 + index.index(words.len() - 5);
            words[at] ^= 1 << bit;
        }
        let end = if whole { words.len() } else { cut.index(words.len()) };
        read(&words[..end]);
    }

    #[test]
    fn no_ids_make_it_panic(swaps in prop::collection::vec((any::<prop::sample::Index>(), any::<u32>()), 1..40)) {
        // Instructions stay whole and their operands are any: types of themselves, arrays without end.
        let mut words = ShaderId::PreviewFragment4.spirv().to_vec();
        let bound = words[3];
        let ops = [op::TYPE_ARRAY, op::TYPE_STRUCT, op::TYPE_MATRIX, op::TYPE_POINTER, op::CONSTANT, op::DECORATE, op::MEMBER_DECORATE];
        let all: Vec<usize> = ops.iter().flat_map(|op| places(&words, *op)).flat_map(|at| at.start + 1..at.end).collect();
        for (index, value) in swaps {
            words[all[index.index(all.len())]] = if value % 3 == 0 { value } else { value % bound };
        }
        read(&words);
    }

    #[test]
    fn no_noise_makes_it_panic(noise in prop::collection::vec(any::<u32>(), 0..200)) {
        let words: Vec<u32> = [0x0723_0203, 0x0001_0300, 0, 100, 0].into_iter().chain(noise).collect();
        read(&words);
    }
}
