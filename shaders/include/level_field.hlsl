// The level field. Twin: src/lod/level_field.rs.
#ifndef LANDFORM_LEVEL_FIELD
#define LANDFORM_LEVEL_FIELD

#include "view.hlsl"

// How far a place is from the camera as level of detail sees it, metres. The ground's own height does not enter.
float level_distance(float2 relative, float dy)
{
    precise float squared = relative.x * relative.x + relative.y * relative.y + dy * dy;
    return sqrt(squared);
}

// Exactly 0 up to the band's start, exactly 1 from its end on.
float level_morph(float distance, MorphBand band)
{
    precise float inside = (distance - band.start) * band.inverse;
    return distance >= band.end ? 1.0 : clamp(inside, 0.0, 1.0);
}

// λ of the last frame at a distance of then. Every finer level has morphed wholly there and no coarser one has begun, so the
// morphs of all levels add up to it, whatever node was drawn.
float last_lambda(float distance)
{
    float lambda = 0.0;
    [loop] for (uint level = 0; level < MAX_LEVELS; level++)
    {
        float morph = level_morph(distance, last_bands[level]);
        lambda += morph;
        if (morph < 1.0)
            break;
    }
    return lambda;
}

// A place relative to a split one, metres. The first subtraction is exact.
float2 relative_to(float2 place, float4 split)
{
    precise float2 relative = ((place - split.xy) - split.zw) * spacing.xy;
    return relative;
}

// The level field's distance at a place in samples, metres.
float level_distance_at(float2 place)
{
    return level_distance(relative_to(place, level_sample), camera_height.w);
}

#endif
