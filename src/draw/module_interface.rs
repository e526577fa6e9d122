//! What a fragment module of a host takes and gives, and where that differs from what landform's pipelines have.
//!
//! Landform's side is not written down a second time: it is read from its own modules by the same code, the preview's of the
//! same slots for sets 0 and 1, the surface's vertex stage for what a fragment takes. So a host's module that was compiled
//! with the includes of another landform is refused as long as anything lies elsewhere than it says.

use super::spirv_module::{EntryPoint, Scalar, SpirvModule, Variable, Vector, decoration, op};
use crate::gpu::{Binding, BindingKind};
use crate::shaders::SET_LIGHT;
use ash::vk;
use std::collections::BTreeMap;

/// The set that is the host's, where landform's own lit pass has what lights the frame.
const SET_HOST: u32 = SET_LIGHT;

const STORAGE_UNIFORM_CONSTANT: u32 = 0;
const STORAGE_INPUT: u32 = 1;
const STORAGE_UNIFORM: u32 = 2;
const STORAGE_OUTPUT: u32 = 3;
const STORAGE_PRIVATE: u32 = 6;
const STORAGE_PUSH_CONSTANT: u32 = 9;
const STORAGE_BUFFER: u32 = 12;

/// What rasterisation itself gives a fragment, by number and name; the rest a vertex stage would have to write.
const BUILT_IN_INPUTS: [(u32, &str); 9] = [
    (7, "PrimitiveId"),
    (15, "FragCoord"),
    (16, "PointCoord"),
    (17, "FrontFacing"),
    (18, "SampleId"),
    (19, "SamplePosition"),
    (20, "SampleMask"),
    (23, "HelperInvocation"),
    (4440, "ViewIndex"),
];

/// A binding that a module uses.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Resource {
    set: u32,
    binding: u32,
    kind: BindingKind,
    count: u32,
    name: String,
    content: Content,
}

/// What is in a binding of sets 0 and 1, as far as it can differ.
#[derive(Clone, Debug, PartialEq)]
enum Content {
    /// Of the numbers of a uniform buffer; None for what is not made of numbers of 32 bits.
    Block {
        words: Option<BTreeMap<u32, Scalar>>,
        members: Vec<(u32, String)>,
    },
    /// SPIR-V's dimension, arrayed, multisampled; and what a texel is made of.
    Image {
        shape: [u32; 3],
        texel: Option<Vector>,
    },
    Other,
}

/// What goes from stage to stage, or to an attachment.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Varying {
    pub(super) location: u32,
    pub(super) numbers: Vector,
    name: String,
}

/// What an entry point takes and gives.
#[derive(Clone, Debug, Default)]
pub(super) struct Interface {
    resources: Vec<Resource>,
    pub(super) inputs: Vec<Varying>,
    pub(super) outputs: Vec<Varying>,
    /// What landform has nothing for, each a clause.
    pub(super) problems: Vec<String>,
}

impl Interface {
    /// Reads the interface of one entry point.
    pub(super) fn of(module: &SpirvModule<'_>, entry: &EntryPoint) -> Self {
        let mut interface = Self::default();
        for variable in module.variables_of(entry) {
            interface.add(module, &variable);
        }
        interface.inputs.sort_by_key(|input| input.location);
        interface.outputs.sort_by_key(|output| output.location);
        interface.resources.sort_by_key(|resource| (resource.set, resource.binding));
        interface
    }

    fn add(&mut self, module: &SpirvModule<'_>, variable: &Variable) {
        let read = match variable.storage {
            STORAGE_INPUT | STORAGE_OUTPUT => self.add_varying(module, variable),
            STORAGE_UNIFORM_CONSTANT | STORAGE_UNIFORM | STORAGE_BUFFER => {
                resource(module, variable).map(|resource| self.resources.push(resource))
            }
            STORAGE_PRIVATE => Ok(()),
            STORAGE_PUSH_CONSTANT => {
                Err("is a push constant, and landform pushes none for a host's module; put it \
                                          into a uniform buffer of set 2"
                    .into())
            }
            other => Err(format!("is of storage class {other}, which a draw of the ground has nothing for")),
        };
        if let Err(problem) = read {
            self.problems.push(format!("{} {problem}", shown_name(module, variable)));
        }
    }

    fn add_varying(&mut self, module: &SpirvModule<'_>, variable: &Variable) -> Result<(), String> {
        let is_input = variable.storage == STORAGE_INPUT;
        let list = if is_input { &mut self.inputs } else { &mut self.outputs };
        let (members, is_block): (&[u32], bool) = match module.of(variable.pointee) {
            Some((op::TYPE_STRUCT, &[_, ref members @ ..])) => (members, true),
            _ => (std::slice::from_ref(&variable.pointee), false),
        };
        for (member, &id) in (0..).zip(members) {
            let of_variable = |what| module.decoration(variable.id, what);
            let of = |what| {
                let of_member = module.member_decoration(variable.pointee, member, what);
                if is_block { of_member } else { of_variable(what) }
            };
            if let Some(built_in) = of(decoration::BUILT_IN) {
                let known = BUILT_IN_INPUTS.iter().any(|(number, _)| *number == built_in);
                if is_input && !known {
                    return Err(format!(
                        "is built-in {built_in}, which landform's vertex stage does not write"
                    ));
                }
                continue;
            }
            let following = || of_variable(decoration::LOCATION).filter(|_| is_block)?.checked_add(member);
            let location = of(decoration::LOCATION).or_else(following).ok_or("has no location")?;
            let numbers =
                module.vector(id).ok_or("is neither a number nor a vector; declare its parts apart")?;
            if of(decoration::COMPONENT).unwrap_or(0) != 0 || of(decoration::INDEX).unwrap_or(0) != 0 {
                return Err(format!("shares location {location} with another; give each its own"));
            }
            // The HLSL front end names the parts of what an entry point returns after a temporary of its own.
            let name = module.name(variable.id).trim_start_matches("@entryPointOutput.").into();
            list.push(Varying { location, numbers, name });
        }
        Ok(())
    }
}

/// A variable's name for a sentence.
fn shown_name(module: &SpirvModule<'_>, variable: &Variable) -> String {
    match [module.name(variable.id), module.name(variable.pointee)].into_iter().find(|name| !name.is_empty())
    {
        Some(name) => format!("`{name}`"),
        None => format!("variable %{}", variable.id),
    }
}

fn resource(module: &SpirvModule<'_>, variable: &Variable) -> Result<Resource, String> {
    let mut id = variable.pointee;
    let mut count = 1u32;
    // No type holds itself, but words that only look like a module may say so.
    for _ in 0..8 {
        let Some((op::TYPE_ARRAY, &[_, element, length])) = module.of(id) else { break };
        let length = module.length(length).ok_or("is an array whose length is no constant; state it")?;
        count = count.checked_mul(length).ok_or("is an array of too many")?;
        id = element;
    }
    let place = |what| module.decoration(variable.id, what);
    let (Some(set), Some(binding)) = (place(decoration::DESCRIPTOR_SET), place(decoration::BINDING)) else {
        return Err("has no set and binding; give it one of set 2".into());
    };
    let (kind, content) = kind(module, id, variable.storage)?;
    Ok(Resource { set, binding, kind, count, name: shown_name(module, variable), content })
}

/// What kind of binding holds a type, and what is in it.
fn kind(module: &SpirvModule<'_>, id: u32, storage: u32) -> Result<(BindingKind, Content), String> {
    let known = match module.of(id).ok_or("is of a type that is not declared")? {
        (op::TYPE_STRUCT, _) if storage == STORAGE_BUFFER => (BindingKind::Storage, Content::Other),
        (op::TYPE_STRUCT, _) if storage == STORAGE_UNIFORM => {
            if module.decoration(id, decoration::BUFFER_BLOCK).is_some() {
                return Ok((BindingKind::Storage, Content::Other));
            }
            let members =
                module.members(id).into_iter().map(|(offset, name)| (offset, name.into())).collect();
            (BindingKind::Uniform, Content::Block { words: module.block(id), members })
        }
        (op::TYPE_SAMPLER, _) => (BindingKind::Sampler, Content::Other),
        (op::TYPE_IMAGE, &[_, texel, dimension, _, arrayed, multisampled, sampled, ..]) => {
            let kind = match (dimension, sampled) {
                (0..=3, 1) => BindingKind::SampledImage,
                (0..=3, 2) => BindingKind::StorageImage,
                (5, _) => {
                    return Err(
                        "is a texel buffer, which no set of landform holds; take a storage buffer".into()
                    );
                }
                (6, _) => {
                    return Err(
                        "is an input attachment, which no set of landform holds; sample an image".into()
                    );
                }
                _ => return Err("is an image that does not say whether it is sampled".into()),
            };
            let shape = [dimension, arrayed, multisampled];
            (kind, Content::Image { shape, texel: module.vector(texel) })
        }
        (op::TYPE_SAMPLED_IMAGE, _) => {
            return Err(
                "joins an image and a sampler, which no set of landform holds; declare them apart".into()
            );
        }
        (op::TYPE_RUNTIME_ARRAY, _) => return Err("is an array without a length; state one".into()),
        _ => return Err("is of a kind that no set of landform holds".into()),
    };
    Ok(known)
}

/// What landform's pipelines have for a fragment module of one slot count.
pub(super) struct Offered<'a> {
    /// Sets 0 and 1.
    pub(super) sets: [Vec<Binding>; 2],
    /// What landform's own module says of them.
    pub(super) module: Interface,
    /// What the vertex stage writes.
    pub(super) varyings: Vec<Varying>,
    /// The host's set, where it has described one.
    pub(super) host: Option<&'a [Binding]>,
}

/// Where what a module takes and gives is not what there is: a clause each.
pub(super) fn differences(host: &Interface, offered: &Offered<'_>) -> Vec<String> {
    let mut all = host.problems.clone();
    for resource in &host.resources {
        let place = format!("set {}, binding {} ({})", resource.set, resource.binding, resource.name);
        if let Err(why) = check_resource(resource, offered) {
            all.push(format!("{place} {why}"));
        }
    }
    for input in &host.inputs {
        match offered.varyings.iter().find(|output| output.location == input.location) {
            Some(output) if output.numbers == input.numbers => {}
            Some(output) => all.push(format!(
                "input {} (`{}`) is {}, and landform's vertex stage writes {} there (`{}`)",
                input.location, input.name, input.numbers, output.numbers, output.name
            )),
            None => all.push(format!(
                "input {} (`{}`) is nothing that landform's vertex stage writes",
                input.location, input.name
            )),
        }
    }
    for (wanted, output) in (0..).zip(&host.outputs) {
        if output.location != wanted {
            all.push(format!(
                "its outputs are not at locations 0, 1, …: output {wanted} is missing or there twice"
            ));
            break;
        }
    }
    all
}

fn check_resource(resource: &Resource, offered: &Offered<'_>) -> Result<(), String> {
    let is_hosts = resource.set == SET_HOST;
    let bindings = match (offered.sets.get(resource.set as usize), offered.host) {
        (Some(bindings), _) => bindings.as_slice(),
        (None, Some(bindings)) if is_hosts => bindings,
        (None, None) if is_hosts => return Err("is used, and no layout of set 2 was described".into()),
        _ => return Err("is beyond the host's set, which is 2".into()),
    };
    let Some(binding) = bindings.iter().find(|binding| binding.binding == resource.binding) else {
        return Err(if is_hosts {
            "is not in the layout of set 2 that was described".into()
        } else {
            "is none of landform's; what is the host's belongs in set 2".into()
        });
    };
    let (shown, kind) = (resource.kind, binding.kind.as_shader_sees());
    if !binding.stages.contains(vk::ShaderStageFlags::FRAGMENT) {
        return Err(format!("is in the layout for {:?} alone", binding.stages));
    }
    // An array of the host's may be longer than what one module reads of it.
    let counts = if is_hosts { resource.count <= binding.count } else { resource.count == binding.count };
    if shown != kind || !counts {
        return Err(format!(
            "is {} × {shown:?}, and the layout has {} × {kind:?}",
            resource.count, binding.count
        ));
    }
    let same_place = |own: &&Resource| own.set == resource.set && own.binding == resource.binding;
    match offered.module.resources.iter().find(same_place) {
        Some(own) if !is_hosts => check_content(resource, own),
        _ => Ok(()),
    }
}

/// Holds what a host's module says is in a binding against what is. A compiler may leave out what is not used.
fn check_content(host: &Resource, own: &Resource) -> Result<(), String> {
    const STALE: &str = "compile it with the includes of this landform";
    match (&host.content, &own.content) {
        (
            Content::Block { words: host_words, members },
            Content::Block { words: Some(own_words), members: own_members },
        ) => {
            let words = host_words
                .as_ref()
                .ok_or_else(|| format!("has a layout that landform's has not; {STALE}"))?;
            if let Some((byte, _)) = words.iter().find(|(byte, word)| own_words.get(byte) != Some(word)) {
                return Err(format!("has something else at byte {byte} than landform's; {STALE}"));
            }
            for (byte, name) in members.iter().filter(|(_, name)| !name.is_empty()) {
                match own_members.iter().find(|(own_byte, _)| own_byte == byte) {
                    Some((_, own_name)) if own_name != name && !own_name.is_empty() => {
                        return Err(format!(
                            "has `{name}` at byte {byte}, where landform's has `{own_name}`; {STALE}"
                        ));
                    }
                    _ => {}
                }
            }
            Ok(())
        }
        (Content::Image { shape, texel }, Content::Image { shape: own_shape, texel: own_texel }) => {
            if (shape, texel) == (own_shape, own_texel) {
                return Ok(());
            }
            Err(format!("is an image of another dimension or texel than landform's; {STALE}"))
        }
        _ => Ok(()),
    }
}
