//! Questions about the ground in world coordinates. Each is answered by [`query`] in the terrain's own frame.

use super::Terrain;
use crate::query::{self, RayHit};
use crate::splat::MAX_LAYERS;
use glam::{DVec2, DVec3};

/// All of these mean the level-0 surface: the triangles that are drawn close to the camera.
impl Terrain {
    /// World height of the ground at a world place (x, z), metres. None outside the map and in a hole.
    pub fn height_at(&self, place: DVec2) -> Option<f64> {
        query::height_at(self.field(), self.local(place)).map(|height| height + self.base())
    }

    /// World heights at many world places, as [`Terrain::height_at`] gives each.
    ///
    /// # Panics
    /// Where the two slices differ in length.
    pub fn heights(&self, places: &[DVec2], heights: &mut [Option<f64>]) {
        assert_eq!(places.len(), heights.len(), "a height for each place");
        for (place, height) in places.iter().zip(heights) {
            *height = self.height_at(*place);
        }
    }

    /// Unit normal of the ground at a world place, smooth across triangles. None outside the map and in a hole.
    pub fn normal_at(&self, place: DVec2) -> Option<DVec3> {
        let normal = query::normal_at(self.field(), self.local(place))?;
        Some(self.settings().placement.direction_to_world(normal))
    }

    /// How much of each layer was painted at a world place, 0 to 1, as [`query::weights_at`] has it. None outside the map
    /// and in a hole.
    pub fn weights_at(&self, place: DVec2) -> Option<[f32; MAX_LAYERS]> {
        query::weights_at(self.field(), self.local(place))
    }

    /// The layer that covers most of the ground at a world place. None outside the map and in a hole.
    pub fn layer_at(&self, place: DVec2) -> Option<u32> {
        query::layer_at(self.field(), self.local(place))
    }

    /// The first hit of a ray, from either side, all in the world; `max_distance` in metres. Holes let it through.
    pub fn raycast(&self, origin: DVec3, direction: DVec3, max_distance: f64) -> Option<RayHit> {
        let placement = &self.settings().placement;
        let (from, along) = (placement.to_terrain(origin), placement.direction_to_terrain(direction));
        let hit = query::raycast(self.field(), from, along, max_distance)?;
        Some(RayHit {
            position: placement.to_world(hit.position),
            normal: placement.direction_to_world(hit.normal),
            ..hit
        })
    }

    fn local(&self, place: DVec2) -> DVec2 {
        let local = self.settings().placement.to_terrain(DVec3::new(place.x, 0.0, place.y));
        DVec2::new(local.x, local.z)
    }

    fn base(&self) -> f64 {
        self.settings().placement.translation.y
    }
}

#[cfg(test)]
mod tests {
    use crate::field::{Field, FieldDesc, Sample, Weights};
    use crate::plan::{Placement, Terrain, TerrainSettings};
    use glam::{DVec2, DVec3};

    #[test]
    fn the_world_is_asked_where_the_terrain_stands() {
        let mut field = Field::new(FieldDesc::new(65, 65).with_range(0.0, 100.0)).unwrap();
        field.set_sample(Sample::new(20, 30), 65535);
        let placement = Placement { translation: DVec3::new(1000.0, 50.0, -2000.0), yaw: 1.1 };
        let terrain = Terrain::new(field, TerrainSettings { placement, ..Default::default() }).unwrap();
        let peak = placement.to_world(DVec3::new(20.0, 100.0, 30.0));
        let over = DVec2::new(peak.x, peak.z);
        assert!((terrain.height_at(over).unwrap() - 150.0).abs() < 1e-6);
        let mut heights = [None, Some(0.0)];
        terrain.heights(&[over, DVec2::ZERO], &mut heights);
        assert!(heights[0].is_some() && heights[1].is_none());
        let hit = terrain.raycast(peak + DVec3::Y * 40.0, DVec3::NEG_Y, 1000.0).unwrap();
        assert!(hit.position.abs_diff_eq(peak, 1e-6) && (hit.distance - 40.0).abs() < 1e-6);
        assert!(terrain.raycast(peak + DVec3::Y * 40.0, DVec3::NEG_Y, 30.0).is_none());
        let mut weights = Weights::new(65, 65, 2, 0).unwrap();
        weights.set(Sample::new(20, 30), &[0, 255]);
        let mut painted = terrain.clone();
        painted.field_mut().set_weights(Some(weights)).unwrap();
        assert!(painted.weights_at(over).unwrap()[1] > 0.999_999);
        assert_eq!((painted.layer_at(over), terrain.layer_at(over)), (Some(1), Some(0)));
        assert_eq!(painted.weights_at(DVec2::ZERO), None);
        let flat = placement.to_world(DVec3::new(50.5, 0.0, 10.2));
        assert!(terrain.normal_at(DVec2::new(flat.x, flat.z)).unwrap().abs_diff_eq(DVec3::Y, 1e-12));
    }
}
