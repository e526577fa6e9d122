// The one position function: every pass that draws the ground places its vertices here, so that two passes agree.
#ifndef LANDFORM_PLACE
#define LANDFORM_PLACE

#include "view.hlsl"
#include "level_field.hlsl"
#include "lattice.hlsl"
#include "atlas.hlsl"

// A lattice row has GRID_QUADS + 1 vertices; the ids of two rows are 2 * GRID_QUADS apart, so these fold to a shift
// and a mask.
static const uint ROW = 2 * GRID_QUADS;

struct Placed
{
    float2 still;    // where it stood before it slid, samples
    float2 place;    // samples
    float lambda;    // the level field's λ
    float height;    // codes
    float3 relative; // metres from the camera, terrain frame
};

Placed place_vertex(uint vertex, uint instance)
{
    NodeRecord node = nodes[instance];
    uint2 index = uint2(vertex % ROW, vertex / ROW);
    uint level = node.packed & 0xFF;
    float2 edge = float2(map.xy);
    // Past the map's edge a patch folds onto the edge: padding is never drawn.
    precise float2 still = min(node.origin + float2(index) * node.step, edge);
    float distance = level_distance_at(still);
    float morph = level_morph(distance, bands[level]);
    precise float2 slid = node.origin + float2(slide(index.x, morph), slide(index.y, morph)) * node.step;
    Placed placed;
    placed.still = still;
    placed.place = min(slid, edge);
    placed.lambda = float(level) + morph;
    placed.height = height_at(placed.place, placed.lambda - spacing.w);
    precise float up = ((placed.height - camera_height.x) - camera_height.y) * camera_height.z;
    float2 across = relative_to(placed.place, camera_sample);
    placed.relative = float3(across.x, up, across.y);
    return placed;
}

float4 project(float3 relative)
{
    precise float4 position = mul(view_projection, float4(relative, 1.0));
    return position;
}

#endif
