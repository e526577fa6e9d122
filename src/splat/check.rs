//! What a material may say, and what is odd in one that may.

use super::{Band, BlendSet, Layer, LayerMode, MAX_LAYERS, MAX_SETS, Material, Rule};
use crate::{Error, Result};
use std::ops::RangeInclusive;

impl Material {
    /// Checks every part of the material; the error is a sentence that says what would work.
    ///
    /// # Errors
    /// [`Error::Invalid`] for more than [`MAX_LAYERS`] layers or [`MAX_SETS`] sets, for layers without a name or with the
    /// same one, for layers that are all laid over others, for a set that names a layer there is not, for a `surface` beside the textures it holds, and for a
    /// number outside its range: contrasts, tints and the strength of normals 0…16, `far_scale` 1…1000, slopes 0…90°,
    /// `strength`, `amount` and the strength of the variation 0…1, `sharpness` 0.001…1024, `bias` −1…1, `ragged` 0…16,
    /// `patch` and the metres of the variation 0.01…100000, `slope_over` 0.01…1000, `far_from` 0…1000000.
    pub fn validate(&self) -> Result<()> {
        if self.layers.len() > MAX_LAYERS {
            let count = self.layers.len();
            return refuse(format!(
                "{count} layers; a terrain has up to {MAX_LAYERS}, so leave some out or merge them"
            ));
        }
        if self.sets.len() > MAX_SETS {
            let count = self.sets.len();
            return refuse(format!("{count} sets of blend parameters; a terrain has up to {MAX_SETS}"));
        }
        for (index, layer) in self.layers.iter().enumerate() {
            if layer.name.trim().is_empty() {
                return refuse(format!(
                    "layer {index} has no name; give it one, for instance name: \"rock\""
                ));
            }
            if self.layers[..index].iter().any(|other| other.name == layer.name) {
                return refuse(format!("two layers are called '{}'; a name is one layer's", layer.name));
            }
            check_layer(layer)?;
        }
        if !self.layers.is_empty() && self.layers.iter().all(|layer| layer.mode == LayerMode::Alpha) {
            return refuse(
                "every layer is laid over others; leave one in another mode, for them to lie on".to_owned(),
            );
        }
        for (index, set) in self.sets.iter().enumerate() {
            if !set.name.is_empty() && self.sets[..index].iter().any(|other| other.name == set.name) {
                return refuse(format!("two sets are called '{}'; a name is one set's", set.name));
            }
            self.check_set(index, set)?;
        }
        within("variation", "metres", self.variation.metres, 0.01..=1e5)?;
        within("variation", "strength", self.variation.strength, 0.0..=1.0)?;
        within("material", "slope_over", self.slope_over, 0.01..=1e3)?;
        within("material", "far_from", self.far_from, 0.0..=1e6)
    }

    /// What is read past, and what is allowed but looks like a slip: a sentence each, none for a material without either.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if let [first, ..] = self.layers.as_slice()
            && first.mode == LayerMode::Alpha
            && let Some(base) = self.layers.iter().find(|layer| layer.mode != LayerMode::Alpha)
        {
            notes.push(format!(
                "layer '{}' is the first and lies over the others by mode Alpha; ground that nothing lies on has '{}'",
                first.name, base.name
            ));
        }
        self.layers.iter().for_each(|layer| note_layer(layer, &mut notes));
        notes
    }

    fn check_set(&self, index: usize, set: &BlendSet) -> Result<()> {
        let who = if set.name.is_empty() { format!("set {index}") } else { format!("set '{}'", set.name) };
        within(&who, "strength", set.strength, 0.0..=1.0)?;
        within(&who, "sharpness", set.sharpness, 0.001..=1024.0)?;
        within(&who, "contrast", set.contrast, 0.0..=16.0)?;
        within(&who, "bias", set.bias, -1.0..=1.0)?;
        let find = |name: &str| {
            self.layers.iter().find(|layer| layer.name == name).ok_or_else(|| {
                let names: Vec<_> = self.layers.iter().map(|layer| layer.name.as_str()).collect();
                let why =
                    format!("{who} names the layer '{name}' in its remap; there are: {}", names.join(", "));
                Error::invalid("material", why)
            })
        };
        for (from, to) in &set.remap {
            if (find(from)?.mode == LayerMode::Alpha) != (find(to)?.mode == LayerMode::Alpha) {
                return refuse(format!(
                    "{who} lets '{to}' stand for '{from}', but only one of them has mode Alpha; give both that mode, or \
                     neither"
                ));
            }
        }
        Ok(())
    }
}

fn refuse<T>(why: impl Into<String>) -> Result<T> {
    Err(Error::invalid("material", why))
}

/// Refuses a number outside a range, and what is no number.
fn within(who: &str, what: &str, value: f32, range: RangeInclusive<f32>) -> Result<()> {
    if range.contains(&value) {
        return Ok(());
    }
    refuse(format!("{who} has {what}: {value}; it can be {} to {}", range.start(), range.end()))
}

fn check_layer(layer: &Layer) -> Result<()> {
    let who = format!("layer '{}'", layer.name);
    let parts = [("occlusion", &layer.occlusion), ("roughness", &layer.roughness), ("height", &layer.height)];
    if layer.surface.is_some()
        && let Some((part, _)) = parts.iter().find(|part| part.1.is_some())
    {
        return refuse(format!(
            "{who} names a surface and {part}, which a surface holds; name either the surface, or occlusion, roughness \
             and height"
        ));
    }
    let rest = [
        ("albedo", &layer.albedo),
        ("surface", &layer.surface),
        ("normal", &layer.normal),
        ("metalness", &layer.metalness),
    ];
    let nameless = |texture: &Option<String>| texture.as_ref().is_some_and(|name| name.trim().is_empty());
    if let Some((slot, _)) = parts.iter().chain(&rest).find(|slot| nameless(slot.1)) {
        return refuse(format!("{who} has {slot}: \"\"; name a file, or leave {slot} out"));
    }
    within(&who, "contrast", layer.contrast, 0.0..=16.0)?;
    within(&who, "normal_strength", layer.normal_strength, 0.0..=16.0)?;
    within(&who, "far_scale", layer.far_scale, 1.0..=1e3)?;
    layer.tint.into_iter().try_for_each(|value| within(&who, "tint", value, 0.0..=16.0))?;
    check_band(&who, "slope", layer.slope, 0.0..=90.0)?;
    layer.rule.as_ref().map_or(Ok(()), |rule| check_rule(&format!("the rule of {who}"), rule))
}

fn check_rule(who: &str, rule: &Rule) -> Result<()> {
    check_band(who, "slope", rule.slope, 0.0..=90.0)?;
    check_band(who, "altitude", rule.altitude, -1e7..=1e7)?;
    check_band(who, "curvature", rule.curvature, -1e6..=1e6)?;
    check_band(who, "flow", rule.flow, 0.0..=1e15)?;
    check_band(who, "deposit", rule.deposit, 0.0..=1e6)?;
    within(who, "amount", rule.amount, 0.0..=1.0)?;
    within(who, "ragged", rule.ragged, 0.0..=16.0)?;
    within(who, "patch", rule.patch, 0.01..=1e5)
}

/// The ends of a band lie in the range, or are left out.
fn check_band(who: &str, what: &str, band: Option<Band>, range: RangeInclusive<f32>) -> Result<()> {
    let Some(Band { from, to, soft }) = band else { return Ok(()) };
    let held = |end: f32, open: f32| end == open || range.contains(&end);
    if !held(from, f32::NEG_INFINITY) || !held(to, f32::INFINITY) {
        return refuse(format!(
            "{who} has {what} from {from} to {to}; its ends can be {} to {}, and either can be left out",
            range.start(),
            range.end()
        ));
    }
    if from > to {
        return refuse(format!(
            "{who} has {what} from {from} to {to}; the lower end comes first: from {to} to {from}"
        ));
    }
    let widest = range.end() - range.start();
    if !(0.0..=widest).contains(&soft) {
        return refuse(format!(
            "{who} has {what} with soft: {soft}; it can be 0 to {widest}, 0 for a hard edge"
        ));
    }
    Ok(())
}

fn note_layer(layer: &Layer, notes: &mut Vec<String>) {
    let name = &layer.name;
    if let Some(metalness) = &layer.metalness {
        notes.push(format!(
            "layer '{name}': the metalness {metalness} is not read; the ground is a dielectric"
        ));
    }
    let metres = layer.tiling.metres();
    if !(0.05..=500.0).contains(&metres) {
        notes.push(format!(
            "layer '{name}': its textures repeat every {metres} m; tiling is metres a repeat, not repeats a metre"
        ));
    }
    let textured =
        [&layer.albedo, &layer.surface, &layer.occlusion, &layer.roughness, &layer.height, &layer.normal];
    let textured = textured.iter().any(|texture| texture.is_some());
    if layer.detile && !textured {
        notes.push(format!("layer '{name}': detile has no texture whose repeats it could hide"));
    }
    if layer.normal_down && layer.normal.is_none() {
        notes.push(format!("layer '{name}': normal_down is said of no normal texture"));
    }
    if layer.mode == LayerMode::Height && layer.surface.is_none() && layer.height.is_none() {
        notes.push(format!(
            "layer '{name}': mode Height without a surface or height texture; at a flat blend height of 0.5 it blends as \
             by weight"
        ));
    }
    let bare = |rule: &Rule| {
        let bands = [rule.slope, rule.altitude, rule.curvature, rule.flow, rule.deposit];
        bands.iter().all(Option::is_none)
    };
    if layer.rule.as_ref().is_some_and(bare) {
        notes.push(format!("layer '{name}': its rule has no band, so that it grows everywhere"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::splat::Tiling;

    fn rock() -> Layer {
        Layer::new("rock")
    }

    fn of(layers: Vec<Layer>) -> Material {
        Material { layers, ..Material::default() }
    }

    fn says(material: Material, part: &str) {
        let text = material.validate().unwrap_err().to_string();
        assert!(text.contains(part), "{text}");
    }

    #[test]
    fn lists_are_counted_and_named() {
        Material::default().validate().unwrap();
        let many = |count: usize| of((0..count).map(|index| Layer::new(format!("layer {index}"))).collect());
        many(16).validate().unwrap();
        says(many(17), "up to 16");
        says(of(vec![rock(), Layer::new(" ")]), "layer 1 has no name");
        says(of(vec![rock(), rock()]), "two layers are called 'rock'");
        says(Material { sets: vec![BlendSet::default(); 5], ..Material::default() }, "up to 4");
    }

    #[test]
    fn layers_are_refused_in_sentences() {
        let layer = |change: &dyn Fn(&mut Layer)| {
            let mut layer = rock();
            change(&mut layer);
            of(vec![layer])
        };
        says(layer(&|l| l.contrast = f32::NAN), "contrast: NaN; it can be 0 to 16");
        says(layer(&|l| l.far_scale = 0.5), "1 to 1000");
        says(layer(&|l| l.tint[1] = -1.0), "tint");
        says(layer(&|l| l.albedo = Some(String::new())), "leave albedo out");
        says(
            layer(&|l| (l.surface, l.height) = (Some("s.png".into()), Some("h.png".into()))),
            "either the surface, or",
        );
        let band = |from, to, soft| layer(&move |l| l.slope = Some(Band { from, to, soft }));
        band(30.0, 90.0, 5.0).validate().unwrap();
        says(band(40.0, 30.0, 5.0), "from 30 to 40");
        says(band(f32::NAN, 30.0, 5.0), "0 to 90");
        says(band(f32::INFINITY, f32::INFINITY, 5.0), "0 to 90");
        says(band(10.0, 30.0, f32::INFINITY), "0 for a hard edge");
        says(
            layer(&|l| l.rule = Some(Rule { patch: 0.0, ..Rule::default() })),
            "the rule of layer 'rock' has patch",
        );
    }

    #[test]
    fn sets_and_the_rest_are_refused_in_sentences() {
        let remapped = |from: &str, to: &str| {
            let mut over = Layer::new("moss");
            over.mode = LayerMode::Alpha;
            let remap = [(from.to_string(), to.to_string())].into();
            let set = BlendSet { name: "wet".into(), remap, ..BlendSet::default() };
            Material { sets: vec![set], ..of(vec![rock(), Layer::new("sand"), over]) }
        };
        remapped("rock", "sand").validate().unwrap();
        says(remapped("rock", "sea"), "there are: rock, sand, moss");
        says(remapped("rock", "moss"), "give both that mode");
        let sharp = BlendSet { sharpness: 0.0, ..BlendSet::default() };
        says(Material { sets: vec![sharp], ..Material::default() }, "set 0 has sharpness");
        says(Material { slope_over: 0.0, ..Material::default() }, "slope_over");
        says(Material { far_from: f32::INFINITY, ..Material::default() }, "far_from");
    }

    #[test]
    fn what_is_odd_is_noted() {
        assert!(of(vec![rock()]).notes().is_empty());
        let mut odd = rock();
        odd.mode = LayerMode::Alpha;
        odd.metalness = Some("metal.png".into());
        odd.tiling = Tiling::new(0.02).unwrap();
        odd.detile = true;
        odd.normal_down = true;
        odd.rule = Some(Rule::default());
        let mut high = Layer::new("high");
        high.mode = LayerMode::Height;
        let notes = of(vec![odd, high]).notes();
        let parts =
            ["has 'high'", "dielectric", "metres a repeat", "detile", "normal_down", "no band", "0.5"];
        assert_eq!(notes.len(), parts.len(), "{notes:?}");
        notes.iter().zip(parts).for_each(|(note, part)| assert!(note.contains(part), "{note}"));
        let mut alone = rock();
        alone.mode = LayerMode::Alpha;
        let why = of(vec![alone]).validate().unwrap_err().to_string();
        assert!(why.contains("leave one in another mode"), "{why}");
    }
}
