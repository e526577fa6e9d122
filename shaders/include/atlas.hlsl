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

// 1 / (2^mip - 1) a mip, as bits: what src/atlas/layout.rs multiplies by. A division may be rounded otherwise.
static const uint INVERSE_GAP[11] = {0x00000000, 0x3F800000, 0x3EAAAAAB, 0x3E124925, 0x3D888889, 0x3D042108,
                                     0x3C820821, 0x3C010204, 0x3B808081, 0x3B004020, 0x3A802008};

// The last texel of a tile's block on an axis that holds a sample of the map.
uint last_texel(uint tile, uint mip, uint edge)
{
    return min(edge - tile * map.z, map.z) >> mip;
}

// The two texels of a mip that a sample coordinate lies between on one axis. Past a block's last centre the second
// tap is the neighbour block's first, 2^mip - 1 samples away. Only the map's edge clamps, to the texel that holds its
// last sample: what lies past it is padding.
Taps atlas_taps(float at, uint mip, uint tile_count, uint edge)
{
    uint quads = map.z;
    uint tile = min(tile_of(at), tile_count - 1);
    float local = at - float(tile * quads);
    uint side = (1u << map.w) >> mip;
    uint end = last_texel(tile, mip, edge);
    float last = float(end);
    // At mip 0 a texel is a sample, and the halves would only round.
    precise float centred = (local + 0.5) * asfloat((127u - mip) << 23) - 0.5;
    float texel = mip == 0 ? local : centred;
    Taps taps;
    if (texel < 0.0 && tile > 0 && mip > 0)
    {
        taps.first = tile * side - 1;
        taps.second = tile * side;
        precise float across = local * asfloat(INVERSE_GAP[mip]) + 0.5;
        taps.fraction = across;
    }
    else if (texel > last && tile + 1 < tile_count && mip > 0)
    {
        taps.first = tile * side + side - 1;
        taps.second = taps.first + 1;
        precise float across = (local - float(quads)) * asfloat(INVERSE_GAP[mip]) + 0.5;
        taps.fraction = across;
    }
    else
    {
        float clamped = clamp(texel, 0.0, last);
        float whole = floor(clamped);
        taps.first = tile * side + uint(whole);
        taps.second = min(taps.first + 1, tile * side + end);
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
    Taps x = atlas_taps(place.x, mip, tiles.x, map.x);
    Taps z = atlas_taps(place.y, mip, tiles.y, map.y);
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

// Four neighbouring texels on one axis: one before the two taps, the taps, one after them, and how far it is from the
// middle of the lower pair to the middle of the upper one.
struct Row
{
    uint4 texel;
    float fraction;
    float reach; // samples
};

Row atlas_row(float at, uint mip, uint tile_count, uint edge)
{
    Row row;
    float4 index;
    if (mip == 0)
    {
        // Whole samples, each found in its own block: blocks share their border samples.
        float whole = floor(at);
        index = clamp(whole + float4(-1.0, 0.0, 1.0, 2.0), 0.0, float(edge));
        row.fraction = at - whole;
        uint4 tile = min(uint4((index + 0.5) * spacing.z), tile_count - 1);
        row.texel = tile * (1u << map.w) + (uint4(index) - tile * map.z);
    }
    else
    {
        Taps taps = atlas_taps(at, mip, tile_count, edge);
        uint tile = tile_count - 1;
        uint end = tile * ((1u << map.w) >> mip) + last_texel(tile, mip, edge);
        index = clamp(float(taps.first) + float4(-1.0, 0.0, 1.0, 2.0), 0.0, float(end));
        row.fraction = taps.fraction;
        row.texel = uint4(index);
    }
    float apart = lerp(index.z, index.w, row.fraction) - lerp(index.x, index.y, row.fraction);
    // A mip of one texel is flat: its difference is 0 and must not be divided by 0.
    row.reach = max(apart, 1.0) * float(1u << mip);
    return row;
}

// The slope of H on one mip in codes a sample: differenced over a step of the mip on either side.
float2 slope_at_mip(float2 place, uint mip)
{
    Row x = atlas_row(place.x, mip, tiles.x, map.x);
    Row z = atlas_row(place.y, mip, tiles.y, map.y);
    float4 north = float4(height_texel(x.texel.x, z.texel.y, mip), height_texel(x.texel.y, z.texel.y, mip),
                          height_texel(x.texel.z, z.texel.y, mip), height_texel(x.texel.w, z.texel.y, mip));
    float4 south = float4(height_texel(x.texel.x, z.texel.z, mip), height_texel(x.texel.y, z.texel.z, mip),
                          height_texel(x.texel.z, z.texel.z, mip), height_texel(x.texel.w, z.texel.z, mip));
    float2 above = float2(height_texel(x.texel.y, z.texel.x, mip), height_texel(x.texel.z, z.texel.x, mip));
    float2 below = float2(height_texel(x.texel.y, z.texel.w, mip), height_texel(x.texel.z, z.texel.w, mip));
    float4 across = lerp(north, south, z.fraction);
    float2 middle = lerp(float2(north.y, south.y), float2(north.z, south.z), x.fraction);
    float2 outer = lerp(float2(above.x, below.x), float2(above.y, below.y), x.fraction);
    float east = lerp(across.z, across.w, x.fraction) - lerp(across.x, across.y, x.fraction);
    float2 low_high = lerp(float2(outer.x, middle.y), float2(middle.x, outer.y), z.fraction);
    return float2(east / x.reach, (low_high.y - low_high.x) / z.reach);
}

// The slope of H(x, λ) at the step that λ implies: that of the geometry drawn there, continuous in place and λ.
float2 slope_at(float2 place, float lambda)
{
    place = clamp(place, 0.0, float2(map.xy));
    lambda = clamp(lambda, 0.0, float(map.w));
    uint mip = uint(lambda);
    float between = lambda - float(mip);
    float2 fine = slope_at_mip(place, mip);
    if (between == 0.0)
        return fine;
    return lerp(fine, slope_at_mip(place, mip + 1), between);
}

// Unit normal of a slope in codes a sample.
float3 slope_normal(float2 slope)
{
    float2 rise = slope * camera_height.z / spacing.xy;
    return normalize(float3(-rise.x, 1.0, -rise.y));
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
