//! A small reader of SPIR-V words, and the two rules that every vertex stage of landform keeps.
//!
//! It depends on nothing, so that the tests include it too and use it as a second opinion on spirv-reflect.

use std::collections::{HashMap, HashSet};

/// Words before the first instruction.
pub(crate) const HEADER_WORDS: usize = 5;

/// The numbers of SPIR-V that are read here, from its specification, version 1.3.
pub(crate) mod op {
    pub(crate) const NAME: u32 = 5;
    pub(crate) const EXECUTION_MODE: u32 = 16;
    pub(crate) const TYPE_ARRAY: u32 = 28;
    pub(crate) const TYPE_RUNTIME_ARRAY: u32 = 29;
    pub(crate) const TYPE_POINTER: u32 = 32;
    pub(crate) const VARIABLE: u32 = 59;
    pub(crate) const DECORATE: u32 = 71;
    pub(crate) const MEMBER_DECORATE: u32 = 72;
}

const DECORATION_SPEC_ID: u32 = 1;
pub(crate) const DECORATION_ARRAY_STRIDE: u32 = 6;
pub(crate) const DECORATION_MATRIX_STRIDE: u32 = 7;
pub(crate) const DECORATION_BUILT_IN: u32 = 11;
pub(crate) const DECORATION_INVARIANT: u32 = 18;
pub(crate) const BUILT_IN_POSITION: u32 = 0;
pub(crate) const STORAGE_INPUT: u32 = 1;
pub(crate) const STORAGE_OUTPUT: u32 = 3;
const MODE_LOCAL_SIZE: u32 = 17;

/// One instruction: its number and the words after the first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instruction<'a> {
    /// The instruction's number; [`op`] names those that are used here.
    pub(crate) op: u32,
    /// Its operands.
    pub(crate) operands: &'a [u32],
    /// The index of the word after it.
    pub(crate) end: usize,
}

/// The instructions of a module in order; ends early at a malformed one.
pub(crate) fn instructions(words: &[u32]) -> impl Iterator<Item = Instruction<'_>> {
    let mut at = HEADER_WORDS;
    std::iter::from_fn(move || {
        let first = *words.get(at)?;
        let end = at + (first >> 16).max(1) as usize;
        let operands = words.get(at + 1..end)?;
        at = end;
        Some(Instruction { op: first & 0xffff, operands, end })
    })
}

/// A string operand: bytes in little-endian words up to a zero byte.
pub(crate) fn string(operands: &[u32]) -> String {
    let bytes: Vec<u8> =
        operands.iter().flat_map(|word| word.to_le_bytes()).take_while(|&byte| byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The names of a vertex stage's inputs that would need a vertex buffer: every input that is not a builtin.
pub(crate) fn vertex_inputs(words: &[u32]) -> Vec<String> {
    let mut names = HashMap::new();
    let mut pointees = HashMap::new();
    let mut builtins = HashSet::new();
    let mut inputs = Vec::new();
    for instruction in instructions(words) {
        match (instruction.op, instruction.operands) {
            (op::NAME, &[id, ref name @ ..]) => _ = names.insert(id, string(name)),
            // A block whose members are builtins is a builtin by its type.
            (op::MEMBER_DECORATE, &[id, _, DECORATION_BUILT_IN, _])
            | (op::DECORATE, &[id, DECORATION_BUILT_IN, _]) => {
                builtins.insert(id);
            }
            (op::TYPE_POINTER, &[id, _, pointee]) => _ = pointees.insert(id, pointee),
            (op::VARIABLE, &[type_id, id, STORAGE_INPUT, ..]) => inputs.push((id, type_id)),
            _ => {}
        }
    }
    inputs.retain(|(id, type_id)| {
        !builtins.contains(id) && !pointees.get(type_id).is_some_and(|pointee| builtins.contains(pointee))
    });
    inputs.iter().map(|(id, _)| names.get(id).cloned().unwrap_or_else(|| format!("%{id}"))).collect()
}

/// Refuses a vertex stage that has a vertex input, in a sentence that names it.
pub(crate) fn refuse_vertex_inputs(source: &str, words: &[u32]) -> Result<(), String> {
    let inputs = vertex_inputs(words);
    if inputs.is_empty() {
        return Ok(());
    }
    Err(format!(
        "shaders/{source}: this vertex stage takes {} from a vertex buffer, and landform has none; read it from a \
         storage buffer by SV_VertexID and SV_InstanceID.",
        inputs.join(" and ")
    ))
}

/// A position that a module writes: a variable, or a member of an output block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Position {
    /// The variable, or the struct type of the block.
    pub(crate) id: u32,
    /// The member of the block.
    pub(crate) member: Option<u32>,
    /// Whether it is decorated Invariant.
    pub(crate) invariant: bool,
}

/// Every position that a vertex stage writes.
pub(crate) fn positions(words: &[u32]) -> Vec<Position> {
    let mut outputs = HashSet::new();
    let mut pointees = HashMap::new();
    let mut found = Vec::new();
    let mut invariant = HashSet::new();
    for instruction in instructions(words) {
        match (instruction.op, instruction.operands) {
            (op::DECORATE, &[id, DECORATION_BUILT_IN, BUILT_IN_POSITION]) => found.push((id, None)),
            (op::MEMBER_DECORATE, &[id, member, DECORATION_BUILT_IN, BUILT_IN_POSITION]) => {
                found.push((id, Some(member)));
            }
            (op::DECORATE, &[id, DECORATION_INVARIANT]) => _ = invariant.insert((id, None)),
            (op::MEMBER_DECORATE, &[id, member, DECORATION_INVARIANT]) => {
                _ = invariant.insert((id, Some(member)))
            }
            (op::TYPE_POINTER, &[id, _, pointee]) => _ = pointees.insert(id, pointee),
            (op::VARIABLE, &[type_id, id, STORAGE_OUTPUT, ..]) => {
                outputs.insert(id);
                outputs.extend(pointees.get(&type_id));
            }
            _ => {}
        }
    }
    found.retain(|(id, _)| outputs.contains(id));
    found
        .iter()
        .map(|&(id, member)| Position { id, member, invariant: invariant.contains(&(id, member)) })
        .collect()
}

/// The module with every position decorated Invariant, so that two pipelines place a vertex on the same bits.
///
/// The HLSL front end marks the arithmetic of a `precise` position but not the position. A vertex stage without a
/// position is refused.
pub(crate) fn with_invariant_positions(source: &str, words: &[u32]) -> Result<Vec<u32>, String> {
    let positions = positions(words);
    if positions.is_empty() {
        return Err(format!(
            "shaders/{source}: this vertex stage writes no SV_Position, so it would draw nothing."
        ));
    }
    let mut decorated = words.get(..HEADER_WORDS).unwrap_or(words).to_vec();
    let mut at = decorated.len();
    for instruction in instructions(words) {
        decorated.extend_from_slice(&words[at..instruction.end]);
        at = instruction.end;
        let (id, member) = match (instruction.op, instruction.operands) {
            (op::DECORATE, &[id, DECORATION_BUILT_IN, BUILT_IN_POSITION]) => (id, None),
            (op::MEMBER_DECORATE, &[id, member, DECORATION_BUILT_IN, BUILT_IN_POSITION]) => {
                (id, Some(member))
            }
            _ => continue,
        };
        if positions.contains(&Position { id, member, invariant: false }) {
            match member {
                None => decorated.extend([3 << 16 | op::DECORATE, id, DECORATION_INVARIANT]),
                Some(member) => {
                    decorated.extend([4 << 16 | op::MEMBER_DECORATE, id, member, DECORATION_INVARIANT]);
                }
            }
        }
    }
    if self::positions(&decorated).iter().all(|position| position.invariant) {
        return Ok(decorated);
    }
    Err(format!(
        "shaders/{source}: a position is not invariant, so two pipelines could place its vertices apart; write SV_Position \
         to an output of its own."
    ))
}

/// The workgroup size of a compute stage.
pub(crate) fn workgroup_size(words: &[u32]) -> Option<[u32; 3]> {
    instructions(words).find_map(|instruction| match (instruction.op, instruction.operands) {
        (op::EXECUTION_MODE, &[_, MODE_LOCAL_SIZE, x, y, z]) => Some([x, y, z]),
        _ => None,
    })
}

/// The specialization constants by number, with their names.
pub(crate) fn specialization_constants(words: &[u32]) -> Vec<(u32, String)> {
    let mut names = HashMap::new();
    let mut constants = Vec::new();
    for instruction in instructions(words) {
        match (instruction.op, instruction.operands) {
            (op::NAME, &[id, ref name @ ..]) => _ = names.insert(id, string(name)),
            (op::DECORATE, &[id, DECORATION_SPEC_ID, number]) => {
                constants.push((number, names.get(&id).cloned().unwrap_or_default()));
            }
            _ => {}
        }
    }
    constants.sort();
    constants
}

/// The distance in bytes of two elements of an array type, whether it has a length or not.
pub(crate) fn array_stride(words: &[u32], array: u32) -> Option<u32> {
    instructions(words).find_map(|instruction| match (instruction.op, instruction.operands) {
        (op::DECORATE, &[id, DECORATION_ARRAY_STRIDE, stride]) if id == array => Some(stride),
        _ => None,
    })
}

/// The distance in bytes of two rows or columns of a matrix, or of each matrix of an array, that is member `member` of
/// the struct type `holder`, or of the struct that `holder` is an array of.
pub(crate) fn matrix_stride(words: &[u32], holder: u32, member: u32) -> Option<u32> {
    let mut holder = holder;
    while let Some(element) = element_type(words, holder) {
        holder = element;
    }
    instructions(words).find_map(|instruction| match (instruction.op, instruction.operands) {
        (op::MEMBER_DECORATE, &[id, index, DECORATION_MATRIX_STRIDE, stride])
            if (id, index) == (holder, member) =>
        {
            Some(stride)
        }
        _ => None,
    })
}

fn element_type(words: &[u32], array: u32) -> Option<u32> {
    instructions(words).find_map(|instruction| match (instruction.op, instruction.operands) {
        (op::TYPE_ARRAY | op::TYPE_RUNTIME_ARRAY, &[id, element, ..]) if id == array => Some(element),
        _ => None,
    })
}
