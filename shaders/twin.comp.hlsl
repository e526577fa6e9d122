// Runs the shared functions on the device, so that tests/twins.rs can compare them with their Rust twins.
#include "level_field.hlsl"
#include "lattice.hlsl"
#include "motion.hlsl"

struct TwinCase
{
    float3 place; // column, row, λ
    uint level;
    uint index;
    float morph;
    uint2 quad;
};

struct TwinResult
{
    uint4 taps;
    float2 fraction;
    float height;
    float distance;
    float morph;
    uint target;
    float slid;
    uint hole;
    float2 slope;
    float last_lambda;
    float last_up; // metres
};

[[vk::binding(BINDING_TWIN_CASES, SET)]] StructuredBuffer<TwinCase> cases;
[[vk::binding(BINDING_TWIN_RESULTS, SET)]] RWStructuredBuffer<TwinResult> results;

[numthreads(64, 1, 1)]
void main(uint3 thread : SV_DispatchThreadID)
{
    uint count;
    uint stride;
    cases.GetDimensions(count, stride);
    if (thread.x >= count)
        return;
    TwinCase one = cases[thread.x];
    uint mip = uint(clamp(one.place.z, 0.0, float(map.w)));
    Taps x = atlas_taps(one.place.x, mip, tiles.x, map.x);
    Taps z = atlas_taps(one.place.y, mip, tiles.y, map.y);
    TwinResult result;
    result.taps = uint4(x.first, x.second, z.first, z.second);
    result.fraction = float2(x.fraction, z.fraction);
    result.height = height_at(one.place.xy, one.place.z);
    result.distance = level_distance_at(one.place.xy);
    result.morph = level_morph(result.distance, bands[one.level]);
    result.target = slide_target(one.index);
    result.slid = slide(one.index, one.morph);
    result.hole = is_hole(one.quad) ? 1 : 0;
    result.slope = slope_at(one.place.xy, one.place.z);
    result.last_lambda = last_lambda_at(one.place.xy);
    result.last_up = last_relative(one.place.xy, one.place.xy).y;
    results[thread.x] = result;
}
