// What lights the frame: a sun with cascades, the sky's harmonics, lamps in clusters. Directions and metres are the world's,
// places are metres from the camera, light is photometric. The Rust side is `abi`; tests/abi.rs compares every offset.
#ifndef LANDFORM_LIGHT
#define LANDFORM_LIGHT

#include "lamp_record.hlsl"
#include "luminance.hlsl"
#include "microfacets.hlsl"

struct CascadeRecord
{
    float4 rows[3]; // metres from the camera -> across and down the tile, 0…1, and reverse depth
    float4 atlas;   // tile -> atlas: scale, offset
    float4 texel;   // metres a texel, depth a metre toward the light, half the width in metres, 0
};

[[vk::binding(BINDING_LIGHT, SET_LIGHT)]] cbuffer LightConstants
{
    float4 toward_sun;      // unit vector, cosine of the disc's radius
    float4 sun_illuminance; // lux on what faces it; cd/m² of the disc a lux
    float4 harmonics[9]; // luminance of a white diffuse surface, by its normal: 1, y, z, x, xy, yz, 3z²-1, xz, x²-y²
    float4 haze;            // extinction a metre; 0
    float4 sky_place;       // the sun's azimuth as x and z, elevation of the horizon; 1 where there is a table of the sky
    float4 shadow;          // metres at which shadows begin to fade, one over how long that takes, cascades, edge that is blended
    float4 bias;            // texels along the normal, more of them where light grazes, texels toward the light, 0
    uint4 clusters;         // columns, rows, slices, lamps
    float4 cluster_scale;   // slice = log2(depth) * x + y; columns and rows a pixel
    float4 cluster_view;    // the viewport's corner in pixels; metres at which slices begin, and end
    float4 ahead;           // where the camera looks, unit; 1 for a view without perspective
    column_major float4x4 ray_from_clip; // clip space -> a place, metres from the camera
    CascadeRecord cascades[MAX_CASCADES];
    float4 toward_moon;     // unit vector, one over the sine of the disc's radius; 0 where there is no moon
    float4 moon;            // cd/m² of the lit part; how much of that the rest has
    float4 moon_side;       // unit vector across the way to it, toward where it is lit from; cosine of the phase angle
    float4 night;           // the moon's azimuth as x and z; 1 where the table has a night; 1 where stars are drawn
    float4 star_rows[3];    // world -> celestial sphere; optical depth of the air overhead: red, green, blue
};

[[vk::binding(BINDING_SHADOW_ATLAS, SET_LIGHT)]] Texture2D<float> shadow_atlas;
[[vk::binding(BINDING_SHADOW_SAMPLER, SET_LIGHT)]] SamplerComparisonState shadow_sampler;
[[vk::binding(BINDING_LAMPS, SET_LIGHT)]] StructuredBuffer<LampRecord> lamps;
// Of each cluster where its list begins and how long it is; then the lists.
[[vk::binding(BINDING_CLUSTERS, SET_LIGHT)]] StructuredBuffer<uint> cluster_words;

// Light that a white diffuse surface sends out under the sky alone, cd/m².
float3 sky_light(float3 normal)
{
    float3 light = harmonics[0].rgb + harmonics[1].rgb * normal.y + harmonics[2].rgb * normal.z + harmonics[3].rgb * normal.x;
    light += harmonics[4].rgb * (normal.x * normal.y) + harmonics[5].rgb * (normal.y * normal.z);
    light += harmonics[6].rgb * (3.0 * normal.z * normal.z - 1.0) + harmonics[7].rgb * (normal.x * normal.z);
    light += harmonics[8].rgb * (normal.x * normal.x - normal.y * normal.y);
    return max(light, 0.0);
}

// A place in a tile, and the plane that the ground is there.
struct TilePlace
{
    float3 at;    // across and down the tile, 0…1; reverse depth
    float2 slope; // depth a texel across and down
};

// Where a place lies in a tile, moved off the ground and toward the light by metres that the cascade's texels say. Toward the
// light depth grows.
TilePlace place_in_tile(CascadeRecord cascade, float3 relative, float3 normal)
{
    // Where light grazes more than this the ground's own horizon takes it away.
    float facing = clamp(dot(normal, toward_sun.xyz), 0.02, 1.0);
    float off = bias.x + bias.y * sqrt(1.0 - facing * facing);
    float4 place = float4(relative + normal * (cascade.texel.x * off), 1.0);
    // Along the light, what a step of a texel across it does on a plane of this normal. Rows are as long as one over the width.
    float2 across = 2.0 * cascade.texel.z * float2(dot(cascade.rows[0].xyz, normal), dot(cascade.rows[1].xyz, normal));
    float2 rise = -across / facing;
    // One comparison reads two texels each way against one depth: a plane must not be before itself in any of them.
    float toward_light = max(bias.z, abs(rise.x) + abs(rise.y) - off / facing);
    float depth_a_texel = cascade.texel.x * cascade.texel.y;
    TilePlace found;
    found.at = float3(dot(cascade.rows[0], place), dot(cascade.rows[1], place), dot(cascade.rows[2], place));
    found.at.z += toward_light * depth_a_texel;
    found.slope = rise * depth_a_texel;
    return found;
}

// How much of the sun a tile lets through around a place of it: four comparisons of two by two texels, half a texel from the
// middle each, with what the ground's plane has there.
float open_texels(CascadeRecord cascade, TilePlace place)
{
    float width;
    float height;
    shadow_atlas.GetDimensions(width, height);
    float2 texel = 1.0 / float2(width, height);
    float2 uv = place.at.xy * cascade.atlas.xy + cascade.atlas.zw;
    float open = 0.0;
    [unroll] for (uint i = 0; i < 4; i++)
    {
        float2 away = float2((i & 1) == 0 ? -0.5 : 0.5, (i & 2) == 0 ? -0.5 : 0.5);
        float depth = place.at.z + dot(place.slope, away);
        open += shadow_atlas.SampleCmpLevelZero(shadow_sampler, uv + away * texel, depth);
    }
    return 0.25 * open;
}

// How much of the sun reaches a place: of the first cascade that holds it, and toward its edge more and more of the next.
float sun_reaches(float3 relative, float3 normal)
{
    float open = 0.0;
    float rest = 1.0;
    uint count = uint(shadow.z);
    [loop] for (uint i = 0; i < count && rest > 0.0; i++)
    {
        TilePlace place = place_in_tile(cascades[i], relative, normal);
        // What the comparisons read stays in the tile: they need one texel and a half of it, of which it has twice its half width.
        float most = 1.0 - 1.5 * cascades[i].texel.x / cascades[i].texel.z;
        float edge = most - 2.0 * max(abs(place.at.x - 0.5), abs(place.at.y - 0.5));
        // The last has no next one to blend with: there shadows fade.
        float share = i + 1 < count ? saturate(edge * shadow.w) : (edge > 0.0 ? 1.0 : 0.0);
        // For what is behind the far plane nothing was drawn, and what is before the near one would be before all that shades it,
        // which lies flat on that plane.
        share = place.at.z > 0.0 && place.at.z < 1.0 ? share : 0.0;
        if (share > 0.0)
            open += rest * share * open_texels(cascades[i], place);
        rest *= 1.0 - share;
    }
    float fade = saturate((length(relative) - shadow.x) * shadow.y);
    return lerp(open + rest, 1.0, fade);
}

// A surface as light sees it.
struct Lit
{
    float3 relative;   // metres from the camera, world axes
    float3 normal;     // world
    float3 relief;     // the ground's own normal, world
    float3 toward_eye; // unit
    float3 albedo;
    float roughness;   // 0…1, perceptual
    float occlusion;   // 1 is open
};

// Luminance that a surface sends to the eye for each lux on what faces the light.
float3 reflected(Lit surface, float3 toward_light)
{
    float facing = saturate(dot(surface.normal, toward_light));
    float3 diffuse = surface.albedo * (1.0 / 3.14159265);
    float shine = microfacets(surface.normal, toward_light, surface.toward_eye, surface.roughness);
    return (diffuse + surface.occlusion * shine) * facing;
}

float3 sun_light(Lit surface)
{
    // What the layers tilt past the ground's own horizon the sun does not reach.
    float horizon = smoothstep(-0.02, 0.02, dot(surface.relief, toward_sun.xyz));
    float3 light = sun_illuminance.rgb * horizon;
    if (horizon > 0.0)
        light *= sun_reaches(surface.relative, surface.relief);
    return reflected(surface, toward_sun.xyz) * light;
}

// What one lamp does to a surface. It falls off with the square of the distance, and to nothing where its reach ends (Lagarde and de
// Rousiers 2014). Twin: Lamp::illuminance in src/light.
float3 lamp_light(Lit surface, LampRecord lamp)
{
    float3 toward = lamp.position - surface.relative;
    float part = dot(toward, toward) / (lamp.range * lamp.range);
    float window = saturate(1.0 - part * part);
    // No brighter than at a centimetre.
    float squared = max(dot(toward, toward), 1e-4);
    float3 direction = toward * rsqrt(squared);
    float inside = saturate((dot(-direction, lamp.toward) - lamp.cos_outer) * lamp.inverse_cone);
    return reflected(surface, direction) * lamp.intensity * (window * window * inside * inside / squared);
}

// The lamps of the cluster that a pixel lies in.
float3 lamps_light(Lit surface, float2 pixel)
{
    float3 light = 0.0;
    if (clusters.w == 0)
        return light;
    float depth = max(dot(surface.relative, ahead.xyz), cluster_view.z);
    if (depth > cluster_view.w)
        return light;
    uint2 cell = uint2(max((pixel - cluster_view.xy) * cluster_scale.zw, 0.0));
    cell = min(cell, clusters.xy - 1);
    uint slice = uint(clamp(log2(depth) * cluster_scale.x + cluster_scale.y, 0.0, float(clusters.z - 1)));
    uint index = (slice * clusters.y + cell.y) * clusters.x + cell.x;
    uint first = cluster_words[2 * index];
    uint count = cluster_words[2 * index + 1];
    [loop] for (uint i = 0; i < count; i++)
        light += lamp_light(surface, lamps[cluster_words[first + i]]);
    return light;
}

// Diffuse light of the sky: what a frame with split planes withholds.
float3 ambient_light(float3 normal, float3 albedo, float occlusion)
{
    return albedo * sky_light(normal) * occlusion;
}

// The sky in what shines, as far as harmonics know it: what is reflected is blurred (Lazarov, *Getting More Physical in Call of
// Duty: Black Ops II*, 2013, after Karis' fit for dielectrics).
float3 ambient_shine(Lit surface)
{
    float seen = saturate(dot(surface.normal, surface.toward_eye));
    float4 c = surface.roughness * float4(-1.0, -0.0275, -0.572, 0.022) + float4(1.0, 0.0425, 1.04, -0.04);
    float a = min(c.x * c.x, exp2(-9.28 * seen)) * c.x + c.y;
    float2 scale = float2(-1.04, 1.04) * a + c.zw;
    float3 mirrored = reflect(-surface.toward_eye, surface.normal);
    return sky_light(mirrored) * (0.04 * scale.x + scale.y) * surface.occlusion;
}

#endif
