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
    // What lay behind the last frame's camera was not in its picture.
    if (fragment.last.w <= 1e-6)
        return FARTHEST;
    // Each rounded by itself, so that what does not move has a difference of 0.
    precise float2 now = fragment.now.xy / fragment.now.w;
    precise float2 last = fragment.last.xy / fragment.last.w;
    precise float2 moved = now - last;
    return clamp(moved * motion_scale.xy, -FARTHEST, FARTHEST);
}
