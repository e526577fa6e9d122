//! The declarations of a SPIR-V module, by id: what [`module_interface`](super::module_interface) asks about a host's.
//!
//! Read by hand, and no crate: `rspirv-reflect` 0.9 and `rspirv` 0.13 panicked on one in a hundred modules in which a few bits
//! were turned, `spirq` 1.3 on one in ten, and what is wanted of them is twenty instructions. (rspirv-reflect reads no inputs or
//! outputs either, and rspirv is under Apache-2.0 alone.) What comes in is a file of the host's, which may be cut off or of
//! another kind, so nothing here panics, whatever the words are: a property test turns bits and cuts.
//!
//! Numbers are those of the SPIR-V specification, version 1.6. That a module is valid is the host's promise, as everywhere
//! ([`ShaderDesc`](crate::gpu::ShaderDesc)): this finds what does not fit landform, not what does not fit SPIR-V.

use std::collections::{BTreeMap, HashMap, HashSet};

/// Words before the first instruction.
const HEADER_WORDS: usize = 5;
const MAGIC: u32 = 0x0723_0203;

/// The instructions that are read.
pub(super) mod op {
    pub(in crate::draw) const NAME: u32 = 5;
    pub(in crate::draw) const MEMBER_NAME: u32 = 6;
    pub(in crate::draw) const ENTRY_POINT: u32 = 15;
    pub(in crate::draw) const TYPE_BOOL: u32 = 20;
    pub(in crate::draw) const TYPE_INT: u32 = 21;
    pub(in crate::draw) const TYPE_FLOAT: u32 = 22;
    pub(in crate::draw) const TYPE_VECTOR: u32 = 23;
    pub(in crate::draw) const TYPE_MATRIX: u32 = 24;
    pub(in crate::draw) const TYPE_IMAGE: u32 = 25;
    pub(in crate::draw) const TYPE_SAMPLER: u32 = 26;
    pub(in crate::draw) const TYPE_SAMPLED_IMAGE: u32 = 27;
    pub(in crate::draw) const TYPE_ARRAY: u32 = 28;
    pub(in crate::draw) const TYPE_RUNTIME_ARRAY: u32 = 29;
    pub(in crate::draw) const TYPE_STRUCT: u32 = 30;
    pub(in crate::draw) const TYPE_POINTER: u32 = 32;
    pub(in crate::draw) const CONSTANT: u32 = 43;
    pub(in crate::draw) const SPEC_CONSTANT_TRUE: u32 = 48;
    pub(in crate::draw) const SPEC_CONSTANT_FALSE: u32 = 49;
    pub(in crate::draw) const SPEC_CONSTANT: u32 = 50;
    pub(in crate::draw) const FUNCTION: u32 = 54;
    pub(in crate::draw) const FUNCTION_END: u32 = 56;
    pub(in crate::draw) const FUNCTION_CALL: u32 = 57;
    pub(in crate::draw) const VARIABLE: u32 = 59;
    pub(in crate::draw) const DECORATE: u32 = 71;
    pub(in crate::draw) const MEMBER_DECORATE: u32 = 72;
}

/// The decorations that are read.
pub(super) mod decoration {
    pub(in crate::draw) const SPEC_ID: u32 = 1;
    pub(in crate::draw) const BUFFER_BLOCK: u32 = 3;
    pub(in crate::draw) const ROW_MAJOR: u32 = 4;
    pub(in crate::draw) const ARRAY_STRIDE: u32 = 6;
    pub(in crate::draw) const MATRIX_STRIDE: u32 = 7;
    pub(in crate::draw) const BUILT_IN: u32 = 11;
    pub(in crate::draw) const LOCATION: u32 = 30;
    pub(in crate::draw) const COMPONENT: u32 = 31;
    pub(in crate::draw) const INDEX: u32 = 32;
    pub(in crate::draw) const BINDING: u32 = 33;
    pub(in crate::draw) const DESCRIPTOR_SET: u32 = 34;
    pub(in crate::draw) const OFFSET: u32 = 35;
}

/// The bytes of a block that are looked at: more than the uniform buffers of landform have.
const MOST_BLOCK: u64 = 1 << 16;
/// Steps that reading one block may take: a module whose types name each other would take forever.
const MOST_STEPS: u32 = 1 << 18;
/// Types within types.
const MOST_DEPTH: u32 = 16;

/// What a number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Scalar {
    Float,
    Int,
    Uint,
    Bool,
}

/// A number, or a vector of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Vector {
    pub(super) scalar: Scalar,
    /// Bits of a number; 0 for a boolean.
    pub(super) bits: u32,
    pub(super) count: u32,
}

impl std::fmt::Display for Vector {
    /// As HLSL writes it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = match self.scalar {
            Scalar::Float => "float",
            Scalar::Int => "int",
            Scalar::Uint => "uint",
            Scalar::Bool => "bool",
        };
        match self.bits {
            0 | 32 => write!(f, "{name}")?,
            bits => write!(f, "{name}{bits}_t")?,
        }
        if self.count > 1 { write!(f, "{}", self.count) } else { Ok(()) }
    }
}

/// A variable of a module's scope.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variable {
    pub(super) id: u32,
    /// The type that it is a pointer to.
    pub(super) pointee: u32,
    pub(super) storage: u32,
}

/// One stage's way into a module.
#[derive(Clone, Debug)]
pub(super) struct EntryPoint {
    /// 4 for a fragment stage.
    pub(super) model: u32,
    pub(super) name: String,
    function: u32,
}

/// A constant that is given its value when a pipeline is made.
#[derive(Clone, Copy, Debug)]
pub(super) struct SpecializationConstant<'m> {
    pub(super) number: u32,
    /// Empty in a module without names.
    pub(super) name: &'m str,
    /// None for what is neither a number nor a boolean.
    pub(super) kind: Option<Vector>,
}

impl SpecializationConstant<'_> {
    pub(super) fn is_boolean(&self) -> bool {
        matches!(self.kind, Some(Vector { scalar: Scalar::Bool, count: 1, .. }))
    }

    /// Whether a value of 4 bytes is one of it.
    pub(super) fn has_4_bytes(&self) -> bool {
        self.is_boolean() || matches!(self.kind, Some(Vector { bits: 32, count: 1, .. }))
    }
}

/// An instruction: its number, and the words after the first.
#[derive(Clone, Copy)]
struct Instruction<'a> {
    op: u32,
    operands: &'a [u32],
}

/// A module's declarations, borrowed from its words.
pub(super) struct SpirvModule<'a> {
    /// Types and constants: what declares them, and its operands.
    declared: HashMap<u32, Instruction<'a>>,
    variables: Vec<Variable>,
    /// Ids that are initialised by others.
    initializers: HashSet<u32>,
    decorations: HashMap<(u32, Option<u32>, u32), u32>,
    names: HashMap<u32, String>,
    member_names: HashMap<(u32, u32), String>,
    entries: Vec<EntryPoint>,
    /// The instructions of a function's body.
    functions: HashMap<u32, Vec<Instruction<'a>>>,
}

impl<'a> SpirvModule<'a> {
    /// Reads a module's declarations, or says in a clause what the words are instead.
    pub(super) fn read(words: &'a [u32]) -> Result<Self, String> {
        match words.first() {
            Some(&MAGIC) if words.len() >= HEADER_WORDS => {}
            Some(first) if first.swap_bytes() == MAGIC => {
                return Err(
                    "its words are SPIR-V in the other byte order; read the file as little-endian words"
                        .into(),
                );
            }
            _ => return Err("its words are not SPIR-V, which begins with 0x07230203".into()),
        }
        let mut module = Self {
            declared: HashMap::new(),
            variables: Vec::new(),
            initializers: HashSet::new(),
            decorations: HashMap::new(),
            names: HashMap::new(),
            member_names: HashMap::new(),
            entries: Vec::new(),
            functions: HashMap::new(),
        };
        let mut function = None;
        let mut at = HEADER_WORDS;
        while at < words.len() {
            let length = (words[at] >> 16) as usize;
            let operands = words.get(at + 1..at + length.max(1)).filter(|_| length > 0);
            let operands = operands.ok_or_else(|| {
                format!(
                    "its words are damaged or cut off: the instruction at word {at} does not end within them"
                )
            })?;
            let instruction = Instruction { op: words[at] & 0xFFFF, operands };
            module.take(instruction, &mut function);
            at += length;
        }
        if function.is_some() {
            return Err("its words are cut off: they end within a function".into());
        }
        Ok(module)
    }

    /// Enters one instruction. `function` is the one that is being defined.
    fn take(&mut self, instruction: Instruction<'a>, function: &mut Option<u32>) {
        match (instruction.op, instruction.operands) {
            (op::FUNCTION, &[_, id, ..]) => {
                *function = Some(id);
                self.functions.insert(id, Vec::new());
            }
            (op::FUNCTION_END, _) => *function = None,
            _ if function.is_some() => {
                let body = function.and_then(|id| self.functions.get_mut(&id));
                body.into_iter().for_each(|body| body.push(instruction));
            }
            (op::NAME, &[id, ref name @ ..]) => _ = self.names.insert(id, string(name)),
            (op::MEMBER_NAME, &[id, member, ref name @ ..]) => {
                self.member_names.insert((id, member), string(name));
            }
            (op::ENTRY_POINT, &[model, id, ref name @ ..]) => {
                self.entries.push(EntryPoint { model, name: string(name), function: id });
            }
            (op::DECORATE, &[id, what, ref value @ ..]) => {
                self.decorations.insert((id, None, what), value.first().copied().unwrap_or(0));
            }
            (op::MEMBER_DECORATE, &[id, member, what, ref value @ ..]) => {
                self.decorations.insert((id, Some(member), what), value.first().copied().unwrap_or(0));
            }
            (op::VARIABLE, &[pointer, id, storage, ref initializer @ ..]) => {
                self.initializers.extend(initializer);
                if let Some((op::TYPE_POINTER, &[_, _, pointee])) = self.of(pointer) {
                    self.variables.push(Variable { id, pointee, storage });
                }
            }
            (op::CONSTANT | op::SPEC_CONSTANT, &[_, id, ..])
            | (op::SPEC_CONSTANT_TRUE | op::SPEC_CONSTANT_FALSE, &[_, id])
            | (op::TYPE_BOOL..=op::TYPE_POINTER, &[id, ..]) => {
                self.declared.insert(id, instruction);
            }
            _ => {}
        }
    }

    /// What declares an id, and its operands.
    pub(super) fn of(&self, id: u32) -> Option<(u32, &'a [u32])> {
        self.declared.get(&id).map(|found| (found.op, found.operands))
    }

    pub(super) fn entries(&self) -> &[EntryPoint] {
        &self.entries
    }

    pub(super) fn decoration(&self, id: u32, what: u32) -> Option<u32> {
        self.decorations.get(&(id, None, what)).copied()
    }

    pub(super) fn member_decoration(&self, id: u32, member: u32, what: u32) -> Option<u32> {
        self.decorations.get(&(id, Some(member), what)).copied()
    }

    /// An id's name, or nothing in a module without names.
    pub(super) fn name(&self, id: u32) -> &str {
        self.names.get(&id).map_or("", String::as_str)
    }

    /// The variables of the module's scope that the entry point's functions use. A literal that happens to be a variable's
    /// number counts as a use: too many are found rather than too few.
    pub(super) fn variables_of(&self, entry: &EntryPoint) -> Vec<Variable> {
        let mut used: HashSet<u32> = self.initializers.clone();
        let mut reached = HashSet::from([entry.function]);
        let mut open = vec![entry.function];
        while let Some(body) = open.pop().map(|id| self.functions.get(&id)) {
            for instruction in body.into_iter().flatten() {
                used.extend(instruction.operands);
                if let (op::FUNCTION_CALL, &[_, _, called, ..]) = (instruction.op, instruction.operands)
                    && reached.insert(called)
                {
                    open.push(called);
                }
            }
        }
        self.variables.iter().copied().filter(|variable| used.contains(&variable.id)).collect()
    }

    /// The specialization constants, by rising number; those of one number by name.
    pub(super) fn specialization_constants(&self) -> Vec<SpecializationConstant<'_>> {
        let constant = |id, number| {
            let kind = match self.of(id)? {
                (op::SPEC_CONSTANT_TRUE | op::SPEC_CONSTANT_FALSE | op::SPEC_CONSTANT, &[kind, ..]) => {
                    self.vector(kind)
                }
                _ => None,
            };
            Some(SpecializationConstant { number, name: self.name(id), kind })
        };
        let mut found: Vec<_> = self
            .decorations
            .iter()
            .filter(|((_, member, what), _)| member.is_none() && *what == decoration::SPEC_ID)
            .filter_map(|((id, ..), number)| constant(*id, *number))
            .collect();
        found.sort_unstable_by_key(|constant| (constant.number, constant.name));
        found
    }

    /// A type's numbers, where it is a number or a vector.
    pub(super) fn vector(&self, id: u32) -> Option<Vector> {
        let scalar = |id| match self.of(id)? {
            (op::TYPE_BOOL, _) => Some((Scalar::Bool, 0)),
            (op::TYPE_INT, &[_, bits, signed]) => {
                Some((if signed == 0 { Scalar::Uint } else { Scalar::Int }, bits))
            }
            (op::TYPE_FLOAT, &[_, bits, ..]) => Some((Scalar::Float, bits)),
            _ => None,
        };
        let (element, count) = match self.of(id)? {
            (op::TYPE_VECTOR, &[_, element, count]) => (element, count),
            _ => (id, 1),
        };
        let (scalar, bits) = scalar(element)?;
        (count <= 4).then_some(Vector { scalar, bits, count })
    }

    /// The length of an array: None where a specialization constant or nothing says it.
    pub(super) fn length(&self, id: u32) -> Option<u32> {
        match self.of(id)? {
            (op::CONSTANT, &[_, _, length]) => Some(length),
            _ => None,
        }
    }

    /// The members of a block: the byte that each begins at, and its name, where the module has names.
    pub(super) fn members(&self, block: u32) -> Vec<(u32, &str)> {
        let Some((op::TYPE_STRUCT, &[_, ref members @ ..])) = self.of(block) else { return Vec::new() };
        (0..members.len() as u32)
            .filter_map(|member| {
                let name = self.member_names.get(&(block, member)).map_or("", String::as_str);
                Some((self.member_decoration(block, member, decoration::OFFSET)?, name))
            })
            .collect()
    }

    /// What a block has at each multiple of 4 bytes, or None for one that is not made of numbers of 32 bits, is too large or
    /// does not say where they lie.
    pub(super) fn block(&self, id: u32) -> Option<BTreeMap<u32, Scalar>> {
        let mut block = Block { module: self, words: BTreeMap::new(), steps: MOST_STEPS };
        block.add(id, 0, Matrix::default(), MOST_DEPTH)?;
        Some(block.words)
    }
}

/// How the matrices of a member lie.
#[derive(Clone, Copy, Default)]
struct Matrix {
    stride: u32,
    rows: bool,
}

/// A block while it is read.
struct Block<'m, 'a> {
    module: &'m SpirvModule<'a>,
    words: BTreeMap<u32, Scalar>,
    steps: u32,
}

impl Block<'_, '_> {
    fn add(&mut self, id: u32, at: u64, matrix: Matrix, depth: u32) -> Option<()> {
        self.steps = self.steps.checked_sub(1)?;
        let depth = depth.checked_sub(1).filter(|_| at < MOST_BLOCK)?;
        if let Some(vector) = self.module.vector(id) {
            return (0..vector.count).try_for_each(|part| self.number(vector, at + 4 * u64::from(part)));
        }
        match self.module.of(id)? {
            (op::TYPE_MATRIX, &[_, column, columns]) => {
                let vector = self.module.vector(column)?;
                let stride = u64::from(matrix.stride);
                for (column, row) in (0..columns.min(4)).flat_map(|c| (0..vector.count).map(move |r| (c, r)))
                {
                    let (major, minor) = if matrix.rows { (row, column) } else { (column, row) };
                    self.number(vector, at + stride * u64::from(major) + 4 * u64::from(minor))?;
                }
                Some(())
            }
            (op::TYPE_ARRAY, &[_, element, length]) => {
                let stride = u64::from(self.module.decoration(id, decoration::ARRAY_STRIDE)?);
                let length = self.module.length(length)?;
                (0..length).try_for_each(|i| self.add(element, at + stride * u64::from(i), matrix, depth))
            }
            (op::TYPE_STRUCT, &[_, ref members @ ..]) => {
                for (member, &part) in (0..).zip(members) {
                    let of = |what| self.module.member_decoration(id, member, what);
                    let (offset, stride) = (of(decoration::OFFSET)?, of(decoration::MATRIX_STRIDE));
                    let rows = of(decoration::ROW_MAJOR).is_some();
                    let matrix = Matrix { stride: stride.unwrap_or(0), rows };
                    self.add(part, at + u64::from(offset), matrix, depth)?;
                }
                Some(())
            }
            _ => None,
        }
    }

    fn number(&mut self, vector: Vector, at: u64) -> Option<()> {
        self.steps = self.steps.checked_sub(1)?;
        let fits = vector.bits == 32 && at < MOST_BLOCK && at.is_multiple_of(4);
        fits.then(|| self.words.insert(at as u32, vector.scalar))?;
        Some(())
    }
}

/// A string operand: bytes in little-endian words up to a zero byte.
fn string(operands: &[u32]) -> String {
    let bytes = operands.iter().flat_map(|word| word.to_le_bytes()).take_while(|&byte| byte != 0);
    String::from_utf8_lossy(&bytes.collect::<Vec<u8>>()).into_owned()
}
