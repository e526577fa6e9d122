// Counts a picture's luminance in bins of log2: the first half of a meter.
#include "exposure.hlsl"

[[vk::binding(BINDING_INPUT, SET)]] Texture2D<float4> luminance_plane;

groupshared uint counted[2 * EXPOSURE_BINS];

static const uint SIDE = 16;

void count(uint2 cell)
{
    // A sample a cell. Rows and columns of cells take turns at their texels, so that a pattern of the picture's is met at all of its
    // phases.
    uint2 texel = cell * sampled.z + cell.yx % sampled.z;
    if (any(texel >= sampled.xy))
        return;
    float luminance = dot(luminance_plane.Load(int3(texel, 0)).rgb, float3(0.2126, 0.7152, 0.0722));
    // By its bits: a compiler may take every number for a finite one.
    bool finite = (asuint(luminance) & 0x7f800000u) != 0x7f800000u;
    if (!finite || luminance < exp2(DARKEST_BIN))
        return;
    float place = clamp((log2(luminance) - DARKEST_BIN) * BINS_A_VALUE, 0.0, float(EXPOSURE_BINS));
    uint bin = min(uint(place), EXPOSURE_BINS - 1);
    InterlockedAdd(counted[bin], 1u);
    InterlockedAdd(counted[EXPOSURE_BINS + bin], uint((place - float(bin)) * PARTS + 0.5));
}

[numthreads(SIDE, SIDE, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID, uint index : SV_GroupIndex)
{
    for (uint word = index; word < 2 * EXPOSURE_BINS; word += SIDE * SIDE)
        counted[word] = 0;
    GroupMemoryBarrierWithGroupSync();
    uint2 cell = group.xy * 2 * SIDE + thread.xy;
    for (uint part = 0; part < 4; part++)
        count(cell + SIDE * uint2(part & 1, part >> 1));
    GroupMemoryBarrierWithGroupSync();
    for (uint sum = index; sum < 2 * EXPOSURE_BINS; sum += SIDE * SIDE)
        if (counted[sum] > 0)
            InterlockedAdd(words[sum], counted[sum]);
}
