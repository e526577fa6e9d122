// What the ground is made of, and its textures. The Rust side is `abi`; tests/abi.rs compares every offset.
// SPLAT_SLOTS is the module's own: layers that its loops run over.
#ifndef LANDFORM_MATERIAL
#define LANDFORM_MATERIAL

struct LayerConstants
{
    float4 near;      // the camera's place in repeats: x, z, height; repeats a metre
    float4 far;       // the same at the second scale
    float4 near_cell; // the camera's place among the hexagons: two fractions, two whole parts
    float4 far_cell;  // the same at the second scale
    float4 tint;      // linear RGB, strength of the normals
    float4 slope;     // rise over run: begins, whole, begins to go, gone
    float4 blend;     // contrast of heights, share of the second scale far away, 0, 0
    uint4 flags;      // mode, LAYER_* bits, 0, 0
};

[[vk::binding(BINDING_MATERIAL, SET_MATERIAL)]] cbuffer MaterialConstants
{
    float4 sets[MAX_SETS];  // strength, sharpness, contrast, bias
    uint4 counts;           // layers, sets, LAYER_* bits of all layers, a bit a layer that blends by height
    float4 slot_listed[MAX_LAYERS / 4]; // 1 in the slots that have a layer
    float4 slot_under[MAX_LAYERS / 4];  // 1 where it does not lie over the others
    float4 slot_first[MAX_LAYERS / 4];  // 1 where it is what ground without weight is made of
    float4 world;           // cosine and sine of the turn to the world; half of the slope's base in samples, x and z
    float4 distance_scales; // metres: second scale begins, has taken over; finer mips of normals; 0
    float4 variation;       // the camera's place among the patches: fractions, whole parts
    float4 variation_scale; // patches a metre, strength, 0, 0
    LayerConstants layers[MAX_LAYERS];
};

[[vk::binding(BINDING_WEIGHTS, SET_MATERIAL)]] Texture2DArray<float4> layer_weights;
[[vk::binding(BINDING_ALBEDO, SET_MATERIAL)]] Texture2D<float4> layer_albedo[SPLAT_SLOTS];
[[vk::binding(BINDING_SURFACE, SET_MATERIAL)]] Texture2D<float4> layer_surface[SPLAT_SLOTS];
[[vk::binding(BINDING_NORMAL, SET_MATERIAL)]] Texture2D<float4> layer_normal[SPLAT_SLOTS];
[[vk::binding(BINDING_WEIGHT_SAMPLER, SET_MATERIAL)]] SamplerState weight_sampler;
[[vk::binding(BINDING_LAYER_SAMPLER, SET_MATERIAL)]] SamplerState layer_sampler;

#endif
