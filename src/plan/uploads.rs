//! What a plan uploads: the difference between the field and what a renderer confirmed.

use super::{FramePlan, Residency, Terrain, TileUpload};
use crate::atlas::{MipChain, write_height_block, write_hole_block, write_weight_block};
use crate::field::{TileId, TileRevision};
use std::sync::Arc;

/// What of a tile is stale.
struct Stale {
    heights: bool,
    holes: bool,
    weights: bool,
}

impl Terrain {
    pub(super) fn plan_uploads(&self, plan: &mut FramePlan, residency: &Residency) {
        plan.uploads.clear();
        plan.texels.clear();
        plan.hole_bytes.clear();
        plan.weight_bytes.clear();
        plan.weight_shape = self.ground.weight_shape(self.field());
        if !Arc::ptr_eq(&plan.material, self.ground.shared()) {
            plan.material = self.ground.shared().clone();
        }
        let desc = self.field().desc();
        for (index, (now, held)) in self.field().tile_revisions().iter().zip(residency.tiles()).enumerate() {
            let now = TileRevision {
                weights: self.ground.weight_revision(now.weights, &plan.weight_shape),
                ..*now
            };
            let stale = Stale {
                heights: now.heights != held.heights,
                holes: now.holes != held.holes,
                weights: residency.lacks_weights(held.weights, now.weights, &plan.weight_shape),
            };
            if stale.heights || stale.holes || stale.weights {
                self.push_upload(plan, desc.tile_at(index), now, stale);
            }
        }
        shrink(&mut plan.texels);
        shrink(&mut plan.weight_bytes);
    }

    fn push_upload(&self, plan: &mut FramePlan, tile: TileId, revision: TileRevision, stale: Stale) {
        let heights = stale.heights.then(|| {
            let start = plan.texels.len();
            plan.texels.resize(start + MipChain::new(&plan.layout).texels(), 0);
            write_height_block(self.field(), tile, &mut plan.texels[start..]);
            start..plan.texels.len()
        });
        let holes = stale.holes.then(|| {
            let start = plan.hole_bytes.len();
            let side = plan.layout.tile_samples as usize;
            plan.hole_bytes.resize(start + side * side / 8, 0);
            write_hole_block(self.field(), tile, &mut plan.hole_bytes[start..]);
            start..plan.hole_bytes.len()
        });
        let weights = stale.weights.then(|| {
            let start = plan.weight_bytes.len();
            // Without an image there is nothing to write into it, only to note that it is gone.
            if plan.weight_shape.pages > 0 {
                let blocks = self.ground.blocks(self.field());
                plan.weight_bytes.resize(start + blocks.bytes(), 0);
                write_weight_block(&blocks, tile, &mut plan.weight_bytes[start..]);
            }
            start..plan.weight_bytes.len()
        });
        plan.uploads.push(TileUpload { tile, revision, heights, holes, weights });
    }
}

/// What one large upload needed is not kept for the steady frames after it.
fn shrink<T>(list: &mut Vec<T>) {
    const KEPT: usize = 1 << 20;
    if list.is_empty() && list.capacity() > KEPT {
        list.shrink_to(KEPT);
    }
}

#[cfg(test)]
mod tests;
