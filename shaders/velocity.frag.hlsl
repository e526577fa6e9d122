// The motion of the ground on the target since the last frame.
#include "atlas.hlsl"
#include "motion_plane.hlsl"

[[vk::constant_id(0)]] const bool HAS_HOLES = false;

struct Fragment
{
    float4 position : SV_Position;
    float2 place : PLACE;
    float4 now : NOW;
    float4 last : LAST;
};

float2 main(Fragment fragment) : SV_Target0
{
    if (HAS_HOLES && is_hole_at(fragment.place))
        discard;
    return motion_between(fragment.now, fragment.last, motion_scale.xy);
}
