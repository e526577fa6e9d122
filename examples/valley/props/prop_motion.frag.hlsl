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
    float4 now : NOW;
    float4 last : LAST;
};

float2 main(Fragment fragment) : SV_Target0
{
    return motion_between(fragment.now, fragment.last, motion_scale);
}
