//! Reads the committed reflection of a shader; `landform::shaders` documents its form.

#![allow(dead_code, reason = "each test that includes this uses a part of it")]

use serde_json::Value;

/// One member of a struct as a shader reads it, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    /// The member's name in the shader.
    pub(crate) name: String,
    /// Its type as HLSL writes it, without its array: `float4x4`, `uint`, a struct's name.
    pub(crate) kind: String,
    /// Where it starts, from the start of its struct.
    pub(crate) offset: usize,
    /// How long it is, an array with all of its elements; 0 for an array without a length.
    pub(crate) size: usize,
    /// The number of elements of an array.
    pub(crate) array_count: Option<usize>,
    /// The distance of an array's elements.
    pub(crate) array_stride: Option<usize>,
}

/// A struct as a shader reads it, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StructLayout {
    /// The members, in order.
    pub(crate) members: Vec<Member>,
    /// The end of the last member.
    pub(crate) size: usize,
    /// The distance of two of them in an array.
    pub(crate) stride: usize,
}

impl StructLayout {
    /// Name, offset and size of each member, in order.
    pub(crate) fn fields(&self) -> Vec<(&str, usize, usize)> {
        self.members.iter().map(|member| (member.name.as_str(), member.offset, member.size)).collect()
    }
}

/// The reflection of `shader`, the stem of its file: `surface.vert.g32`.
pub(crate) fn reflection(shader: &str) -> Value {
    let path = format!("{}/reflect/{shader}.json", env!("CARGO_MANIFEST_DIR"));
    let text =
        std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{path}: {why}; run tools/regenerate"));
    serde_json::from_str(&text).unwrap_or_else(|why| panic!("{path}: {why}; run tools/regenerate"))
}

/// The layout of the struct `name` in `shader`: `struct_layout("surface.vert.g32", "View")`.
pub(crate) fn struct_layout(shader: &str, name: &str) -> StructLayout {
    let reflection = reflection(shader);
    let structs = reflection["structs"].as_object().expect("structs");
    let Some(found) = structs.get(name) else {
        panic!("{shader} has no struct {name}, but {:?}", structs.keys().collect::<Vec<_>>());
    };
    StructLayout {
        members: found["members"].as_array().expect("members").iter().map(member).collect(),
        size: number(&found["size"]).expect("size"),
        stride: number(&found["stride"]).expect("stride"),
    }
}

/// Every binding of `shader`, as (set, binding, its object).
pub(crate) fn bindings(shader: &Value) -> Vec<(usize, usize, &Value)> {
    let sets = shader["sets"].as_array().expect("sets");
    let of_set = |set: &'_ Value| number(&set["set"]).expect("set");
    sets.iter()
        .flat_map(|set| {
            set["bindings"].as_array().expect("bindings").iter().map(move |binding| (of_set(set), binding))
        })
        .map(|(set, binding)| (set, number(&binding["binding"]).expect("binding"), binding))
        .collect()
}

fn member(value: &Value) -> Member {
    Member {
        name: value["name"].as_str().expect("name").to_owned(),
        kind: value["type"].as_str().expect("type").to_owned(),
        offset: number(&value["offset"]).expect("offset"),
        size: number(&value["size"]).expect("size"),
        array_count: number(&value["array_count"]),
        array_stride: number(&value["array_stride"]),
    }
}

fn number(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|value| usize::try_from(value).ok())
}
