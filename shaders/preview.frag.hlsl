// The preview: a hard-coded sun over a neutral tint by height and slope, good enough to judge shape, and the
// diagnostic views.
#include "atlas.hlsl"
#include "output.hlsl"

[[vk::constant_id(0)]] const bool HAS_HOLES = false;

static const uint VIEW_SHADED = 0;
static const uint VIEW_LAMBDA = 1;
static const uint VIEW_NORMALS = 2;
static const uint VIEW_TILES = 3;
static const uint VIEW_LATTICE = 4;

struct Fragment
{
    float4 position : SV_Position;
    float2 place : PLACE;
    float3 relative : RELATIVE;
    float3 normal : NORMAL;
    float2 level : LEVEL;
};

// Green below, dry above, pale at the top; bare where it is steep.
float3 tint(float height, float up)
{
    float3 meadow = float3(0.092, 0.112, 0.044);
    float3 heath = float3(0.165, 0.140, 0.078);
    float3 stone = float3(0.185, 0.172, 0.155);
    float3 pale = float3(0.560, 0.565, 0.580);
    float3 ground = lerp(meadow, heath, smoothstep(0.15, 0.55, height));
    ground = lerp(ground, pale, smoothstep(0.66, 0.92, height));
    return lerp(stone, ground, smoothstep(0.68, 0.90, up));
}

float3 shaded(Fragment fragment, float3 normal)
{
    float3 albedo = tint(fragment.level.y / 65535.0, normal.y);
    float direct = max(dot(normal, sun.xyz), 0.0);
    // Light from the sky above and a little of the ground's own from below.
    float3 ambient = lerp(float3(0.14, 0.12, 0.09), float3(0.27, 0.36, 0.52), 0.5 + 0.5 * normal.y);
    // Weak light from opposite the sun, so that the shade has form.
    float3 opposite = normalize(float3(-sun.x, 0.4, -sun.z));
    ambient += float3(0.20, 0.23, 0.28) * max(dot(normal, opposite), 0.0);
    float3 light = albedo * (float3(3.4, 2.95, 2.35) * direct + ambient);
    float distance = length(fragment.relative);
    float haze = 1.0 - exp(-distance * sun.w);
    return lerp(light, sky.rgb, haze);
}

// A hue a level, blending as λ does.
float3 lambda_colour(float lambda)
{
    float3 phase = lambda * 0.37 + float3(0.0, 0.33, 0.67);
    return 0.5 + 0.45 * cos(6.2831853 * phase);
}

float3 tile_colour(float2 place)
{
    uint2 tile = uint2(tile_of(place.x), tile_of(place.y));
    uint hash = (tile.x * 0x9E3779B1u) ^ (tile.y * 0x85EBCA77u);
    hash = (hash ^ (hash >> 15)) * 0xC2B2AE3Du;
    return 0.25 + 0.6 * float3((hash >> 8) & 255, (hash >> 16) & 255, (hash >> 24) & 255) / 255.0;
}

// Lines along the quads of the level drawn: what wireframe falls back to where a device cannot fill in lines.
float lattice_line(float2 place, float lambda)
{
    // Where nothing morphs λ is a whole number, which interpolation rounds to either side.
    float step = exp2(floor(lambda + 1.0 / 64.0));
    float2 at = place / step;
    // Fine derivatives, so that every device draws the same lines.
    float2 width = max(abs(ddx_fine(at)) + abs(ddy_fine(at)), 1e-6);
    float2 away = abs(frac(at - 0.5) - 0.5) / width;
    // Lines less than a few pixels apart would cover everything.
    float2 drawn = (1.0 - saturate(away)) * (1.0 - smoothstep(0.30, 0.80, width));
    return max(drawn.x, drawn.y);
}

float4 main(Fragment fragment) : SV_Target0
{
    if (HAS_HOLES && is_hole_at(fragment.place))
        discard;
    float3 normal = normalize(fragment.normal);
    float3 lit = shaded(fragment, normal);
    float3 relief = 0.35 + 0.65 * saturate(dot(normal, sun.xyz));
    uint mode = tiles.z;
    if (mode == VIEW_LAMBDA)
        lit = lambda_colour(fragment.level.x) * relief;
    else if (mode == VIEW_NORMALS)
        lit = normal.xzy * float3(0.5, -0.5, 0.5) + 0.5;
    else if (mode == VIEW_TILES)
        lit = tile_colour(fragment.place) * relief;
    else if (mode == VIEW_LATTICE)
        lit = lerp(lit, float3(0.9, 0.95, 1.0), 0.7 * lattice_line(fragment.place, fragment.level.x));
    return shown(lit);
}
