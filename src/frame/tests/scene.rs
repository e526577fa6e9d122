//! What a scene's terrains become.

use super::*;
use crate::lod::LodSettings;
use crate::plan::Placement;
use glam::DVec3;
use proptest::prelude::*;
use std::sync::Arc;

fn scene(names: &[&str]) -> TerrainScene {
    let mut scene = TerrainScene::default();
    for (index, name) in names.iter().enumerate() {
        scene.add(TerrainComponent::of(*name), Placement::at(DVec3::splat(index as f64)));
    }
    scene
}

#[test]
fn a_component_casts_where_it_is_of_a_terrain_and_not_where_it_is_zeroed() {
    let (of, zeroed) = (TerrainComponent::of("valley"), TerrainComponent::default());
    assert_eq!((of.terrain.as_str(), of.near, of.casts_shadows), ("valley", 0.0, true));
    assert_eq!((zeroed.terrain.as_str(), zeroed.near, zeroed.casts_shadows), ("", 0.0, false));
}

#[test]
fn near_is_the_components_then_the_frames_then_derived() {
    let mut component = TerrainComponent::of("valley");
    let numbers = Tier::High.numbers();
    assert_eq!(component.lod_settings(&numbers), LodSettings::default());
    let near = QualityScalars { near: Some(300.0), ..QualityScalars::default() }.over(numbers);
    assert!(matches!(component.lod_settings(&near), LodSettings::Near { near: 300.0, .. }));
    component.near = 700.0;
    assert!(matches!(component.lod_settings(&near), LodSettings::Near { near: 700.0, .. }));
}

#[test]
fn a_scene_without_terrains_extracts_nothing() {
    let mut extraction = TerrainExtraction::<u32>::default();
    let mut never = |name: &str| -> Answer<u32> { panic!("asked for {name:?}") };
    assert!(extraction.extract(&TerrainScene::default(), &mut never).is_empty());
    let zeroed = TerrainScene { entities: vec![TerrainEntity::default()] };
    assert!(extraction.extract(&zeroed, &mut never).is_empty());
    assert_eq!((extraction.waiting(), extraction.problems().len()), (0, 0));
}

#[test]
fn what_is_not_there_yet_is_left_out_until_it_is() {
    let mut extraction = TerrainExtraction::<str>::default();
    let scene = scene(&["a", "b", "a"]);
    let mut resolver = |name: &str| if name == "a" { Answer::Ready(Arc::from(name)) } else { Answer::NotYet };
    let found = extraction.extract(&scene, &mut resolver);
    let places: Vec<_> = found.iter().map(|found| found.placement.translation.x).collect();
    assert_eq!(places, [0.0, 2.0]);
    assert_eq!((extraction.waiting(), extraction.problems().len()), (1, 0));
    extraction.extract(&scene, &mut |name: &str| Answer::Ready(Arc::from(name)));
    let names: Vec<_> = extraction.terrains().iter().map(|found| &*found.terrain).collect();
    assert_eq!((names, extraction.waiting()), (vec!["a", "b", "a"], 0));
}

#[test]
fn a_place_that_is_nowhere_and_a_near_range_that_is_none_are_problems() {
    let mut scene = scene(&["a", "b", "c"]);
    scene.entities[0].placement.translation.x = f64::NAN;
    scene.entities[1].component.near = -1.0;
    let mut extraction = TerrainExtraction::default();
    let found = extraction.extract(&scene, &mut |_: &str| Answer::Ready(Arc::new(1)));
    assert_eq!(found.len(), 1);
    let whys: Vec<_> = extraction.problems().iter().map(|problem| problem.why.as_str()).collect();
    assert!(whys[0].contains("must be finite") && whys[1].contains("near range of -1 m"), "{whys:?}");
}

/// Where the memory of a list lies: the same before and after where nothing was allocated.
fn memory(extraction: &TerrainExtraction<u32>) -> Vec<usize> {
    let terrains = extraction.terrains();
    let names = terrains.iter().map(|found| found.component.terrain.as_ptr() as usize);
    names.chain([terrains.as_ptr() as usize]).collect()
}

proptest! {
    #[test]
    fn the_scenes_order_stays_and_a_steady_frame_allocates_nothing(
        kinds in prop::collection::vec(0u32..4, 0..24), casts in any::<u32>(),
    ) {
        // 0: no name, 1: ready, 2: not yet, 3: failed.
        let mut scene = scene(&kinds.iter().map(|kind| ["", "ready", "later", "broken"][*kind as usize]).collect::<Vec<_>>());
        for (index, entity) in scene.entities.iter_mut().enumerate() {
            entity.component.casts_shadows = casts >> index & 1 == 1;
        }
        let ground = Arc::new(7);
        let mut resolver = |name: &str| match name {
            "ready" => Answer::Ready(ground.clone()),
            "later" => Answer::NotYet,
            _ => Answer::Failed("no such file".to_owned()),
        };
        let mut extraction = TerrainExtraction::default();
        extraction.extract(&scene, &mut resolver);
        let before = memory(&extraction);
        extraction.extract(&scene, &mut resolver);
        prop_assert_eq!(memory(&extraction), before);
        let wanted = scene.entities.iter().filter(|entity| entity.component.terrain == "ready");
        prop_assert_eq!(extraction.terrains().len(), wanted.clone().count());
        for (found, entity) in extraction.terrains().iter().zip(wanted) {
            prop_assert_eq!((&found.component, found.placement), (&entity.component, entity.placement));
            prop_assert!(Arc::ptr_eq(&found.terrain, &ground));
        }
        prop_assert_eq!(extraction.waiting(), kinds.iter().filter(|kind| **kind == 2).count());
        prop_assert_eq!(extraction.problems().len(), usize::from(kinds.contains(&3)));
        extraction.extract(&TerrainScene::default(), &mut resolver);
        prop_assert_eq!((extraction.terrains().len(), Arc::strong_count(&ground)), (0, 1), "nothing is held on to");
    }
}
