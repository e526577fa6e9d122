// What a layer's textures hold under a fragment: one projection or three, one scale or two, in squares or in hexagons.
#ifndef LANDFORM_LAYER_TEXTURES
#define LANDFORM_LAYER_TEXTURES

#include "material.hlsl"
#include "blend.hlsl"

// What layers add up to at a place.
struct LayerSample
{
    float3 albedo;
    float2 surface;  // occlusion, roughness
    float3 gradient; // of the height that its normals stand for, in the world (Mikkelsen 2020)
    float share;     // of all of it, how much was read
};

// Where a fragment is, in the world's axes, and how that changes from pixel to pixel. Metres from the camera.
struct LayerPlace
{
    float3 at;
    float3 dx;
    float3 dy;
    float3 sides;    // how much of each projection: along x, y (from above) and z; 1 together
    float far_share; // how much of the second scale, 0…1
};

// Where a layer's textures are read once.
struct Lookup
{
    float2 at;
    float2 dx;
    float2 dy;
    uint side;
};

// Projections by how steep it is (Golus 2017), and from above alone up to some 20 degrees.
float3 projections(float3 normal)
{
    float3 facing = max(abs(normal) - 0.35, 0.0);
    facing *= facing;
    return facing / (facing.x + facing.y + facing.z);
}

static const uint ALONG_X = 0;
static const uint ALONG_Y = 1;
static const uint ALONG_Z = 2;

// The axes of a picture on a side of the ground: its right, and down in it.
float2 picture_of(float3 across, uint side)
{
    if (side == ALONG_Y)
        return across.xz;
    return float2(side == ALONG_X ? across.z : across.x, -across.y);
}

// The gradient in the world of a tangent-space normal's surface.
float3 gradient_of(float2 encoded, uint side, float strength)
{
    float2 slope = encoded * (255.0 / 127.0) - 128.0 / 127.0;
    float up = sqrt(max(1.0 - dot(slope, slope), 0.04));
    // Right in the picture, and down in it; green points up.
    float2 rise = slope * float2(-1.0, strength < 0.0 ? -1.0 : 1.0) * abs(strength) / up;
    if (side == ALONG_Y)
        return float3(rise.x, 0.0, rise.y);
    return side == ALONG_X ? float3(0.0, -rise.y, rise.x) : float3(rise.x, -rise.y, 0.0);
}

// A whole place in the lattice to an offset of the texture, 0…1.
float2 hexagon_offset(int2 cell)
{
    uint2 at = uint2(cell) & 4095u;
    uint hash = at.x * 0x9E3779B1u + at.y * 0x85EBCA77u;
    hash = (hash ^ (hash >> 15)) * 0x2C1B3C6Du;
    hash = (hash ^ (hash >> 12)) * 0x297A2D39u;
    hash ^= hash >> 15;
    return float2(hash & 0xFFFFu, hash >> 16) / 65536.0;
}

// Where a place lies among the hexagons (Mikkelsen 2022, "Practical Real-Time Hex-Tiling"): of the three around it, how
// much each shows.
struct Hexagons
{
    int2 base;
    int upper; // 1 in the upper triangle of the lattice's cell
    float3 share;
};

Hexagons hexagons_at(float2 relative, float4 cell)
{
    // Skewed into a lattice of triangles, some three and a half of them a repeat.
    float2 skewed = float2(relative.x - 0.57735027 * relative.y, 1.15470054 * relative.y) * 3.46410162 + cell.xy;
    float2 whole = floor(skewed);
    float2 part = skewed - whole;
    bool upper = part.x + part.y > 1.0;
    float3 near = upper ? float3(part.x + part.y - 1.0, 1.0 - part.y, 1.0 - part.x)
                        : float3(1.0 - part.x - part.y, part.y, part.x);
    // Steep, so that little of it is a mean of several, which would look washed out.
    float3 steep = near * near;
    steep *= steep * steep * near;
    Hexagons found;
    found.base = int2(whole) + int2(cell.zw);
    found.upper = upper ? 1 : 0;
    found.share = steep / (steep.x + steep.y + steep.z);
    return found;
}

// The offset of the texture in one of the three.
float2 hexagon_offset_of(Hexagons hexagons, uint corner)
{
    int u = hexagons.upper;
    int2 step = corner == 0 ? int2(u, u) : (corner == 1 ? int2(u, 1 - u) : int2(1 - u, u));
    return hexagon_offset(hexagons.base + step);
}

// Less than this of a layer is not read, or of a layer's hexagons: what is left stands for all of it.
static const float LEAST_SHARE = 1.0 / 64.0;

// How a layer is read at one of its two scales: up to five times, from above in one square or three hexagons, along x and
// along z.
struct LayerScale
{
    float4 scale; // LayerConstants::near or far
    Hexagons hexagons;
    float3 sides; // how much of each projection
    uint needed;  // a bit a lookup
};

LayerScale scale_of(LayerConstants layer, LayerPlace place, bool second)
{
    LayerScale found;
    found.scale = second ? layer.far : layer.near;
    float far = place.far_share * layer.blend.y;
    float share = second ? far : 1.0 - far;
    found.hexagons.base = int2(0, 0);
    found.hexagons.upper = 0;
    found.hexagons.share = float3(1.0, 0.0, 0.0);
    found.needed = 1;
    if ((layer.flags.y & LAYER_DETILE) != 0)
    {
        float4 cell = second ? layer.far_cell : layer.near_cell;
        found.hexagons = hexagons_at(picture_of(place.at, ALONG_Y) * found.scale.w, cell);
        bool3 seen = found.hexagons.share > LEAST_SHARE;
        found.needed = (seen.x ? 1 : 0) | (seen.y ? 2 : 0) | (seen.z ? 4 : 0);
    }
    found.sides = float3(0.0, share, 0.0);
    if ((layer.flags.y & LAYER_TRIPLANAR) != 0)
    {
        found.sides = place.sides * share;
        found.needed = place.sides.y > LEAST_SHARE ? found.needed : 0;
        found.needed |= place.sides.x > LEAST_SHARE ? 8 : 0;
        found.needed |= place.sides.z > LEAST_SHARE ? 16 : 0;
    }
    found.needed = share > 0.0 ? found.needed : 0;
    return found;
}

// One of the lookups, and how much of the layer it is.
Lookup lookup_of(LayerConstants layer, LayerPlace place, LayerScale scale, uint index, out float share)
{
    Lookup found;
    found.side = index < 3 ? ALONG_Y : (index == 3 ? ALONG_X : ALONG_Z);
    share = index < 3 ? scale.sides.y : (index == 3 ? scale.sides.x : scale.sides.z);
    // The camera's own repeats were wrapped in f64: near the camera this is exact wherever the world's origin is.
    found.at = picture_of(place.at, found.side) * scale.scale.w + picture_of(scale.scale.xzy, found.side);
    found.dx = picture_of(place.dx, found.side) * scale.scale.w;
    found.dy = picture_of(place.dy, found.side) * scale.scale.w;
    // Hexagons lie on the plan: what is projected from a side is squares.
    if ((layer.flags.y & LAYER_DETILE) != 0 && index < 3)
    {
        float3 shares = scale.hexagons.share;
        found.at += hexagon_offset_of(scale.hexagons, index);
        share *= index == 0 ? shares.x : (index == 1 ? shares.y : shares.z);
    }
    return found;
}

float far_share(float metres)
{
    return smoothstep(distance_scales.x, distance_scales.y, metres);
}

// Something for every slot whose bit is set, pages without any skipped. A slot is a number in the source, since an index into
// an array of textures must be one.
#define IF_SLOT(BITS, I, DO) [branch] if ((BITS & 1u << I) != 0) { DO(I) }
#define IF_PAGE(BITS, P, A, B, C, D, DO)                                                                \
    [branch] if (is_page_present(BITS, P))                                                              \
    {                                                                                                   \
        IF_SLOT(BITS, A, DO) IF_SLOT(BITS, B, DO) IF_SLOT(BITS, C, DO) IF_SLOT(BITS, D, DO)             \
    }
#define IF_PAGE_0(BITS, DO) IF_PAGE(BITS, 0, 0, 1, 2, 3, DO)
#define IF_PAGE_1(BITS, DO) IF_PAGE(BITS, 1, 4, 5, 6, 7, DO)
#define IF_PAGE_2(BITS, DO) IF_PAGE(BITS, 2, 8, 9, 10, 11, DO)
#define IF_PAGE_3(BITS, DO) IF_PAGE(BITS, 3, 12, 13, 14, 15, DO)
#if SPLAT_SLOTS == 4
#define FOR_SLOTS(BITS, DO) IF_PAGE_0(BITS, DO)
#elif SPLAT_SLOTS == 8
#define FOR_SLOTS(BITS, DO) IF_PAGE_0(BITS, DO) IF_PAGE_1(BITS, DO)
#elif SPLAT_SLOTS == 12
#define FOR_SLOTS(BITS, DO) IF_PAGE_0(BITS, DO) IF_PAGE_1(BITS, DO) IF_PAGE_2(BITS, DO)
#else
#define FOR_SLOTS(BITS, DO) IF_PAGE_0(BITS, DO) IF_PAGE_1(BITS, DO) IF_PAGE_2(BITS, DO) IF_PAGE_3(BITS, DO)
#endif

// The lookups that a layer needs, a bit each: of its first scale, then of its second.
static const uint LOOKUPS_A_SCALE = 5;

uint lookups_of(LayerConstants layer, LayerPlace place)
{
    return scale_of(layer, place, false).needed | scale_of(layer, place, true).needed << LOOKUPS_A_SCALE;
}

uint lookups_of_all(uint slots, LayerPlace place)
{
    uint needed = 0;
    [loop] for (; slots != 0; slots &= slots - 1)
        needed |= lookups_of(layers[firstbitlow(slots)], place);
    return needed;
}

// False where the layer does not need the lookup.
bool find_lookup(LayerConstants layer, LayerPlace place, uint index, out Lookup lookup, out float part)
{
    bool second = index >= LOOKUPS_A_SCALE;
    uint which = second ? index - LOOKUPS_A_SCALE : index;
    LayerScale scale = scale_of(layer, place, second);
    lookup = lookup_of(layer, place, scale, which, part);
    return (scale.needed >> which & 1) != 0;
}

#define READ(TEXTURES, I) TEXTURES[I].SampleGrad(layer_sampler, lookup.at, lookup.dx, lookup.dy)
#define ADD_LAYER(I)                                                                           \
    float part;                                                                                \
    Lookup lookup;                                                                             \
    [branch] if (find_lookup(layers[I], place, index, lookup, part))                           \
    {                                                                                          \
        part *= shares[I / 4][I % 4];                                                          \
        float4 tint = layers[I].tint;                                                          \
        sum.albedo += READ(layer_albedo, I).rgb * tint.rgb * part;                             \
        sum.surface += READ(layer_surface, I).rg * part;                                       \
        sum.gradient += gradient_of(READ(layer_normal, I).rg, lookup.side, tint.w) * part;     \
        sum.share += part;                                                                     \
    }

// What the layers whose bits are set make together, by how much each shows. One loop over lookups with all slots in it, and
// not a loop a slot or a switch: compilers take the first badly, and drivers that draw on the CPU take every way of the
// second.
LayerSample add_layers(uint slots, float4 shares[SPLAT_PAGES], LayerPlace place)
{
    LayerSample sum;
    sum.albedo = 0.0;
    sum.surface = 0.0;
    sum.gradient = 0.0;
    sum.share = 0.0;
    [loop] for (uint needed = lookups_of_all(slots, place); needed != 0; needed &= needed - 1)
    {
        uint index = firstbitlow(needed);
        FOR_SLOTS(slots, ADD_LAYER)
    }
    return sum;
}

#if SPLAT_HEIGHT
#define ADD_HEIGHT(I)                                                          \
    float part;                                                                \
    Lookup lookup;                                                             \
    [branch] if (find_lookup(layers[I], place, index, lookup, part))           \
    {                                                                          \
        sum[I / 4][I % 4] += READ(layer_surface, I).a * part;                  \
        whole[I / 4][I % 4] += part;                                           \
    }
#define CONTEND(I)                                                                              \
    float height = sum[I / 4][I % 4] / max(whole[I / 4][I % 4], 1e-4);                          \
    contends[I / 4][I % 4] = contending(height, layers[I].blend.x, set);

// What the layers whose bits are set contend with, of their blend heights.
void layer_heights(uint slots, LayerPlace place, float4 set, inout float4 contends[SPLAT_PAGES])
{
    float4 sum[SPLAT_PAGES];
    float4 whole[SPLAT_PAGES];
    [unroll] for (uint i = 0; i < SPLAT_PAGES; i++)
    {
        sum[i] = 0.0;
        whole[i] = 0.0;
    }
    [loop] for (uint needed = lookups_of_all(slots, place); needed != 0; needed &= needed - 1)
    {
        uint index = firstbitlow(needed);
        FOR_SLOTS(slots, ADD_HEIGHT)
    }
    FOR_SLOTS(slots, CONTEND)
}
#undef ADD_HEIGHT
#undef CONTEND
#endif
#undef ADD_LAYER
#undef READ

#endif
