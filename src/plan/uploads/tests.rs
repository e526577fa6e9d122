use super::*;
use crate::field::{Field, FieldDesc, Sample, SampleRect, Weights};
use crate::plan::TerrainSettings;
use crate::splat::{BlendSet, Layer, LayerMode, Material};

/// 3 × 3 tiles of 16 samples.
fn field(weights: Option<u32>) -> Field {
    let mut field = Field::new(FieldDesc::of_tiles(16, 3, 3)).unwrap();
    field.set_weights(weights.map(|layers| Weights::new(46, 46, layers, 0).unwrap())).unwrap();
    field
}

fn material(layers: usize) -> Material {
    let layers = (0..layers).map(|number| Layer::new(format!("layer {number}"))).collect();
    Material { layers, ..Material::default() }
}

fn terrain(weights: Option<u32>, layers: usize) -> Terrain {
    let mut terrain = Terrain::new(field(weights), TerrainSettings::default()).unwrap();
    terrain.set_material(material(layers)).unwrap();
    terrain
}

/// A renderer as far as residency goes, with what its image of weights holds: the content of each tile.
struct Renderer {
    residency: Residency,
    image: Vec<Vec<u8>>,
}

impl Renderer {
    fn new(terrain: &Terrain) -> Self {
        Self { residency: Residency::nothing(terrain.field().desc()), image: Vec::new() }
    }

    fn play(&mut self, plan: &FramePlan) {
        if self.image.is_empty() || !plan.weight_shape.is_same_image(&self.residency.weight_shape()) {
            let bytes = 4 * plan.chain().texels();
            let page = |page| if page == 0 { 255 } else { 0 };
            let pages = (0..plan.weight_pages()).flat_map(|number| [page(number), 0, 0, 0].repeat(bytes / 4));
            self.image = vec![pages.collect(); self.residency.tiles().len()];
        }
        for upload in plan.uploads.iter().filter(|upload| !plan.weight_bytes(upload).is_empty()) {
            let index = upload.tile.z * plan.layout.tiles[0] + upload.tile.x;
            self.image[index as usize].copy_from_slice(plan.weight_bytes(upload));
        }
        self.residency.confirm(plan);
    }

    /// Plans and plays a frame: the tiles whose weights were uploaded.
    fn frame(&mut self, terrain: &mut Terrain) -> Vec<u32> {
        let plan = terrain.plan(&[], &self.residency).unwrap();
        self.play(&plan);
        assert!(terrain.plan(&[], &self.residency).unwrap().uploads.is_empty(), "what was played is held");
        self.assert_holds(terrain);
        weights_of(&plan)
    }

    /// Whatever was uploaded or not: the image holds what the terrain is.
    fn assert_holds(&self, terrain: &Terrain) {
        let blocks = terrain.ground.blocks(terrain.field());
        if terrain.ground.weight_shape(terrain.field()).pages == 0 {
            return assert!(self.image.iter().all(Vec::is_empty), "no image where nothing is to be told");
        }
        for (index, held) in self.image.iter().enumerate() {
            let mut block = vec![0; blocks.bytes()];
            write_weight_block(&blocks, terrain.field().desc().tile_at(index), &mut block);
            assert!(*held == block, "tile {index}");
        }
    }
}

fn weights_of(plan: &FramePlan) -> Vec<u32> {
    let uploads = plan.uploads.iter().filter(|upload| upload.weights.is_some());
    uploads.map(|upload| upload.tile.x + 3 * upload.tile.z).collect()
}

fn paint(terrain: &mut Terrain, at: Sample, layer: usize) {
    let rect = SampleRect::new(at.x, at.z, 1, 1);
    terrain.field_mut().edit_weights(rect, |_, row| {
        row.fill(0);
        row[layer] = 255;
    });
}

const NONE: [u32; 0] = [];
const ALL: [u32; 9] = [0, 1, 2, 3, 4, 5, 6, 7, 8];

#[test]
fn a_first_frame_uploads_the_weights_that_there_are() {
    let mut bare = terrain(None, 3);
    let plan = bare.plan(&[], &Residency::nothing(bare.field().desc())).unwrap();
    assert_eq!((plan.uploads.len(), weights_of(&plan).len()), (9, 0), "a cleared image has layer 0");
    assert_eq!((plan.weight_pages(), plan.has_regions()), (0, false), "nor is there an image to clear");
    Renderer::new(&bare).frame(&mut bare);
    let mut painted = terrain(Some(3), 3);
    assert_eq!(Renderer::new(&painted).frame(&mut painted), ALL);
    let plan = painted.plan(&[], &Residency::nothing(painted.field().desc())).unwrap();
    assert_eq!(plan.upload_bytes(), 9 * (341 * 2 + 341 * 4));
    assert_eq!(plan.material.layers.len(), 3);
}

#[test]
fn an_edit_uploads_the_tiles_that_hold_it() {
    let mut terrain = terrain(Some(3), 3);
    let mut renderer = Renderer::new(&terrain);
    renderer.frame(&mut terrain);
    paint(&mut terrain, Sample::new(4, 4), 1);
    assert_eq!(renderer.frame(&mut terrain), [0]);
    paint(&mut terrain, Sample::new(15, 30), 2);
    let plan = terrain.plan(&[], &renderer.residency).unwrap();
    assert!(plan.uploads.iter().all(|upload| upload.heights.is_none() && upload.holes.is_none()));
    assert_eq!(renderer.frame(&mut terrain), [3, 4, 6, 7]);
    // Dropped, and played twice.
    paint(&mut terrain, Sample::new(44, 44), 2);
    let dropped = terrain.plan(&[], &renderer.residency).unwrap();
    assert_eq!(weights_of(&dropped), [8]);
    let again = terrain.plan(&[], &renderer.residency).unwrap();
    renderer.play(&again);
    renderer.play(&again);
    assert_eq!(renderer.frame(&mut terrain), NONE);
    terrain.field_mut().set_weights(None).unwrap();
    assert_eq!(renderer.frame(&mut terrain), ALL, "taken away is not what was there");
}

#[test]
fn a_layer_uploads_weights_again_only_where_it_needs_a_page() {
    let mut terrain = terrain(Some(3), 6);
    let mut renderer = Renderer::new(&terrain);
    renderer.frame(&mut terrain);
    terrain.set_material(material(7)).unwrap();
    assert_eq!(renderer.frame(&mut terrain), NONE, "eight slots hold seven layers");
    terrain.set_material(material(4)).unwrap();
    assert_eq!(renderer.frame(&mut terrain), ALL);
    let plan = terrain.plan(&[], &renderer.residency).unwrap();
    assert_eq!(plan.weight_pages(), 1);
    terrain.set_material(material(5)).unwrap();
    assert_eq!(renderer.frame(&mut terrain), ALL);
    // Where there are no weights a cleared image of any shape will do.
    terrain.field_mut().set_weights(None).unwrap();
    *terrain.field_mut() = field(None);
    renderer.frame(&mut terrain);
    terrain.set_material(material(16)).unwrap();
    assert_eq!(renderer.frame(&mut terrain), NONE);
}

/// A set that draws one layer in place of another.
fn standing(layers: usize, from: usize, to: usize) -> Material {
    let remap = [(format!("layer {from}"), format!("layer {to}"))].into();
    let sets = vec![BlendSet { remap, ..BlendSet::default() }];
    Material { sets, ..material(layers) }
}

#[test]
fn a_layer_that_stands_for_another_uploads_weights_again() {
    let mut terrain = terrain(Some(3), 3);
    let mut renderer = Renderer::new(&terrain);
    renderer.frame(&mut terrain);
    terrain.set_material(standing(3, 1, 2)).unwrap();
    assert_eq!(renderer.frame(&mut terrain), ALL);
    let mut tinted = standing(3, 1, 2);
    tinted.layers[0].tint = [0.5; 3];
    terrain.set_material(tinted).unwrap();
    assert_eq!(renderer.frame(&mut terrain), NONE, "a tint is no matter of weights");
    terrain.set_material(material(3)).unwrap();
    assert_eq!(renderer.frame(&mut terrain), ALL);
    let mut over = material(3);
    over.layers[2].mode = LayerMode::Alpha;
    terrain.set_material(over).unwrap();
    assert_eq!(renderer.frame(&mut terrain), ALL);
}

/// Ground without weights is all of layer 0, and of whatever stands for that.
#[test]
fn ground_without_weights_follows_its_material() {
    let mut terrain = terrain(None, 3);
    let mut renderer = Renderer::new(&terrain);
    assert_eq!(renderer.frame(&mut terrain), NONE);
    terrain.set_material(standing(3, 0, 2)).unwrap();
    assert_eq!(renderer.frame(&mut terrain), ALL);
    terrain.set_material(standing(3, 1, 2)).unwrap();
    assert_eq!(renderer.frame(&mut terrain), ALL);
    let mut over = material(3);
    over.layers[0].mode = LayerMode::Alpha;
    terrain.set_material(over).unwrap();
    assert_eq!(renderer.frame(&mut terrain), ALL);
    terrain.set_material(material(3)).unwrap();
    assert_eq!(renderer.frame(&mut terrain), ALL);
    assert_eq!(renderer.frame(&mut terrain), NONE);
}

#[test]
fn regions_have_a_page_where_there_are_sets_to_choose_from() {
    let mut terrain = terrain(Some(3), 3);
    let mut renderer = Renderer::new(&terrain);
    terrain.field_mut().set_regions(Some(Weights::new(46, 46, 2, 0).unwrap())).unwrap();
    renderer.frame(&mut terrain);
    assert_eq!(renderer.residency.weight_shape().pages, 1, "one set, whatever the regions say");
    let two = Material { sets: vec![BlendSet::default(); 2], ..material(3) };
    terrain.set_material(two).unwrap();
    assert_eq!(renderer.frame(&mut terrain), ALL);
    let shape = renderer.residency.weight_shape();
    assert_eq!((shape.pages, shape.has_regions), (2, true));
    terrain.field_mut().edit_regions(SampleRect::new(20, 20, 1, 1), |_, row| row.reverse());
    assert_eq!(renderer.frame(&mut terrain), [4]);
}

/// One plan serves two renderers, whatever each of them holds.
#[test]
fn two_renderers_share_a_plan() {
    let mut terrain = terrain(Some(3), 3);
    let [mut one, mut other] = [Renderer::new(&terrain), Renderer::new(&terrain)];
    let together = |terrain: &mut Terrain, one: &mut Renderer, other: &mut Renderer| {
        let common = one.residency.common(&other.residency);
        assert_eq!(common, other.residency.common(&one.residency));
        let plan = terrain.plan(&[], &common).unwrap();
        for renderer in [one, other] {
            renderer.play(&plan);
            renderer.assert_holds(terrain);
        }
        weights_of(&plan)
    };
    one.frame(&mut terrain);
    assert_eq!(together(&mut terrain, &mut one, &mut other), ALL);
    assert_eq!(together(&mut terrain, &mut one, &mut other), NONE);
    paint(&mut terrain, Sample::new(4, 4), 1);
    one.frame(&mut terrain);
    paint(&mut terrain, Sample::new(40, 4), 1);
    assert_eq!(together(&mut terrain, &mut one, &mut other), [0, 2]);
    // One follows a material, and then both.
    terrain.set_material(standing(3, 0, 1)).unwrap();
    one.frame(&mut terrain);
    assert_eq!(together(&mut terrain, &mut one, &mut other), ALL);
    terrain.set_material(material(5)).unwrap();
    other.frame(&mut terrain);
    assert_eq!(together(&mut terrain, &mut one, &mut other), ALL);
    // Held by one, and nothing to the other: the ground has no weights any more.
    let painted = one.residency.clone();
    *terrain.field_mut() = field(None);
    let fresh = Renderer::new(&terrain);
    let common = painted.common(&fresh.residency);
    assert!(common.tiles().iter().all(|tile| tile.weights == Residency::UNKNOWN_WEIGHTS));
    assert_eq!(together(&mut terrain, &mut one, &mut { fresh }), ALL);
}

/// A plan from before another one was played leaves nothing that passes for what it is not.
#[test]
fn a_late_plan_is_made_good() {
    let mut terrain = terrain(Some(3), 3);
    let mut renderer = Renderer::new(&terrain);
    renderer.frame(&mut terrain);
    paint(&mut terrain, Sample::new(4, 4), 1);
    let late = terrain.plan(&[], &renderer.residency).unwrap();
    for next in [standing(3, 1, 2), material(5), material(3)] {
        terrain.set_material(next).unwrap();
        renderer.frame(&mut terrain);
        renderer.play(&late);
        let plan = terrain.plan(&[], &renderer.residency).unwrap();
        renderer.play(&plan);
        renderer.assert_holds(&terrain);
    }
}

#[test]
fn a_material_that_does_not_fit_is_refused() {
    let mut terrain = terrain(Some(3), 3);
    let says = |refused: crate::Result<()>, part: &str| {
        let text = refused.unwrap_err().to_string();
        assert!(text.contains(part), "{text}");
    };
    says(terrain.set_material(material(17)), "up to 16");
    says(terrain.set_material(material(2)), "weights of 3");
    says(terrain.set_material(Material { sets: vec![BlendSet::default(); 5], ..material(3) }), "up to 4");
    let mut all_over = material(3);
    all_over.layers.iter_mut().for_each(|layer| layer.mode = LayerMode::Alpha);
    says(terrain.set_material(all_over), "leave one");
    assert_eq!(terrain.material(), &material(3));
    terrain.field_mut().set_weights(Some(Weights::new(46, 46, 9, 0).unwrap())).unwrap();
    let residency = Residency::nothing(terrain.field().desc());
    says(terrain.plan(&[], &residency).map(|_| ()), "weights of 9");
    // Without any layer weights are not drawn, whatever they are.
    terrain.set_material(Material::default()).unwrap();
    let plan = terrain.plan(&[], &residency).unwrap();
    assert_eq!((weights_of(&plan).len(), plan.weight_pages()), (0, 0));
    terrain.field_mut().set_weights(None).unwrap();
    terrain.field_mut().set_regions(Some(Weights::new(46, 46, 3, 0).unwrap())).unwrap();
    says(
        terrain.set_material(Material { sets: vec![BlendSet::default(); 2], ..material(1) }),
        "regions of 3",
    );
}
