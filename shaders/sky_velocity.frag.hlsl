// The motion of the sky, which is infinitely far away: only turning moves it.
#include "motion_plane.hlsl"

[[vk::push_constant]] cbuffer SkyVelocityConstants
{
    column_major float4x4 last_from_clip;
    float4 motion_scale; // parts of the viewport a unit of clip space
};

float2 main(float4 position : SV_Position, float2 clip : CLIP) : SV_Target0
{
    float4 last = mul(last_from_clip, float4(clip, 0.0, 1.0));
    return motion_between(float4(clip, 0.0, 1.0), last, motion_scale.xy);
}
