//! SPIR-V to the JSON of `reflect/`, through spirv-reflect. `src/shaders/mod.rs` documents its form.
//!
//! The raw interface is used and not the crate's safe one: version 0.2.3 makes a slice of every null pointer that stands
//! for an empty list, which aborts a build script that has debug assertions, as an engine's may have.

use crate::spirv;
use crate::table::{Permutation, SHARED_CONSTANTS, Stage};
use serde_json::{Map, Value, json};
use spirv_reflect::ffi;
use std::ffi::{CStr, c_char};

type Object = Map<String, Value>;

/// The reflection of one module: sorted keys, two spaces an indent, a line feed at the end; equal for equal modules.
pub(crate) fn reflect(row: &Permutation, words: &[u32]) -> Result<String, String> {
    let module = Module::new(words).ok_or_else(|| {
        format!("shaders/{}: spirv-reflect does not accept the compiled module.", row.source)
    })?;
    let mut layouts = Layouts { words, structs: Object::new() };
    let mut object = Object::new();
    object.insert("name".into(), row.name.into());
    object.insert("source".into(), format!("shaders/{}", row.source).into());
    object.insert("stage".into(), row.stage.name().into());
    object.insert("entry_point".into(), text(module.0.entry_point_name).into());
    let defines = SHARED_CONSTANTS.iter().chain(row.defines);
    object.insert("defines".into(), defines.map(|&(name, value)| (name.to_owned(), json!(value))).collect());

    let inputs: Vec<_> = interface(module.inputs(), &[]);
    match row.stage {
        Stage::Vertex => _ = object.insert("vertex_inputs".into(), inputs.into()),
        Stage::Fragment => _ = object.insert("inputs".into(), inputs.into()),
        Stage::Compute => _ = object.insert("workgroup_size".into(), json!(spirv::workgroup_size(words))),
    }
    let mut outputs = interface(module.outputs(), &spirv::positions(words));
    if row.stage == Stage::Fragment {
        // A lone return value has no name but its semantic, whose number is the location.
        for output in outputs.iter_mut().filter(|output| output["name"] == "") {
            output["name"] = format!("SV_Target{}", output["location"]).into();
        }
    }
    object.insert("outputs".into(), outputs.into());
    let constants = spirv::specialization_constants(words);
    let constants = constants.iter().map(|(number, name)| json!({ "constant_id": number, "name": name }));
    object.insert("specialization_constants".into(), constants.collect());
    let in_source = |why| format!("shaders/{}: {why}", row.source);
    object.insert("sets".into(), sets(module.bindings(), &mut layouts).map_err(in_source)?);
    let push_constants = push_constants(module.push_constants(), &mut layouts).map_err(in_source)?;
    object.insert("push_constants".into(), push_constants);
    object.insert("structs".into(), layouts.structs.into());
    let mut value = Value::from(object);
    value.sort_all_objects();
    Ok(format!("{value:#}\n"))
}

/// The structs that the buffers of one module hold, by name, and the words for what spirv-reflect leaves out: the strides
/// of arrays without a length, and of the rows of matrices in arrays.
struct Layouts<'a> {
    words: &'a [u32],
    structs: Object,
}

/// A module that spirv-reflect has parsed, freed on drop.
struct Module(Box<ffi::SpvReflectShaderModule>);

impl Module {
    fn new(words: &[u32]) -> Option<Self> {
        let mut module = Box::<ffi::SpvReflectShaderModule>::default();
        // SAFETY: the code is readable for the size in bytes that is passed and is copied; the module is writable.
        let result = unsafe {
            ffi::spvReflectCreateShaderModule(size_of_val(words), words.as_ptr().cast(), &raw mut *module)
        };
        (result == ffi::SpvReflectResult_SPV_REFLECT_RESULT_SUCCESS).then_some(Self(module))
    }

    fn inputs(&self) -> &[ffi::SpvReflectInterfaceVariable] {
        // SAFETY: spirv-reflect fills pointer and count together, and the module outlives the borrow.
        unsafe { list(self.0.input_variables, self.0.input_variable_count) }
    }

    fn outputs(&self) -> &[ffi::SpvReflectInterfaceVariable] {
        // SAFETY: as for the inputs.
        unsafe { list(self.0.output_variables, self.0.output_variable_count) }
    }

    fn bindings(&self) -> &[ffi::SpvReflectDescriptorBinding] {
        // SAFETY: as for the inputs.
        unsafe { list(self.0.descriptor_bindings, self.0.descriptor_binding_count) }
    }

    fn push_constants(&self) -> &[ffi::SpvReflectBlockVariable] {
        // SAFETY: as for the inputs.
        unsafe { list(self.0.push_constant_blocks, self.0.push_constant_block_count) }
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: the module was created by spvReflectCreateShaderModule and is destroyed once.
        unsafe { ffi::spvReflectDestroyShaderModule(&raw mut *self.0) }
    }
}

/// Inputs or outputs in the order of their locations, then the builtin position; other builtins are left out.
fn interface(variables: &[ffi::SpvReflectInterfaceVariable], positions: &[spirv::Position]) -> Vec<Value> {
    let mut located = Vec::new();
    let mut builtin = Vec::new();
    for variable in variables {
        let name = text(variable.name);
        // The front end names the parts of an entry point's return value after a temporary of its own.
        let name = name.trim_start_matches("@entryPointOutput").trim_start_matches('.');
        if variable.decoration_flags & DECORATION_BUILT_IN == 0 {
            located.push((
                variable.location,
                json!({
                    "location": variable.location, "name": name, "type": scalar_or_vector(variable.format),
                }),
            ));
        } else if let Some(position) = positions.iter().find(|position| position.id == variable.spirv_id) {
            builtin.push(json!({ "builtin": "position", "name": name, "invariant": position.invariant, "type": "float4" }));
        }
    }
    located.sort_by_key(|(location, _)| *location);
    located.into_iter().map(|(_, value)| value).chain(builtin).collect()
}

/// Descriptor sets in the order of their numbers, each with its bindings in the order of theirs.
fn sets(bindings: &[ffi::SpvReflectDescriptorBinding], layouts: &mut Layouts) -> Result<Value, String> {
    let mut bindings: Vec<_> = bindings.iter().collect();
    bindings.sort_by_key(|binding| (binding.set, binding.binding));
    let mut sets: Vec<(u32, Vec<Value>)> = Vec::new();
    for binding in bindings {
        let value = descriptor(binding, layouts)?;
        if sets.last().is_some_and(|(set, values)| {
            *set == binding.set && values.last().is_some_and(|last| last["binding"] == value["binding"])
        }) {
            return Err(format!("set {} has two bindings {}.", binding.set, binding.binding));
        }
        match sets.last_mut() {
            Some((set, values)) if *set == binding.set => values.push(value),
            _ => sets.push((binding.set, vec![value])),
        }
    }
    Ok(sets.into_iter().map(|(set, bindings)| json!({ "set": set, "bindings": bindings })).collect())
}

fn descriptor(binding: &ffi::SpvReflectDescriptorBinding, layouts: &mut Layouts) -> Result<Value, String> {
    let mut object = Object::new();
    let name = match text(binding.name) {
        // The front end gives a cbuffer's name to its type and none to the variable.
        unnamed if unnamed.is_empty() => type_name(&binding.block),
        name => name,
    };
    if type_name(&binding.block) == "$Global" {
        let loose: Vec<_> = members(&binding.block).iter().map(|member| text(member.name)).collect();
        return Err(format!(
            "{} is a global outside a cbuffer, which the compiler gathers into a uniform buffer of its own; put it into a \
             cbuffer, or declare it static const. A push constant is `[[vk::push_constant]] cbuffer`.",
            loose.join(", ")
        ));
    }
    let kind = match binding.descriptor_type {
        0 => "sampler",
        1 => "combined_image_sampler",
        2 => "sampled_image",
        3 => "storage_image",
        4 => "uniform_texel_buffer",
        5 => "storage_texel_buffer",
        6 => "uniform_buffer",
        7 => "storage_buffer",
        10 => "input_attachment",
        other => {
            return Err(format!(
                "the binding {name} has descriptor type {other}, which the build does not know."
            ));
        }
    };
    match kind {
        "uniform_buffer" => _ = object.insert("block".into(), block(&binding.block, layouts)?.into()),
        "storage_buffer" => {
            // A storage buffer is a block around one array without a length.
            let Some(array) = members(&binding.block).first() else {
                return Err(format!("the storage buffer {name} has no element."));
            };
            object.insert("element".into(), member_type(array, layouts)?.into());
            object.insert("stride".into(), array_stride(array, layouts).into());
        }
        "sampler" => {}
        _ => {
            let dimension = match binding.image.dim {
                0 => "1d",
                1 => "2d",
                2 => "3d",
                3 => "cube",
                5 => "buffer",
                _ => "other",
            };
            object.insert("dimension".into(), dimension.into());
            object.insert("arrayed".into(), (binding.image.arrayed != 0).into());
            object.insert("multisampled".into(), (binding.image.ms != 0).into());
        }
    }
    object.insert("binding".into(), binding.binding.into());
    object.insert("name".into(), name.into());
    object.insert("type".into(), kind.into());
    object.insert("count".into(), binding.count.into());
    Ok(object.into())
}

fn push_constants(blocks: &[ffi::SpvReflectBlockVariable], layouts: &mut Layouts) -> Result<Value, String> {
    let ranges = blocks.iter().map(|range| {
        let first = members(range).first().map_or(0, |member| member.offset);
        let block = block(range, layouts)?;
        let name = Some(text(range.name)).filter(|name| !name.is_empty()).unwrap_or_else(|| block.clone());
        let size = layouts.structs[&block]["size"].as_u64().unwrap_or(0) - u64::from(first);
        Ok(json!({ "name": name, "block": block, "offset": first, "size": size }))
    });
    ranges.collect()
}

/// Enters a block's struct, and all that it contains, into `structs`, and returns its name.
fn block(variable: &ffi::SpvReflectBlockVariable, layouts: &mut Layouts) -> Result<String, String> {
    let name = type_name(variable);
    if name.is_empty() {
        return Err(format!("the struct of {} has no name.", text(variable.name)));
    }
    // SAFETY: null, or a type that the module owns.
    let holder = unsafe { variable.type_description.as_ref() }.map_or(0, |described| described.id);
    let fields = (0..).zip(members(variable)).map(|(index, field)| member(field, (holder, index), layouts));
    let fields = fields.collect::<Result<Vec<_>, _>>()?;
    let end = |field: &Value| field["offset"].as_u64().unwrap_or(0) + field["size"].as_u64().unwrap_or(0);
    let size = fields.iter().map(end).max().unwrap_or(0);
    let array_stride = u64::from(array_stride(variable, layouts));
    let stride = if array_stride == 0 { size.next_multiple_of(16) } else { array_stride };
    let laid_out = json!({ "size": size, "stride": stride, "members": fields });
    match layouts.structs.get_mut(&name) {
        None => _ = layouts.structs.insert(name.clone(), laid_out),
        Some(earlier) if earlier["members"] != laid_out["members"] => {
            return Err(format!(
                "the struct {name} is laid out in two ways, by a uniform buffer's rules and by a storage buffer's; give \
                 each its own struct."
            ));
        }
        // An array's stride is a fact, and the rounded size of a lone struct only a convention.
        Some(earlier) if array_stride != 0 => earlier["stride"] = stride.into(),
        Some(_) => {}
    }
    Ok(name)
}

/// One member of the struct type `holder`, at `index` in it.
fn member(
    field: &ffi::SpvReflectBlockVariable,
    (holder, index): (u32, u32),
    layouts: &mut Layouts,
) -> Result<Value, String> {
    let mut object = Object::new();
    let kind = member_type(field, layouts)?;
    let dimensions = &field.array.dims[..field.array.dims_count as usize];
    // An array without a length has no dimensions, and counts 0.
    let count =
        if dimensions.is_empty() { 0 } else { dimensions.iter().map(|&length| u64::from(length)).product() };
    let stride = array_stride(field, layouts);
    let size = if stride != 0 {
        count * u64::from(stride)
    } else if let Some(inner) = layouts.structs.get(&kind) {
        inner["size"].as_u64().unwrap_or(0)
    } else {
        u64::from(field.size)
    };
    if stride != 0 {
        object.insert("array_count".into(), count.into());
        object.insert("array_stride".into(), stride.into());
    }
    if flags(field) & TYPE_MATRIX != 0 {
        // HLSL's rows are SPIR-V's columns, so each calls the other's order by the opposite name.
        let row_major_in_spirv = field.decoration_flags & DECORATION_ROW_MAJOR != 0;
        object.insert(
            "matrix_order".into(),
            if row_major_in_spirv { "column_major" } else { "row_major" }.into(),
        );
        object.insert("matrix_stride".into(), json!(spirv::matrix_stride(layouts.words, holder, index)));
    }
    object.insert("name".into(), text(field.name).into());
    object.insert("type".into(), kind.into());
    object.insert("offset".into(), field.offset.into());
    object.insert("size".into(), size.into());
    Ok(object.into())
}

/// A member's type as HLSL writes it, without its array; a struct is entered into `structs`.
fn member_type(field: &ffi::SpvReflectBlockVariable, layouts: &mut Layouts) -> Result<String, String> {
    let flags = flags(field);
    if flags & TYPE_STRUCT != 0 {
        return block(field, layouts);
    }
    // SAFETY: null, or a type that the module owns. The block's own copy is empty for an element without a length.
    let numeric = unsafe { field.type_description.as_ref() }
        .map_or(field.numeric, |described| described.traits.numeric);
    let scalar = match (flags & TYPE_FLOAT != 0, numeric.scalar.width, numeric.scalar.signedness) {
        (true, 64, _) => "double",
        (true, 16, _) => "half",
        (true, ..) => "float",
        (false, _, 1) => "int",
        (false, ..) => "uint",
    };
    Ok(if flags & TYPE_MATRIX != 0 {
        format!("{scalar}{}x{}", numeric.matrix.column_count, numeric.matrix.row_count)
    } else if flags & TYPE_VECTOR != 0 {
        format!("{scalar}{}", numeric.vector.component_count)
    } else {
        scalar.to_owned()
    })
}

const DECORATION_BUILT_IN: u32 = ffi::SpvReflectDecorationFlagBits_SPV_REFLECT_DECORATION_BUILT_IN as u32;
const DECORATION_ROW_MAJOR: u32 = ffi::SpvReflectDecorationFlagBits_SPV_REFLECT_DECORATION_ROW_MAJOR as u32;
const TYPE_FLOAT: u32 = ffi::SpvReflectTypeFlagBits_SPV_REFLECT_TYPE_FLAG_FLOAT as u32;
const TYPE_VECTOR: u32 = ffi::SpvReflectTypeFlagBits_SPV_REFLECT_TYPE_FLAG_VECTOR as u32;
const TYPE_MATRIX: u32 = ffi::SpvReflectTypeFlagBits_SPV_REFLECT_TYPE_FLAG_MATRIX as u32;
const TYPE_STRUCT: u32 = ffi::SpvReflectTypeFlagBits_SPV_REFLECT_TYPE_FLAG_STRUCT as u32;

/// The name of a block's or a member's struct, empty for what is no struct.
fn type_name(variable: &ffi::SpvReflectBlockVariable) -> String {
    // SAFETY: null, or a type that the module owns.
    unsafe { variable.type_description.as_ref() }
        .map(|described| text(described.type_name))
        .unwrap_or_default()
}

fn flags(field: &ffi::SpvReflectBlockVariable) -> u32 {
    // SAFETY: null, or a type that the module owns.
    unsafe { field.type_description.as_ref() }.map_or(0, |described| described.type_flags)
}

/// The distance in bytes of an array's elements, 0 for what is no array.
fn array_stride(field: &ffi::SpvReflectBlockVariable, layouts: &Layouts) -> u32 {
    // SAFETY: null, or a type that the module owns.
    let described = unsafe { field.type_description.as_ref() };
    described.and_then(|described| spirv::array_stride(layouts.words, described.id)).unwrap_or(0)
}

fn members(variable: &ffi::SpvReflectBlockVariable) -> &[ffi::SpvReflectBlockVariable] {
    // SAFETY: spirv-reflect fills pointer and count together, and the module that owns both outlives the borrow.
    unsafe { list(variable.members, variable.member_count) }
}

/// The type of an interface variable; its format is that of a 32-bit attribute of the same components.
fn scalar_or_vector(format: ffi::SpvReflectFormat) -> String {
    // From R32_UINT, 98, on: uint, int and float of one component, then of two, three and four.
    let index = format - ffi::SpvReflectFormat_SPV_REFLECT_FORMAT_R32_UINT;
    if !(0..12).contains(&index) {
        return "other".to_owned();
    }
    let scalar = ["uint", "int", "float"][index as usize % 3];
    if index < 3 { scalar.to_owned() } else { format!("{scalar}{}", index / 3 + 1) }
}

/// A list that spirv-reflect owns; it stores a null pointer for an empty one.
///
/// # Safety
/// A non-null `first` points at `count` values that live and stay unchanged for `'a`.
unsafe fn list<'a, T>(first: *const T, count: u32) -> &'a [T] {
    if first.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: not null, and the caller vouches for the rest.
    unsafe { std::slice::from_raw_parts(first, count as usize) }
}

/// A string that the module owns, empty for null.
fn text(pointer: *const c_char) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: not null; every string of spirv-reflect ends in a zero byte inside the module's copy of the code.
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
}
