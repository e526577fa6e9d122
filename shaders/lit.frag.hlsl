// The ground in the frame's own light: luminance in cd/m². With SPLIT the diffuse light of the sky is withheld, and what is
// needed to add it later is written beside.
#include "surface.hlsl"
#include "light.hlsl"

[[vk::constant_id(0)]] const bool HAS_HOLES = false;

struct Planes
{
    float4 light : SV_Target0;
#if SPLIT
    float4 albedo : SV_Target1;   // as it is; the layers' occlusion
    float4 normal : SV_Target2;   // world, signed; roughness
    float4 specular : SV_Target3; // reflectance head on
#endif
};

Lit lit_surface(Fragment fragment, Ground ground)
{
    Lit surface;
    surface.relative = to_world(fragment.relative);
    surface.normal = to_world(ground.normal);
    surface.relief = to_world(ground.relief);
    // Without perspective all sight is parallel.
    surface.toward_eye = ahead.w > 0.5 ? -ahead.xyz : -normalize(surface.relative);
    surface.albedo = ground.albedo;
    surface.roughness = ground.roughness;
    surface.occlusion = ground.occlusion;
    return surface;
}

Planes main(Fragment fragment)
{
    // Asked first and acted on last: a discarded fragment still has a part in its neighbours' derivatives.
    bool open = HAS_HOLES && is_hole_at(fragment.place);
    Ground ground = ground_at(fragment, false);
    Lit surface = lit_surface(fragment, ground);
    float3 light = sun_light(surface) + lamps_light(surface, fragment.position.xy) + ambient_shine(surface);
#if !SPLIT
    light += ambient_light(surface.normal, surface.albedo, surface.occlusion);
#endif
    if (open)
        discard;
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
