// The diffuse light of the sky that a frame with split planes withheld: added to its luminance.
#include "light.hlsl"

[[vk::binding(BINDING_INPUT, SET)]] Texture2D<float4> albedo_plane;
[[vk::binding(BINDING_INPUT_NORMALS, SET)]] Texture2D<float4> normal_plane;
[[vk::binding(BINDING_INPUT_OCCLUSION, SET)]] Texture2D<float4> occlusion_plane;

// True where that plane says where the light comes from.
[[vk::constant_id(6)]] const bool HAS_BENT = false;

// What of the sky reaches a place of which it sees so much, when what is around has its colour and passes on some of what it gets
// itself (Jimenez, Wu, Pesce and Jarabo 2016, fitted there to ray-traced scenes): snow stays bright where rock is dark.
float3 with_bounces(float visible, float3 albedo)
{
    float3 a = 2.0404 * albedo - 0.3324;
    float3 b = -4.7951 * albedo + 0.6417;
    float3 c = 2.7552 * albedo + 0.6903;
    return max(visible, ((visible * a + b) * visible + c) * visible);
}

// Ambient light under a plane of occlusion that an AmbientOcclusion wrote.
float3 bent_light(float3 normal, float4 albedo, float4 seen)
{
    // A plane that was cleared and not drawn hides nothing; no direction is written as 0.
    if (dot(seen, seen) == 0.0)
        return ambient_light(normal, albedo.rgb, albedo.a);
    float3 from = seen.gba * 2.0 - 1.0;
    from *= rsqrt(max(dot(from, from), 1e-6));
    // Open ground looks along its own normal, which eight bits would bend by steps that a slope shows.
    from = normalize(lerp(normal, from, saturate(16.0 * (1.0 - seen.r))));
    return ambient_light(from, albedo.rgb, albedo.a) * with_bounces(seen.r, albedo.rgb);
}

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
    float4 seen = occlusion_plane.Load(int3(position.xy * part / whole, 0));
    normal *= rsqrt(length_squared);
    float3 light = HAS_BENT ? bent_light(normal, albedo, seen) : ambient_light(normal, albedo.rgb, albedo.a * seen.r);
    return float4(min(light, MOST_ADDED), 0.0);
}
