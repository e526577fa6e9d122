//! A second reader of compiled shaders: bindings and struct layouts straight from the words of a module.
//!
//! The committed reflection comes from spirv-reflect; a test holds it against this.

use crate::spirv::{instructions, op, string};
use std::collections::{BTreeMap, HashMap};

/// What a module binds and how it lays its buffers out.
#[derive(Debug, Default)]
pub(crate) struct Interface {
    /// (set, binding) to the kind of descriptor and how many of them.
    pub(crate) bindings: BTreeMap<(u32, u32), (&'static str, u32)>,
    /// Struct name to its members: name, offset, size in bytes (0 for an array without a length).
    pub(crate) structs: BTreeMap<String, Vec<(String, u32, u32)>>,
    /// Element stride of the storage buffer at (set, binding).
    pub(crate) strides: BTreeMap<(u32, u32), u32>,
}

#[derive(Clone, Debug)]
enum Type {
    Scalar { bytes: u32 },
    Vector { component: u32, count: u32 },
    Matrix { column: u32, columns: u32 },
    Array { element: u32, length: u32 },
    RuntimeArray { element: u32 },
    Struct { members: Vec<u32> },
    Image { sampled: u32, buffer: bool },
    Sampler,
    SampledImage,
}

/// The names, types and decorations of a module, by id.
#[derive(Default)]
struct Tables {
    names: HashMap<u32, String>,
    member_names: HashMap<(u32, u32), String>,
    types: HashMap<u32, Type>,
    pointers: HashMap<u32, (u32, u32)>,
    constants: HashMap<u32, u32>,
    decorations: HashMap<(u32, u32), u32>,
    member_decorations: HashMap<(u32, u32, u32), u32>,
    variables: Vec<(u32, u32, u32)>,
}

const ROW_MAJOR: u32 = 4;
const ARRAY_STRIDE: u32 = 6;
const MATRIX_STRIDE: u32 = 7;
const BUFFER_BLOCK: u32 = 3;
const BINDING: u32 = 33;
const DESCRIPTOR_SET: u32 = 34;
const OFFSET: u32 = 35;
const STORAGE_UNIFORM_CONSTANT: u32 = 0;
const STORAGE_UNIFORM: u32 = 2;
const STORAGE_PUSH_CONSTANT: u32 = 9;
const STORAGE_BUFFER: u32 = 12;

/// The interface of the module `words`.
pub(crate) fn read(words: &[u32]) -> Interface {
    let tables = tables(words);
    let mut interface = Interface::default();
    for &(pointer, variable, storage) in &tables.variables {
        let pointee = tables.pointers[&pointer].1;
        let at = || {
            let of = |decoration| tables.decorations.get(&(variable, decoration)).copied();
            (of(DESCRIPTOR_SET).expect("a descriptor set"), of(BINDING).expect("a binding"))
        };
        match storage {
            STORAGE_UNIFORM_CONSTANT => {
                let (resource, count) = tables.strip_array(pointee);
                let kind = match tables.types[&resource] {
                    Type::Image { sampled: 2, buffer: true } => "storage_texel_buffer",
                    Type::Image { sampled: 2, .. } => "storage_image",
                    Type::Image { buffer: true, .. } => "uniform_texel_buffer",
                    Type::Image { .. } => "sampled_image",
                    Type::Sampler => "sampler",
                    Type::SampledImage => "combined_image_sampler",
                    ref other => panic!("a resource of type {other:?}"),
                };
                interface.bindings.insert(at(), (kind, count));
            }
            STORAGE_UNIFORM | STORAGE_BUFFER => {
                let (block, count) = tables.strip_array(pointee);
                let stores =
                    storage == STORAGE_BUFFER || tables.decorations.contains_key(&(block, BUFFER_BLOCK));
                interface
                    .bindings
                    .insert(at(), (if stores { "storage_buffer" } else { "uniform_buffer" }, count));
                if stores {
                    // The wrapper around the one array has no layout of its own to speak of.
                    let Type::Struct { members } = &tables.types[&block] else {
                        panic!("a block is a struct")
                    };
                    interface.strides.insert(at(), tables.decorations[&(members[0], ARRAY_STRIDE)]);
                    tables.enter(tables.strip_array(members[0]).0, &mut interface);
                } else {
                    tables.enter(block, &mut interface);
                }
            }
            STORAGE_PUSH_CONSTANT => tables.enter(pointee, &mut interface),
            _ => {}
        }
    }
    interface
}

fn tables(words: &[u32]) -> Tables {
    let mut tables = Tables::default();
    for instruction in instructions(words) {
        match (instruction.op, instruction.operands) {
            (op::NAME, &[id, ref name @ ..]) => _ = tables.names.insert(id, string(name)),
            (6, &[id, member, ref name @ ..]) => _ = tables.member_names.insert((id, member), string(name)),
            (21 | 22, &[id, bits, ..]) => _ = tables.types.insert(id, Type::Scalar { bytes: bits / 8 }),
            (23, &[id, component, count]) => _ = tables.types.insert(id, Type::Vector { component, count }),
            (24, &[id, column, columns]) => _ = tables.types.insert(id, Type::Matrix { column, columns }),
            (25, &[id, _, dimension, _, _, _, sampled, ..]) => {
                tables.types.insert(id, Type::Image { sampled, buffer: dimension == 5 });
            }
            (26, &[id]) => _ = tables.types.insert(id, Type::Sampler),
            (27, &[id, _]) => _ = tables.types.insert(id, Type::SampledImage),
            (op::TYPE_ARRAY, &[id, element, length]) => {
                tables.types.insert(id, Type::Array { element, length: tables.constants[&length] });
            }
            (op::TYPE_RUNTIME_ARRAY, &[id, element]) => {
                _ = tables.types.insert(id, Type::RuntimeArray { element })
            }
            (30, &[id, ref members @ ..]) => {
                tables.types.insert(id, Type::Struct { members: members.to_vec() });
            }
            (op::TYPE_POINTER, &[id, storage, pointee]) => _ = tables.pointers.insert(id, (storage, pointee)),
            (43, &[_, id, value, ..]) => _ = tables.constants.insert(id, value),
            (op::VARIABLE, &[pointer, id, storage, ..]) => tables.variables.push((pointer, id, storage)),
            (op::DECORATE, &[id, decoration, ref value @ ..]) => {
                tables.decorations.insert((id, decoration), value.first().copied().unwrap_or(1));
            }
            (op::MEMBER_DECORATE, &[id, member, decoration, ref value @ ..]) => {
                tables
                    .member_decorations
                    .insert((id, member, decoration), value.first().copied().unwrap_or(1));
            }
            _ => {}
        }
    }
    tables
}

impl Tables {
    /// The type without its arrays, and how many of it there are; 0 for an array without a length.
    fn strip_array(&self, id: u32) -> (u32, u32) {
        match self.types[&id] {
            Type::Array { element, length } => {
                let (inner, count) = self.strip_array(element);
                (inner, count * length)
            }
            Type::RuntimeArray { element } => (self.strip_array(element).0, 0),
            _ => (id, 1),
        }
    }

    /// Enters the struct `id` and every struct in it.
    fn enter(&self, id: u32, interface: &mut Interface) {
        let Type::Struct { members } = &self.types[&id] else { return };
        let mut entered = Vec::new();
        for (index, &member) in (0..).zip(members) {
            let offset = self.member_decorations[&(id, index, OFFSET)];
            let name = self.member_names[&(id, index)].clone();
            entered.push((name, offset, self.size(member, (id, index))));
            self.enter(self.strip_array(member).0, interface);
        }
        let name = self.names[&id].clone();
        if let Some(earlier) = interface.structs.insert(name.clone(), entered.clone()) {
            assert_eq!(earlier, entered, "{name} is laid out in two ways");
        }
    }

    /// The size of a type in bytes where it is the member `holder` of a struct.
    fn size(&self, id: u32, holder: (u32, u32)) -> u32 {
        match &self.types[&id] {
            Type::Scalar { bytes } => *bytes,
            Type::Vector { component, count } => self.size(*component, holder) * count,
            Type::Matrix { column, columns } => {
                let Type::Vector { count: rows, .. } = self.types[column] else {
                    panic!("a column is a vector")
                };
                let row_major = self.member_decorations.contains_key(&(holder.0, holder.1, ROW_MAJOR));
                let lines = if row_major { rows } else { *columns };
                self.member_decorations[&(holder.0, holder.1, MATRIX_STRIDE)] * lines
            }
            Type::Array { length, .. } => self.decorations[&(id, ARRAY_STRIDE)] * length,
            Type::RuntimeArray { .. } => 0,
            Type::Struct { members } => {
                let ends = (0..).zip(members).map(|(index, &member)| {
                    self.member_decorations[&(id, index, OFFSET)] + self.size(member, (id, index))
                });
                ends.max().unwrap_or(0)
            }
            other => panic!("{other:?} has no size"),
        }
    }
}
