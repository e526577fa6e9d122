// The preview's sky: pale at the horizon, where the haze fades to the same colour, deeper above, bright at the sun.
#include "output.hlsl"

[[vk::push_constant]] cbuffer SkyConstants
{
    column_major float4x4 ray_from_clip; // clip space -> a point, terrain frame
    float4 sun;                          // unit vector toward the sun, 0
    float4 horizon;                      // linear RGB, 0
};

float4 main(float4 position : SV_Position, float2 clip : CLIP) : SV_Target0
{
    // Two points along the ray: from one alone only a perspective camera would know where it goes.
    float4 near = mul(ray_from_clip, float4(clip, 1.0, 1.0));
    float4 beyond = mul(ray_from_clip, float4(clip, 0.5, 1.0));
    float3 direction = normalize(beyond.xyz / beyond.w - near.xyz / near.w);
    float up = saturate(direction.y);
    float3 zenith = float3(0.10, 0.24, 0.56);
    float3 colour = lerp(horizon.rgb, zenith, 1.0 - pow(1.0 - up, 3.0));
    float toward = saturate(dot(direction, sun.xyz));
    colour += float3(1.0, 0.85, 0.6) * (0.25 * pow(toward, 24.0) + 0.9 * pow(toward, 900.0));
    return shown(colour);
}
