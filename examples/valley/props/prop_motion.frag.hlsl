// How far a thing moved across the viewport since the last frame.
#include "motion_plane.hlsl"

[[vk::push_constant]] cbuffer Pass
{
    column_major float4x4 clip_from_relative;
    float4 last_rows[3];
    float2 jitter;
    float2 motion_scale;
};

struct Fragment
{
    float4 position : SV_Position;
    float3 now : NOW;
    float3 last : LAST;
};

float2 main(Fragment fragment) : SV_Target0
{
    // What lay behind the last frame's camera was not in its picture.
    if (fragment.last.z <= 1e-6)
        return FARTHEST;
    precise float2 moved = fragment.now.xy / fragment.now.z - fragment.last.xy / fragment.last.z;
    return clamp(moved * motion_scale, -FARTHEST, FARTHEST);
}
