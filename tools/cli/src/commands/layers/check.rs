//! `landform layers check`: a file of layers, its textures, and all that is wrong with them.

use clap::{Args, ValueHint};
use landform::import::{Blocks, TexelFormat, TextureData, TextureRequest};
use landform::splat::{Band, Layer, Material, Rule, Splat, TextureSlot};
use landform_cli::LayerArgs;
use landform_cli::read::bar_for;
use landform_cli::stop::{Result, Stop, is_interrupted, print};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Images that the ground's fragment stage reads besides three a slot: heights, holes, weights.
const OTHER_IMAGES: u32 = 3;

/// Says what is in a file of layers, reads every texture that it names, and lists all that is wrong
///
/// For each layer: how it blends, the metres of a repeat, its rule in short, and each of its textures with size and format.
/// NOTE lines are what was converted, read past, or looks like a slip; PROBLEM lines are files that are missing or refused,
/// all of them, and make the exit code 1.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  landform layers check ground/ground.ron
  landform layers check ground.ron --textures /data/textures --json")]
pub(crate) struct Check {
    /// The file of layers
    #[arg(value_name = "FILE.ron", value_hint = ValueHint::FilePath)]
    file: PathBuf,
    /// Where the textures of the layers are [default: the folder of the file]
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    textures: Option<PathBuf>,
    /// Prints the report as JSON
    #[arg(long)]
    json: bool,
}

impl Check {
    pub(super) fn run(&self) -> Result<ExitCode> {
        let args = LayerArgs {
            layers: Some(self.file.clone()),
            textures: self.textures.clone(),
            ..LayerArgs::default()
        };
        let Some(read) = args.read()? else { return Ok(ExitCode::SUCCESS) };
        let report = Report::of(&self.file, &read.material, &read.textures)?;
        if self.json {
            print(format_args!("{:#}\n", report.json()))?;
        } else {
            print(&report)?;
        }
        match report.problems.len() {
            0 => Ok(ExitCode::SUCCESS),
            1 => Err(Stop::new(format!("{}: one problem with textures", self.file.display()))),
            count => Err(Stop::new(format!("{}: {count} problems with textures", self.file.display()))),
        }
    }
}

/// What was found.
#[derive(Debug)]
struct Report {
    file: String,
    folder: String,
    layers: Vec<LayerReport>,
    slots: u32,
    height_path: bool,
    /// Images that the ground's fragment stage reads.
    images: u32,
    /// Textures that were read, each once, and what they are on a device.
    textures: usize,
    texture_bytes: u64,
    notes: Vec<String>,
    problems: Vec<String>,
}

#[derive(Debug)]
struct LayerReport {
    name: String,
    mode: String,
    /// Metres of a repeat.
    tiling: f64,
    rule: Option<String>,
    textures: Vec<TextureReport>,
    more: String,
}

#[derive(Debug)]
struct TextureReport {
    slot: &'static str,
    files: Vec<String>,
    /// None where it could not be read.
    read: Option<Read>,
}

/// A texture that was read.
#[derive(Clone, Debug)]
struct Read {
    width: u32,
    height: u32,
    format: &'static str,
    mips: usize,
    bytes: u64,
}

impl Report {
    fn json(&self) -> Value {
        let texture = |texture: &TextureReport| {
            let mut json = json!({ "slot": texture.slot, "files": texture.files });
            if let Some(Read { width, height, format, mips, .. }) = &texture.read {
                json["size"] = json!([width, height]);
                json["format"] = (*format).into();
                json["mips"] = (*mips).into();
            }
            json
        };
        let layer = |layer: &LayerReport| {
            json!({
                "name": layer.name,
                "mode": layer.mode,
                "tiling": layer.tiling,
                "rule": layer.rule,
                "textures": layer.textures.iter().map(texture).collect::<Vec<_>>(),
            })
        };
        json!({
            "file": self.file,
            "folder": self.folder,
            "layers": self.layers.iter().map(layer).collect::<Vec<_>>(),
            "slots": self.slots,
            "height_path": self.height_path,
            "images": self.images,
            "textures": self.textures,
            "texture_bytes": self.texture_bytes,
            "notes": self.notes,
            "problems": self.problems,
        })
    }

    fn of(file: &Path, material: &Material, folder: &Path) -> Result<Self> {
        let requests = |layer: &Layer| {
            let of = |slot| TextureRequest::of(layer, slot);
            TextureSlot::ALL.into_iter().filter_map(of).collect::<Vec<_>>()
        };
        let all = material.layers.iter().map(|layer| requests(layer).len()).sum::<usize>();
        let mut bar = bar_for("reading textures".into());
        let (mut done, mut found, mut sentences) = (0, HashMap::new(), Sentences::default());
        sentences.notes = material.notes();
        let mut layers = Vec::new();
        for layer in &material.layers {
            let mut textures = Vec::new();
            for request in requests(layer) {
                bar(done as f64 / all as f64);
                done += 1;
                let read = match found.get(&request) {
                    Some(read) => Option::clone(read),
                    None => {
                        let read = sentences.read(layer, &request, folder)?;
                        found.insert(request.clone(), read.clone());
                        read
                    }
                };
                let files = request.files().into_iter().map(str::to_owned).collect();
                textures.push(TextureReport { slot: slot_name(request.slot()), files, read });
            }
            layers.push(LayerReport {
                name: layer.name.clone(),
                mode: format!("{:?}", layer.mode),
                tiling: layer.tiling.metres(),
                rule: layer.rule.as_ref().map(rule_in_short),
                textures,
                more: more(layer),
            });
        }
        let splat = Splat::of(&material.layers);
        let read = || found.values().flatten();
        Ok(Self {
            file: file.display().to_string(),
            folder: folder.display().to_string(),
            layers,
            slots: splat.slots,
            height_path: splat.height,
            images: 3 * splat.slots + OTHER_IMAGES,
            textures: read().count(),
            texture_bytes: read().map(|read| read.bytes).sum(),
            notes: sentences.notes,
            problems: sentences.problems,
        })
    }
}

/// What is said of all textures, each sentence once.
#[derive(Default)]
struct Sentences {
    notes: Vec<String>,
    problems: Vec<String>,
}

impl Sentences {
    /// Reads a texture. None where it has a problem, an error for an interrupt.
    fn read(&mut self, layer: &Layer, request: &TextureRequest, folder: &Path) -> Result<Option<Read>> {
        match request.read_watched(folder, Blocks::Kept, &is_interrupted) {
            Ok(None) => Err(Stop::interrupted()),
            Ok(Some(texture)) => {
                texture.notes.iter().for_each(|note| add(&mut self.notes, note));
                Ok(Some(Read::of(&texture)))
            }
            Err(error) => {
                let mut problems = vec![error.to_string()];
                // Of several files the first that has a problem hides the others'.
                for part in parts(layer).iter().filter(|_| request.files().len() > 1) {
                    let Some(request) = TextureRequest::of(part, TextureSlot::Surface) else { continue };
                    let read = request.read_watched(folder, Blocks::Kept, &is_interrupted);
                    problems.extend(read.err().map(|error| error.to_string()));
                }
                problems.iter().for_each(|problem| add(&mut self.problems, problem));
                Ok(None)
            }
        }
    }
}

/// A layer of each file that makes its surface.
fn parts(layer: &Layer) -> [Layer; 3] {
    let mut parts = [(); 3].map(|()| Layer::new("part"));
    parts[0].occlusion.clone_from(&layer.occlusion);
    parts[1].roughness.clone_from(&layer.roughness);
    parts[2].height.clone_from(&layer.height);
    parts
}

fn add(sentences: &mut Vec<String>, sentence: &String) {
    if !sentences.contains(sentence) {
        sentences.push(sentence.clone());
    }
}

impl Read {
    fn of(texture: &TextureData) -> Self {
        let bytes = texture.mips.iter().map(|mip| mip.len() as u64).sum();
        let (width, height, mips) = (texture.width, texture.height, texture.mips.len());
        Self { width, height, format: format_name(texture.format), mips, bytes }
    }
}

fn slot_name(slot: TextureSlot) -> &'static str {
    match slot {
        TextureSlot::Albedo => "albedo",
        TextureSlot::Surface => "surface",
        TextureSlot::Normal => "normal",
    }
}

fn format_name(format: TexelFormat) -> &'static str {
    match format {
        TexelFormat::Rgba8Srgb => "RGBA8 sRGB",
        TexelFormat::Rgba8 => "RGBA8",
        TexelFormat::Rg8 => "RG8",
        TexelFormat::Bc1Srgb => "BC1 sRGB",
        TexelFormat::Bc3Srgb => "BC3 sRGB",
        TexelFormat::Bc3 => "BC3",
        TexelFormat::Bc5 => "BC5",
        TexelFormat::Bc7Srgb => "BC7 sRGB",
        TexelFormat::Bc7 => "BC7",
        _ => "another format",
    }
}

/// How a layer's textures are laid, where that is not as usual.
fn more(layer: &Layer) -> String {
    let mut more = String::new();
    for (said, is) in [("triplanar", layer.triplanar), ("detile", layer.detile)] {
        if is {
            more = more + ", " + said;
        }
    }
    if layer.far_scale > 1.0 {
        more += &format!(", {} m far away", layer.tiling.metres() * f64::from(layer.far_scale));
    }
    if let Some(slope) = layer.slope {
        more += &format!(", only on slopes {}", band("°", slope));
    }
    more
}

/// Where a layer grows, in a few words.
fn rule_in_short(rule: &Rule) -> String {
    let bands = [
        ("slope", rule.slope, "°"),
        ("altitude", rule.altitude, " m"),
        ("curvature", rule.curvature, "/km"),
        ("flow", rule.flow, " m²"),
        ("deposit", rule.deposit, " m"),
    ];
    let bands = bands.into_iter().filter_map(|(what, of, unit)| Some(format!("{what} {}", band(unit, of?))));
    let mut said: Vec<_> = bands.collect();
    if said.is_empty() {
        said.push("everywhere".into());
    }
    if rule.amount < 1.0 {
        said.push(format!("at most {}", rule.amount));
    }
    if rule.ragged > 0.0 {
        said.push(format!("ragged {} over {} m", rule.ragged, rule.patch));
    }
    said.join(", ")
}

fn band(unit: &str, band: Band) -> String {
    let mut said = match (band.from.is_finite(), band.to.is_finite()) {
        (true, true) => format!("{} to {}{unit}", band.from, band.to),
        (true, false) => format!("from {}{unit}", band.from),
        (false, true) => format!("to {}{unit}", band.to),
        (false, false) => "any".into(),
    };
    if band.soft > 0.0 {
        said += &format!(" (soft {})", band.soft);
    }
    said
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let beside = if self.folder.is_empty() { "the current folder" } else { &self.folder };
        writeln!(f, "{}: {} layers, textures from {beside}", self.file, self.layers.len())?;
        for layer in &self.layers {
            writeln!(f, "  {}: {}, every {} m{}", layer.name, layer.mode, layer.tiling, layer.more)?;
            if let Some(rule) = &layer.rule {
                writeln!(f, "    rule     {rule}")?;
            }
            for texture in &layer.textures {
                write!(f, "    {:8} {}", texture.slot, texture.files.join(", "))?;
                match &texture.read {
                    Some(Read { width, height, format, mips, .. }) => {
                        writeln!(f, ": {width}×{height} {format}, {mips} mips")?;
                    }
                    None => writeln!(f, ": not read")?,
                }
            }
        }
        self.notes.iter().try_for_each(|note| writeln!(f, "  NOTE     {note}"))?;
        self.problems.iter().try_for_each(|problem| writeln!(f, "  PROBLEM  {problem}"))?;
        let path = if self.height_path { "with" } else { "without" };
        writeln!(
            f,
            "  needs    {} slots, {path} the height path; {} images in the fragment stage; {} textures of {:.1} MB",
            self.slots,
            self.images,
            self.textures,
            self.texture_bytes as f64 / 1e6
        )
    }
}
