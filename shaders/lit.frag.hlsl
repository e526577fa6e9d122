// The ground in the frame's own light: luminance in cd/m², and with SPLIT the planes beside it.
#include "surface.hlsl"
#include "lit_planes.hlsl"

[[vk::constant_id(0)]] const bool HAS_HOLES = false;

Lit lit_surface(Fragment fragment, Ground ground)
{
    Lit surface;
    surface.relative = to_world(fragment.relative);
    surface.normal = to_world(ground.normal);
    surface.relief = to_world(ground.relief);
    surface.toward_eye = toward_eye_of(surface.relative);
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
    Planes planes = lit_planes(lit_surface(fragment, ground), fragment.position.xy);
    if (open)
        discard;
    return planes;
}
