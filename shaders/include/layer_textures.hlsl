// What a layer's textures hold under a fragment: one projection or three, one scale or two, in squares or in hexagons.
#ifndef LANDFORM_LAYER_TEXTURES
#define LANDFORM_LAYER_TEXTURES

#include "material.hlsl"

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

// Where a layer's textures are read once, and how much of the layer that is.
struct Lookup
{
    float2 at;
    float2 dx;
    float2 dy;
    uint side;
    float share;
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

// A layer is read up to five times at each of two scales: from above, in one square or three hexagons, and along x and
// along z.
static const uint LOOKUPS_A_SCALE = 5;

// The bits of the lookups that are needed at one scale.
uint lookups_at(LayerConstants layer, LayerPlace place, float4 scale, float4 cell)
{
    uint needed = 1;
    if ((layer.flags.y & LAYER_DETILE) != 0)
    {
        bool3 seen = hexagons_at(picture_of(place.at, ALONG_Y) * scale.w, cell).share > LEAST_SHARE;
        needed = (seen.x ? 1 : 0) | (seen.y ? 2 : 0) | (seen.z ? 4 : 0);
    }
    if ((layer.flags.y & LAYER_TRIPLANAR) != 0)
    {
        needed = place.sides.y > LEAST_SHARE ? needed : 0;
        needed |= place.sides.x > LEAST_SHARE ? 8 : 0;
        needed |= place.sides.z > LEAST_SHARE ? 16 : 0;
    }
    return needed;
}

uint lookups_of(LayerConstants layer, LayerPlace place)
{
    float far = place.far_share * layer.blend.y;
    uint needed = 0;
    if (far < 1.0)
        needed = lookups_at(layer, place, layer.near, layer.near_cell);
    if (far > 0.0)
        needed |= lookups_at(layer, place, layer.far, layer.far_cell) << LOOKUPS_A_SCALE;
    return needed;
}

Lookup lookup_of(LayerConstants layer, LayerPlace place, uint index)
{
    bool second = index >= LOOKUPS_A_SCALE;
    uint which = second ? index - LOOKUPS_A_SCALE : index;
    float4 scale = second ? layer.far : layer.near;
    float4 cell = second ? layer.far_cell : layer.near_cell;
    float far = place.far_share * layer.blend.y;
    Lookup found;
    found.side = which < 3 ? ALONG_Y : (which == 3 ? ALONG_X : ALONG_Z);
    found.share = second ? far : 1.0 - far;
    if ((layer.flags.y & LAYER_TRIPLANAR) != 0)
        found.share *= found.side == ALONG_Y ? place.sides.y : (found.side == ALONG_X ? place.sides.x : place.sides.z);
    // The camera's own repeats were wrapped in f64: near the camera this is exact wherever the world's origin is.
    float2 relative = picture_of(place.at, found.side) * scale.w;
    found.at = relative + picture_of(scale.xzy, found.side);
    found.dx = picture_of(place.dx, found.side) * scale.w;
    found.dy = picture_of(place.dy, found.side) * scale.w;
    // Hexagons lie on the plan: what is projected from a side is squares.
    if ((layer.flags.y & LAYER_DETILE) != 0 && which < 3)
    {
        Hexagons hexagons = hexagons_at(relative, cell);
        found.at += hexagon_offset_of(hexagons, which);
        found.share *= hexagons.share[which];
    }
    return found;
}

float far_share(float metres)
{
    return smoothstep(distance_scales.x, distance_scales.y, metres);
}

// The functions of each slot, which name its textures: an index into an array of textures must be a constant.
#define SLOT 0
#include "layer_slot.hlsl"
#undef SLOT
#define SLOT 1
#include "layer_slot.hlsl"
#undef SLOT
#define SLOT 2
#include "layer_slot.hlsl"
#undef SLOT
#define SLOT 3
#include "layer_slot.hlsl"
#undef SLOT
#if SPLAT_SLOTS > 4
#define SLOT 4
#include "layer_slot.hlsl"
#undef SLOT
#define SLOT 5
#include "layer_slot.hlsl"
#undef SLOT
#define SLOT 6
#include "layer_slot.hlsl"
#undef SLOT
#define SLOT 7
#include "layer_slot.hlsl"
#undef SLOT
#endif
#if SPLAT_SLOTS > 8
#define SLOT 8
#include "layer_slot.hlsl"
#undef SLOT
#define SLOT 9
#include "layer_slot.hlsl"
#undef SLOT
#define SLOT 10
#include "layer_slot.hlsl"
#undef SLOT
#define SLOT 11
#include "layer_slot.hlsl"
#undef SLOT
#endif
#if SPLAT_SLOTS > 12
#define SLOT 12
#include "layer_slot.hlsl"
#undef SLOT
#define SLOT 13
#include "layer_slot.hlsl"
#undef SLOT
#define SLOT 14
#include "layer_slot.hlsl"
#undef SLOT
#define SLOT 15
#include "layer_slot.hlsl"
#undef SLOT
#endif

#endif
