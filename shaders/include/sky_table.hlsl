// The sky as a table: luminance by where one looks, relative to the sun, and below that relative to the moon. Twin: SkyTable in
// src/light.
#ifndef LANDFORM_SKY_TABLE
#define LANDFORM_SKY_TABLE

#include "light.hlsl"

[[vk::binding(BINDING_SKY_TABLE, SET_LIGHT)]] Texture2D<float4> sky_table;
[[vk::binding(BINDING_SKY_SAMPLER, SET_LIGHT)]] SamplerState sky_sampler;

// Columns go from the light to opposite of it, either way round. The first half of a light's rows is what is below the horizon, the
// second the sky; both are finest at the horizon, and no lookup mixes them, nor two lights, for it ends on the centre of a row.
// `beside` is the cosine of the azimuth from the light; `first` is the light's first row.
float2 sky_place_of(float3 toward, float beside, float first)
{
    float2 size = float2(SKY_COLUMNS, SKY_ROWS);
    float over = asin(clamp(toward.y, -1.0, 1.0)) - sky_place.z;
    float most = 0.5 * size.y - 1.0;
    float row = over >= 0.0 ? 0.5 * size.y + most * sqrt(over / (1.5707963 - sky_place.z))
                            : most - most * sqrt(-over / (1.5707963 + sky_place.z));
    float2 texel = float2((size.x - 1.0) * sqrt(saturate(0.5 - 0.5 * beside)), first + clamp(row, 0.0, size.y - 1.0));
    return (texel + 0.5) / float2(size.x, 2.0 * size.y);
}

// Of the sun's light and of the moon's; `beside` are the cosines of the azimuths from both.
float3 sky_luminance_beside(float3 toward, float2 beside)
{
    float3 light = sky_table.SampleLevel(sky_sampler, sky_place_of(toward, beside.x, 0.0), 0.0).rgb;
    if (night.z > 0.5)
        light += sky_table.SampleLevel(sky_sampler, sky_place_of(toward, beside.y, float(SKY_ROWS)), 0.0).rgb;
    return light;
}

float3 sky_luminance(float3 toward)
{
    float across = length(toward.xz);
    float2 beside = float2(dot(toward.xz, sky_place.xy), dot(toward.xz, night.xy));
    return sky_luminance_beside(toward, across > 1e-6 ? beside / across : float2(1.0, 1.0));
}

#endif
