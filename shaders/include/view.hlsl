// What a view is to the shaders. The Rust side is `abi`; tests/abi.rs compares every offset.
// SET, BINDING_* and MAX_LEVELS are defined by build.rs from src/shaders/table.rs.
#ifndef LANDFORM_VIEW
#define LANDFORM_VIEW

struct MorphBand
{
    float start;
    float end;
    float inverse;
    float unused;
};

struct NodeRecord
{
    float2 origin;
    float step;
    uint packed;
};

[[vk::binding(BINDING_VIEW, SET)]] cbuffer ViewConstants
{
    column_major float4x4 view_projection;
    float4 camera_sample; // whole column, whole row, part of a column, part of a row
    float4 camera_height; // whole code, part of a code, metres a code, dy
    float4 level_sample;  // where the level field is measured from, split like the camera
    float4 spacing;       // x, z, 1 / tile quads, mips finer than the geometry that heights are read
    uint4 map;            // quads x, quads z, tile quads, log2 of tile samples
    uint4 tiles;          // tiles x, tiles z, view mode, 0
    float4 sun;           // unit vector toward the sun, haze a metre
    float4 sky;           // linear RGB at the horizon, 0
    MorphBand bands[MAX_LEVELS];
    // For motion: this frame without jitter, and the last frame.
    column_major float4x4 unjittered;
    column_major float4x4 last_view_projection;
    float4 last_camera_sample;
    float4 last_camera_height;
    float4 last_level_sample;
    float4 motion_scale; // clip units to the target's parts in x and y, 0, 0
    MorphBand last_bands[MAX_LEVELS];
};

[[vk::binding(BINDING_NODES, SET)]] StructuredBuffer<NodeRecord> nodes;
[[vk::binding(BINDING_HEIGHTS, SET)]] Texture2D<uint> heights;
[[vk::binding(BINDING_HOLES, SET)]] Texture2D<uint> holes;

#endif
