// What the motion plane holds, in parts of the viewport: x right, y down. What is here now was at `here - motion`.
#ifndef LANDFORM_MOTION_PLANE
#define LANDFORM_MOTION_PLANE

// Further than this nothing that was drawn lies.
static const float FARTHEST = 4.0;

// The motion of a place from where it is in clip space, and was in the last frame's, both without jitter. The scale is parts of the
// viewport a unit of clip space: 0.5, and -0.5 down where the viewport is turned over.
float2 motion_between(float4 now, float4 last, float2 scale)
{
    // What lay behind the last frame's camera was not in its picture.
    if (last.w <= 1e-6)
        return FARTHEST;
    // Each rounded by itself, so that what does not move has a difference of 0.
    precise float2 here = now.xy / now.w;
    precise float2 there = last.xy / last.w;
    precise float2 moved = here - there;
    return clamp(moved * scale, -FARTHEST, FARTHEST);
}

#endif
