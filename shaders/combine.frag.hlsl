// The diffuse light of the sky that a frame with split planes withheld: added to its luminance.
#include "light.hlsl"

[[vk::binding(BINDING_INPUT, SET)]] Texture2D<float4> albedo_plane;
[[vk::binding(BINDING_INPUT_NORMALS, SET)]] Texture2D<float4> normal_plane;
[[vk::binding(BINDING_INPUT_OCCLUSION, SET)]] Texture2D<float4> occlusion_plane;

float4 main(float4 position : SV_Position) : SV_Target0
{
    int3 at = int3(position.xy, 0);
    float3 normal = normal_plane.Load(at).xyz;
    // The sky has no normal.
    float length_squared = dot(normal, normal);
    if (length_squared < 0.25)
        discard;
    float4 albedo = albedo_plane.Load(at);
    // A plane of half the size covers the same picture.
    float2 whole;
    float2 part;
    albedo_plane.GetDimensions(whole.x, whole.y);
    occlusion_plane.GetDimensions(part.x, part.y);
    float occlusion = occlusion_plane.Load(int3(position.xy * part / whole, 0)).r;
    float3 light = ambient_light(normal * rsqrt(length_squared), albedo.rgb, albedo.a * occlusion);
    return float4(min(light, MOST_ADDED), 0.0);
}
