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

// Samples relative to the camera, metres. The first subtraction is exact.
float2 level_relative(float2 place)
{
    precise float2 relative = ((place - camera_sample.xy) - camera_sample.zw) * spacing.xy;
    return relative;
}

#endif
