// What the ground is made of at a fragment: the layers that lie there, blended. Everything a shading needs and nothing of
// a light.
#ifndef LANDFORM_SURFACE
#define LANDFORM_SURFACE

#include "atlas.hlsl"
#include "blend.hlsl"
#include "weights.hlsl"
#include "layer_textures.hlsl"

// False where the terrain has no layers, and then nothing of them is read.
[[vk::constant_id(2)]] const bool HAS_LAYERS = true;

// What the vertex stage hands over.
struct Fragment
{
    float4 position : SV_Position;
    float2 place : PLACE;       // samples
    float3 relative : RELATIVE; // metres from the camera, terrain frame
    float2 level : LEVEL;       // λ, height in codes
};

struct Ground
{
    float3 albedo;    // linear RGB
    float3 normal;    // terrain frame, unit
    float3 relief;    // the ground's own normal, without the layers'
    float roughness;  // 0…1, perceptual
    float occlusion;  // 1 is open
    float slope;      // rise over run, as materials ask it
    float share[SPLAT_SLOTS];
    uint evaluated;   // layers whose textures were read
};

float3 to_world(float3 terrain)
{
    return float3(world.x * terrain.x + world.y * terrain.z, terrain.y, world.x * terrain.z - world.y * terrain.x);
}

float3 from_world(float3 turned)
{
    return float3(world.x * turned.x - world.y * turned.z, turned.y, world.x * turned.z + world.y * turned.x);
}

// The height of the ground drawn here, metres above the lowest of the terrain's range. (Where it lies in the world is the
// camera's place and `to_world(fragment.relative)`.)
float ground_height(Fragment fragment)
{
    return fragment.level.y * camera_height.z;
}

// The ground's normal, from a finer mip than the geometry's: a ridge far away keeps its light. Continuous in λ, so that
// there is no seam between levels.
float3 relief_normal(Fragment fragment)
{
    float lambda = max(fragment.level.x - distance_scales.z, 0.0);
    return slope_normal(slope_at(fragment.place, lambda));
}

// Slope over a fixed distance of the world on the mip that λ reads: it changes neither with the camera's place nor at the
// border of a patch or a tile. (Differenced at one texel it would be another slope at every level.)
float material_slope(Fragment fragment)
{
    // At the map's edge there is less to measure over.
    float2 edge = float2(map.xy);
    float2 low = max(fragment.place - world.zw, 0.0);
    float2 high = min(fragment.place + world.zw, edge);
    float2 rise = 0.0;
    [loop] for (uint i = 0; i < 4; i++)
    {
        float2 end = i < 2 ? high : low;
        float2 place = (i & 1) == 0 ? float2(end.x, fragment.place.y) : float2(fragment.place.x, end.y);
        float height = height_at(place, fragment.level.x) * (i < 2 ? 1.0 : -1.0);
        rise += (i & 1) == 0 ? float2(height, 0.0) : float2(0.0, height);
    }
    return length(rise * camera_height.z / (max(high - low, 1e-3) * spacing.xy));
}

float band_of(float slope, float4 band)
{
    return smoothstep(band.x, band.y, slope) * (1.0 - smoothstep(band.z, band.w, slope));
}

// Smooth noise of whole places, 0…1.
float patch_corner(int2 at)
{
    uint2 wrapped = uint2(at) & 4095u;
    uint hash = wrapped.x * 0x27D4EB2Fu + wrapped.y * 0x165667B1u;
    hash = (hash ^ (hash >> 15)) * 0x85EBCA6Bu;
    hash = (hash ^ (hash >> 13)) * 0xC2B2AE35u;
    return float((hash >> 8) & 0xFFFFu) / 65535.0;
}

float patch_noise(float2 at, int2 base)
{
    float2 whole = floor(at);
    float2 part = at - whole;
    part = part * part * (3.0 - 2.0 * part);
    int2 corner = int2(whole) + base;
    float north = lerp(patch_corner(corner), patch_corner(corner + int2(1, 0)), part.x);
    float south = lerp(patch_corner(corner + int2(0, 1)), patch_corner(corner + int2(1, 1)), part.x);
    return lerp(north, south, part.y);
}

// Lighter and darker, warmer and colder patches, in three octaves. `width` is metres a pixel: what is smaller than a few
// pixels fades.
float3 variation_at(float2 metres, float width)
{
    float2 at = metres * variation_scale.x + variation.xy;
    int2 base = int2(variation.zw);
    float pixels = width * variation_scale.x;
    float large = patch_noise(at, base) - 0.5;
    float middle = (patch_noise(at * 4.0, base * 4) - 0.5) * (1.0 - smoothstep(0.06, 0.25, pixels));
    float small = (patch_noise(at * 16.0, base * 16) - 0.5) * (1.0 - smoothstep(0.015, 0.06, pixels));
    float tone = large + 0.6 * middle + 0.4 * small;
    float warmth = patch_noise(at * 2.0, base * 2 + 1000) - 0.5;
    return max(1.0 + variation_scale.y * (tone + warmth * float3(0.5, 0.0, -0.6)), 0.0);
}

// What ground without layers is: green below, dry above, pale at the top; bare where it is steep. `height` is a part of the
// range, `up` the normal's.
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

// The parameters of the blend: of the one set, or of those whose regions meet here.
float4 set_at(WeightPlace at)
{
    if (counts.y <= 1)
        return sets[0];
    float4 regions = weights_of_page(at, float(SPLAT_SLOTS / 4));
    float sum = regions.x + regions.y + regions.z + regions.w;
    regions = sum > 1.0 / 512.0 ? regions / sum : float4(1.0, 0.0, 0.0, 0.0);
    return regions.x * sets[0] + regions.y * sets[1] + regions.z * sets[2] + regions.w * sets[3];
}

LayerPlace layer_place(Fragment fragment, float3 relief)
{
    LayerPlace place;
    place.at = to_world(fragment.relative);
    place.dx = to_world(ddx(fragment.relative));
    place.dy = to_world(ddy(fragment.relative));
    place.sides = projections(to_world(relief));
    place.far_share = far_share(length(fragment.relative));
    return place;
}

BlendSlots slots_of_material()
{
    BlendSlots slots;
    [unroll] for (uint i = 0; i < SPLAT_PAGES; i++)
    {
        slots.listed[i] = slot_listed[i];
        slots.under[i] = slot_under[i];
        slots.first[i] = slot_first[i];
    }
    return slots;
}

// Takes from weights what bands of slopes leave of them. What the layers give up is the first layer's that is not over
// others.
void apply_bands(inout Blend blend, BlendSlots slots, float slope)
{
    float given_up = 0.0;
    [unroll] for (uint slot = 0; slot < SPLAT_SLOTS; slot++)
    {
        [branch] if ((layers[slot].flags.y & LAYER_SLOPE) != 0)
        {
            float weight = blend.share[slot / 4][slot % 4];
            float kept = weight * band_of(slope, layers[slot].slope);
            given_up += (weight - kept) * slots.under[slot / 4][slot % 4];
            blend.share[slot / 4][slot % 4] = kept;
        }
    }
    [unroll] for (uint i = 0; i < SPLAT_PAGES; i++)
        blend.share[i] += given_up * slots.first[i];
}

#if SPLAT_HEIGHT
// The first pass of the blend by height: what the layers that are there contend with. A layer alone needs none.
void find_heights(inout Blend blend, BlendSlots slots, LayerPlace place, float4 set)
{
    [unroll] for (uint i = 0; i < SPLAT_PAGES; i++)
        blend.contends[i] = contending(0.5, 1.0, set);
    uint contenders = blend.present & slots_present(slots.under);
    if ((contenders & (contenders - 1)) != 0 && set.x > 0.0)
        layer_heights(contenders & counts.w, place, set, blend.contends);
}
#endif

// How much of each layer shows at a place.
void shares_at(inout Blend blend, Fragment fragment, LayerPlace place, WeightPlace at, float slope)
{
    BlendSlots slots = slots_of_material();
    [unroll] for (uint i = 0; i < SPLAT_PAGES; i++)
        blend.share[i] = weights_of_page(at, float(i));
    if ((counts.z & LAYER_SLOPE) != 0)
        apply_bands(blend, slots, slope);
    settle_weights(blend, slots);
    float4 set = set_at(at);
#if SPLAT_HEIGHT
    find_heights(blend, slots, place, set);
#endif
    share_out(blend, slots, set);
}

// The ground at a fragment; a tint where the terrain has no layers. The slope is found where a layer asks for it, or
// `asks_slope`.
Ground ground_at(Fragment fragment, bool asks_slope)
{
    // Derivatives come first, where all fragments still run together.
    float2 across = ddx(fragment.place);
    float2 down = ddy(fragment.place);
    Ground ground;
    ground.relief = relief_normal(fragment);
    LayerPlace place = layer_place(fragment, ground.relief);
    ground.normal = ground.relief;
    ground.albedo = tint(fragment.level.y / 65535.0, ground.relief.y);
    ground.roughness = 1.0;
    ground.occlusion = 1.0;
    ground.slope = 0.0;
    ground.evaluated = 0;
    [unroll] for (uint i = 0; i < SPLAT_SLOTS; i++)
        ground.share[i] = 0.0;
    if (asks_slope || (counts.z & LAYER_SLOPE) != 0)
        ground.slope = material_slope(fragment);
    if (!HAS_LAYERS)
        return ground;
    Blend blend;
    shares_at(blend, fragment, place, weight_place(fragment.place, across, down), ground.slope);
    [unroll] for (uint j = 0; j < SPLAT_SLOTS; j++)
        ground.share[j] = blend.share[j / 4][j % 4];
    uint shown = slots_present(blend.share);
    ground.evaluated = countbits(shown);
    LayerSample sum = add_layers(shown, blend.share, place);
    float whole = 1.0 / max(sum.share, 1e-4);
    float pixel = sqrt(max(dot(place.dx.xz, place.dx.xz), dot(place.dy.xz, place.dy.xz)));
    ground.albedo = sum.albedo * whole * variation_at(place.at.xz, pixel);
    ground.occlusion = sum.surface.x * whole;
    ground.roughness = sum.surface.y * whole;
    // The layers' relief on the ground's: only what lies in its plane tilts it.
    float3 up = to_world(ground.relief);
    float3 gradient = sum.gradient * whole;
    ground.normal = normalize(from_world(up - (gradient - up * dot(up, gradient))));
    return ground;
}

#endif
