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
    float4 set = cases[thread.x].set;
    uint layers = cases[thread.x].count.x;
    // As src/splat/pack.rs tells slots apart.
    uint first = SPLAT_SLOTS;
    for (uint k = 0; k < layers; k++)
        first = cases[thread.x].mode[k] == MODE_ALPHA ? first : min(first, k);
    first = first == SPLAT_SLOTS ? 0 : first;
    Blend blend;
    BlendSlots slots;
    [unroll] for (uint i = 0; i < SPLAT_SLOTS; i++)
    {
        uint mode = cases[thread.x].mode[i];
        bool listed = i < layers;
        float height = mode == MODE_HEIGHT ? cases[thread.x].height[i] : 0.5;
        blend.share[i / 4][i % 4] = cases[thread.x].weight[i];
        blend.contends[i / 4][i % 4] = contending(height, cases[thread.x].contrast[i], set);
        slots.listed[i / 4][i % 4] = listed ? 1.0 : 0.0;
        slots.under[i / 4][i % 4] = listed && (mode != MODE_ALPHA || i == first) ? 1.0 : 0.0;
        slots.first[i / 4][i % 4] = i == first ? 1.0 : 0.0;
    }
    settle_weights(blend, slots);
    share_out(blend, slots, set);
    [unroll] for (uint j = 0; j < SPLAT_SLOTS; j++)
        results[thread.x].share[j] = blend.share[j / 4][j % 4];
}
