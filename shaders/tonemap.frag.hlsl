// Luminance to what a screen shows: exposed, rolled off, dithered by less than a step of 8 bits, and encoded where the target
// does not.
#include "luminance.hlsl"
#include "night_vision.hlsl"
#include "noise.hlsl"
#include "output.hlsl"

[[vk::binding(BINDING_INPUT, SET)]] Texture2D<float4> luminance_plane;
// One texel: the exposure value that the frame was metered for; something else where it was not.
[[vk::binding(BINDING_INPUT_NORMALS, SET)]] Texture2D<float4> metered;

[[vk::push_constant]] cbuffer TonemapConstants
{
    float4 exposure; // what luminance is multiplied with, 0 where that was metered; steps of the target, 0 for none; its pixels
    float4 sharpness; // how much edges are raised, 0…1; 0
};

// A curve with a short toe, a straight middle and a shoulder, a channel each: what is bright loses its colour as on film, and what
// is in shade keeps its own (Uchimura, *HDR Theory and Practice*, CEDEC 2017, with a gentler toe).
static const float MIDDLE = 0.22;   // where the straight part begins
static const float STRAIGHT = 0.4;  // how much of what is left above it is straight
static const float TOE = 1.1;       // 1 is none

float3 rolled_off(float3 light)
{
    float shoulder = MIDDLE + (1.0 - MIDDLE) * STRAIGHT;
    float3 low = MIDDLE * pow(light / MIDDLE, TOE);
    float3 high = 1.0 - (1.0 - shoulder) * exp((shoulder - light) / (1.0 - shoulder));
    float3 middle = lerp(low, light, smoothstep(0.0, MIDDLE, light));
    return lerp(middle, high, step(shoulder, light));
}

// What luminance is multiplied with.
float exposure_scale()
{
    return exposure.x > 0.0 ? exposure.x : 1.0 / (1.2 * exp2(metered.Load(int3(0, 0, 0)).r));
}

// How much of a texel lies between two places.
float within(int at, float from, float to)
{
    return saturate(min(float(at) + 1.0, to) - max(float(at), from));
}

// A texel's light as it is shown.
float3 shown_at(int2 at, float scale)
{
    // What is not finite once would stay so in every average.
    float3 light = min(luminance_plane.Load(int3(at, 0)).rgb, MOST_ALONE);
    // A grey card is exposed to 0.18.
    light = seen_at_night(max(light, 0.0), 0.18 / scale);
    return rolled_off(light * scale);
}

// Raises the difference of a texel from its neighbours, the more the less contrast there is already, and never beyond what the
// neighbours have, so that no edge has a seam (after the ideas of contrast-adaptive sharpening, AMD FidelityFX CAS and RCAS, 2019 and
// 2021).
float3 sharpened(float3 middle, int2 at, int2 last, float scale)
{
    float3 above = shown_at(int2(at.x, max(at.y - 1, 0)), scale);
    float3 below = shown_at(int2(at.x, min(at.y + 1, last.y)), scale);
    float3 left = shown_at(int2(max(at.x - 1, 0), at.y), scale);
    float3 right = shown_at(int2(min(at.x + 1, last.x), at.y), scale);
    float3 low = min(middle, min(min(above, below), min(left, right)));
    float3 high = max(middle, max(max(above, below), max(left, right)));
    // What there is room for, below and above.
    float3 room = saturate(min(low, 1.0 - high) / max(high, 1e-4));
    float raised = sharpness.x * sqrt(min(room.r, min(room.g, room.b)));
    float3 around = 0.25 * (above + below + left + right);
    return clamp(middle + raised * (middle - around), low, high);
}

float4 main(float4 position : SV_Position) : SV_Target0
{
    float2 whole;
    luminance_plane.GetDimensions(whole.x, whole.y);
    // What a pixel covers of the plane, and at least a texel of it: more than one are averaged, and between fewer it is interpolated.
    // Each is rolled off by itself: what is far too bright would spread over all of them.
    float2 ratio = whole / exposure.zw;
    float2 middle = position.xy * ratio;
    float2 reach = 0.5 * max(ratio, 1.0);
    float2 from = middle - reach;
    float2 to = middle + reach;
    int2 first = int2(floor(from));
    int2 last = int2(ceil(to)) - 1;
    float scale = exposure_scale();
    float3 shown_light = 0.0;
    [loop] for (int y = first.y; y <= last.y; y++)
        [loop] for (int x = first.x; x <= last.x; x++)
        {
            int2 at = clamp(int2(x, y), 0, int2(whole) - 1);
            float part = within(x, from.x, to.x) * within(y, from.y, to.y);
            shown_light += part * shown_at(at, scale);
        }
    shown_light /= 4.0 * reach.x * reach.y;
    if (sharpness.x > 0.0)
        shown_light = sharpened(shown_light, int2(position.xy), int2(whole) - 1, scale);
    // Steps are even in what is stored, so that is where they are dithered.
    float3 stored = encode(shown_light);
    stored += exposure.y > 0.0 ? (frac(gradient_noise(position.xy)) - 0.5) / exposure.y : 0.0;
    stored = saturate(stored);
    return float4(ENCODE_SRGB ? stored : decode(stored), 1.0);
}
