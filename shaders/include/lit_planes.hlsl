// What a surface in the frame's own light writes: luminance in cd/m². With SPLIT 1 the diffuse light of the sky is withheld, and
// what is needed to add it later is written beside. The ground and a host's meshes write the same.
#ifndef LANDFORM_LIT_PLANES
#define LANDFORM_LIT_PLANES

#include "light.hlsl"

struct Planes
{
    float4 light : SV_Target0;
#if SPLIT
    float4 albedo : SV_Target1;   // as it is; occlusion
    float4 normal : SV_Target2;   // world, signed; roughness
    float4 specular : SV_Target3; // reflectance head on
#endif
};

// Unit vector to the eye of a place, metres from the camera. Without perspective all sight is parallel.
float3 toward_eye_of(float3 relative)
{
    return ahead.w > 0.5 ? -ahead.xyz : -normalize(relative);
}

// What a surface writes at a pixel, which is SV_Position's xy.
Planes lit_planes(Lit surface, float2 pixel)
{
    float3 light = sun_light(surface) + lamps_light(surface, pixel) + ambient_shine(surface);
#if !SPLIT
    light += ambient_light(surface.normal, surface.albedo, surface.occlusion);
#endif
    Planes planes;
    // Half precision holds this, and what later passes add.
    planes.light = float4(min(light, MOST_LIT), 1.0);
#if SPLIT
    planes.albedo = float4(surface.albedo, surface.occlusion);
    planes.normal = float4(surface.normal, surface.roughness);
    planes.specular = float4(0.04, 0.04, 0.04, 0.0);
#endif
    return planes;
}

#endif
