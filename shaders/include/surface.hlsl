// What the ground is made of at a fragment: the layers that lie there, blended. Everything a shading needs and nothing of
// a light.
#ifndef LANDFORM_SURFACE
#define LANDFORM_SURFACE

#include "atlas.hlsl"
#include "blend.hlsl"
#include "weights.hlsl"
#include "layer_textures.hlsl"

// What the vertex stage hands over.
struct Fragment
{
    float4 position : SV_Position;
    float2 place : PLACE;       // samples
    float3 relative : RELATIVE; // metres from the camera, terrain frame
    float3 normal : NORMAL;     // of the geometry
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

// The ground's normal, from a finer mip than the geometry's: a ridge far away keeps its light. Continuous in λ, so that
// there is no seam between levels.
float3 relief_normal(Fragment fragment)
{
    float lambda = max(fragment.level.x - distance_scales.z, 0.0);
    return slope_normal(surface_at(fragment.place, lambda).yz);
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

// What each slot that is there reads. A slot that shows is one that was there.
#define FIND_LOOKUPS(I) lookups[I] = blend.share[I] > PRESENT ? lookups_of(layers[I], place) : 0;
#define NEEDED(I)                          \
    if (ground.share[I] > PRESENT)         \
    {                                      \
        needed |= lookups[I];              \
        ground.evaluated += 1;             \
    }
#define ADD_LOOKUP(I)                                                      \
    if (ground.share[I] > PRESENT && (lookups[I] >> index & 1) != 0)       \
        add_lookup##I(sum, place, index, ground.share[I]);
// The first pass reads only what blends by height.
#define HEIGHTS_NEEDED(I)                                                  \
    if (blend.share[I] > PRESENT)                                          \
    {                                                                      \
        contenders += blend.mode[I] == MODE_ALPHA ? 0 : 1;                 \
        needed |= blend.mode[I] == MODE_HEIGHT ? lookups[I] : 0;           \
    }
#define ADD_HEIGHT(I)                                                      \
    if (blend.mode[I] == MODE_HEIGHT && (lookups[I] >> index & 1) != 0)    \
        found[I] += height_lookup##I(place, index);
#define TAKE_HEIGHT(I) blend.height[I] = found[I].y > 0.0 ? found[I].x / found[I].y : 0.5;

#define FOR_4(DO) DO(0) DO(1) DO(2) DO(3)
#define FOR_8(DO) FOR_4(DO) DO(4) DO(5) DO(6) DO(7)
#define FOR_12(DO) FOR_8(DO) DO(8) DO(9) DO(10) DO(11)
#define FOR_16(DO) FOR_12(DO) DO(12) DO(13) DO(14) DO(15)
#if SPLAT_SLOTS == 4
#define FOR_EACH_SLOT FOR_4
#elif SPLAT_SLOTS == 8
#define FOR_EACH_SLOT FOR_8
#elif SPLAT_SLOTS == 12
#define FOR_EACH_SLOT FOR_12
#else
#define FOR_EACH_SLOT FOR_16
#endif

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

// The weights under a fragment, with the bands of slopes applied. What the layers give up there is the first layer's that
// is not over others, and so is ground without any weight.
void find_weights(WeightPlace at, float slope, out Blend blend)
{
    float given_up = 0.0;
    float sum = 0.0;
    uint first = SPLAT_SLOTS;
    blend.count = counts.x;
    [unroll] for (uint page = 0; page < SPLAT_SLOTS / 4; page++)
    {
        float4 weights = weights_of_page(at, float(page));
        [unroll] for (uint i = 0; i < 4; i++)
        {
            uint slot = page * 4 + i;
            bool over = layers[slot].flags.x == MODE_ALPHA;
            float kept = (layers[slot].flags.y & LAYER_SLOPE) != 0 ? band_of(slope, layers[slot].slope) : 1.0;
            float weight = slot < counts.x ? weights[i] : 0.0;
            blend.share[slot] = weight * kept;
            blend.height[slot] = 0.5;
            blend.contrast[slot] = layers[slot].blend.x;
            blend.mode[slot] = layers[slot].flags.x;
            given_up += over ? 0.0 : weight * (1.0 - kept);
            sum += over ? 0.0 : weight;
            first = over ? first : min(first, slot);
        }
    }
    given_up = sum > PRESENT ? given_up : 1.0;
    [unroll] for (uint j = 0; j < SPLAT_SLOTS; j++)
        blend.share[j] += j == first ? given_up : 0.0;
}

#if SPLAT_HEIGHT
// The first pass: the blend heights of the layers that are there. A layer alone needs none.
void find_heights(LayerPlace place, uint lookups[SPLAT_SLOTS], inout Blend blend)
{
    float2 found[SPLAT_SLOTS];
    [unroll] for (uint i = 0; i < SPLAT_SLOTS; i++)
        found[i] = 0.0;
    uint needed = 0;
    uint contenders = 0;
    FOR_EACH_SLOT(HEIGHTS_NEEDED)
    needed = contenders > 1 ? needed : 0;
    [loop] while (needed != 0)
    {
        uint index = firstbitlow(needed);
        needed &= needed - 1;
        FOR_EACH_SLOT(ADD_HEIGHT)
    }
    FOR_EACH_SLOT(TAKE_HEIGHT)
}
#endif

// The ground at a fragment. `albedo` is what it is where the terrain has no layers; the slope is found where a layer asks
// for it, or `asks_slope`.
Ground ground_at(Fragment fragment, float3 albedo, bool asks_slope)
{
    // Derivatives come first, where all fragments still run together.
    float2 across = ddx(fragment.place);
    float2 down = ddy(fragment.place);
    Ground ground;
    ground.relief = relief_normal(fragment);
    LayerPlace place = layer_place(fragment, ground.relief);
    ground.normal = ground.relief;
    ground.albedo = albedo;
    ground.roughness = 1.0;
    ground.occlusion = 1.0;
    ground.slope = 0.0;
    ground.evaluated = 0;
    [unroll] for (uint i = 0; i < SPLAT_SLOTS; i++)
        ground.share[i] = 0.0;
    if (asks_slope || (counts.z & LAYER_SLOPE) != 0)
        ground.slope = material_slope(fragment);
    if (counts.x == 0)
        return ground;
    WeightPlace at = weight_place(fragment.place, across, down);
    Blend blend;
    find_weights(at, ground.slope, blend);
    uint lookups[SPLAT_SLOTS];
    FOR_EACH_SLOT(FIND_LOOKUPS)
    float4 set = set_at(at);
#if SPLAT_HEIGHT
    if (set.x > 0.0)
        find_heights(place, lookups, blend);
#endif
    blend_layers(blend, set);
    [unroll] for (uint j = 0; j < SPLAT_SLOTS; j++)
        ground.share[j] = blend.share[j];
    LayerSample sum;
    sum.albedo = 0.0;
    sum.surface = 0.0;
    sum.gradient = 0.0;
    sum.share = 0.0;
    uint needed = 0;
    FOR_EACH_SLOT(NEEDED)
    // One loop over lookups with all slots in it, and not a loop a slot: compilers take those badly.
    [loop] while (needed != 0)
    {
        uint index = firstbitlow(needed);
        needed &= needed - 1;
        FOR_EACH_SLOT(ADD_LOOKUP)
    }
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
