// The weights of the layers at a place. Twin: AtlasLayout::weight_texel in src/atlas.
#ifndef LANDFORM_WEIGHTS
#define LANDFORM_WEIGHTS

#include "view.hlsl"
#include "atlas.hlsl"
#include "material.hlsl"

// The texel of mip 0, fractional, at which a filter of mip `mip` finds a sample coordinate. Between the last centre of
// a block and the first of the next lie 2^mip texels of the atlas but only 2^mip - 1 samples of the world: there the
// coordinate is stretched, so that a lookup is continuous across blocks.
float weight_texel(float at, float mip, uint tile_count)
{
    float side = float(map.z + 1);
    uint tile = min(tile_of(at), tile_count - 1);
    float first = float(tile) * side;
    float from_first = at - float(tile * map.z);
    float from_last = side - 1.0 - from_first;
    float size = exp2(mip);
    // Samples from the shared one to the nearest centre on either side of it.
    float reach = (size - 1.0) * 0.5;
    if (from_first < reach && tile > 0)
        return first + from_first * (size / (size - 1.0));
    if (from_last < reach && tile + 1 < tile_count)
        return first + side - from_last * (size / (size - 1.0));
    return first + from_first + 0.5;
}

// Where the weights of a place lie, and how it changes from pixel to pixel: an atlas coordinate jumps at every block, so
// a filter's own derivatives would pick its coarsest mip there.
struct WeightPlace
{
    float2 uv;
    float mip;
};

WeightPlace weight_place(float2 place, float2 dx, float2 dy)
{
    float2 size = float2(tiles.xy) * float(map.z + 1);
    float width = max(max(dot(dx, dx), dot(dy, dy)), 1.0);
    float mip = min(0.5 * log2(width), float(map.w));
    place = clamp(place, 0.0, float2(map.xy));
    WeightPlace found;
    found.uv = float2(weight_texel(place.x, mip, tiles.x), weight_texel(place.y, mip, tiles.y)) / size;
    found.mip = mip;
    return found;
}

// Four weights of a page.
float4 weights_of_page(WeightPlace at, float page)
{
    return layer_weights.SampleLevel(weight_sampler, float3(at.uv, page), at.mip);
}

#endif
