// Where the last frame drew a place of the map.
#ifndef LANDFORM_MOTION
#define LANDFORM_MOTION

#include "level_field.hlsl"
#include "atlas.hlsl"

// λ that the last frame's level field had at a place.
float last_lambda_at(float2 place)
{
    return last_lambda(level_distance(relative_to(place, last_level_sample), last_camera_height.w));
}

// A place relative to the last frame's camera, metres, at the height that it was drawn at. A vertex asks the level field where
// it stands before it slides: so this frame does, and where nothing moves motion is 0.
float3 last_relative(float2 place, float2 still)
{
    float height = height_at(place, last_lambda_at(still));
    precise float up = ((height - last_camera_height.x) - last_camera_height.y) * last_camera_height.z;
    float2 across = relative_to(place, last_camera_sample);
    return float3(across.x, up, across.y);
}

#endif
