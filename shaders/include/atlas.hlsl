// Where a sample lies in the atlas and how a height is read. Twin: src/atlas/layout.rs and src/atlas/heights.rs.
#ifndef LANDFORM_ATLAS
#define LANDFORM_ATLAS

#include "view.hlsl"

struct Taps
{
    uint first;
    uint second;
    float fraction;
};

// The half keeps the product's rounding away from the border.
uint tile_of(float at)
{
    return uint((floor(at) + 0.5) * spacing.z);
}

// The two texels of a mip that a sample coordinate lies between on one axis. Past a block's last centre the second
// tap is the neighbour block's first, 2^mip - 1 samples away; only the map's edge clamps.
Taps atlas_taps(float at, uint mip, uint tile_count)
{
    uint quads = map.z;
    uint tile = min(tile_of(at), tile_count - 1);
    float local = at - float(tile * quads);
    uint side = (1u << map.w) >> mip;
    float last = float(side - 1);
    precise float texel = (local + 0.5) * asfloat((127u - mip) << 23) - 0.5;
    float gap = float((1u << mip) - 1);
    Taps taps;
    if (texel < 0.0 && tile > 0 && mip > 0)
    {
        taps.first = tile * side - 1;
        taps.second = tile * side;
        precise float across = local / gap + 0.5;
        taps.fraction = across;
    }
    else if (texel > last && tile + 1 < tile_count && mip > 0)
    {
        taps.first = tile * side + side - 1;
        taps.second = taps.first + 1;
        precise float across = (local - float(quads)) / gap + 0.5;
        taps.fraction = across;
    }
    else
    {
        float clamped = clamp(texel, 0.0, last);
        float whole = floor(clamped);
        taps.first = tile * side + uint(whole);
        taps.second = min(taps.first + 1, tile * side + side - 1);
        taps.fraction = clamped - whole;
    }
    return taps;
}

// Loads, and not a filter: the eight bits of a hardware filter's fraction step visibly between 16-bit samples.
float height_texel(uint x, uint z, uint mip)
{
    return float(heights.Load(int3(x, z, mip)));
}

float height_at_mip(float2 place, uint mip)
{
    Taps x = atlas_taps(place.x, mip, tiles.x);
    Taps z = atlas_taps(place.y, mip, tiles.y);
    float nw = height_texel(x.first, z.first, mip);
    float ne = height_texel(x.second, z.first, mip);
    float sw = height_texel(x.first, z.second, mip);
    float se = height_texel(x.second, z.second, mip);
    precise float north = nw + (ne - nw) * x.fraction;
    precise float south = sw + (se - sw) * x.fraction;
    precise float height = north + (south - north) * z.fraction;
    return height;
}

// H(x, λ) in codes: piecewise bilinear between texel centres, mixed between the two mips around λ.
float height_at(float2 place, float lambda)
{
    place = clamp(place, 0.0, float2(map.xy));
    lambda = clamp(lambda, 0.0, float(map.w));
    uint mip = uint(lambda);
    float between = lambda - float(mip);
    float fine = height_at_mip(place, mip);
    if (between == 0.0)
        return fine;
    float coarse = height_at_mip(place, mip + 1);
    precise float height = fine + (coarse - fine) * between;
    return height;
}

// Unit normal of H at λ, differenced over the step that λ implies: the normal of the geometry that is drawn there.
float3 normal_at(float2 place, float lambda)
{
    float reach = exp2(min(lambda, float(map.w)));
    float2 low = max(place - reach, 0.0);
    float2 high = min(place + reach, float2(map.xy));
    float x = height_at(float2(high.x, place.y), lambda) - height_at(float2(low.x, place.y), lambda);
    float z = height_at(float2(place.x, high.y), lambda) - height_at(float2(place.x, low.y), lambda);
    float2 slope = float2(x, z) * camera_height.z / ((high - low) * spacing.xy);
    return normalize(float3(-slope.x, 1.0, -slope.y));
}

// One function for all who ask: the texel and bit of a quad in the hole mask, eight quads a texel.
bool is_hole(uint2 quad)
{
    uint2 tile = uint2(tile_of(float(quad.x)), tile_of(float(quad.y)));
    uint2 local = quad - tile * map.z;
    uint side = 1u << map.w;
    uint2 texel = uint2(tile.x * (side / 8) + local.x / 8, tile.y * side + local.y);
    return (holes.Load(int3(texel, 0)) >> (local.x & 7) & 1) != 0;
}

// The quad under a place, and whether it is open.
bool is_hole_at(float2 place)
{
    return is_hole(min(uint2(max(place, 0.0)), map.xy - 1));
}

#endif
