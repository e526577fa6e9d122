// This engine's G-buffer, written for landform's ground. Landform's include says what the ground is at a fragment; what becomes
// of it is the engine's, down to a set of its own (set 2).
#include "surface.hlsl"

// Landform sets it where a terrain has holes; to discard them is up to the shader.
[[vk::constant_id(0)]] const bool HAS_HOLES = false;

[[vk::binding(0, 2)]] cbuffer Scene
{
    float lowest;     // world height of the lowest of the terrain's range, metres
    float wet_below;  // world height that the last flood reached, metres
    float wet_fades;  // metres above it in which the ground is dry again
    float unused;
};

struct Planes
{
    float4 albedo : SV_Target0; // RGBA8 sRGB: linear RGB, which the format encodes; occlusion
    float2 normal : SV_Target1; // RG16F: the world normal, octahedral
    float2 rough : SV_Target2;  // RG8: roughness; the shading model's number
    float height : SV_Target3;  // R32F: the world height, metres
};

static const float MODEL_GROUND = 1.0 / 255.0;

// A unit vector on the faces of an octahedron, unfolded (Cigolle et al., A Survey of Efficient Representations for Independent
// Unit Vectors, JCGT 3(2), 2014), its +Y in the middle.
float2 octahedral(float3 normal)
{
    float3 on_faces = normal / (abs(normal.x) + abs(normal.y) + abs(normal.z));
    float2 turned = on_faces.xz;
    if (on_faces.y < 0.0)
        turned = (1.0 - abs(turned.yx)) * float2(turned.x < 0.0 ? -1.0 : 1.0, turned.y < 0.0 ? -1.0 : 1.0);
    return turned;
}

Planes main(Fragment fragment)
{
    // Asked first and acted on last: a discarded fragment still has a part in its neighbours' derivatives.
    bool open = HAS_HOLES && is_hole_at(fragment.place);
    Ground ground = ground_at(fragment, false);
    float height = lowest + ground_height(fragment);
    // Wet ground is darker and shines (Lagarde, Water drop 3b, 2013).
    float wet = 1.0 - smoothstep(wet_below, wet_below + wet_fades, height);
    if (open)
        discard;
    Planes planes;
    planes.albedo = float4(ground.albedo * lerp(1.0, 0.45, wet), ground.occlusion);
    planes.normal = octahedral(to_world(ground.normal));
    planes.rough = float2(lerp(ground.roughness, 0.25, wet), MODEL_GROUND);
    planes.height = height;
    return planes;
}
