// The sky where nothing was drawn, and the air before what was: what is returned is added to what the target keeps, which is alpha
// of it.
#include "light.hlsl"
#include "night.hlsl"
#include "sky_table.hlsl"

[[vk::binding(BINDING_INPUT, SET)]] Texture2D<float> scene_depth;

// False where the air is clear, and only the sky is drawn.
[[vk::constant_id(5)]] const bool HAS_HAZE = true;

// Metres of air in which a glow toward the sun comes to 63 % of what it is in the sky.
static const float GLOW_METRES = 8000.0;

// The disc, darker toward its limb (Hestroffer and Magnan 1998, at 550 nm).
float3 disc(float3 direction)
{
    float toward = dot(direction, toward_sun.xyz);
    float radius = 1.0 - toward_sun.w;
    float within = 1.0 - (1.0 - toward) / radius;
    if (within <= 0.0)
        return 0.0;
    float limb = 1.0 - 0.48 * (1.0 - sqrt(within));
    return sun_illuminance.rgb * (sun_illuminance.w * limb);
}

// What the air before the ground sends to the eye if there is enough of it: the sky's just above the horizon, for that is how bright
// ground is infinitely far away. Toward the sun most of it comes from far behind, where the air is in the sun and what stands before it is
// not; so the glow takes distance. And it is no more than the air's own light can be, which after sunset is little.
float3 air_light(float3 direction, float distance)
{
    float elevation = max(asin(clamp(direction.y, -1.0, 1.0)), sky_place.z + 1e-3);
    float2 across = direction.xz * rsqrt(max(dot(direction.xz, direction.xz), 1e-12));
    float3 horizon = float3(across.x * cos(elevation), sin(elevation), across.y * cos(elevation));
    if (sky_place.w < 0.5)
        return sky_light(horizon);
    float2 beside = float2(dot(across, sky_place.xy), dot(across, night.xy));
    float most = lerp(cos(0.7), 1.0, 1.0 - exp(-distance / GLOW_METRES));
    float3 light = sky_luminance_beside(horizon, min(beside, most));
    return min(light, 0.15 * sun_illuminance.rgb + sky_light(float3(0.0, 1.0, 0.0)));
}

float4 main(float4 position : SV_Position, float2 clip : CLIP) : SV_Target0
{
    float depth = scene_depth.Load(int3(position.xy, 0));
    // Two points along the ray: from one alone only a perspective camera would know where it goes.
    float4 near = mul(ray_from_clip, float4(clip, 1.0, 1.0));
    float4 beyond = mul(ray_from_clip, float4(clip, 0.5, 1.0));
    float3 ray = beyond.xyz / beyond.w - near.xyz / near.w;
    float3 direction = normalize(ray);
    // Derivatives before the first branch.
    PixelRay pixel = pixel_ray(ray, ddx(ray), ddy(ray));
    bool has_table = sky_place.w > 0.5;
    if (depth <= 0.0)
    {
        float3 light = has_table ? sky_luminance(direction) : sky_light(direction);
        light += disc(direction) + night_lights(pixel);
        return float4(min(light, MOST_ALONE), 0.0);
    }
    if (!HAS_HAZE)
        return float4(0.0, 0.0, 0.0, 1.0);
    float4 place = mul(ray_from_clip, float4(clip, depth, 1.0));
    float distance = length(place.xyz / place.w);
    float3 kept = exp(-haze.rgb * distance);
    float3 light = air_light(direction, distance);
    // A target blends with one number: what is kept of green.
    return float4(min(light * (1.0 - kept), MOST_ADDED), kept.g);
}
