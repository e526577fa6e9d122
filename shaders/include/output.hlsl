// From linear light to what a target stores.
#ifndef LANDFORM_OUTPUT
#define LANDFORM_OUTPUT

// Set for a target that stores what it is given: colour is then encoded here.
[[vk::constant_id(1)]] const bool ENCODE_SRGB = false;

float3 encode(float3 linear_rgb)
{
    float3 low = linear_rgb * 12.92;
    float3 high = 1.055 * pow(max(linear_rgb, 0.0031308), 1.0 / 2.4) - 0.055;
    return lerp(high, low, step(linear_rgb, 0.0031308));
}

float3 decode(float3 srgb)
{
    float3 low = srgb / 12.92;
    float3 high = pow(max(srgb + 0.055, 0.0) / 1.055, 2.4);
    return lerp(high, low, step(srgb, 0.04045));
}

// Rolls off what is brighter than the target holds, and encodes.
float4 shown(float3 light)
{
    float3 held = light / (1.0 + max(max(light.r, max(light.g, light.b)) - 0.8, 0.0));
    return float4(ENCODE_SRGB ? encode(held) : held, 1.0);
}

#endif
