// Runs the blend of layers on the device, so that a test can hold it against its Rust twin.
#include "blend.hlsl"

struct BlendTwinCase
{
    float4 set;
    uint4 count; // layers, 0, 0, 0
    float weight[SPLAT_SLOTS];
    float height[SPLAT_SLOTS];
    float contrast[SPLAT_SLOTS];
    uint mode[SPLAT_SLOTS];
};

struct BlendTwinResult
{
    float share[SPLAT_SLOTS];
};

[[vk::binding(BINDING_TWIN_CASES, SET)]] StructuredBuffer<BlendTwinCase> cases;
[[vk::binding(BINDING_TWIN_RESULTS, SET)]] RWStructuredBuffer<BlendTwinResult> results;

[numthreads(64, 1, 1)]
void main(uint3 thread : SV_DispatchThreadID)
{
    uint count;
    uint stride;
    cases.GetDimensions(count, stride);
    if (thread.x >= count)
        return;
    Blend blend;
    blend.count = cases[thread.x].count.x;
    [unroll] for (uint i = 0; i < SPLAT_SLOTS; i++)
    {
        blend.share[i] = cases[thread.x].weight[i];
        blend.height[i] = cases[thread.x].height[i];
        blend.contrast[i] = cases[thread.x].contrast[i];
        blend.mode[i] = cases[thread.x].mode[i];
    }
    blend_layers(blend, cases[thread.x].set);
    [unroll] for (uint j = 0; j < SPLAT_SLOTS; j++)
        results[thread.x].share[j] = blend.share[j];
}
